// The log-in. The token is kept for the tab, or on the device if the user chooses that. It never appears in a URL.

import { computed, shallowRef } from 'vue';

import type { CurrentUser, Role } from '../core/wire.ts';
import { Api, ApiError } from './api.ts';
import { storage } from './storage.ts';

const STORAGE_KEY = 'holm.token';

/** The folder that the page was loaded from; the server's routes are relative to it. */
export const BASE = new URL('.', location.href.split('#')[0]);

const state = shallowRef<{ api: Api; me: CurrentUser } | null>(null);

export const me = computed(() => state.value?.me ?? null);

/** The API of the logged-in user. Only pages behind the log-in call this. */
export function api(): Api {
  if (state.value === null) throw new Error('not logged in');
  return state.value.api;
}

const ROLES: Role[] = ['viewer', 'operator', 'admin'];

/** Whether the token has at least this role. The server enforces roles; the page only hides what would be refused. */
export function may(role: Role): boolean {
  return me.value !== null && ROLES.indexOf(me.value.role) >= ROLES.indexOf(role);
}

/** The name of the user who started the server. */
const OWNER = 'owner';

/** Whether the user works in the folder in which the server was started. Other users have their own folders, without a level. */
export function ownsFolder(): boolean {
  return me.value?.user === OWNER && me.value.sessions === null;
}

/** Logs in. Throws the server's error if the token is invalid. */
export async function logIn(token: string, keep: 'tab' | 'device'): Promise<void> {
  const api = new Api(BASE, token, logOut);
  const me = await new Api(BASE, token).me();
  clearToken();
  storage(keep === 'device' ? 'localStorage' : 'sessionStorage')?.setItem(STORAGE_KEY, token);
  state.value = { api, me };
}

/** Logs in with the stored token. Returns whether there was one. */
export async function restoreLogIn(): Promise<boolean> {
  const ofTab = storage('sessionStorage')?.getItem(STORAGE_KEY) ?? null;
  const token = ofTab ?? storage('localStorage')?.getItem(STORAGE_KEY) ?? null;
  if (token === null) return false;
  try {
    await logIn(token, ofTab === null ? 'device' : 'tab');
  } catch (error) {
    // A revoked token is useless; if only the server is down, the token may still be valid.
    if (error instanceof ApiError && error.status === 401) clearToken();
    throw error;
  }
  return true;
}

export function logOut(): void {
  clearToken();
  state.value = null;
}

/** Without storage the token lasts as long as the page. */
function clearToken(): void {
  storage('sessionStorage')?.removeItem(STORAGE_KEY);
  storage('localStorage')?.removeItem(STORAGE_KEY);
}
