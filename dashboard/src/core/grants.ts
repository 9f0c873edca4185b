// What each call of a run was allowed to use, at any point of it: from what the server reads out of the journal.

import type { Approval, Use } from './wire.ts';

/** What a person is told of something that a call needs: nothing where it is granted. */
export function lack(approval: Pick<Approval, 'missing' | 'never_granted'>, grant: string): string {
  if (approval.never_granted.includes(grant)) return ' (can never be granted)';
  return approval.missing.includes(grant) ? ' (not granted)' : '';
}

/** Which answers that allow a call are offered: those for later calls only where the server says what they cover. */
export function allowing(approval: Pick<Approval, 'always' | 'prefix'>): readonly ('once' | 'session' | 'prefix')[] {
  if (approval.always === null) return ['once'];
  return approval.prefix === null ? ['once', 'session'] : ['once', 'session', 'prefix'];
}

/** What has entered the run, in words. */
export function entered(marks: Approval['marks']): string {
  const kinds = [marks.untrusted ? 'untrusted' : '', marks.private ? 'private' : ''].filter(Boolean);
  return `${kinds.join(' and ')} content`;
}

/** How a call came by something that it needs. */
export type Standing =
  /** It was granted before. */
  | 'held'
  /** Somebody was asked, and gave it. */
  | 'given'
  /** Nobody has granted it. */
  | 'missing';

/** What a call needs and was given. */
export interface Granted {
  /** Whether it ran; if not, somebody was asked. */
  ran: boolean;
  needs: readonly { grant: string; standing: Standing }[];
  /** What the agent holds that it started. */
  handsOn: readonly string[];
  /** Why somebody was asked; none where nobody was. */
  reasons: readonly string[];
}

/** The uses of a run by call. What it gives for a call is the same object as long as it says the same. */
export class Grants {
  readonly #calls = new Map<number, { record: number; granted: Granted }[]>();

  constructor(uses: readonly Use[]) {
    const asked = new Map<number, Use>();
    for (const use of uses) {
      if (use.step === 'asked') asked.set(use.call, use);
      const known = this.#calls.get(use.call) ?? [];
      known.push({ record: use.record, granted: granted(use, asked.get(use.call)) });
      this.#calls.set(use.call, known);
    }
  }

  /** What was known of a call at a record; none before it was decided. */
  of(call: number, record: number): Granted | null {
    let found: Granted | null = null;
    for (const one of this.#calls.get(call) ?? []) if (one.record <= record) found = one.granted;
    return found;
  }
}

function granted(use: Use, asked: Use | undefined): Granted {
  const ran = use.step === 'run';
  const missing = new Set(asked?.missing ?? []);
  const standing = (grant: string): Standing => (!missing.has(grant) ? 'held' : ran ? 'given' : 'missing');
  return {
    ran,
    needs: use.needs.map((grant) => ({ grant, standing: standing(grant) })),
    handsOn: use.hands_on,
    reasons: asked?.reasons ?? [],
  };
}
