// Evaluations: the texts and tables of their pages.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { appliesText, byTurn, caseRows, hasDetails, intervalText, lostAttempts, points, rateText, verdictTone } from '../src/core/evaluations.ts';
import type { AttemptVerdict, EvaluationAttempt, EvaluationComparison } from '../src/core/wire.ts';

function attempt(name: string, model: string, number: number, verdict: AttemptVerdict = 'passed'): EvaluationAttempt {
  const rest = { failures: [], differences: [], applies_until: null, turns: 1, tokens: 2, cost_nano_usd: 3, seconds: 1 };
  return { case: name, model, attempt: number, verdict, session: `${name}-${model}-${number}`, ...rest };
}

test('rates, intervals and differences are shown in percent', () => {
  assert.equal(rateText(34, 40), '34 of 40 (85 %)');
  assert.equal(rateText(0, 0), 'no attempts');
  assert.equal(intervalText(0.709, 0.9294), '71 to 93 %');
  assert.deepEqual([0.05, 0, -0.0001, -0.125].map(points), ['+5.0', '0.0', '0.0', '−12.5']);
});

test('each case is a row with a cell for each model, also where an attempt is missing', () => {
  const attempts = [attempt('a', 'm', 1), attempt('a', 'm', 2, 'failed'), attempt('a', 'n', 1), attempt('b', 'n', 1)];
  const rows = caseRows(attempts, ['m', 'n']);
  assert.deepEqual(rows.map((row) => [row.name, row.cells.map((cell) => cell.length)]), [['a', [2, 1]], ['b', [0, 1]]]);
  assert.deepEqual(caseRows([attempt('a', 'unknown', 1)], ['m']), [{ name: 'a', cells: [[]] }]);
});

test('verdicts have a tone, also one that this page does not know', () => {
  assert.deepEqual((['passed', 'changed', 'failed', 'error'] as const).map(verdictTone), ['good', 'warn', 'bad', 'bad']);
  assert.equal(verdictTone('skipped' as AttemptVerdict), 'warn');
  assert.deepEqual([attempt('a', 'm', 1), attempt('a', 'm', 1, 'failed')].map(hasDetails), [false, true]);
});

test('differences are grouped by turn, and the page says how far the recording applies', () => {
  const difference = (turn: number, kind: string) => ({ turn, kind, what: 'x', fails: false });
  const turns = byTurn([difference(2, 'call'), difference(0, 'prompt'), difference(2, 'answer')]);
  assert.deepEqual(turns.map(({ turn, differences }) => [turn, differences.map((one) => one.kind)]), [['At the start', ['prompt']], ['Turn 2', ['call', 'answer']]]);
  assert.deepEqual([null, 0, 1, 2, 4].map(appliesText), [
    null,
    'The recording no longer applies.',
    'The recording no longer applies.',
    'The recording applies to the first 1 turn.',
    'The recording applies to the first 3 turns.',
  ]);
});

test('lost attempts have the runs of both evaluations, the largest group first', () => {
  const rate = { passed: 0, attempts: 0, interval: [0, 1] as [number, number] };
  const means = { cost_usd: 0, tokens: 0, turns: 0, seconds: 0 };
  const paired = { pairs: 3, lost: 3, won: 0, difference: -1, interval: [-1, 0] as [number, number] };
  const comparison: EvaluationComparison['comparison'] = {
    rates: [rate, rate],
    means: [means, means],
    paired,
    broken: [],
    changed: [],
    lost_by_call: { 'the same calls': ['a (1)'], 'call 1: shell in place of read': ['a (2)', 'gone (1)'] },
  };
  const lost = lostAttempts(comparison, [attempt('a', 'm', 1), attempt('a', 'm', 2)], [attempt('a', 'n', 2), attempt('a', 'o', 2)]);
  assert.deepEqual(lost.map((group) => [group.call, group.attempts.length]), [['call 1: shell in place of read', 2], ['the same calls', 1]]);
  assert.deepEqual(lost[0]?.attempts[0]?.now.map((one) => one.session), ['a-n-2', 'a-o-2']);
  assert.deepEqual([lost[0]?.attempts[1]?.before, lost[1]?.attempts[0]?.now], [[], []]);
});
