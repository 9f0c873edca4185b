// What tools say for screens, believed in nothing.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { fieldsOf, isFlat, valuesOf } from '../src/core/forms.ts';
import { rendered } from '../src/core/metadata.ts';

test('what a tool says for screens is drawn where it has the right shape', () => {
  const said = rendered({
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

test('objects are a table of their members, and lists of labels and values a chart', () => {
  assert.deepEqual(rendered({ table: [{ a: 1 }, { b: null }, 'no'] })?.table, { title: '', columns: ['a', 'b'], rows: [['1', ''], ['', '']] });
  assert.deepEqual(rendered({ chart: { labels: ['x', 'y'], values: [1] } })?.chart?.bars.map((bar) => bar.name), ['x']);
});

test('what has another shape is not drawn, and breaks nothing', () => {
  for (const hostile of [7, 'text', [], { tool: 1 }, { table: { columns: 1, rows: 'x' } }, { chart: { data: [null, 3] } }, { diff_stats: { additions: '9' } }, { language: {} }, { table: [null] }]) {
    const said = rendered(hostile);
    assert.deepEqual([said?.language, said?.changed, said?.table, said?.chart], [null, null, null, null], JSON.stringify(hostile));
  }
  assert.equal(rendered(null), null);
  const long = rendered({ table: { columns: ['a'], rows: Array.from({ length: 10_000 }, () => ['x']) } });
  assert.equal(long?.table?.rows.length, 200);
});

test('fields fill a flat schema in, and say where they cannot', () => {
  const schema = { properties: { path: { type: 'string' }, lines: { type: 'integer' }, deep: { type: 'boolean' }, must: { type: 'boolean' } }, required: ['path', 'must'] };
  assert.equal(isFlat(schema), true);
  assert.equal(isFlat({ properties: { edits: { type: 'array' } } }), false);
  assert.deepEqual(valuesOf(fieldsOf(schema), { path: 'a', lines: '3' }), { path: 'a', lines: 3, must: false });
});
