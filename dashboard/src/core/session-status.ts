// The state of a session as users see it, where it came from, and filters by both.

import { endingName, endingTone } from './endings.ts';
import type { Session } from './wire.ts';

export interface SessionStatus {
  name: string;
  tone: 'good' | 'warn' | 'bad' | '';
}

/**
 * The state in words; null if there is nothing to say. A session with an open question waits for a person, although the server
 * calls it working. The server does not know how a closed session ended.
 */
export function statusOf({ state, questions, ending }: Pick<Session, 'state' | 'questions' | 'ending'>): SessionStatus | null {
  if (questions > 0) return { name: 'needs an answer', tone: 'warn' };
  if (state === 'working') return { name: 'working', tone: 'good' };
  if (state === 'waiting') return { name: 'queued', tone: '' };
  return ending === null ? null : { name: endingName(ending), tone: endingTone(ending) };
}

export type SessionOrigin = 'job' | 'chat';

/** Sessions of jobs have names of their own. All others were started by a user or through the API. */
export function originOf(id: string): SessionOrigin {
  return id.startsWith('job.') ? 'job' : 'chat';
}

/** The name of the job that started a session. */
export function jobOf(id: string): string | null {
  return originOf(id) === 'job' ? (id.split('.')[1] ?? null) : null;
}

export type StatusFilter = 'all' | 'answer' | 'active' | 'failed';

export interface SessionFilter {
  status: StatusFilter;
  origin: SessionOrigin | 'all';
  /** A part of the title, the name or the model. */
  text: string;
}

/** Whether a filter lets a session through. */
export function passes(session: Session, { status, origin, text }: SessionFilter): boolean {
  if (origin !== 'all' && originOf(session.id) !== origin) return false;
  const wanted = text.trim().toLowerCase();
  if (wanted !== '' && ![session.title, session.id, session.model].some((part) => part.toLowerCase().includes(wanted))) return false;
  switch (status) {
    case 'all':
      return true;
    case 'answer':
      return session.questions > 0;
    case 'active':
      return session.questions === 0 && (session.state === 'working' || session.state === 'waiting');
    case 'failed':
      return statusOf(session)?.tone === 'bad';
  }
}
