// Notifications of the browser, if the user allowed them.

import { shallowRef } from 'vue';

import { plural } from '../core/format.ts';
import type { Inbox } from '../core/inbox.ts';

const available = 'Notification' in window;

/** What the user decided; `unavailable` if the browser has no notifications, or forbids them for this address. */
export const permission = shallowRef<NotificationPermission | 'unavailable'>(available ? Notification.permission : 'unavailable');

/** Asks the user for permission. */
export async function allowNotifications(): Promise<void> {
  if (available) permission.value = await Notification.requestPermission();
}

/** Says what waits, unless the user is looking at the page. */
export function notifyUser({ count, sessions, jobs }: Inbox): void {
  if (permission.value !== 'granted' || document.visibilityState === 'visible') return;
  const latest = sessions.at(-1);
  const body = latest?.title || latest?.id || jobs.at(-1)?.id || '';
  // A tag replaces the previous notification.
  const shown = new Notification(`Holm: ${plural(count, 'item waits', 'items wait')} for you`, { body, tag: 'holm-inbox' });
  shown.onclick = () => {
    window.focus();
    location.hash = '#/inbox';
  };
}
