// What waits for the user, the states of sessions, and whether a chat follows its end.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { FollowState } from '../src/core/follow-state.ts';
import { inboxOf } from '../src/core/inbox.ts';
import { mergeLatest } from '../src/core/session-list.ts';
import { jobOf, originOf, passes, statusOf } from '../src/core/session-status.ts';
import type { JobList, JobView, Session } from '../src/core/wire.ts';

function session(id: string, more: Partial<Session> = {}): Session {
  return { id, title: id, tags: [], created: 0, updated: 0, records: 1, model: 'm', state: 'idle', ending: null, questions: 0, ...more };
}

function jobs(...list: Pick<JobView, 'id' | 'failures' | 'switch'>[]): JobList {
  return { jobs: list as JobView[], broken: [] };
}

test('the inbox counts open questions and failed jobs', () => {
  const sessions = [session('late', { questions: 1, updated: 9 }), session('none'), session('early', { questions: 2, updated: 3 })];
  const inbox = inboxOf(sessions, jobs({ id: 'good', failures: 0, switch: 'on' }, { id: 'bad', failures: 2, switch: 'on' }), new Map());
  assert.deepEqual(inbox.sessions.map(({ id }) => id), ['early', 'late'], 'the one that waits longest is first');
  assert.deepEqual(inbox.jobs.map(({ id, text }) => [id, text]), [['bad', '2 failures in a row.']]);
  assert.equal(inbox.count, 4);
});

test('a dismissed job returns when it fails again', () => {
  const failing = (failures: number): JobList => jobs({ id: 'nightly', failures, switch: 'on' });
  const [job] = inboxOf([], failing(1), new Map()).jobs;
  const dismissed = new Map([['nightly', job?.mark ?? '']]);
  assert.equal(inboxOf([], failing(1), dismissed).count, 0);
  assert.equal(inboxOf([], failing(2), dismissed).count, 1);
});

test('jobs that are invalid or were switched off by failures are in the inbox', () => {
  const off: JobList = jobs({ id: 'a', failures: 0, switch: { off: { at: 1, why: 'failing' } } }, { id: 'b', failures: 0, switch: { off: { at: 1, why: 'person' } } });
  assert.deepEqual(inboxOf([], off, new Map()).jobs.map(({ id }) => id), ['a']);
  assert.equal(inboxOf([], { jobs: [], broken: [{ id: 'c', reason: 'bad time zone' }] }, new Map()).jobs[0]?.text, 'The job is invalid: bad time zone');
});

test('a state is what the user has to know', () => {
  const failed = { failed: { class: 'network', message: 'cut', attempts: 5 } };
  assert.equal(statusOf(session('s', { state: 'working', questions: 1 }))?.name, 'needs an answer');
  assert.equal(statusOf(session('s', { state: 'working' }))?.name, 'working');
  assert.equal(statusOf(session('s', { state: 'waiting' }))?.name, 'queued');
  assert.deepEqual(statusOf(session('s', { ending: failed })), { name: 'failed', tone: 'bad' });
  assert.deepEqual(statusOf(session('s', { ending: { answered: { text: '' } } })), { name: 'answered', tone: 'good' });
  assert.equal(statusOf(session('s', { state: 'closed' })), null);
});

test('filters select by state, origin and text', () => {
  const all = [
    session('s-1', { title: 'Fix the build', questions: 1, state: 'working' }),
    session('job.nightly.20260101.1', { state: 'working', model: 'local/small' }),
    session('s-2', { ending: { over_budget: { spent: 2, limit: 1 } } }),
  ];
  const filter = { status: 'all', origin: 'all', text: '' } as const;
  const ids = (more: object): string[] => all.filter((one) => passes(one, { ...filter, ...more })).map(({ id }) => id);
  assert.deepEqual(ids({}), all.map(({ id }) => id));
  assert.deepEqual(ids({ status: 'answer' }), ['s-1']);
  assert.deepEqual(ids({ status: 'active' }), ['job.nightly.20260101.1']);
  assert.deepEqual(ids({ status: 'failed' }), ['s-2']);
  assert.deepEqual(ids({ origin: 'chat' }), ['s-1', 's-2']);
  assert.deepEqual(ids({ text: 'BUILD' }), ['s-1']);
  assert.deepEqual(ids({ text: 'local/' }), ['job.nightly.20260101.1']);
  assert.deepEqual([originOf('s-1'), jobOf('s-1'), jobOf('job.nightly.20260101.1')], ['chat', null, 'nightly']);
});

test('the list takes over new, changed and deleted sessions, and keeps older ones', () => {
  const known = [session('gone', { updated: 8 }), session('moved', { updated: 5 }), session('old', { updated: 2 })];
  const merged = mergeLatest(known, [session('new', { updated: 10 }), session('moved', { updated: 9, title: 'changed' }), session('edge', { updated: 4 })]);
  assert.deepEqual(merged.map(({ id, title }) => [id, title]), [['new', 'new'], ['moved', 'changed'], ['edge', 'edge'], ['old', 'old']]);
  assert.deepEqual(mergeLatest(known, []), known);
});

test('a chat follows its end until the reader scrolls up', () => {
  const state = new FollowState();
  assert.equal(state.scrolled(100, 0), true, 'at the end');
  assert.equal(state.scrolled(100, 400), true, 'the content grew');
  assert.equal(state.scrolled(500, 0), true, 'the page went to the new end');
  assert.equal(state.scrolled(450, 50), false, 'the reader scrolled up, even if only a little');
  assert.equal(state.scrolled(450, 300), false, 'the content grew, and the reader stays');
  assert.equal(state.scrolled(600, 150), false, 'the reader scrolled down, but not to the end');
  assert.equal(state.scrolled(720, 30), true, 'the reader is back at the end');
  assert.equal(state.scrolled(300, 0), true, 'the content shrank');
  state.scrolled(100, 200);
  state.jump();
  assert.equal(state.following, true);
});
