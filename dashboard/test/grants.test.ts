import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Grants, allowing, lack } from '../src/core/grants.ts';
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

test('an answer for later calls is offered where the server says what it covers', () => {
  assert.deepEqual(allowing({ always: 'this very call again', prefix: 'git status' }), ['once', 'session', 'prefix']);
  assert.deepEqual(allowing({ always: 'this very call again', prefix: null }), ['once', 'session']);
  assert.deepEqual(allowing({ always: null, prefix: 'git status' }), ['once']);
});

test('a need says whether it was granted, or can never be', () => {
  const metadata = 'fetch:http://169.254.169.254/';
  const approval = { missing: ['write:b', metadata], never_granted: [metadata] };
  assert.deepEqual(
    ['read:a', 'write:b', metadata].map((grant) => lack(approval, grant)),
    ['', ' (not granted)', ' (can never be granted)'],
  );
});
