// The texts that users read: notices, endings, outcomes and the reasons for approvals.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { endingText, outcomeText } from '../src/core/endings.ts';
import { ownerText } from '../src/core/format.ts';
import { askReason } from '../src/core/grants.ts';
import { noticeOf } from '../src/core/notices.ts';
import type { Ending, KernelEvent } from '../src/core/wire.ts';

test('a notice says what happened and what comes next', () => {
  const check = (event: KernelEvent, text: string | null): void => assert.equal(noticeOf(event)?.text ?? null, text);
  const failed = { call: 1, class: 'rate_limited', message: 'status 429' };
  check({ model_failed: { ...failed, next: { retry: { at: 5 } } } }, 'Model error (rate limited): status 429. Retrying.');
  check({ model_failed: { ...failed, next: 'give_up' } }, 'Model error (rate limited): status 429. Not retrying.');
  check({ model_failed: { ...failed, next: { fallback: { model: 'b' } } } }, 'Model error (rate limited): status 429. Continuing with b.');
  check({ marked: { marks: { untrusted: false, private: true } } }, 'This run has read private data.');
  check({ marked: { marks: { untrusted: false, private: false } } }, null);
  check({ queued: { queue: 'steering', waiting: 1 } }, 'Queued: will be applied before the next step (1 message).');
  check({ queued: { queue: 'follow_up', waiting: 2 } }, 'Queued for after this task (2 messages).');
  check({ loop_seen: { tool: 'read', times: 3 } }, 'read was called 3 times with the same result.');
  check({ loop_seen: { tool: '', times: 12 } }, '12 turns in a row gave nothing new.');
  check({ run_resumed: { host: 'holm' } }, 'Resumed after a restart.');
  // Every restart reports these; they say nothing to the reader of a chat.
  check({ tools_changed: { tools: 20 } }, null);
  check('grants_changed', null);
  check({ call_started: { call: 1 } }, null);
});

test('an ending says why the run stopped', () => {
  const check = (ending: Ending, text: string): void => assert.equal(endingText(ending), text);
  check({ answered: { text: 'x' } }, 'Answered.');
  check({ cancelled: { reason: 'stopped by ada' } }, 'Stopped by ada.');
  check({ cancelled: { reason: 'the server shut down' } }, 'Stopped: the server shut down');
  check({ cancelled: { reason: '' } }, 'Stopped.');
  check({ over_limit: { limit: 'turns', used: 12, allowed: 12 } }, 'Limit reached (turns): 12 of 12.');
});

test('protocol names become words, and an unknown name stays readable', () => {
  assert.equal(askReason('level'), 'you approve every call of this kind here');
  assert.equal(askReason('brand_new'), 'brand new');
  assert.deepEqual(['refused', 'succeeded', 'unknown'].map(outcomeText), ['denied', 'succeeded', 'unknown']);
  assert.deepEqual(['user', 'holm', 'project'].map(ownerText), ['your own', 'built in', 'from the project']);
});
