// Keeps stopped replies for the tab. The journal does not contain them, so without this they would vanish on a reload.

import type { StoppedReply } from '../core/transcript.ts';
import { storage } from './storage.ts';

/** The most replies kept for one session. */
const MAX_REPLIES = 10;

const keyOf = (session: string): string => `holm.stopped.${session}`;

/** The stopped replies of a session, by model call. */
export function loadStoppedReplies(session: string): ReadonlyMap<number, StoppedReply> {
  try {
    const stored: unknown = JSON.parse(storage('sessionStorage')?.getItem(keyOf(session)) ?? '[]');
    return new Map(stored as [number, StoppedReply][]);
  } catch {
    return new Map();
  }
}

export function saveStoppedReplies(session: string, replies: ReadonlyMap<number, StoppedReply>): void {
  try {
    storage('sessionStorage')?.setItem(keyOf(session), JSON.stringify([...replies].slice(-MAX_REPLIES)));
  } catch {
    // The storage is full. The replies last as long as the page.
  }
}
