// When a job runs, as people say it, and as five fields of cron. What is no such rhythm stays a pattern.

export type Rhythm =
  | { kind: 'minutes'; every: number }
  | { kind: 'hourly'; minute: number }
  | { kind: 'daily'; hour: number; minute: number }
  | { kind: 'weekly'; days: number[]; hour: number; minute: number }
  | { kind: 'monthly'; day: number; hour: number; minute: number }
  | { kind: 'own'; pattern: string };

export const DAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'] as const;

/** Minutes that divide an hour, so that the distance is always the same. */
export const STEPS = [1, 2, 3, 5, 10, 15, 20, 30] as const;

/** The pattern of a rhythm. */
export function patternOf(rhythm: Rhythm): string {
  switch (rhythm.kind) {
    case 'minutes':
      return rhythm.every === 1 ? '* * * * *' : `*/${rhythm.every} * * * *`;
    case 'hourly':
      return `${rhythm.minute} * * * *`;
    case 'daily':
      return `${rhythm.minute} ${rhythm.hour} * * *`;
    case 'weekly':
      return `${rhythm.minute} ${rhythm.hour} * * ${[...rhythm.days].sort().join(',')}`;
    case 'monthly':
      return `${rhythm.minute} ${rhythm.hour} ${rhythm.day} * *`;
    case 'own':
      return rhythm.pattern;
  }
}

/** The rhythm of a pattern; one that is none of the usual is its own. */
export function rhythmOf(pattern: string): Rhythm {
  const own: Rhythm = { kind: 'own', pattern };
  const [minute, hour, day, month, week, ...rest] = pattern.trim().split(/\s+/);
  if (minute === undefined || week === undefined || rest.length > 0 || month !== '*') return own;
  const every = minute === '*' ? 1 : Number(/^\*\/(\d+)$/.exec(minute)?.[1] ?? Number.NaN);
  if (hour === '*' && day === '*' && week === '*' && STEPS.some((step) => step === every)) return { kind: 'minutes', every };
  const at = within(minute, 0, 59);
  if (at === null) return own;
  if (hour === '*') return day === '*' && week === '*' ? { kind: 'hourly', minute: at } : own;
  const clock = within(hour ?? '', 0, 23);
  if (clock === null) return own;
  if (day === '*' && week === '*') return { kind: 'daily', hour: clock, minute: at };
  if (day === '*') {
    const days = week.split(',').map((one) => within(one, 0, 7));
    if (days.some((one) => one === null)) return own;
    return { kind: 'weekly', days: [...new Set(days.map((one) => (one ?? 0) % 7))].sort(), hour: clock, minute: at };
  }
  const date = within(day ?? '', 1, 31);
  return date === null || week !== '*' ? own : { kind: 'monthly', day: date, hour: clock, minute: at };
}

/** A rhythm in a sentence. */
export function inWords(rhythm: Rhythm): string {
  switch (rhythm.kind) {
    case 'minutes':
      return rhythm.every === 1 ? 'every minute' : `every ${rhythm.every} minutes`;
    case 'hourly':
      return `every hour at minute ${rhythm.minute}`;
    case 'daily':
      return `every day at ${clock(rhythm)}`;
    case 'weekly':
      return rhythm.days.length === 0 ? 'on no day' : `every ${rhythm.days.map((day) => DAYS[day]).join(', ')} at ${clock(rhythm)}`;
    case 'monthly':
      return `on day ${rhythm.day} of every month at ${clock(rhythm)}${rhythm.day > 28 ? ', in months that have it' : ''}`;
    case 'own':
      return rhythm.pattern;
  }
}

/** `09:30`, as fields for times of day take it. */
export function clock({ hour, minute }: { hour: number; minute: number }): string {
  return `${String(hour).padStart(2, '0')}:${String(minute).padStart(2, '0')}`;
}

function within(text: string, least: number, most: number): number | null {
  const value = /^\d{1,2}$/.test(text) ? Number(text) : Number.NaN;
  return value >= least && value <= most ? value : null;
}
