// One session on the page: its past from the journal, then what happens, drawn at most once a frame of the screen.

import { type ShallowRef, onScopeDispose, shallowRef } from 'vue';

import { after, isLater } from '../core/cursor.ts';
import { History } from '../core/history.ts';
import { EMPTY, type Transcript, reduce, reduceEvents } from '../core/transcript.ts';
import { type Connection, Watcher } from '../core/watcher.ts';
import type { EventId, Frame, Numbered } from '../core/wire.ts';
import { lines } from './lines.ts';
import { api } from './login.ts';
import { messageOf } from './load.ts';

/** How often a page that nobody sees is brought up to date: it draws nothing, so this is only to keep its queue short. */
const UNSEEN = 500;

export interface Watched {
  transcript: Readonly<ShallowRef<Transcript>>;
  /** Everything that happened, for whoever asked for it; `count` changes when it grows. */
  history: History;
  count: Readonly<ShallowRef<number>>;
  connection: Readonly<ShallowRef<Connection>>;
  /** Whether the past is there. */
  loaded: Readonly<ShallowRef<boolean>>;
  error: Readonly<ShallowRef<string | null>>;
  hurry(): void;
}

/** Watches a session as long as the component lives. */
export function watchSession(id: string, keep: 'history' | 'present' = 'present'): Watched {
  const transcript = shallowRef(EMPTY);
  const connection = shallowRef<Connection>({ state: 'connecting' });
  const loaded = shallowRef(false);
  const error = shallowRef<string | null>(null);
  const count = shallowRef(0);
  const history = new History();
  let last: EventId | null = null;
  let queue: Frame[] = [];
  let due: (() => void) | null = null;
  let watcher: Watcher | null = null;
  let over = false;

  const remember = (events: readonly Numbered[]): void => {
    if (keep === 'present') return;
    const fresh = events.filter((numbered) => {
      const later = isLater(numbered.id, last);
      if (later) last = numbered.id;
      return later;
    });
    history.add(fresh);
    count.value = history.length;
  };
  const draw = (): void => {
    due = null;
    const frames = queue;
    queue = [];
    remember(frames.flatMap((frame) => (frame.type === 'event' ? [frame.data] : [])));
    transcript.value = reduce(transcript.value, frames);
  };
  const hear = (frame: Frame): void => {
    queue.push(frame);
    due ??= soon(draw);
  };

  const begin = async (): Promise<void> => {
    try {
      const past = await api().replay(id);
      if (over) return;
      remember(past);
      transcript.value = reduceEvents(EMPTY, past);
      loaded.value = true;
      const place = past[past.length - 1];
      watcher = new Watcher({
        connect: lines(api(), id),
        later,
        hear,
        changed: (now) => {
          connection.value = now;
          if (now.state === 'refused') error.value = now.message;
        },
        ...(place === undefined ? {} : { place: after(place.id) }),
      });
      watcher.start();
    } catch (failure) {
      if (!over) error.value = messageOf(failure);
    }
  };

  const hurry = (): void => watcher?.hurry();
  window.addEventListener('online', hurry);
  onScopeDispose(() => {
    over = true;
    window.removeEventListener('online', hurry);
    due?.();
    watcher?.stop();
  });
  void begin();
  return { transcript, history, count, connection, loaded, error, hurry };
}

function later(millis: number, call: () => void): () => void {
  const timer = setTimeout(call, millis);
  return () => clearTimeout(timer);
}

/** With the next frame of the screen; a page that is not seen has none, and gets a timer. */
function soon(call: () => void): () => void {
  if (document.visibilityState === 'hidden') return later(UNSEEN, call);
  let done = false;
  const once = (): void => {
    if (done) return;
    done = true;
    call();
  };
  const frame = requestAnimationFrame(once);
  // The page may be hidden before the frame comes.
  const stop = later(UNSEEN, once);
  return () => {
    done = true;
    cancelAnimationFrame(frame);
    stop();
  };
}
