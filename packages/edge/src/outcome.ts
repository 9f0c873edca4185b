// Turns the ending of a run into an HTTP response.

import type { Ending } from 'holm/kernel';

/** A status and a body. */
export interface HttpOutcome {
  status: number;
  body: { [name: string]: unknown };
}

/** The guards' verdict on a run. */
export type GuardVerdict = 'accept' | 'reject' | 'n/a';

/** Status and body of an ending. */
export function outcomeOf(ending: Ending, guardrail: GuardVerdict): HttpOutcome {
  if ('answered' in ending) return { status: 200, body: { result: ending.answered.text, guardrail } };
  if ('rejected' in ending) {
    const { what, reason } = ending.rejected;
    return { status: 422, body: { error: 'Guardrail rejection', reason, details: what, guardrail: 'reject' } };
  }
  const [error, details] = wordsOf(ending);
  return { status: 500, body: { error, details, guardrail } };
}

function wordsOf(ending: Exclude<Ending, { answered: unknown } | { rejected: unknown }>): [string, string] {
  if ('refused' in ending) return ['the model refused', ending.refused.reason];
  if ('looping' in ending) {
    const { tool, times } = ending.looping;
    return ['the run was looping', tool ? `${tool}, ${times} times` : `${times} turns in a row gave nothing new`];
  }
  if ('over_budget' in ending) return ['budget used up', `${ending.over_budget.spent} of ${ending.over_budget.limit} nano-USD`];
  if ('over_limit' in ending) {
    const { limit, used, allowed } = ending.over_limit;
    return [limit === 'wall_clock' ? 'timeout' : 'limit reached', `${limit}: ${used} of ${allowed}`];
  }
  if ('cancelled' in ending) return [ending.cancelled.reason === TIMEOUT ? 'timeout' : 'cancelled', ending.cancelled.reason];
  return ['the model call failed', `${ending.failed.class}: ${ending.failed.message}`];
}

/** The reason for stopping a run at this host's time limit, whatever its journal allows. */
export const TIMEOUT = 'the time limit of the request is used up';
