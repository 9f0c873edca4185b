// How far a watcher has got, as the server writes it: `RECORD.INDEX`, or `RECORD.INDEX/CALL.BYTES` within a reply.

import type { EventId, Frame } from './wire.ts';

/** Before everything. */
export const START = '-';

/** The place after an event. */
export function after(id: EventId): string {
  return `${id.record}.${id.index}`;
}

/** Whether one event comes later than another; everything comes later than none. */
export function isLater(id: EventId, than: EventId | null): boolean {
  if (than === null) return true;
  return id.record > than.record || (id.record === than.record && id.index > than.index);
}

/**
 * The place to ask from once a frame was seen. A connection that is closed says `-`, and a page that came back with
 * that would see everything twice; so frames that tell nothing move nobody.
 */
export function moved(place: string, frame: Frame): string {
  switch (frame.type) {
    case 'event':
    case 'delta':
    case 'progress':
    case 'question':
    case 'question_settled':
    case 'note':
      return frame.id === '' ? place : frame.id;
    case 'lagged':
    case 'closed':
    case 'began':
      return place;
  }
}
