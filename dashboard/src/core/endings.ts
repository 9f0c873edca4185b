// Endings and outcomes as text for users.

import { compact, money } from './format.ts';
import { loopText, words } from './notices.ts';
import type { Ending, JobOutcome } from './wire.ts';

/** The outcome of a tool call. The kernel calls a denied call refused. */
export function outcomeText(outcome: string): string {
  return outcome === 'refused' ? 'denied' : words(outcome);
}

/** The ending as a sentence. */
export function endingText(ending: Ending): string {
  if ('answered' in ending) return 'Answered.';
  if ('refused' in ending) return `The model refused: ${ending.refused.reason || 'no reason given'}`;
  if ('rejected' in ending) return `Rejected (${ending.rejected.what}): ${ending.rejected.reason}`;
  if ('looping' in ending) return `Stopped: ${loopText(ending.looping.tool, ending.looping.times)}`;
  if ('over_budget' in ending) return `Budget used up: ${money(ending.over_budget.spent)} of ${money(ending.over_budget.limit)}.`;
  if ('over_limit' in ending) {
    const { limit, used, allowed } = ending.over_limit;
    return `Limit reached (${words(limit)}): ${compact(used)} of ${compact(allowed)}.`;
  }
  if ('cancelled' in ending) return cancelledText(ending.cancelled.reason);
  if ('failed' in ending) return `Failed (${words(ending.failed.class)}): ${ending.failed.message}`;
  return 'Ended.';
}

/** The ending in one or two words, for lists. */
export function endingName(ending: Ending): string {
  if ('answered' in ending) return 'answered';
  if ('cancelled' in ending) return 'stopped';
  if ('refused' in ending) return 'refused';
  if ('rejected' in ending) return 'rejected';
  if ('over_budget' in ending) return 'budget used up';
  if ('over_limit' in ending) return 'limit reached';
  return 'failed';
}

function cancelledText(reason: string): string {
  if (reason === '') return 'Stopped.';
  return reason.startsWith('stopped ') ? `S${reason.slice(1)}.` : `Stopped: ${reason}`;
}

/** The tone in which an ending is shown. */
export function endingTone(ending: Ending): 'good' | 'warn' | 'bad' {
  if ('answered' in ending) return 'good';
  return 'cancelled' in ending ? 'warn' : 'bad';
}

/** The result of a job's run, and the tone in which it is shown. */
export function jobOutcome(outcome: JobOutcome): { text: string; tone: 'good' | 'warn' | 'bad' } {
  if (outcome === 'timed_out') return { text: 'timed out', tone: 'bad' };
  if (outcome === 'lost') return { text: 'lost when the server stopped', tone: 'bad' };
  if ('answered' in outcome) return { text: outcome.answered.text || 'answered', tone: 'good' };
  if ('failed' in outcome) return { text: `failed: ${outcome.failed.reason}`, tone: 'bad' };
  if ('refused' in outcome) return { text: `refused: ${outcome.refused.reason}`, tone: 'bad' };
  return { text: `stopped (${words(outcome.stopped.why)})`, tone: 'warn' };
}
