// Keyboard shortcuts of one key. They work only outside of text fields, and users can switch them off.

import { ref } from 'vue';

import { storage } from './storage.ts';

const STORAGE_KEY = 'holm.shortcuts';

/** Whether single keys are shortcuts. Ctrl+K works in any case. */
export const shortcutsOn = ref(storage('localStorage')?.getItem(STORAGE_KEY) !== 'off');

export function switchShortcuts(on: boolean): void {
  shortcutsOn.value = on;
  storage('localStorage')?.setItem(STORAGE_KEY, on ? 'on' : 'off');
}

/** Returns whether it did something; if not, the next handler of the key is tried. */
type Handler = () => boolean;

const handlers = new Map<string, Handler[]>();

/** Handles a key until the returned function is called. The first handler that acts wins. */
export function onShortcut(key: string, handler: Handler): () => void {
  handlers.set(key, [...(handlers.get(key) ?? []), handler]);
  return () => handlers.set(key, (handlers.get(key) ?? []).filter((one) => one !== handler));
}

/** Whether keys pressed in an element are text. */
function takesText(target: EventTarget | undefined): boolean {
  return target instanceof HTMLElement && (target.isContentEditable || target.closest('input, textarea, select, [role=textbox]') !== null);
}

/** Runs the shortcut of a pressed key, if there is one. */
export function pressed(event: KeyboardEvent): void {
  if (!shortcutsOn.value || event.defaultPrevented || event.repeat || event.isComposing) return;
  // The editor of files is in a shadow root, and the event's own target would be the host of that root.
  const [target] = event.composedPath();
  if (event.ctrlKey || event.metaKey || event.altKey || takesText(target) || document.querySelector('dialog[open]') !== null) return;
  for (const handler of handlers.get(event.key) ?? []) {
    if (!handler()) continue;
    event.preventDefault();
    return;
  }
}
