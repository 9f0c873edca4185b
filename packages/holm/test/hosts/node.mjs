// Node, in this process.

import { pathToFileURL } from 'node:url';
import { examine } from '../core.mjs';

export async function run(root, request) {
  await import(pathToFileURL(`${root}/dist/load.js`));
  return examine(await import(pathToFileURL(`${root}/dist/wasm/holm.js`)), request);
}
