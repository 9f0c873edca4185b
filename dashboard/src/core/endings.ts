// How a turn group ended, for people.

import { compact, money } from './format.ts';
import { words } from './notices.ts';
import type { Ending, JobOutcome } from './wire.ts';

/** How it ended, as a sentence. */
export function endingText(ending: Ending): string {
  if ('answered' in ending) return 'Answered.';
  if ('refused' in ending) return `Refused: ${ending.refused.reason || 'no reason was given'}`;
  if ('rejected' in ending) return `Rejected (${ending.rejected.what}): ${ending.rejected.reason}`;
  if ('looping' in ending) return `Stopped: ${ending.looping.tool} was called ${ending.looping.times} times with the same result.`;
  if ('over_budget' in ending) return `The money is spent: ${money(ending.over_budget.spent)} of ${money(ending.over_budget.limit)}.`;
  if ('over_limit' in ending) {
    const { limit, used, allowed } = ending.over_limit;
    return `A limit is reached (${words(limit)}): ${compact(used)} of ${compact(allowed)}.`;
  }
  if ('cancelled' in ending) return `Stopped: ${ending.cancelled.reason}`;
  if ('failed' in ending) return `Failed (${words(ending.failed.class)}): ${ending.failed.message}`;
  return 'Ended.';
}

/** The colour in which it is shown. */
export function endingTone(ending: Ending): 'good' | 'warn' | 'bad' {
  if ('answered' in ending) return 'good';
  return 'cancelled' in ending ? 'warn' : 'bad';
}

/** What came of a job's run, and the colour in which it is shown. */
export function jobOutcome(outcome: JobOutcome): { text: string; tone: 'good' | 'warn' | 'bad' } {
  if (outcome === 'timed_out') return { text: 'it exceeded its time limit', tone: 'bad' };
  if (outcome === 'lost') return { text: 'it was lost when the server stopped', tone: 'bad' };
  if ('answered' in outcome) return { text: outcome.answered.text || 'answered', tone: 'good' };
  if ('failed' in outcome) return { text: `failed: ${outcome.failed.reason}`, tone: 'bad' };
  if ('refused' in outcome) return { text: `refused: ${outcome.refused.reason}`, tone: 'bad' };
  return { text: `stopped (${words(outcome.stopped.why)})`, tone: 'warn' };
}
