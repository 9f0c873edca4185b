// How a run's ending is said in HTTP.

import type { Ending } from 'holm/kernel';

/** A status and a body. */
export interface Outcome {
  status: number;
  body: { [name: string]: unknown };
}

/** What the guards said in the course of a run. */
export type Guarded = 'accept' | 'reject' | 'n/a';

/** Status and body of an ending. */
export function outcomeOf(ending: Ending, guardrail: Guarded): Outcome {
  if ('answered' in ending) return { status: 200, body: { result: ending.answered.text, guardrail } };
  if ('rejected' in ending) {
    const { what, reason } = ending.rejected;
    return { status: 422, body: { error: 'Guardrail rejection', reason, details: what, guardrail: 'reject' } };
  }
  const [error, details] = wordsOf(ending);
  return { status: 500, body: { error, details, guardrail } };
}

function wordsOf(ending: Exclude<Ending, { answered: unknown } | { rejected: unknown }>): [string, string] {
  if ('refused' in ending) return ['the model declined', ending.refused.reason];
  if ('looping' in ending) return ['the run went in circles', `${ending.looping.tool}, ${ending.looping.times} times`];
  if ('over_budget' in ending) return ['the budget is spent', `${ending.over_budget.spent} of ${ending.over_budget.limit} nano-USD`];
  if ('over_limit' in ending) {
    const { limit, used, allowed } = ending.over_limit;
    return [limit === 'wall_clock' ? 'timeout' : 'a limit is reached', `${limit}: ${used} of ${allowed}`];
  }
  if ('cancelled' in ending) return [ending.cancelled.reason === TIMEOUT ? 'timeout' : 'cancelled', ending.cancelled.reason];
  return ['the model could not be asked', `${ending.failed.class}: ${ending.failed.message}`];
}

/** Why a run is stopped whose time is up, whatever its journal allows. */
export const TIMEOUT = 'the time for one request is up';
