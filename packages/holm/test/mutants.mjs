// Switches each guard off in a build for tests, on every host: a suite that does not notice proves nothing.
//
//   node test/mutants.mjs      after scripts/build-npm mutate

import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { hosts } from './hosts/index.mjs';

const root = fileURLToPath(new URL('../.mutants', import.meta.url));
const vectors = JSON.parse(readFileSync(new URL('vectors.json', import.meta.url), 'utf8'));
const source = readFileSync(new URL('../../../crates/holm-guards/src/guard_switches.rs', import.meta.url), 'utf8');
const mutants = [.../NAMES: \[&str; \d+\] = \[([^\]]+)\]/.exec(source)[1].matchAll(/"(\w+)"/g)].map(([, name]) => name);

let missed = 0;
for (const { name, run } of hosts) {
  const found = await run(root, { vectors, mutants });
  if (found.failures.length > 0) throw new Error(`${name}: the suite fails with every guard on: ${found.failures[0]}`);
  const unseen = mutants.filter((mutant) => !(found.mutants[mutant] > 0));
  missed += unseen.length;
  console.log(`${name}: ${mutants.length - unseen.length} of ${mutants.length} mutants noticed ${unseen.join(' ')}`);
}
if (missed > 0 || mutants.length < 10) process.exit(1);
