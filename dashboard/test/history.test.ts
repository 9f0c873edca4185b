import assert from 'node:assert/strict';
import { test } from 'node:test';

import { History } from '../src/core/history.ts';
import { timeline } from '../src/core/timeline.ts';
import { EMPTY, reduceEvents } from '../src/core/transcript.ts';
import type { Numbered } from '../src/core/wire.ts';
import { dice, journal } from './help.ts';

/** One run after the other, numbered through. */
function long(runs: number): Numbered[] {
  const one = journal();
  return Array.from({ length: runs }, (_, run) =>
    one.map((numbered) => ({ ...numbered, id: { ...numbered.id, record: numbered.id.record + run * 10 }, at: numbered.at + run * 10_000 })),
  ).flat();
}

test('the past at any event is the fold of what had happened', () => {
  const events = long(60);
  const history = new History();
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

test('a timeline has the turns with what each took', () => {
  const { turns, groups, began, ended } = timeline(journal());
  assert.deepEqual(turns.map((turn) => [turn.turn, turn.model, turn.cost, turn.usage.output]), [[1, 'm', 1_000, 4], [2, 'm', null, 2]]);
  assert.deepEqual(turns[0]?.calls, [{ call: 2, tool: 'touch', outcome: 'succeeded', began: 4_000, millis: 12, asked: 'yes' }]);
  assert.deepEqual(turns[0]?.rulings.map((ruling) => ruling.guard), ['plausibility']);
  assert.equal(groups[0]?.spent, 1_000);
  assert.deepEqual([began, ended], [0, 6_000]);
});

test('a timeline of nothing is empty', () => {
  assert.deepEqual(timeline([]), { turns: [], groups: [], began: 0, ended: 0 });
});
