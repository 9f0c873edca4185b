// What waits for the user: sessions with open questions, and jobs that fail.

import { plural } from './format.ts';
import type { JobList, Session } from './wire.ts';

export interface FailedJob {
  id: string;
  text: string;
  /** Changes with every further failure, so that a dismissed job returns when it fails again. */
  mark: string;
}

export interface Inbox {
  /** The sessions with open questions, the one that waits longest first. */
  sessions: readonly Session[];
  jobs: readonly FailedJob[];
  /** The number of open questions and failed jobs. */
  count: number;
}

/** The inbox of these sessions and jobs, without the jobs that the user dismissed. */
export function inboxOf(sessions: readonly Session[], jobs: JobList | null, dismissed: ReadonlyMap<string, string>): Inbox {
  const waiting = sessions.filter((session) => session.questions > 0).sort((one, other) => one.updated - other.updated);
  const failed = failedJobs(jobs).filter((job) => dismissed.get(job.id) !== job.mark);
  return { sessions: waiting, jobs: failed, count: waiting.reduce((sum, session) => sum + session.questions, 0) + failed.length };
}

function failedJobs(list: JobList | null): FailedJob[] {
  const broken = (list?.broken ?? []).map(({ id, reason }) => ({ id, text: `The job is invalid: ${reason}`, mark: `broken: ${reason}` }));
  const failing = (list?.jobs ?? []).flatMap(({ id, failures, switch: state }): FailedJob[] => {
    const off = state !== 'on' && state.off.why === 'failing';
    if (failures === 0 && !off) return [];
    const text = off ? 'Switched off after repeated failures.' : `${plural(failures, 'failure')} in a row.`;
    return [{ id, text, mark: `${off ? 'off' : 'on'} ${failures}` }];
  });
  return [...broken, ...failing];
}
