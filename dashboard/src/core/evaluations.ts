// Evaluations: pass rates as text, the table of cases and models, and the attempts that a comparison names.

import { plural } from './format.ts';
import type { AttemptVerdict, EvaluationAttempt, EvaluationComparison, TurnDifference } from './wire.ts';

/** `34 of 40 (85 %)`. */
export function rateText(passed: number, attempts: number): string {
  return attempts === 0 ? 'no attempts' : `${passed} of ${attempts} (${percent(passed / attempts)})`;
}

/** `71 to 93 %`: an interval of a rate. */
export function intervalText(low: number, high: number): string {
  return `${Math.round(low * 100)} to ${Math.round(high * 100)} %`;
}

/** `+5.0`: a difference of two rates in percentage points. */
export function points(difference: number): string {
  const value = (difference * 100).toFixed(1);
  return Number(value) > 0 ? `+${value}` : Number(value) === 0 ? '0.0' : value.replace('-', '−');
}

function percent(rate: number): string {
  return `${Math.round(rate * 100)} %`;
}

const TONES: Record<AttemptVerdict, 'good' | 'warn' | 'bad'> = { passed: 'good', changed: 'warn', failed: 'bad', error: 'bad' };

/** The tone of a verdict. A newer server may know more verdicts. */
export function verdictTone(verdict: AttemptVerdict): 'good' | 'warn' | 'bad' {
  return TONES[verdict] ?? 'warn';
}

/** Whether there is more to say about an attempt than that it passed. */
export function hasDetails(attempt: EvaluationAttempt): boolean {
  return attempt.verdict !== 'passed' || attempt.failures.length > 0 || attempt.differences.length > 0;
}

export interface CaseRow {
  name: string;
  /** The attempts with each model, in the order of the models. */
  cells: EvaluationAttempt[][];
}

/** The cases as rows, with a cell for each model. */
export function caseRows(attempts: readonly EvaluationAttempt[], models: readonly string[]): CaseRow[] {
  const rows = new Map<string, CaseRow>();
  for (const attempt of attempts) {
    const row = rows.get(attempt.case) ?? { name: attempt.case, cells: models.map(() => []) };
    rows.set(attempt.case, row);
    row.cells[models.indexOf(attempt.model)]?.push(attempt);
  }
  return [...rows.values()];
}

/** The differences of an attempt, by turn. */
export function byTurn(differences: readonly TurnDifference[]): { turn: string; differences: TurnDifference[] }[] {
  const turns = new Map<number, TurnDifference[]>();
  for (const difference of differences) turns.set(difference.turn, [...(turns.get(difference.turn) ?? []), difference]);
  return [...turns].sort(([one], [other]) => one - other).map(([turn, list]) => ({ turn: turn === 0 ? 'At the start' : `Turn ${turn}`, differences: list }));
}

/** How far the recording of a case applies to an attempt; null if there is no difference. */
export function appliesText(until: number | null): string | null {
  if (until === null) return null;
  return until <= 1 ? 'The recording no longer applies.' : `The recording applies to the first ${plural(until - 1, 'turn')}.`;
}

export interface LostAttempt {
  name: string;
  before: EvaluationAttempt[];
  now: EvaluationAttempt[];
}

/** The attempts that were lost, by the first call that differs; groups with more attempts come first. */
export function lostAttempts(
  comparison: EvaluationComparison['comparison'],
  before: readonly EvaluationAttempt[],
  now: readonly EvaluationAttempt[],
): { call: string; attempts: LostAttempt[] }[] {
  const [first, second] = [byName(before), byName(now)];
  return Object.entries(comparison.lost_by_call)
    .map(([call, names]) => ({ call, attempts: names.map((name) => ({ name, before: first.get(name) ?? [], now: second.get(name) ?? [] })) }))
    .sort((one, other) => other.attempts.length - one.attempts.length);
}

/** Attempts by the name that a comparison gives them. Attempts with different models may share one. */
function byName(attempts: readonly EvaluationAttempt[]): Map<string, EvaluationAttempt[]> {
  const names = new Map<string, EvaluationAttempt[]>();
  for (const attempt of attempts) {
    const name = `${attempt.case} (${attempt.attempt})`;
    names.set(name, [...(names.get(name) ?? []), attempt]);
  }
  return names;
}
