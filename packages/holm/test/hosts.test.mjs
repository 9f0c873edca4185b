// One set of rules, the same bytes: every host is held to the native vectors and replays native journals.
//
// HOLM_JOURNALS names a folder that scripts/test-js has filled: journals, and expected.json from the native replay.

import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import test from 'node:test';
import { hosts } from './hosts/index.mjs';

const root = fileURLToPath(new URL('..', import.meta.url)).replace(/\/$/, '');
const vectors = JSON.parse(readFileSync(new URL('vectors.json', import.meta.url), 'utf8'));
const folder = process.env.HOLM_JOURNALS;

const names = folder ? readdirSync(folder).filter((name) => name.endsWith('.jsonl')) : [];
const journals = Object.fromEntries(names.map((name) => [name, readFileSync(`${folder}/${name}`, 'base64')]));
const expected = folder ? JSON.parse(readFileSync(`${folder}/expected.json`, 'utf8')) : {};

test('there are enough journals, sound and damaged ones', { skip: !folder }, () => {
  const sound = Object.values(expected).filter((found) => found.effects);
  assert.ok(sound.length >= 50, `${sound.length} sound journals`);
  assert.ok(names.length - sound.length >= 9, 'damaged journals');
});

for (const { name, run } of hosts) {
  test(`${name} decides by the native vectors and replays native journals to the same bytes`, async () => {
    const found = await run(root, { vectors, journals });
    assert.deepEqual(found.failures, []);
    assert.deepEqual(found.replays, expected);
  });
}
