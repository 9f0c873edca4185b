// An approval shows the change or the command first, and hides no argument of the call.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { summarize } from '../src/core/approval.ts';

const call = (tool: string, given: object, command: string | null = null): ReturnType<typeof summarize> =>
  summarize({ tool, arguments: JSON.stringify(given), command });

test('an edit is shown as a diff with its file', () => {
  const shown = call('edit', { path: 'src/calc.py', old: 'return a - b', new: 'return a + b' });
  assert.deepEqual([shown.verb, shown.target, shown.change?.added, shown.change?.removed], ['Edit', 'src/calc.py', 1, 1]);
  assert.deepEqual([shown.exact, shown.others], [null, []]);
});

test('a new file is shown as added lines', () => {
  const shown = call('write', { path: 'notes.txt', content: 'one\ntwo\n' });
  assert.deepEqual([shown.verb, shown.target, shown.change?.added, shown.change?.removed], ['Write', 'notes.txt', 2, 0]);
});

test('a command is shown as the server gives it', () => {
  const shown = call('shell', { script: 'ls', timeout: 5 }, 'ls');
  assert.deepEqual([shown.verb, shown.command, shown.change], ['Run', 'ls', null]);
  assert.deepEqual(shown.others, [{ name: 'timeout', value: '5' }]);
});

test('arguments outside of a diff are listed beside it', () => {
  assert.deepEqual(call('edit', { path: 'a', old: 'x', new: 'y', all: true }).others, [{ name: 'all', value: 'true' }]);
  const several = call('edit', { path: 'a', edits: [{ old: 'x', new: 'y' }, { old: 'p', new: 'q', all: true }] });
  assert.deepEqual([several.change?.added, several.change?.removed], [2, 2]);
  assert.deepEqual(several.others, [{ name: 'edit 2: all', value: 'true' }]);
});

test('a call that a diff would not show in full is shown as its exact arguments', () => {
  for (const [tool, given] of [
    ['edit', { path: 'a', edits: [{ old: 'x', new: 'y' }, { patch: 'z' }] }],
    ['edit', { path: 'a', patch: '+++ b\n@@\n+x' }],
    ['write', { path: 'a' }],
    ['upload', { path: 'a', content: 'secret' }],
    ['fetch', { url: 'https://example.org' }],
  ] as const) {
    const shown = call(tool, given);
    assert.deepEqual([shown.verb, shown.target, shown.change], ['Allow', tool, null], JSON.stringify(given));
    assert.equal(shown.exact, JSON.stringify(given, null, 2));
  }
});
