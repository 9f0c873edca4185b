// Small pure functions: bytes, event ids, streams, diffs, numbers.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { byteLength, skipBytes } from '../src/core/bytes.ts';
import { isLater } from '../src/core/cursor.ts';
import { diffLines, diffOfCall, readPatch } from '../src/core/diff.ts';
import { openEnvelope } from '../src/core/envelope.ts';
import { breakCost, bytes, cacheBreaks, cacheRate, compact, cost, duration, money, isoTime, unknownPrice, timeText } from '../src/core/format.ts';
import { isSameJson } from '../src/core/json.ts';
import { type ServerSentEvent, SseParser } from '../src/core/sse.ts';
import { dice } from './fixtures.ts';

test("byte counts match the server's", () => {
  for (const text of ['', 'a', 'ä', '✓', '🚀', 'a🚀✓ä', '\ud800', '\udc00a']) {
    assert.equal(byteLength(text), new TextEncoder().encode(text).length, JSON.stringify(text));
  }
  assert.equal(skipBytes('a🚀b', 1), '🚀b');
  assert.equal(skipBytes('a🚀b', 5), 'b');
  assert.equal(skipBytes('a🚀b', 3), 'b', 'a character that was received in part is dropped');
  assert.equal(skipBytes('ab', 9), '');
});

test('events are ordered by their ids', () => {
  assert.ok(isLater({ record: 0, index: 0 }, null));
  assert.ok(isLater({ record: 2, index: 0 }, { record: 1, index: 9 }));
  assert.ok(!isLater({ record: 1, index: 1 }, { record: 1, index: 1 }));
});

const STREAM = ': hello\n\nevent: event\r\nid: 1.0\r\ndata: {"a":\r\ndata: 1}\r\n\r\nid: 1.1\rdata: ✓\r\r: keep\n\nevent: delta\ndata:x\nid: 1.1/2.3\n\ndata';

test('a stream gives the same events however it is split', () => {
  const expected: ServerSentEvent[] = [
    { name: 'event', id: '1.0', data: '{"a":\n1}' },
    { name: 'message', id: '1.1', data: '✓' },
    { name: 'delta', id: '1.1/2.3', data: 'x' },
  ];
  assert.deepEqual(new SseParser().feed(STREAM), expected);
  for (let seed = 1; seed <= 300; seed += 1) {
    const roll = dice(seed);
    const parser = new SseParser();
    const events: ServerSentEvent[] = [];
    for (let at = 0; at < STREAM.length; ) {
      const size = 1 + roll(6);
      events.push(...parser.feed(STREAM.slice(at, at + size)));
      at += size;
    }
    assert.deepEqual(events, expected, `seed ${seed}`);
  }
});

test('an envelope opens only with its own seal', () => {
  const seal = (inner: string): string => `<tool_output seal="000000aa">${inner}</tool_output seal="000000aa">`;
  for (const inner of ['a > b', '', 'a</tool_output seal="000000ab">b']) assert.equal(openEnvelope(seal(inner)), inner);
  for (const other of ['plain', '<tool_output seal="000000aa">x', `${seal('a')} `, seal('a').replace(/aa">$/, 'ab">')]) {
    assert.equal(openEnvelope(other), other);
  }
});

test('changes become diff lines', () => {
  const shown = (lines: { kind: string; text: string }[]): string => lines.map((line) => `${line.kind[0]}${line.text}`).join(' ');
  assert.equal(shown(diffLines('a\nb\nc', 'a\nx\nc')), 'sa rb ax sc');
  assert.equal(shown(diffLines('', 'a')), 'aa');
  assert.equal(shown(diffLines('', 'a\nb\n')), 'aa ab');
  assert.equal(shown(diffLines('a\n', 'a\n\n')), 'sa a');
  assert.equal(shown(diffLines('a', 'a\n')), 'sa a');
  assert.equal(shown(diffLines('1\n2\n3\n4\n5\nx', '1\n2\n3\n4\n5\ny')), 's3 s4 s5 rx ay');
  const [file] = readPatch('--- a/f.txt\n+++ b/f.txt\n@@ -1 +1 @@\n-old\n+new\n same\n');
  assert.deepEqual([file?.path, file?.added, file?.removed], ['f.txt', 1, 1]);
  assert.deepEqual(readPatch('no patch at all'), []);
  const [edit] = diffOfCall('{"path":"a.rs","old_string":"x","new_string":"y\\nz"}');
  assert.deepEqual([edit?.path, edit?.added, edit?.removed], ['a.rs', 2, 1]);
  const [fresh] = diffOfCall('{"path":"a.rs","content":"x\\ny"}');
  assert.deepEqual([fresh?.added, fresh?.removed], [2, 0]);
  for (const other of ['', '[]', '{"path":1}', '{"path":"a"}', 'null']) assert.deepEqual(diffOfCall(other), []);
});

test('a diff of many lines is fast', () => {
  const lines = (word: string): string => Array.from({ length: 5_000 }, (_, at) => `${word}${at}`).join('\n');
  assert.equal(diffLines(lines('a'), lines('b')).length, 10_000);
});

test('JSON values are equal regardless of the order of their keys', () => {
  assert.ok(isSameJson('{"a":[1,{"b":null}],"c":"x"}', '{ "c": "x", "a": [1, {"b": null}] }'));
  assert.ok(!isSameJson('{"a":1}', '{"a":2}') && !isSameJson('[1,2]', '[2,1]') && !isSameJson('x', '{}'));
});

test('an unknown price is not free', () => {
  assert.deepEqual([cost(0, 0), cost(0, 2), cost(1_500_000_000, 0), cost(1_500_000_000, 1)], ['$0', '—', '$1.50', '$1.50 +?']);
  assert.deepEqual([cost(0, 0, 9), cost(1_500_000_000, 0, 9), cost(1_500_000_000, 1, 9)], ['$0', '~$1.50', '~$1.50 +?']);
  assert.deepEqual([unknownPrice(0), unknownPrice(1), unknownPrice(2)], [undefined, '1 call has no known price', '2 calls have no known price']);
});

test('an invalid time is shown as unknown', () => {
  assert.deepEqual([isoTime(0), isoTime(Number.MAX_SAFE_INTEGER), isoTime(NaN)], ['1970-01-01T00:00:00.000Z', undefined, undefined]);
  assert.deepEqual([timeText(Number.MAX_SAFE_INTEGER), timeText(NaN)], ['unknown time', 'unknown time']);
});

test('a cache rate is a share, and breaks have their causes', () => {
  assert.equal(cacheRate({}), '—');
  assert.equal(cacheRate({ input: 1_000, cached: 971 }), '97.1 %');
  const none = { model: 0, compaction: 0, mode: 0, tools: 0, expiry: 0, eviction: 0, tokens: 0 };
  assert.deepEqual([cacheBreaks(none), breakCost(none)], ['0', undefined]);
  const some = { ...none, compaction: 2, tools: 1, tokens: 53_120 };
  assert.deepEqual([cacheBreaks(some), breakCost(some)], ['3 (compaction 2, tools 1)', '53.1k tokens were read again']);
});

test('numbers are formatted for users', () => {
  assert.deepEqual([compact(999), compact(12_345), compact(2_000_000)], ['999', '12.3k', '2M']);
  assert.deepEqual([money(0), money(1_000), money(12_000_000), money(1_500_000_000)], ['$0', '< $0.0001', '$0.0120', '$1.50']);
  assert.deepEqual([bytes(12), bytes(1_536), bytes(5 * 1_048_576)], ['12 B', '1.5 KiB', '5 MiB']);
  assert.deepEqual([duration(12), duration(3_400), duration(125_000)], ['12 ms', '3.4 s', '2 min 5 s']);
});
