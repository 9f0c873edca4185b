// Numbers, money, times and words for users.

import type { CacheBreaks } from './wire.ts';

const NANO = 1_000_000_000;

// Created once: creating one takes a browser longer than formatting a hundred lines with it.
const NUMBERS = new Intl.NumberFormat('en');
const TIMES = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });

/** `3 messages`, `1 message`. */
export function plural(count: number, noun: string, many = `${noun}s`): string {
  return `${count} ${count === 1 ? noun : many}`;
}

/** `1,234`, `12.3k`, `4.5M`. */
export function compact(value: number): string {
  if (value < 10_000) return NUMBERS.format(value);
  if (value < 1_000_000) return `${trim(value / 1_000)}k`;
  return `${trim(value / 1_000_000)}M`;
}

/** Billionths of a US dollar as dollars, with the digits that matter. */
export function money(nano: number): string {
  const usd = nano / NANO;
  if (usd === 0) return '$0';
  if (usd < 0.000_1) return '< $0.0001';
  return `$${usd.toFixed(usd < 0.1 ? 4 : 2)}`;
}

/**
 * A cost that may be incomplete. A call without a known price is not free: without any known price the cost is a dash.
 * If some tokens are estimated, so is the sum.
 */
export function cost(nano: number, unpriced: number, estimated = 0): string {
  const sum = estimated > 0 && nano > 0 ? `~${money(nano)}` : money(nano);
  if (unpriced === 0) return sum;
  return nano === 0 ? '—' : `${sum} +?`;
}

/** The tokens and the cost of a prompt or a session. */
export function figuresText(of: { input: number; output: number; estimated: number; spent: number; unpriced: number }): string {
  return `${compact(of.input)} tokens in, ${compact(of.output)} out, ${cost(of.spent, of.unpriced, of.estimated)}`;
}

/** A note about calls without a known price, if there are any. */
export function unknownPrice(unpriced: number): string | undefined {
  return unpriced === 0 ? undefined : `${plural(unpriced, 'call has', 'calls have')} no known price`;
}

/** The share of a prompt that the provider's cache served: `97.1 %`. A dash without a prompt. */
export function cacheRate(tokens: { input?: number; cached?: number }): string {
  const input = tokens.input ?? 0;
  return input === 0 ? '—' : `${(((tokens.cached ?? 0) / input) * 100).toFixed(1)} %`;
}

/** The breaks of a prompt cache with their causes: `3 (compaction 2, tools 1)`, or `0`. */
export function cacheBreaks({ tokens, ...causes }: CacheBreaks): string {
  const found = Object.entries(causes).filter(([, count]) => count > 0);
  if (found.length === 0) return '0';
  const total = found.reduce((sum, [, count]) => sum + count, 0);
  return `${total} (${found.map(([cause, count]) => `${cause} ${count}`).join(', ')})`;
}

/** A note about the tokens that breaks cost, if there are any. */
export function breakCost({ tokens }: CacheBreaks): string | undefined {
  return tokens === 0 ? undefined : `${compact(tokens)} tokens were read again`;
}

/** `512 B`, `1.5 KiB`. */
export function bytes(count: number): string {
  if (count < 1_024) return `${count} B`;
  const units = ['KiB', 'MiB', 'GiB'];
  let value = count / 1_024;
  let unit = 0;
  while (value >= 1_024 && unit < units.length - 1) {
    value /= 1_024;
    unit += 1;
  }
  return `${trim(value)} ${units[unit]}`;
}

/** `120 ms`, `3.4 s`, `2 min 5 s`. */
export function duration(millis: number): string {
  if (millis < 1_000) return `${Math.round(millis)} ms`;
  if (millis < 60_000) return `${trim(millis / 1_000)} s`;
  const seconds = Math.round(millis / 1_000);
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
  return `${Math.floor(seconds / 3_600)} h ${Math.floor((seconds % 3_600) / 60)} min`;
}

/** A date and a time in the browser's format. */
export function timeText(millis: number): string {
  const time = validDate(millis);
  return time === undefined ? 'unknown time' : TIMES.format(time);
}

/** A time for programs, such as screen readers. */
export function isoTime(millis: number): string | undefined {
  return validDate(millis)?.toISOString();
}

/** Undefined for an invalid time: an imported journal can contain any number, and formatting an invalid date throws. */
function validDate(millis: number): Date | undefined {
  const time = new Date(millis);
  return Number.isNaN(time.getTime()) ? undefined : time;
}

/** The owner of an agent or a skill. */
export function ownerText(owner: string): string {
  if (owner === 'user') return 'your own';
  return owner === 'holm' ? 'built in' : `from the ${owner}`;
}

/** How long ago, roughly. */
export function ago(millis: number, now: number): string {
  const seconds = Math.max(0, Math.round((now - millis) / 1_000));
  if (seconds < 60) return 'just now';
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min ago`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3_600)} h ago`;
  return `${plural(Math.floor(seconds / 86_400), 'day')} ago`;
}

function trim(value: number): string {
  return value.toFixed(1).replace(/\.0$/, '');
}
