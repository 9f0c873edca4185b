// The side of Deno: the package's folder and the double's address as arguments.

import { loops } from './loop-core.mjs';

const [root, base] = Deno.args;
const holm = await import(`file://${root}/dist/index.js`);
console.log(JSON.stringify(await loops(holm, base)));
