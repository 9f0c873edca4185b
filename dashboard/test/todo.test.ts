// The to-do list of the model.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { todoOfCall, todoSummary } from '../src/core/todo.ts';

const LIST = '{"items":[{"text":"read","progress":"completed"},{"text":"build","progress":"in_progress"},{"text":"rest","progress":"pending"}]}';

test('a list is read, with how far it is', () => {
  const items = todoOfCall('todo', LIST);
  assert.ok(items);
  assert.deepEqual(items.map((item) => item.progress), ['completed', 'in_progress', 'pending']);
  assert.equal(todoSummary(items), '1 of 3 done; now: build');
  assert.equal(todoSummary([]), '0 of 0 done');
});

test('other calls and invalid lists are shown as they are', () => {
  assert.equal(todoOfCall('read', LIST), null);
  for (const hostile of ['', '{', '[]', '{"items":7}', '{"items":[null]}', '{"items":[{"text":1,"progress":"pending"}]}', '{"items":[{"text":"x","progress":"done"}]}']) {
    assert.equal(todoOfCall('todo', hostile), null, hostile);
  }
  const long = JSON.stringify({ items: Array.from({ length: 1_000 }, () => ({ text: 'x', progress: 'pending' })) });
  assert.equal(todoOfCall('todo', long)?.length, 50);
});
