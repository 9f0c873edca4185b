// The transcript of a run is the same from a journal and from live frames, however they are grouped.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { byteLength } from '../src/core/bytes.ts';
import { EMPTY, type CallItem, type Transcript, reduce, reduceEvents } from '../src/core/transcript.ts';
import type { Frame } from '../src/core/wire.ts';
import { delta, dice, event, frame, journal, said, sealed } from './fixtures.ts';

const TEXT = 'It was a bright cold day in April ✓, and the clocks were striking thirteen. 🚀 Ende.';

function calls(transcript: Transcript): CallItem[] {
  return transcript.items.filter((item): item is CallItem => item.kind === 'call');
}

test('a journal becomes a transcript', () => {
  const drawn = reduceEvents(EMPTY, journal());
  assert.deepEqual(drawn.items.map((item) => item.kind), ['message', 'message', 'call', 'message', 'ending']);
  const [call] = calls(drawn);
  assert.equal(call?.call, 2);
  assert.equal(call?.id, 'c1');
  assert.equal(call?.stage, 'ended');
  assert.equal(call?.result, 'touched');
  assert.equal(call?.outcome, 'succeeded');
  assert.deepEqual(call?.rulings, [{ guard: 'plausibility', rejected: false, reason: 'short' }]);
  assert.equal(drawn.working, false);
  assert.equal(drawn.spent, 1_000);
  assert.equal(drawn.unpriced, 1, 'one reply has no known price');
  assert.equal(drawn.cursor, '6.2');
});

test('the grouping of frames makes no difference', () => {
  const all = journal().map(frame);
  const whole = reduce(EMPTY, all);
  for (let seed = 1; seed <= 200; seed += 1) {
    const roll = dice(seed);
    let now = EMPTY;
    for (let at = 0; at < all.length; ) {
      const size = roll(5);
      now = reduce(now, all.slice(at, at + size));
      at += size;
    }
    assert.deepEqual(now, whole, `seed ${seed}`);
  }
});

test('a duplicate event is shown once', () => {
  const all = journal().map(frame);
  for (let seed = 1; seed <= 200; seed += 1) {
    const roll = dice(seed);
    let now = EMPTY;
    for (let at = 0; at < all.length; at += 1) {
      now = reduce(now, all.slice(Math.max(0, at - roll(4)), at + 1));
    }
    assert.deepEqual(now, reduce(EMPTY, all), `seed ${seed}`);
  }
});

test('later frames do not change an earlier transcript', () => {
  const all = journal().map(frame);
  const before = reduce(EMPTY, all.slice(0, 8));
  const copy = structuredClone(before);
  reduce(before, all.slice(8));
  assert.deepEqual(before, copy);
  assert.deepEqual(EMPTY.items, []);
});

test('overlapping and duplicate pieces of a reply give the right text', () => {
  const bytes = new TextEncoder().encode(TEXT);
  const ends: number[] = [];
  for (let at = 0, offset = 0; at < TEXT.length; ) {
    const width = String.fromCodePoint(TEXT.codePointAt(at) ?? 0).length;
    offset += byteLength(TEXT.slice(at, at + width));
    at += width;
    ends.push(offset);
  }
  const decode = (from: number, to: number): string => new TextDecoder().decode(bytes.slice(from, to));
  for (let seed = 1; seed <= 300; seed += 1) {
    const roll = dice(seed);
    let now = reduce(EMPTY, [frame(event('1.0', 'model_called', { call: 7, turn: 1, model: 'm', messages: 1, tokens: 1 }))]);
    let seen = 0;
    while (seen < bytes.length) {
      const bounds = [0, ...ends];
      const from = bounds.filter((bound) => bound <= seen)[roll(bounds.filter((bound) => bound <= seen).length)] ?? 0;
      const later = ends.filter((bound) => bound > from);
      const to = later[roll(later.length)] ?? bytes.length;
      now = reduce(now, [delta(7, from, decode(from, to))]);
      seen = Math.max(seen, to);
    }
    assert.equal(now.reply?.text.text, TEXT, `seed ${seed}`);
    assert.equal(now.reply?.text.gap, false);
    assert.equal(now.reply?.text.end, bytes.length);
  }
});

test('the offsets of text, thinking and calls are separate', () => {
  const now = reduce(EMPTY, [
    delta(1, 0, 'hm', { kind: 'thinking' }),
    delta(1, 0, 'I will'),
    delta(1, 0, 'read', { kind: 'tool_call', index: 1 }),
    delta(1, 0, 'touch', { kind: 'tool_call', index: 0 }),
    delta(1, 0, '{"a"', { kind: 'tool_arguments', index: 1 }),
    delta(1, 4, ':1}', { kind: 'tool_arguments', index: 1 }),
  ]);
  assert.equal(now.reply?.thinking.text, 'hm');
  assert.equal(now.reply?.text.text, 'I will');
  assert.deepEqual(now.reply?.calls.map((call) => [call.name, call.arguments.text]), [['touch', ''], ['read', '{"a":1}']]);
});

test('a reply without its start has a gap', () => {
  assert.equal(reduce(EMPTY, [delta(1, 10, 'rest')]).reply?.text.gap, true);
});

test('late pieces of a finished reply are ignored', () => {
  const done = reduceEvents(EMPTY, journal());
  assert.equal(reduce(done, [delta(3, 0, 'Done.')]).reply, null);
  assert.equal(reduce(done, [delta(1, 0, 'old')]).reply, null);
});

test("withdrawn text disappears, and the next call's text is shown", () => {
  const now = reduce(EMPTY, [
    frame(event('1.0', 'model_called', { call: 1, turn: 1, model: 'm', messages: 1, tokens: 1 })),
    delta(1, 0, 'wrong'),
    frame(event('2.0', 'model_failed', { call: 1, class: 'network', message: 'cut', next: { retry: { at: 5 } } })),
    frame(event('2.1', 'withdrawn', { call: 1 })),
    frame(event('3.0', 'model_called', { call: 2, turn: 1, model: 'm', messages: 1, tokens: 1 })),
    delta(1, 5, ' more'),
    delta(2, 0, 'right'),
  ]);
  assert.equal(now.reply?.call, 2);
  assert.equal(now.reply?.text.text, 'right');
});

/** A run whose reply is stopped after some words. */
function stoppedRun(): Frame[] {
  return [
    frame(event('0.0', 'group_started', { group: 1 })),
    frame(event('1.0', 'model_called', { call: 1, turn: 1, model: 'm', messages: 1, tokens: 1 })),
    delta(1, 0, 'Half a', { kind: 'thinking' }),
    delta(1, 0, 'Half of a reply'),
    frame(event('2.0', 'withdrawn', { call: 1 })),
    frame(event('2.1', 'group_ended', { ending: { cancelled: { reason: 'stopped by ada' } }, last: null, usage: {}, spent: 0 })),
  ];
}

test('a stopped reply is kept before its ending', () => {
  const now = reduce(EMPTY, stoppedRun());
  assert.deepEqual(now.items.map((item) => item.kind), ['stopped-reply', 'ending']);
  const [first] = now.items;
  assert.deepEqual(first?.kind === 'stopped-reply' && first.reply, { text: 'Half of a reply', thinking: 'Half a' });
  assert.equal(now.reply, null);
});

test('a stopped reply that the page kept is shown again from the journal alone', () => {
  const { stopped } = reduce(EMPTY, stoppedRun());
  const events = stoppedRun().filter((one) => one.type === 'event');
  assert.deepEqual(reduce(EMPTY, events).items.map((item) => item.kind), ['ending']);
  assert.deepEqual(reduce({ ...EMPTY, stopped }, events).items.map((item) => item.kind), ['stopped-reply', 'ending']);
});

test('a withdrawn reply that is generated again is not shown twice', () => {
  const run = stoppedRun();
  const now = reduce(EMPTY, [
    ...run.slice(0, 5),
    frame(event('3.0', 'model_called', { call: 2, turn: 1, model: 'm', messages: 1, tokens: 1 })),
    frame(event('4.0', 'message_added', said(2, 'assistant', 'The whole reply.'))),
    frame(event('4.1', 'group_ended', { ending: { answered: { text: 'The whole reply.' } }, last: 2, usage: {}, spent: 0 })),
  ]);
  assert.deepEqual(now.items.map((item) => item.kind), ['message', 'ending']);
});

test('a notice that repeats is shown once with its count', () => {
  const failed = (record: number): Frame =>
    frame(event(`${record}.0`, 'model_failed', { call: record, class: 'server', message: 'status 500', next: { retry: { at: 5 } } }));
  const { items } = reduce(EMPTY, [failed(1), failed(2), failed(3)]);
  assert.deepEqual(items.map((item) => item.kind === 'notice' && [item.text, item.times]), [['Model error (server): status 500. Retrying.', 3]]);
});

test('an ending has the figures of its own prompt and of the session', () => {
  const ended = (record: number, input: number, output: number, spent: number): Frame =>
    frame(event(`${record}.0`, 'group_ended', { ending: { answered: { text: '' } }, last: null, usage: { input, output }, spent }));
  const endings = reduce(EMPTY, [ended(1, 10, 4, 100), ended(2, 25, 5, 100)]).items.flatMap((item) => (item.kind === 'ending' ? [item] : []));
  assert.deepEqual(endings.map(({ own }) => [own.input, own.output, own.spent]), [[10, 4, 100], [15, 1, 0]]);
  assert.deepEqual(endings.map(({ total }) => [total.input, total.output, total.spent]), [[10, 4, 100], [25, 5, 100]]);
});

test('an arriving reply is shown until its message arrives', () => {
  const [started, group, prompt, called, replied, message] = journal().map(frame) as [Frame, Frame, Frame, Frame, Frame, Frame];
  const arriving = reduce(EMPTY, [started, group, prompt, called, delta(1, 0, 'I will.'), replied]);
  assert.equal(arriving.reply?.text.text, 'I will.');
  assert.equal(arriving.reply?.whole, true);
  assert.equal(reduce(arriving, [message]).reply, null);
});

test('two confused calls of one tool are corrected when they end', () => {
  const call = (id: string, given: string) => ({ tool_call: { id, name: 't', arguments: given } });
  const result = (id: string, text: string) => ({ tool_result: { call: id, tool: 't', text: sealed(text) } });
  const now = reduceEvents(EMPTY, [
    event('1.0', 'message_added', { message: { id: 1, role: 'assistant', blocks: [call('a', 'not json'), call('b', '{"mended":')] } }),
    event('1.1', 'call_proposed', { call: 5, tool: 't', arguments: '{"mended":1}', fixes: ['closed a bracket'] }),
    event('2.0', 'call_finished', { call: 5, id: 'b', outcome: 'succeeded', bytes: 1, millis: 1 }),
    event('2.1', 'message_added', { message: { id: 2, role: 'tool', blocks: [result('a', 'invalid'), result('b', 'fine')] } }),
  ]);
  const [first, second] = calls(now);
  assert.deepEqual([first?.id, first?.result, first?.call], ['a', 'invalid', null]);
  assert.deepEqual([second?.id, second?.result, second?.call, second?.fixes], ['b', 'fine', 5, ['closed a bracket']]);
});

test('a denied call shows its reason and stays denied when its result arrives', () => {
  const events = journal().slice(0, 8);
  events.push(
    event('3.0', 'approval_given', { call: 2, allowed: false, reason: 'not today' }),
    event('3.1', 'call_finished', { call: 2, id: 'c1', outcome: 'refused', bytes: 0, millis: 0 }),
  );
  const [call] = calls(reduceEvents(EMPTY, events));
  assert.deepEqual([call?.stage, call?.reason, call?.outcome], ['denied', 'not today', 'refused']);
});

test('questions stay open until they are settled, and a new connection resets them', () => {
  const posed = (id: number): Frame => ({ type: 'question', id: '1.0', data: { id, question: { words: { text: `q${id}`, choices: [] } } } });
  let now = reduce(EMPTY, [posed(0), posed(1), posed(0)]);
  assert.deepEqual(now.questions.map((question) => question.id), [1, 0]);
  now = reduce(now, [{ type: 'question_settled', id: '1.0', data: { id: 1 } }]);
  assert.deepEqual(now.questions.map((question) => question.id), [0]);
  assert.deepEqual(reduce(now, [{ type: 'connected', id: '', data: {} }]).questions, []);
});

test('a closed connection does not reset the cursor', () => {
  const now = reduceEvents(EMPTY, journal());
  assert.equal(reduce(now, [{ type: 'closed', id: '-', data: {} }]).cursor, '6.2');
  assert.equal(reduce(now, [{ type: 'lagged', id: '2.0', data: {} }]).cursor, '6.2');
});

test('unknown events are ignored', () => {
  const odd = { id: { record: 9, index: 0 }, at: 1, event: { brand_new: { a: 1 } } } as never;
  const bare = { id: { record: 9, index: 1 }, at: 1, event: 'grants_changed' } as never;
  const now = reduceEvents(EMPTY, [odd, bare]);
  assert.deepEqual(now.items, []);
  assert.equal(now.cursor, '9.1');
});

test('only the first message of a turn group has a record to fork from', () => {
  const now = reduceEvents(EMPTY, [...journal().slice(0, 4), event('2.0', 'message_added', said(9, 'user', 'and left'))]);
  assert.deepEqual(now.items.map((item) => (item.kind === 'message' ? item.before : undefined)), [0, null]);
});

test('waiting steering is counted until the next model call', () => {
  let now = reduceEvents(EMPTY, [event('1.0', 'queued', { queue: 'steering', waiting: 2 })]);
  assert.equal(now.steering, 2);
  now = reduceEvents(now, [event('2.0', 'message_added', said(5, 'user', 'left')), event('2.1', 'model_called', { call: 1, turn: 1, model: 'm', messages: 1, tokens: 1 })]);
  assert.equal(now.steering, 0);
});
