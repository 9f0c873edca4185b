// What pages do again and again: load something, say that it loads, say what went wrong.

import { type ShallowRef, shallowRef } from 'vue';

import { ApiError } from './api.ts';

/** What went wrong, as a sentence. */
export function messageOf(error: unknown): string {
  const text = error instanceof Error ? error.message : 'something went wrong';
  return text.charAt(0).toUpperCase() + text.slice(1);
}

export interface Loaded<T> {
  value: Readonly<ShallowRef<T | null>>;
  error: Readonly<ShallowRef<string | null>>;
  busy: Readonly<ShallowRef<boolean>>;
  reload(): Promise<void>;
}

/** Loads something at once, and again when asked. The latest wish counts, whichever answer comes first. */
export function load<T>(fetch: () => Promise<T>): Loaded<T> {
  const value = shallowRef<T | null>(null);
  const error = shallowRef<string | null>(null);
  const busy = shallowRef(false);
  let turn = 0;
  const reload = async (): Promise<void> => {
    turn += 1;
    const own = turn;
    busy.value = true;
    try {
      const fresh = await fetch();
      if (own === turn) [value.value, error.value] = [fresh, null];
    } catch (failure) {
      if (own === turn) error.value = messageOf(failure);
    } finally {
      if (own === turn) busy.value = false;
    }
  };
  void reload();
  return { value, error, busy, reload };
}

export interface Doing {
  error: Readonly<ShallowRef<string | null>>;
  /** The server's word for what went wrong; none where it was not the server. */
  code: Readonly<ShallowRef<string | null>>;
  busy: Readonly<ShallowRef<boolean>>;
  /** Does something, one thing at a time; whether it was done. */
  run(what: () => Promise<void>): Promise<boolean>;
}

/** For buttons: one thing at a time, and what went wrong with it. */
export function doing(): Doing {
  const error = shallowRef<string | null>(null);
  const code = shallowRef<string | null>(null);
  const busy = shallowRef(false);
  const run = async (what: () => Promise<void>): Promise<boolean> => {
    if (busy.value) return false;
    busy.value = true;
    [error.value, code.value] = [null, null];
    try {
      await what();
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
