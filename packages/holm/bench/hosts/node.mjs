// Node, in this process.

import { pathToFileURL } from 'node:url';
import { measure } from '../turns.mjs';

export async function run(root, plan) {
  const { Run } = await import(pathToFileURL(`${root}/dist/kernel.js`));
  const { Codec } = await import(pathToFileURL(`${root}/dist/wire/codec.js`));
  return { version: process.version, found: measure({ Run, Codec }, plan, () => performance.now()) };
}
