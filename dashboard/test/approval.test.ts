// An approval shows the change or the command first, and hides no argument of the call. The changes of a whole session, and the
// files of a message.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { summarize } from '../src/core/approval.ts';
import { uploadPath, withAttachments } from '../src/core/attachments.ts';
import { changedFiles } from '../src/core/session-changes.ts';
import { EMPTY, reduceEvents } from '../src/core/transcript.ts';
import type { Outcome } from '../src/core/wire.ts';
import { event } from './fixtures.ts';

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

test('a write over a file is shown as the difference to the file as it is', () => {
  const given = { tool: 'write', arguments: JSON.stringify({ path: 'n.txt', content: 'one\nthree\n' }), command: null };
  const shown = summarize({ ...given, change: { replaced: { added: 1, removed: 1, lines: ['@@ 4 equal lines @@', '  one', '- two', '+ three'] } } });
  assert.deepEqual([shown.verb, shown.target, shown.change?.added, shown.change?.removed], ['Replace', 'n.txt', 1, 1]);
  assert.deepEqual(shown.change?.lines.map((line) => line.kind), ['hunk', 'same', 'removed', 'added']);
  assert.equal(summarize({ ...given, change: 'new' }).verb, 'Write the new file');
  const large = summarize({ ...given, change: { uncompared: { size: 9 } } });
  assert.deepEqual([large.verb, large.change?.lines[0]?.text], ['Replace', 'the file as it is has 9 bytes and is not shown']);
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

test('the changes of a session are those of its successful calls, by file', () => {
  const change = (call: number, tool: string, given: object, outcome: Outcome) => [
    event(`${call}.0`, 'call_proposed', { call, tool, arguments: JSON.stringify(given) }),
    event(`${call}.1`, 'call_finished', { call, id: `c${call}`, outcome, bytes: 0, millis: 0 }),
  ];
  const { items } = reduceEvents(EMPTY, [
    ...change(1, 'write', { path: 'b.txt', content: 'one\ntwo\n' }, 'succeeded'),
    ...change(2, 'edit', { path: 'b.txt', old: 'one', new: '1' }, 'succeeded'),
    ...change(3, 'write', { path: 'denied.txt', content: 'x' }, 'refused'),
    ...change(4, 'write', { path: 'a.txt', content: 'x' }, 'succeeded'),
    ...change(5, 'read', { path: 'a.txt' }, 'succeeded'),
  ]);
  assert.deepEqual(changedFiles(items).map(({ path, added, removed, diffs }) => [path, added, removed, diffs.length]), [['a.txt', 1, 0, 1], ['b.txt', 3, 1, 2]]);
});

test('an attached file gets a plain name in the folder for uploads', () => {
  assert.equal(uploadPath('report.pdf', 0), 'uploads/report.pdf');
  assert.equal(uploadPath('report.pdf', 1), 'uploads/report-2.pdf');
  assert.equal(uploadPath('Bild vom Hafen.png', 0), 'uploads/Bild-vom-Hafen.png');
  assert.equal(uploadPath('../../etc/passwd', 0), 'uploads/etc-passwd');
  assert.equal(uploadPath('.bashrc', 0), 'uploads/bashrc');
  assert.equal(uploadPath('\u202e...', 2), 'uploads/file-3');
});

test('a message names its files', () => {
  assert.equal(withAttachments('look', []), 'look');
  assert.equal(withAttachments('look', ['uploads/a', 'uploads/b']), 'look\n\nAttached files:\n- uploads/a\n- uploads/b');
  assert.equal(withAttachments('', ['uploads/a']), 'Attached files:\n- uploads/a');
});
