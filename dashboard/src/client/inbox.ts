// What waits for the user, and the recent sessions, on every page. The server has no feed over all sessions, so the page polls.

import { type ShallowRef, computed, shallowRef, triggerRef } from 'vue';

import { inboxOf } from '../core/inbox.ts';
import type { JobList, Session } from '../core/wire.ts';
import { notifyUser } from './notifications.ts';
import { api, me } from './login.ts';
import { storage } from './storage.ts';

const POLL_MS = 4_000;
/** A hidden page only needs to notify in good time. */
const HIDDEN_POLL_MS = 15_000;
/** The sessions of one poll: enough for the list of recent ones, and for every session that runs now. */
const POLLED_SESSIONS = 60;
/** The first poll looks further back: a question may be open for days. */
const FIRST_SESSIONS = 300;
const STORAGE_KEY = 'holm.dismissed-jobs';

const sessions = shallowRef<readonly Session[]>([]);
const jobs = shallowRef<JobList | null>(null);
/** The jobs of the last poll; null if they are not known. */
export const polledJobs: Readonly<ShallowRef<JobList | null>> = jobs;
const dismissed = shallowRef<Map<string, string>>(new Map());
/** Whether the first poll has ended. */
export const inboxLoaded = shallowRef(false);
export const inbox = computed(() => inboxOf(sessions.value, jobs.value, dismissed.value));
/** The latest sessions, the latest first. */
export const recentSessions = computed<readonly Session[]>(() => sessions.value.filter((session) => recent.has(session.id)));
/** The sessions of the last poll. All others in the list have open questions. */
let recent: ReadonlySet<string> = new Set();
let timer: ReturnType<typeof setTimeout> | undefined;
/** The number of the current log-in: polls of older ones are ignored. */
let current = 0;

/** Polls until `stopInbox`. */
export function startInbox(): void {
  stopInbox();
  dismissed.value = storedDismissals();
  document.addEventListener('visibilitychange', refreshInbox);
  void poll(current);
}

export function stopInbox(): void {
  current += 1;
  clearTimeout(timer);
  document.removeEventListener('visibilitychange', refreshInbox);
  [sessions.value, jobs.value, inboxLoaded.value, recent] = [[], null, false, new Set()];
}

/** Polls at once. */
export function refreshInbox(): void {
  if (me.value === null) return;
  current += 1;
  clearTimeout(timer);
  void poll(current);
}

/** Hides a failed job until it fails again. */
export function dismissJob(id: string, mark: string): void {
  dismissed.value.set(id, mark);
  triggerRef(dismissed);
  storage('localStorage')?.setItem(STORAGE_KEY, JSON.stringify([...dismissed.value]));
}

async function poll(own: number): Promise<void> {
  try {
    // Jobs are not for tokens that are limited to some sessions.
    const loadJobs = me.value?.sessions === null ? api().jobs() : Promise.resolve(null);
    const [page, jobList] = await Promise.all([api().sessions(null, inboxLoaded.value ? POLLED_SESSIONS : FIRST_SESSIONS), loadJobs]);
    const listed = new Set(page.sessions.map((session) => session.id));
    const older = await stillWaiting(sessions.value.filter((session) => session.questions > 0 && !listed.has(session.id)));
    if (own !== current) return;
    const before = inbox.value.count;
    recent = listed;
    [sessions.value, jobs.value] = [[...page.sessions, ...older], jobList];
    if (inboxLoaded.value && inbox.value.count > before) notifyUser(inbox.value);
    inboxLoaded.value = true;
  } catch {
    // The banner of an outage says so; every other page reports its own errors.
  } finally {
    if (own === current) timer = setTimeout(() => void poll(own), document.visibilityState === 'hidden' ? HIDDEN_POLL_MS : POLL_MS);
  }
}

/** The sessions with open questions that are too old for the list. */
async function stillWaiting(known: readonly Session[]): Promise<Session[]> {
  const loaded = await Promise.all(known.map((session) => api().session(session.id).catch(() => null)));
  return loaded.filter((session): session is Session => session !== null && session.questions > 0);
}

function storedDismissals(): Map<string, string> {
  try {
    return new Map(JSON.parse(storage('localStorage')?.getItem(STORAGE_KEY) ?? '[]') as [string, string][]);
  } catch {
    return new Map();
  }
}
