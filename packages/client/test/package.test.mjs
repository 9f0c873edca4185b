// The programs of the README run as they stand, in an installed package, and the package has what it needs.

import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { PACKAGE, Stage, script } from './stage.mjs';

const PROGRAMS = [...readFileSync(join(PACKAGE, 'README.md'), 'utf8').matchAll(/```js\n(.*?)```/gs)].map(([, text]) => text);
const READ = { call: 'read', with: { path: 'notes.txt' } };

// For each program: its prompt, what the model replies, and what the program prints.
const CASES = [
  ['What is in notes.txt?', [READ, { say: 'One task.' }], 'One task.\n'],
  [
    'Write a shopping list to list.txt.',
    [{ call: 'write', with: { path: 'list.txt', content: 'bread' } }, { say: 'Done.' }],
    "write [ 'write:list.txt' ]\nDone.",
  ],
  ['How many lamps are there?', [{ call: 'node_stock', with: { item: 'lamp' } }, { say: '{"lamps": 3}' }], '3\n'],
];

test('every program of the README is run', () => assert.equal(PROGRAMS.length, CASES.length));

for (const [at, [prompt, replies, printed]] of CASES.entries()) {
  test(`a program of the README prints what it should: ${prompt}`, async () => {
    const stage = await Stage.open();
    try {
      mkdirSync(join(stage.work, 'node_modules'));
      symlinkSync(PACKAGE, join(stage.work, 'node_modules', 'holm-client'));
      assert.ok(PROGRAMS[at].includes(`'${prompt}'`));
      const program = PROGRAMS[at]
        .replace(`'${prompt}'`, () => JSON.stringify(`${prompt} ${script(...replies)}`))
        .replace('openai/gpt-5-mini', 'openai-chat/double');
      writeFileSync(join(stage.work, 'program.mjs'), program);
      const env = { ...stage.env, HOLM_BIN: stage.command, HOLM_DATA: stage.data };
      const run = spawnSync(process.execPath, ['program.mjs'], { cwd: stage.work, env, encoding: 'utf8', timeout: 60_000 });
      assert.deepEqual([run.stdout, run.stderr, run.status], [printed, '', 0]);
    } finally {
      await stage.close();
    }
  });
}

test('the package has its code and its types, and nothing of its tests', () => {
  const packed = execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts', '--loglevel=silent'], { cwd: PACKAGE });
  const files = JSON.parse(packed.toString())[0].files.map((file) => file.path);
  for (const name of ['README.md', 'dist/index.js', 'dist/index.d.ts', 'dist/node/index.js', 'dist/api-types.d.ts']) {
    assert.ok(files.includes(name), `${name} is missing`);
  }
  assert.deepEqual(files.filter((file) => !/^(dist\/|README\.md$|package\.json$)/.test(file)), []);
});
