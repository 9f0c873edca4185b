// The session of an attempt of an evaluation: its past from the data of the evaluation. It has ended, so nothing follows.

import { type InjectionKey, onScopeDispose, shallowRef } from 'vue';

import { RunHistory } from '../core/run-history.ts';
import type { ConnectionState } from '../core/session-watcher.ts';
import { EMPTY, reduceEvents } from '../core/transcript.ts';
import { isUnreachable, messageOf } from './async-state.ts';
import { api } from './login.ts';
import { afterOutage } from './outage.ts';
import type { WatchedSession } from './watched-session.ts';

/** The evaluation whose attempt is shown; null for a session of the user. */
export const EVALUATION: InjectionKey<string | null> = Symbol('evaluation');

/** Loads the session of an attempt for the lifetime of the component. */
export function loadAttempt(evaluation: string, session: string): WatchedSession {
  const transcript = shallowRef(EMPTY);
  const connection = shallowRef<ConnectionState>({ state: 'connecting' });
  const loaded = shallowRef(false);
  const error = shallowRef<string | null>(null);
  const count = shallowRef(0);
  const history = new RunHistory();
  let over = false;
  let cancelRetry = (): void => undefined;

  const load = async (): Promise<void> => {
    cancelRetry();
    try {
      const past = await api().attemptReplay(evaluation, session);
      if (over || loaded.value) return;
      history.add(past);
      count.value = history.length;
      transcript.value = reduceEvents(EMPTY, past);
      [error.value, loaded.value] = [null, true];
    } catch (failure) {
      if (over) return;
      error.value = messageOf(failure);
      if (isUnreachable(failure)) cancelRetry = afterOutage(() => void load());
    }
  };
  onScopeDispose(() => {
    over = true;
    cancelRetry();
  });
  void load();
  const retry = (): void => void load();
  return { transcript, history, count, connection, loaded, error, reconnect: retry, retry };
}
