// Numbers, money and times for people.

const NANO = 1_000_000_000;

// Made once: a browser takes longer to make one than to write a hundred lines with it.
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

/** Billionths of a US dollar as dollars, with as many digits as say something. */
export function money(nano: number): string {
  const usd = nano / NANO;
  if (usd === 0) return '$0';
  if (usd < 0.000_1) return '< $0.0001';
  return `$${usd.toFixed(usd < 0.1 ? 4 : 2)}`;
}

/**
 * Money for which some calls have no known price, which is never taken for free: a dash where nothing of it is known.
 * Where some of the tokens are an estimate, so is the sum.
 */
export function cost(nano: number, unpriced: number, estimated = 0): string {
  const sum = estimated > 0 && nano > 0 ? `~${money(nano)}` : money(nano);
  if (unpriced === 0) return sum;
  return nano === 0 ? '—' : `${sum} +?`;
}

/** What to say of calls that have no known price; nothing where there are none. */
export function unknownPrice(unpriced: number): string | undefined {
  return unpriced === 0 ? undefined : `${plural(unpriced, 'call has', 'calls have')} no known price`;
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

/** A time of day and a date, as the reader's browser writes them. */
export function when(millis: number): string {
  const time = known(millis);
  return time === undefined ? 'at no known time' : TIMES.format(time);
}

/** The same for programs, such as those that read a page aloud. */
export function stamp(millis: number): string | undefined {
  return known(millis)?.toISOString();
}

/** A journal from elsewhere may say anything, and whatever writes a time throws where there is no such time. */
function known(millis: number): Date | undefined {
  const time = new Date(millis);
  return Number.isNaN(time.getTime()) ? undefined : time;
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
