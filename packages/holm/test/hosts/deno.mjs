// Deno, as a child process that may read files and nothing else.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));

/** Runs a script under Deno; gives what it printed. */
export async function deno(script, args, { input = '', allow = ['--allow-read'] } = {}) {
  const command = [here('../../node_modules/deno/bin.cjs'), 'run', '--quiet', '--no-prompt', ...allow, script, ...args];
  const child = spawn(process.execPath, command, { stdio: ['pipe', 'pipe', 'inherit'] });
  child.stdin.end(input);
  const parts = [];
  child.stdout.on('data', (part) => parts.push(part));
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`deno ended with ${code}`);
  return Buffer.concat(parts).toString();
}

export const run = async (root, request) =>
  JSON.parse(await deno(here('deno-main.mjs'), [root], { input: JSON.stringify(request) }));
