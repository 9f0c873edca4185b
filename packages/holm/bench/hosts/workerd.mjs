// workerd, as a child process. A worker's clock need not move while it computes, so it is timed from outside: a request that advances
// a run, less what one takes that advances nothing.

import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { inWorker } from '../../test/hosts/workerd.mjs';

const require = createRequire(import.meta.url);
const turns = fileURLToPath(new URL('../turns.mjs', import.meta.url));

const worker = (root) => `
import ${JSON.stringify(`${root}/dist/load-workerd.js`)};
import { Run } from ${JSON.stringify(`${root}/dist/kernel.js`)};
import { Codec } from ${JSON.stringify(`${root}/dist/wire/codec.js`)};
import { Turns } from ${JSON.stringify(turns)};
let told;
export default {
  async fetch(request) {
    if (request.method !== 'POST') return new Response('ready');
    const { begin, advance } = await request.json();
    if (begin) {
      told?.free();
      told = new Turns({ Run, Codec });
    }
    told.advance(advance);
    return new Response('done');
  },
};
`;

export async function run(root, plan) {
  const found = await inWorker(root, worker(root), (url) => measured(url, plan));
  return { version: require('workerd/package.json').version, found };
}

async function measured(url, plan) {
  const ask = async (what) => {
    const begun = performance.now();
    const answer = await fetch(url, { method: 'POST', body: JSON.stringify(what) });
    const said = await answer.text();
    if (!answer.ok) throw new Error(`workerd answered ${answer.status}: ${said}`);
    return performance.now() - begun;
  };
  const once = async (turns) => {
    await ask({ begin: true, advance: turns });
    // On both sides of what is measured, so that a machine that becomes busy is noticed.
    const before = await ask({ advance: 0 });
    const spent = await ask({ advance: plan.window });
    const after = await ask({ advance: 0 });
    return spent - Math.min(before, after);
  };
  for (let warm = 0; warm < plan.warm; warm += 1) await once(1000);
  const found = [];
  for (const turns of plan.turns) {
    const samples = [];
    for (let run = 0; run < plan.runs; run += 1) samples.push(await once(turns));
    found.push({ way: 'encoded', turns, samples });
  }
  return found;
}
