// The grants of each call at any point of a run, from the server's reading of the journal.

import { words } from './notices.ts';
import type { Approval, GrantUse } from './wire.ts';

const ASK_REASONS: Record<string, string> = {
  level: 'you approve every call of this kind here',
  missing_grant: 'you had not allowed it',
  egress_after_mark: 'it sends data out, and the session has read private or untrusted data',
  write_after_mark: 'it writes outside its grants, and the session has read private or untrusted data',
  hook_wants: 'a hook asks for your approval',
  leaves_plan: 'it ends plan mode: later calls may change things',
};

/** Why a user is asked, in the sentences of the server. */
export function whyAsked(approval: Pick<Approval, 'why' | 'reasons'>): string {
  const why = approval.why ?? [];
  return (why.length > 0 ? why : approval.reasons.map(askReason)).join(', and ') || 'you approve every call of this kind here';
}

/** Why a call needed approval, in words, from the journal alone. */
export function askReason(reason: string): string {
  return ASK_REASONS[reason] ?? words(reason);
}

/** A note about a need: empty if it is granted. */
export function missingNote(approval: Pick<Approval, 'missing' | 'never_granted'>, grant: string): string {
  if (approval.never_granted.includes(grant)) return ' (can never be granted)';
  return approval.missing.includes(grant) ? ' (not granted)' : '';
}

/** The answers that allow a call. Answers for later calls are offered only if the server says what they cover. */
export function allowAnswers(approval: Pick<Approval, 'always' | 'prefix' | 'family'>): readonly ('once' | 'session' | 'prefix' | 'family')[] {
  if (approval.always === null) return ['once'];
  const family = (approval.family ?? null) === null ? [] : (['family'] as const);
  return approval.prefix === null ? ['once', 'session', ...family] : ['once', 'session', 'prefix', ...family];
}

/** The content that the run has read, in words. */
export function describeMarks(marks: Approval['marks']): string {
  const kinds = [marks.untrusted ? 'untrusted' : '', marks.private ? 'private' : ''].filter(Boolean);
  return `${kinds.join(' and ')} content`;
}

/** Where the grant for a need comes from. */
export type GrantOrigin =
  /** Granted before the call. */
  | 'held'
  /** Given by an approval. */
  | 'given'
  /** Not granted. */
  | 'missing';

/** The needs of a call and their grants. */
export interface CallGrants {
  /** Whether the call ran; if not, it needs approval. */
  ran: boolean;
  needs: readonly { grant: string; origin: GrantOrigin }[];
  /** The grants of the helper that the call started. */
  handsOn: readonly string[];
  /** Why the call needed approval; empty if it did not. */
  reasons: readonly string[];
}

/** The grants of a run's calls. It returns the same object for a call as long as nothing changed. */
export class GrantHistory {
  readonly #calls = new Map<number, { record: number; granted: CallGrants }[]>();

  constructor(uses: readonly GrantUse[]) {
    const asked = new Map<number, GrantUse>();
    for (const use of uses) {
      if (use.step === 'asked') asked.set(use.call, use);
      const known = this.#calls.get(use.call) ?? [];
      known.push({ record: use.record, granted: granted(use, asked.get(use.call)) });
      this.#calls.set(use.call, known);
    }
  }

  /** The grants of a call at a record; null before the call was decided. */
  of(call: number, record: number): CallGrants | null {
    let found: CallGrants | null = null;
    for (const one of this.#calls.get(call) ?? []) if (one.record <= record) found = one.granted;
    return found;
  }
}

function granted(use: GrantUse, asked: GrantUse | undefined): CallGrants {
  const ran = use.step === 'run';
  const missing = new Set(asked?.missing ?? []);
  const origin = (grant: string): GrantOrigin => (!missing.has(grant) ? 'held' : ran ? 'given' : 'missing');
  return {
    ran,
    needs: use.needs.map((grant) => ({ grant, origin: origin(grant) })),
    handsOn: use.hands_on,
    reasons: asked?.reasons ?? [],
  };
}
