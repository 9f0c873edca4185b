import assert from 'node:assert/strict';
import { test } from 'node:test';

import { GrantHistory, allowAnswers, missingNote, whyAsked } from '../src/core/grants.ts';
import { familyAnswers, groupQuestions, type OpenApproval } from '../src/core/question-groups.ts';
import type { Approval, GrantUse, OpenQuestion } from '../src/core/wire.ts';

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

function approval(id: number, more: Partial<Approval> = {}): OpenApproval {
  const base: Approval = {
    tool: 'write', arguments: '{}', command: null, level: 'write', needs: [], missing: [], never_granted: [], hands_on: [],
    marks: { untrusted: false, private: false }, reasons: ['level'], always: 'this exact call', prefix: null, digest: 'd',
  };
  return { id, question: { approval: { ...base, ...more } } };
}

test('a reason is the sentence of the server', () => {
  const why = 'you have not allowed it to write a.txt';
  assert.equal(whyAsked({ why: [why], reasons: ['missing_grant'] }), why);
  assert.equal(whyAsked({ reasons: ['hook_wants'] }), 'a hook asks for your approval');
});

test('the calls of a session are one card, except a plan and those that are answered one by one', () => {
  const plan = approval(3, { reasons: ['leaves_plan'] });
  const words: OpenQuestion = { id: 2, question: { words: { text: 'Which?', choices: [] } } };
  const [first, last] = [approval(1), approval(4)];
  const shown = (separate: number[], questions: OpenQuestion[] = [first, words, plan, last]) =>
    groupQuestions(questions, new Set(separate)).map((one) => (one.kind === 'single' ? one.open.id : one.group.map(({ id }) => id)));
  assert.deepEqual(shown([]), [[1, 4], 2, 3]);
  assert.deepEqual(shown([1, 4]), [1, 2, 3, 4]);
  assert.deepEqual(shown([], [first, plan]), [1, 3]);
  assert.deepEqual(shown([], [approval(5, { call: 9 }), approval(6, { call: 7 })]), [[6, 5]]);
  assert.deepEqual(shown([5, 6], [approval(5, { call: 9 }), words, approval(6, { call: 7 })]), [6, 2, 5]);
});

test('families are allowed together only if every call has one, and each is answered once', () => {
  const [writes, reads] = ['writes under src/ (write:src/**)', 'reads here (read:**)'];
  const group = [approval(1, { family: writes }), approval(2, { family: writes }), approval(3, { family: reads })];
  const answers = familyAnswers(group);
  assert.equal(answers?.label, `${writes}; ${reads}`);
  assert.deepEqual(answers.answers.map(({ open, answer }) => [open.id, answer]), [[1, 'family'], [3, 'family']]);
  assert.equal(familyAnswers([...group, approval(4)]), null);
});
