// The page about the claims of other systems: every row has a test or a reason, and every test that it names exists.

import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

import { TestFinder, coverageRows, namedTests, rowProblem } from './coverage.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '../..');
const rows = coverageRows(readFileSync(join(root, 'docs/coverage.md'), 'utf8'));

test('the page covers the five systems', () => {
  const systems = new Set(rows.map(({ section }) => section.split(':')[0]));
  assert.deepEqual([...systems].sort(), ['BoxAgnts', 'agent.rs', 'agents-exe', 'agnt', 'clark-agent']);
  assert.ok(rows.length > 200, `only ${rows.length} rows were found`);
});

test('every claim stands once and has a test or a reason', () => {
  const wrong = [];
  const seen = new Set();
  for (const row of rows) {
    const problem = seen.has(`${row.section}: ${row.claim}`) ? 'it stands there twice' : rowProblem(row);
    seen.add(`${row.section}: ${row.claim}`);
    if (problem !== null) wrong.push(`${row.section}: ${row.claim}: ${problem}`);
  }
  assert.deepEqual(wrong, []);
});

test('every test that the page names exists', () => {
  const finder = new TestFinder(root);
  const named = rows.flatMap((row) => namedTests(row.evidence).map((one) => ({ row, one })));
  assert.ok(named.length > 250, `only ${named.length} tests are named`);
  const missing = named.map(({ row, one }) => [row, finder.problem(one)]).filter(([, problem]) => problem !== null);
  assert.deepEqual(missing.map(([{ section, claim }, problem]) => `${section}: ${claim}: ${problem}`), []);
});

test('a row without a test or a reason is noticed', () => {
  const head = '## One\n| claim | in Holm | test or reason |\n|---|---|---|\n';
  const problem = (row) => rowProblem(coverageRows(`${head}${row}`)[0]);
  assert.equal(problem('| a | yes | `a/b.rs::c` |'), null);
  assert.equal(problem('| a | yes | `make check` |'), null);
  assert.equal(problem('| a | yes | **No test yet** |'), null);
  assert.equal(problem('| a | no | It is unsafe. `a/b.rs::c` |'), null);
  assert.match(problem('| a | yes | It is known to work. |'), /names no test/);
  assert.match(problem('| a | no | `a/b.rs::c`, `a/b.rs::d` |'), /no reason/);
  assert.match(problem('| a | maybe | `a/b.rs::c` |'), /not one of/);
});

test('a name that is not a test is noticed', () => {
  const folder = mkdtempSync(join(tmpdir(), 'holm-coverage-'));
  try {
    mkdirSync(join(folder, 'crates/a'), { recursive: true });
    mkdirSync(join(folder, 'packages'));
    const rust = '#[test]\nfn one() {}\n\n#[tokio::test(start_paused = true)]\n#[cfg(unix)]\n// Slow.\nasync fn two() {}\n\nfn helper() {}\n';
    writeFileSync(join(folder, 'crates/a/t.rs'), rust);
    writeFileSync(join(folder, 'packages/t.test.mjs'), "test('it\\'s (1) there', () => {});\nconst three = 'three';\n");
    const finder = new TestFinder(folder);
    const problem = (reference) => finder.problem(namedTests(`\`${reference}\``)[0]);
    for (const there of ['a/t.rs::one', 'a/t.rs::two', "packages/t.test.mjs::it's (1) there"]) assert.equal(problem(there), null, there);
    for (const missing of ['a/t.rs::helper', 'a/t.rs::on', 'packages/t.test.mjs::three']) assert.match(problem(missing), /has no test/, missing);
    assert.match(problem('a/other.rs::one'), /there is no file crates\/a\/other\.rs/);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
