// workerd, with the package bundled as a worker's tools do it: the module stays a file beside the script.

import { spawn } from 'node:child_process';
import { mkdtemp, cp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import workerd from 'workerd';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));

const worker = (root) => `
import ${JSON.stringify(`${root}/dist/load-workerd.js`)};
import * as wasm from ${JSON.stringify(`${root}/dist/wasm/holm.js`)};
import { examine } from ${JSON.stringify(here('../core.mjs'))};
export default {
  async fetch(request) {
    if (request.method !== 'POST') return new Response('ready');
    return Response.json(await examine(wasm, await request.json()));
  },
};
`;

const config = `
using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [(name = "main", worker = .main)],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")],
);
const main :Workerd.Worker = (
  modules = [
    (name = "worker.js", esModule = embed "worker.js"),
    (name = "holm_bg.wasm", wasm = embed "holm_bg.wasm"),
  ],
  compatibilityDate = "2025-01-01",
);
`;

export const run = (root, request) =>
  inWorker(root, worker(root), async (url) => {
    const answer = await fetch(url, { method: 'POST', body: JSON.stringify(request) });
    if (!answer.ok) throw new Error(`workerd answered ${answer.status}: ${await answer.text()}`);
    return await answer.json();
  });

/** Bundles a worker, serves it, and does something with its address. */
export async function inWorker(root, source, work) {
  const folder = await mkdtemp(join(tmpdir(), 'holm-workerd-'));
  try {
    await writeFile(join(folder, 'main.mjs'), source);
    const bundle = await rolldown({
      input: join(folder, 'main.mjs'),
      external: /\.wasm$/,
      resolve: { conditionNames: ['workerd', 'import'] },
    });
    await bundle.write({ file: join(folder, 'worker.js'), format: 'esm', paths: () => './holm_bg.wasm' });
    await bundle.close();
    await cp(join(root, 'dist/wasm/holm_bg.wasm'), join(folder, 'holm_bg.wasm'));
    await writeFile(join(folder, 'config.capnp'), config);
    return await serve(folder, work);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** How often it is looked whether it answers, ten times a second: a minute, on a machine that is ten times slower than any. */
const TRIES = 600;

async function serve(folder, work) {
  const port = await freePort();
  const args = ['serve', join(folder, 'config.capnp'), `--socket-addr=http=127.0.0.1:${port}`];
  // The program itself and not its wrapper: a wrapper that is killed leaves its child behind.
  const child = spawn(workerd.default, args, { stdio: ['ignore', 'ignore', 'inherit'] });
  try {
    const url = `http://127.0.0.1:${port}/`;
    for (let tries = 0; ; tries += 1) {
      const answer = await fetch(url).catch(() => undefined);
      if (answer?.ok) break;
      if (tries > TRIES || child.exitCode !== null) throw new Error('workerd did not start');
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    return await work(url);
  } finally {
    child.kill('SIGKILL');
  }
}

function freePort() {
  return new Promise((resolve) => {
    const server = createServer();
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}
