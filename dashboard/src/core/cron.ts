// Schedules of jobs in words, and as cron expressions with five fields. Other expressions stay as they are.

export type Schedule =
  | { kind: 'minutes'; every: number }
  | { kind: 'hourly'; minute: number }
  | { kind: 'daily'; hour: number; minute: number }
  | { kind: 'weekly'; days: number[]; hour: number; minute: number }
  | { kind: 'monthly'; day: number; hour: number; minute: number }
  | { kind: 'custom'; pattern: string };

export const DAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'] as const;

/** Minutes that divide an hour, so that the interval is always the same. */
export const STEPS = [1, 2, 3, 5, 10, 15, 20, 30] as const;

/** The cron expression of a schedule. */
export function cronOf(schedule: Schedule): string {
  switch (schedule.kind) {
    case 'minutes':
      return schedule.every === 1 ? '* * * * *' : `*/${schedule.every} * * * *`;
    case 'hourly':
      return `${schedule.minute} * * * *`;
    case 'daily':
      return `${schedule.minute} ${schedule.hour} * * *`;
    case 'weekly':
      return `${schedule.minute} ${schedule.hour} * * ${[...schedule.days].sort().join(',')}`;
    case 'monthly':
      return `${schedule.minute} ${schedule.hour} ${schedule.day} * *`;
    case 'custom':
      return schedule.pattern;
  }
}

/** The schedule of a cron expression; `custom` for an uncommon one. */
export function scheduleOf(pattern: string): Schedule {
  const custom: Schedule = { kind: 'custom', pattern };
  const [minute, hour, day, month, week, ...rest] = pattern.trim().split(/\s+/);
  if (minute === undefined || week === undefined || rest.length > 0 || month !== '*') return custom;
  const every = minute === '*' ? 1 : Number(/^\*\/(\d+)$/.exec(minute)?.[1] ?? Number.NaN);
  if (hour === '*' && day === '*' && week === '*' && STEPS.some((step) => step === every)) return { kind: 'minutes', every };
  const at = within(minute, 0, 59);
  if (at === null) return custom;
  if (hour === '*') return day === '*' && week === '*' ? { kind: 'hourly', minute: at } : custom;
  const clock = within(hour ?? '', 0, 23);
  if (clock === null) return custom;
  if (day === '*' && week === '*') return { kind: 'daily', hour: clock, minute: at };
  if (day === '*') {
    const days = week.split(',').map((one) => within(one, 0, 7));
    if (days.some((one) => one === null)) return custom;
    return { kind: 'weekly', days: [...new Set(days.map((one) => (one ?? 0) % 7))].sort(), hour: clock, minute: at };
  }
  const date = within(day ?? '', 1, 31);
  return date === null || week !== '*' ? custom : { kind: 'monthly', day: date, hour: clock, minute: at };
}

/** A schedule in words. */
export function describeSchedule(schedule: Schedule): string {
  switch (schedule.kind) {
    case 'minutes':
      return schedule.every === 1 ? 'every minute' : `every ${schedule.every} minutes`;
    case 'hourly':
      return `every hour at minute ${schedule.minute}`;
    case 'daily':
      return `every day at ${clock(schedule)}`;
    case 'weekly':
      return schedule.days.length === 0 ? 'never (no day selected)' : `every ${schedule.days.map((day) => DAYS[day]).join(', ')} at ${clock(schedule)}`;
    case 'monthly':
      return `on day ${schedule.day} of every month at ${clock(schedule)}${schedule.day > 28 ? ', in months that have it' : ''}`;
    case 'custom':
      return schedule.pattern;
  }
}

/** `09:30`, the value of a `time` field. */
export function clock({ hour, minute }: { hour: number; minute: number }): string {
  return `${String(hour).padStart(2, '0')}:${String(minute).padStart(2, '0')}`;
}

function within(text: string, least: number, most: number): number | null {
  const value = /^\d{1,2}$/.test(text) ? Number(text) : Number.NaN;
  return value >= least && value <= most ? value : null;
}
