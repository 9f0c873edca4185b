// Agent files and cron expressions.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { draftOf, listLines, mapLines, newAgentFile, newAgentDraft, textLines, withKey, withPrompt } from '../src/core/agent-file.ts';
import { type Schedule, describeSchedule, cronOf, scheduleOf } from '../src/core/cron.ts';

const FILE = '---\nname: a\n# kept\ndescription: >\n  two\n  lines\ntools:\n- read\nisolation: worktree\n---\nPrompt.\n---\nMore.\n';

test('changing a key leaves the rest of the file unchanged', () => {
  const check = (key: string, said: string[] | null, expect: string): void => assert.equal(withKey(FILE, key, said), expect);
  check('description', textLines('description', 'says: "so"'), FILE.replace('>\n  two\n  lines', '"says: \\"so\\""'));
  check('tools', listLines('tools', ['read', 'a b']), FILE.replace('tools:\n- read', 'tools:\n  - read\n  - "a b"'));
  check('tools', null, FILE.replace('tools:\n- read\n', ''));
  check('mode', textLines('mode', 'plan'), FILE.replace('worktree\n', 'worktree\nmode: plan\n'));
  check('limits', mapLines('limits', { turns: '3', time: '' }), FILE.replace('worktree\n', 'worktree\nlimits:\n  turns: 3\n'));
  assert.equal(mapLines('limits', { turns: '' }), null);
  assert.equal(withKey(withKey(FILE, 'mode', ['mode: plan']), 'mode', null), FILE);
});

test('changing the prompt leaves the head unchanged', () => {
  assert.equal(withPrompt(FILE, 'Other.'), FILE.replace('Prompt.\n---\nMore.\n', 'Other.\n'));
  assert.equal(withPrompt('no head', 'Other.'), '---\n---\nOther.\n');
  assert.match(newAgentFile('x'), /^---\nname: x\n/);
});

test('the form shows the values of the file, and empty fields for missing ones', () => {
  const none = { turns: null, tokens: null, time_ms: null, spend_nano_usd: null, depth: null };
  const bare = { description: '', prompt: 'You are …', mode: null, model: null, grants: [], tools: null, limits: none };
  assert.deepEqual(draftOf(bare), newAgentDraft());
  const full = draftOf({ ...bare, grants: ['read:a', 'write:b'], tools: ['read'], mode: 'plan', limits: { turns: 3, tokens: 9, time_ms: 600_000, spend_nano_usd: 500_000_000, depth: 0 } });
  assert.deepEqual([full.grants, full.tools, full.mode], ['read:a\nwrite:b', ['read'], 'plan']);
  assert.deepEqual(full.limits, { turns: '3', tokens: '9', time: '600s', spend: '0.5usd', depth: '0' });
});

test('a schedule and its cron expression convert into each other', () => {
  const rhythms: Schedule[] = [
    { kind: 'minutes', every: 1 },
    { kind: 'minutes', every: 15 },
    { kind: 'hourly', minute: 5 },
    { kind: 'daily', hour: 2, minute: 30 },
    { kind: 'weekly', days: [1, 5], hour: 9, minute: 0 },
    { kind: 'monthly', day: 31, hour: 0, minute: 0 },
  ];
  for (const schedule of rhythms) assert.deepEqual(scheduleOf(cronOf(schedule)), schedule);
  for (const pattern of ['*/7 * * * *', '0 9 1 * 1', '0 0 9 * * *', '0 9 * 3 *', '0 9 * * 1-5', '61 * * * *', '', '1,2 * * * *'])
    assert.deepEqual(scheduleOf(pattern), { kind: 'custom', pattern });
  assert.deepEqual(scheduleOf('0 9 * * 7'), { kind: 'weekly', days: [0], hour: 9, minute: 0 });
});

test('a schedule is described in words', () => {
  assert.equal(describeSchedule(scheduleOf('30 2 * * *')), 'every day at 02:30');
  assert.equal(describeSchedule(scheduleOf('0 9 * * 1,5')), 'every Monday, Friday at 09:00');
});
