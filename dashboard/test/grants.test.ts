import assert from 'node:assert/strict';
import { test } from 'node:test';

import { GrantHistory, allowAnswers, missingNote } from '../src/core/grants.ts';
import type { GrantUse } from '../src/core/wire.ts';

function use(record: number, call: number, step: GrantUse['step'], more: Partial<GrantUse> = {}): GrantUse {
  return { record, call, tool: 'write', step, needs: [], missing: [], hands_on: [], reasons: [], ...more };
}

test('the grants of a call show what was held, missing and given', () => {
  const asked = use(3, 2, 'asked', { needs: ['read:a', 'write:b'], missing: ['write:b'], reasons: ['missing_grant'] });
  const grants = new GrantHistory([asked, use(5, 2, 'run', { needs: ['read:a', 'write:b'] }), use(6, 4, 'run', { needs: ['read:a'] })]);
  assert.equal(grants.of(2, 2), null);
  assert.deepEqual(grants.of(2, 4), {
    ran: false,
    needs: [{ grant: 'read:a', origin: 'held' }, { grant: 'write:b', origin: 'missing' }],
    handsOn: [],
    reasons: ['missing_grant'],
  });
  assert.deepEqual(grants.of(2, 5)?.needs, [{ grant: 'read:a', origin: 'held' }, { grant: 'write:b', origin: 'given' }]);
  assert.deepEqual(grants.of(4, Infinity), { ran: true, needs: [{ grant: 'read:a', origin: 'held' }], handsOn: [], reasons: [] });
  assert.equal(grants.of(9, Infinity), null);
});

test('the grants of a call are the same object until they change', () => {
  const grants = new GrantHistory([use(3, 2, 'asked'), use(5, 2, 'run')]);
  assert.equal(grants.of(2, 3), grants.of(2, 4));
  assert.notEqual(grants.of(2, 4), grants.of(2, 5));
});

test('an answer for later calls is offered only if the server says what it covers', () => {
  assert.deepEqual(allowAnswers({ always: 'this exact call', prefix: 'git status' }), ['once', 'session', 'prefix']);
  assert.deepEqual(allowAnswers({ always: 'this exact call', prefix: null }), ['once', 'session']);
  assert.deepEqual(allowAnswers({ always: null, prefix: 'git status' }), ['once']);
  assert.deepEqual(allowAnswers({ always: 'this exact call', prefix: null, family: 'writing below src' }), ['once', 'session', 'family']);
  assert.deepEqual(allowAnswers({ always: null, prefix: null, family: 'writing below src' }), ['once']);
});

test('a need shows whether it is missing or can never be granted', () => {
  const metadata = 'fetch:http://169.254.169.254/';
  const approval = { missing: ['write:b', metadata], never_granted: [metadata] };
  assert.deepEqual(
    ['read:a', 'write:b', metadata].map((grant) => missingNote(approval, grant)),
    ['', ' (not granted)', ' (can never be granted)'],
  );
});
