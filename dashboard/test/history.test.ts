// A run at any event, and its turns on a timeline.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { RunHistory } from '../src/core/run-history.ts';
import { type Turn, bars, costs, timeline, turnsBefore, unpriced } from '../src/core/timeline.ts';
import { EMPTY, reduceEvents } from '../src/core/transcript.ts';
import type { NumberedEvent } from '../src/core/wire.ts';
import { dice, journal } from './fixtures.ts';

/** One run after the other, numbered through. */
function long(runs: number): NumberedEvent[] {
  const one = journal();
  return Array.from({ length: runs }, (_, run) =>
    one.map((numbered) => ({ ...numbered, id: { ...numbered.id, record: numbered.id.record + run * 10 }, at: numbered.at + run * 10_000 })),
  ).flat();
}

test('the transcript at an event is the fold of the events before it', () => {
  const events = long(60);
  const history = new RunHistory();
  const roll = dice(7);
  for (let at = 0; at < events.length; ) {
    const size = 1 + roll(90);
    history.add(events.slice(at, at + size));
    at += size;
  }
  assert.equal(history.length, events.length);
  for (const at of [0, 1, 199, 200, 201, 400, 777, events.length]) {
    assert.deepEqual(history.at(at), reduceEvents(EMPTY, events.slice(0, at)), `at ${at}`);
  }
  assert.deepEqual(history.at(-5), EMPTY);
  assert.deepEqual(history.at(1e9), history.at(events.length));
});

test('a long run keeps fewer snapshots, and its transcripts stay the same', () => {
  // More than two hundred events for each fold that is kept: some had to go.
  const events = long(1_700);
  assert.ok(events.length > 200 * 128);
  const history = new RunHistory();
  history.add(events);
  const roll = dice(3);
  const places = [0, 1, 200, 25_600, 25_601, events.length, ...Array.from({ length: 12 }, () => roll(events.length))];
  for (const at of places) {
    const { items, last, spent } = history.at(at);
    const whole = reduceEvents(EMPTY, events.slice(0, at));
    assert.equal(items.length, whole.items.length, `at ${at}`);
    assert.deepEqual([items.at(-1), last, spent], [whole.items.at(-1), whole.last, whole.spent], `at ${at}`);
  }
});

test('moving forward or back gives the same transcript as a new fold', () => {
  const events = long(20);
  const history = new RunHistory();
  history.add(events);
  for (const at of [10, 11, 12, 40, 39, 41, 210, 205, 230, 229, 0, 1]) {
    assert.deepEqual(history.at(at), reduceEvents(EMPTY, events.slice(0, at)), `at ${at}`);
  }
});

test('turns and costs are summed up to an event', () => {
  const { turns } = timeline(long(3));
  for (let event = 0; event <= 51; event += 1) {
    assert.equal(turnsBefore(turns, event), turns.filter((turn) => turn.event < event).length, `before ${event}`);
  }
  assert.deepEqual(costs(turns), [0, 1_000, 1_000, 2_000, 2_000, 3_000, 3_000]);
  assert.deepEqual(unpriced(turns), [0, 0, 1, 1, 2, 2, 3]);
  assert.equal(turnsBefore([] as Turn[], 5), 0);
});

test('overlapping bars are merged, so there are at most as many as pixels', () => {
  const line = { turns: [], groups: [], began: 0, ended: 1_000_000 };
  const spans = Array.from({ length: 10_000 }, (_, at) => ({ began: at * 100, millis: 10, what: `turn ${at}` }));
  const drawn = bars(spans, line, 640);
  assert.ok(drawn.length <= 640, `${drawn.length}`);
  assert.match(drawn[0]?.what ?? '', /^turn 0 and \d+ more$/);
  const few = bars([{ began: 0, millis: 0, what: 'a' }, { began: 500_000, millis: 250_000, what: 'b' }], line, 640);
  assert.deepEqual(few, [{ x: 0, width: 1.5, what: 'a' }, { x: 320, width: 160, what: 'b' }]);
});

test('a timeline has each turn with its usage', () => {
  const { turns, groups, began, ended } = timeline(journal());
  assert.deepEqual(turns.map((turn) => [turn.turn, turn.model, turn.cost, turn.usage.output]), [[1, 'm', 1_000, 4], [2, 'm', null, 2]]);
  assert.deepEqual(turns[0]?.calls, [{ call: 2, tool: 'touch', outcome: 'succeeded', began: 4_000, millis: 12, asked: 'yes' }]);
  assert.deepEqual(turns[0]?.rulings.map((ruling) => ruling.guard), ['plausibility']);
  assert.equal(groups[0]?.spent, 1_000);
  assert.deepEqual([began, ended], [0, 6_000]);
});

test('the timeline of a run without events is empty', () => {
  assert.deepEqual(timeline([]), { turns: [], groups: [], began: 0, ended: 0 });
});
