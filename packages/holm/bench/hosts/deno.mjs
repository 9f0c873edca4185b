// Deno, as a child process that may read files and nothing else.

import { fileURLToPath } from 'node:url';
import { deno } from '../../test/hosts/deno.mjs';

const script = fileURLToPath(new URL('deno-main.mjs', import.meta.url));

export const run = async (root, plan) => JSON.parse(await deno(script, [root], { input: JSON.stringify(plan) }));
