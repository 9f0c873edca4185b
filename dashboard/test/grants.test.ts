import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Grants, lasts } from '../src/core/grants.ts';
import type { Use } from '../src/core/wire.ts';

function use(record: number, call: number, step: Use['step'], more: Partial<Use> = {}): Use {
  return { record, call, tool: 'write', step, needs: [], missing: [], hands_on: [], reasons: [], ...more };
}

test('a call is told by what it needed, what was missing, and what it ran with', () => {
  const asked = use(3, 2, 'asked', { needs: ['read:a', 'write:b'], missing: ['write:b'], reasons: ['missing_grant'] });
  const grants = new Grants([asked, use(5, 2, 'run', { needs: ['read:a', 'write:b'] }), use(6, 4, 'run', { needs: ['read:a'] })]);
  assert.equal(grants.of(2, 2), null);
  assert.deepEqual(grants.of(2, 4), {
    ran: false,
    needs: [{ grant: 'read:a', standing: 'held' }, { grant: 'write:b', standing: 'missing' }],
    handsOn: [],
    reasons: ['missing_grant'],
  });
  assert.deepEqual(grants.of(2, 5)?.needs, [{ grant: 'read:a', standing: 'held' }, { grant: 'write:b', standing: 'given' }]);
  assert.deepEqual(grants.of(4, Infinity), { ran: true, needs: [{ grant: 'read:a', standing: 'held' }], handsOn: [], reasons: [] });
  assert.equal(grants.of(9, Infinity), null);
});

test('what is said of a call is the same object as long as it says the same', () => {
  const grants = new Grants([use(3, 2, 'asked'), use(5, 2, 'run')]);
  assert.equal(grants.of(2, 3), grants.of(2, 4));
  assert.notEqual(grants.of(2, 4), grants.of(2, 5));
});

test('an answer for later calls is offered where it would be kept', () => {
  assert.ok(lasts({ missing: [], reasons: ['level'] }));
  assert.ok(lasts({ missing: ['fetch:https://h.example'], reasons: ['missing_grant', 'egress_after_mark'] }));
  assert.ok(!lasts({ missing: [], reasons: ['level', 'egress_after_mark'] }));
  assert.ok(!lasts({ missing: ['write:a'], reasons: ['leaves_plan'] }));
});
