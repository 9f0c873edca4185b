// The cursor of a watcher, in the server's notation: `RECORD.INDEX`, or `RECORD.INDEX/CALL.BYTES` within a reply.

import type { EventId, Frame } from './wire.ts';

/** The cursor before the first event. */
export const START = '-';

/** The cursor after an event. */
export function cursorAfter(id: EventId): string {
  return `${id.record}.${id.index}`;
}

/** Whether one event comes later than another; every event comes later than null. */
export function isLater(id: EventId, than: EventId | null): boolean {
  if (than === null) return true;
  return id.record > than.record || (id.record === than.record && id.index > than.index);
}

/**
 * The cursor after a frame. The frame of a closed connection has the cursor `-`, which would replay everything; so frames
 * without content do not move the cursor.
 */
export function advance(cursor: string, frame: Frame): string {
  switch (frame.type) {
    case 'event':
    case 'delta':
    case 'progress':
    case 'question':
    case 'question_settled':
    case 'note':
      return frame.id === '' ? cursor : frame.id;
    case 'lagged':
    case 'closed':
    case 'connected':
      return cursor;
  }
}
