// The side of Deno: the package's folder as argument, the plan on its input.

import { measure } from '../turns.mjs';

const root = Deno.args[0];
const { Run } = await import(`file://${root}/dist/kernel.js`);
const { Codec } = await import(`file://${root}/dist/wire/codec.js`);
const plan = JSON.parse(await new Response(Deno.stdin.readable).text());
const found = measure({ Run, Codec }, plan, () => performance.now());
console.log(JSON.stringify({ version: Deno.version.deno, found }));
