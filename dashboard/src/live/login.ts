// Who is at the page. A token is kept for the tab, or on the device if its holder says so; it never stands in an address.

import { computed, shallowRef } from 'vue';

import type { Me, Role } from '../core/wire.ts';
import { Api, ApiError } from './api.ts';

const PLACE = 'holm.token';

/** The folder that the page came from; the server's routes are beside it. */
export const BASE = new URL('.', location.href.split('#')[0]);

const state = shallowRef<{ api: Api; me: Me } | null>(null);

export const me = computed(() => state.value?.me ?? null);

/** The server, for somebody who is logged in. Pages behind the log-in alone call this. */
export function api(): Api {
  if (state.value === null) throw new Error('nobody is logged in');
  return state.value.api;
}

const ORDER: Role[] = ['viewer', 'operator', 'admin'];

/** Whether the token lets its holder do what a role may. The server decides; this says what is worth showing. */
export function may(role: Role): boolean {
  return me.value !== null && ORDER.indexOf(me.value.role) >= ORDER.indexOf(role);
}

/** Logs in. Throws what the server says where it does not know the token. */
export async function logIn(token: string, keep: 'tab' | 'device'): Promise<void> {
  const api = new Api(BASE, token, logOut);
  const me = await new Api(BASE, token).me();
  forget();
  store(keep === 'device' ? 'localStorage' : 'sessionStorage')?.setItem(PLACE, token);
  state.value = { api, me };
}

/** Logs in with the token that is kept; whether there was one that is still good. */
export async function logInAgain(): Promise<boolean> {
  const kept = store('sessionStorage')?.getItem(PLACE) ?? null;
  const token = kept ?? store('localStorage')?.getItem(PLACE) ?? null;
  if (token === null) return false;
  try {
    await logIn(token, kept === null ? 'device' : 'tab');
  } catch (error) {
    // One that was taken back is of no use; one whose server is away may be.
    if (error instanceof ApiError && error.status === 401) forget();
    throw error;
  }
  return true;
}

export function logOut(): void {
  forget();
  state.value = null;
}

function forget(): void {
  store('sessionStorage')?.removeItem(PLACE);
  store('localStorage')?.removeItem(PLACE);
}

/** A browser may forbid to keep anything; then the token lasts as long as the page. */
function store(which: 'localStorage' | 'sessionStorage'): Storage | null {
  try {
    return window[which];
  } catch {
    return null;
  }
}
