// Loading data and running actions, with their busy and error states.

import { type ShallowRef, onScopeDispose, shallowRef } from 'vue';

import { ApiError } from './api.ts';
import { afterOutage, isOutage } from './outage.ts';

/** The message of an error, starting with a capital letter. */
export function messageOf(error: unknown): string {
  const text = error instanceof Error ? error.message : 'something went wrong';
  return text.charAt(0).toUpperCase() + text.slice(1);
}

export interface LoadState<T> {
  value: Readonly<ShallowRef<T | null>>;
  error: Readonly<ShallowRef<string | null>>;
  busy: Readonly<ShallowRef<boolean>>;
  reload(): Promise<void>;
}

/** Whether an error means that the server did not answer, so that a retry may help. */
export function isUnreachable(error: unknown): boolean {
  return error instanceof ApiError && isOutage(error.status);
}

/**
 * Loads data at once, again on `reload`, and again after an outage. Only the latest request counts, whichever response arrives
 * first.
 */
export function useLoad<T>(fetch: () => Promise<T>): LoadState<T> {
  const value = shallowRef<T | null>(null);
  const error = shallowRef<string | null>(null);
  const busy = shallowRef(false);
  let latest = 0;
  let cancelRetry = (): void => undefined;
  onScopeDispose(() => cancelRetry());
  const reload = async (): Promise<void> => {
    cancelRetry();
    latest += 1;
    const own = latest;
    busy.value = true;
    try {
      const fresh = await fetch();
      if (own === latest) [value.value, error.value] = [fresh, null];
    } catch (failure) {
      if (own !== latest) return;
      error.value = messageOf(failure);
      if (isUnreachable(failure)) cancelRetry = afterOutage(() => void reload());
    } finally {
      if (own === latest) busy.value = false;
    }
  };
  void reload();
  return { value, error, busy, reload };
}

export interface ActionState {
  error: Readonly<ShallowRef<string | null>>;
  /** The server's error code; null for other errors. */
  code: Readonly<ShallowRef<string | null>>;
  busy: Readonly<ShallowRef<boolean>>;
  /** Runs an action unless one is running already. Returns whether it succeeded. */
  run(work: () => Promise<void>): Promise<boolean>;
}

/** The state of a button's action: one at a time, with its error. */
export function useAction(): ActionState {
  const error = shallowRef<string | null>(null);
  const code = shallowRef<string | null>(null);
  const busy = shallowRef(false);
  const run = async (work: () => Promise<void>): Promise<boolean> => {
    if (busy.value) return false;
    busy.value = true;
    [error.value, code.value] = [null, null];
    try {
      await work();
      return true;
    } catch (failure) {
      [error.value, code.value] = [messageOf(failure), failure instanceof ApiError ? failure.code : null];
      return false;
    } finally {
      busy.value = false;
    }
  };
  return { error, code, busy, run };
}
