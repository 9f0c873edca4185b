// Untrusted metadata of tools, and form fields.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { fieldsOf, isFlat, valuesOf } from '../src/core/form-fields.ts';
import { readMetadata } from '../src/core/metadata.ts';

test('valid metadata is read', () => {
  const said = readMetadata({
    fuel: 3,
    tool: {
      language: 'rust',
      diff_stats: { additions: 2, deletions: 1, files: 1 },
      table: { title: 't', columns: ['a', 'b'], rows: [[1, 'x'], ['2']] },
      chart: { title: 'c', data: [{ name: 'one', value: 1 }, { label: 'two', value: 2 }, { name: 'bad', value: 'NaN' }, { name: 'less', value: -1 }] },
    },
  });
  assert.ok(said);
  assert.equal(said.language, 'rust');
  assert.deepEqual(said.changed, { added: 2, removed: 1, files: 1 });
  assert.deepEqual(said.table, { title: 't', columns: ['a', 'b'], rows: [['1', 'x'], ['2', '']] });
  assert.deepEqual(said.chart?.bars.map((bar) => [bar.name, bar.value]), [['one', 1], ['two', 2]]);
  assert.match(said.whole, /"fuel": 3/);
});

test('a list of objects is a table, and labels with values are a chart', () => {
  assert.deepEqual(readMetadata({ table: [{ a: 1 }, { b: null }, 'no'] })?.table, { title: '', columns: ['a', 'b'], rows: [['1', ''], ['', '']] });
  assert.deepEqual(readMetadata({ chart: { labels: ['x', 'y'], values: [1] } })?.chart?.bars.map((bar) => bar.name), ['x']);
});

test('invalid metadata is ignored', () => {
  for (const hostile of [7, 'text', [], { tool: 1 }, { table: { columns: 1, rows: 'x' } }, { chart: { data: [null, 3] } }, { diff_stats: { additions: '9' } }, { language: {} }, { table: [null] }]) {
    const said = readMetadata(hostile);
    assert.deepEqual([said?.language, said?.changed, said?.table, said?.chart], [null, null, null, null], JSON.stringify(hostile));
  }
  assert.equal(readMetadata(null), null);
  const long = readMetadata({ table: { columns: ['a'], rows: Array.from({ length: 10_000 }, () => ['x']) } });
  assert.equal(long?.table?.rows.length, 200);
});

test('form fields are made from a flat schema only', () => {
  const schema = { properties: { path: { type: 'string' }, lines: { type: 'integer' }, deep: { type: 'boolean' }, must: { type: 'boolean' } }, required: ['path', 'must'] };
  assert.equal(isFlat(schema), true);
  assert.equal(isFlat({ properties: { edits: { type: 'array' } } }), false);
  assert.deepEqual(valuesOf(fieldsOf(schema), { path: 'a', lines: '3' }), { path: 'a', lines: 3, must: false });
});
