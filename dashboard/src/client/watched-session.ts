// One session on the page: its past from the journal, then its events, drawn at most once per screen frame.

import { type ShallowRef, onScopeDispose, shallowRef } from 'vue';

import { cursorAfter, isLater } from '../core/cursor.ts';
import { RunHistory } from '../core/run-history.ts';
import { EMPTY, type Transcript, reduce, reduceEvents } from '../core/transcript.ts';
import { type ConnectionState, SessionWatcher } from '../core/session-watcher.ts';
import type { EventId, Frame, NumberedEvent } from '../core/wire.ts';
import { sessionConnector } from './session-connector.ts';
import { api } from './login.ts';
import { isUnreachable, messageOf } from './async-state.ts';
import { afterOutage } from './outage.ts';
import { loadStoppedReplies, saveStoppedReplies } from './stopped-replies.ts';

/** How often a hidden page processes its queue. It draws nothing; this only keeps the queue short. */
const HIDDEN_INTERVAL_MS = 500;

export interface WatchedSession {
  transcript: Readonly<ShallowRef<Transcript>>;
  /** All events, if requested; `count` changes when it grows. */
  history: RunHistory;
  count: Readonly<ShallowRef<number>>;
  connection: Readonly<ShallowRef<ConnectionState>>;
  /** Whether the past has loaded. */
  loaded: Readonly<ShallowRef<boolean>>;
  error: Readonly<ShallowRef<string | null>>;
  /** Connects at once instead of waiting for the next retry. */
  reconnect(): void;
  /** Loads the past again after an error. */
  retry(): void;
}

/** Watches a session for the lifetime of the component. */
export function watchSession(id: string, keep: 'history' | 'present' = 'present'): WatchedSession {
  const transcript = shallowRef(EMPTY);
  const connection = shallowRef<ConnectionState>({ state: 'connecting' });
  const loaded = shallowRef(false);
  const error = shallowRef<string | null>(null);
  const count = shallowRef(0);
  const history = new RunHistory();
  let lastEvent: EventId | null = null;
  let queue: Frame[] = [];
  let due: (() => void) | null = null;
  let watcher: SessionWatcher | null = null;
  let over = false;
  let cancelRetry = (): void => undefined;

  const remember = (events: readonly NumberedEvent[]): void => {
    if (keep === 'present') return;
    const fresh = events.filter((numbered) => {
      const isNew = isLater(numbered.id, lastEvent);
      if (isNew) lastEvent = numbered.id;
      return isNew;
    });
    history.add(fresh);
    count.value = history.length;
  };
  const draw = (): void => {
    due = null;
    const frames = queue;
    queue = [];
    remember(frames.flatMap((frame) => (frame.type === 'event' ? [frame.data] : [])));
    const before = transcript.value;
    transcript.value = reduce(before, frames);
    if (transcript.value.stopped !== before.stopped) saveStoppedReplies(id, transcript.value.stopped);
  };
  const receive = (frame: Frame): void => {
    queue.push(frame);
    due ??= onNextFrame(draw);
  };

  const start = async (): Promise<void> => {
    try {
      const past = await api().replay(id);
      if (over) return;
      error.value = null;
      remember(past);
      transcript.value = reduceEvents({ ...EMPTY, stopped: loadStoppedReplies(id) }, past);
      loaded.value = true;
      const last = past[past.length - 1];
      watcher = new SessionWatcher({
        connect: sessionConnector(api(), id),
        delay,
        receive,
        changed: (now) => {
          connection.value = now;
          if (now.state === 'refused') error.value = now.message;
        },
        ...(last === undefined ? {} : { cursor: cursorAfter(last.id) }),
      });
      watcher.start();
    } catch (failure) {
      if (over) return;
      error.value = messageOf(failure);
      if (isUnreachable(failure)) cancelRetry = afterOutage(() => void start());
    }
  };

  const reconnect = (): void => watcher?.reconnect();
  window.addEventListener('online', reconnect);
  onScopeDispose(() => {
    over = true;
    cancelRetry();
    window.removeEventListener('online', reconnect);
    due?.();
    watcher?.stop();
  });
  void start();
  const retry = (): void => {
    cancelRetry();
    watcher?.stop();
    void start();
  };
  return { transcript, history, count, connection, loaded, error, reconnect, retry };
}

function delay(millis: number, call: () => void): () => void {
  const timer = setTimeout(call, millis);
  return () => clearTimeout(timer);
}

/** Calls back with the next screen frame. A hidden page has no frames, so a timer replaces them. */
function onNextFrame(call: () => void): () => void {
  if (document.visibilityState === 'hidden') return delay(HIDDEN_INTERVAL_MS, call);
  let done = false;
  const once = (): void => {
    if (done) return;
    done = true;
    call();
  };
  const frame = requestAnimationFrame(once);
  // The page may be hidden before the next frame.
  const stop = delay(HIDDEN_INTERVAL_MS, once);
  return () => {
    done = true;
    cancelAnimationFrame(frame);
    stop();
  };
}
