// The side of Deno: the package's folder as argument, the request on its input.

import { examine } from '../core.mjs';

const root = Deno.args[0];
await import(`file://${root}/dist/load.js`);
const wasm = await import(`file://${root}/dist/wasm/holm.js`);
const request = JSON.parse(await new Response(Deno.stdin.readable).text());
console.log(JSON.stringify(await examine(wasm, request)));
