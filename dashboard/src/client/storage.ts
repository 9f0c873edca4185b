// The browser's storage.

/** Null if the browser forbids storage. */
export function storage(which: 'localStorage' | 'sessionStorage'): Storage | null {
  try {
    return window[which];
  } catch {
    return null;
  }
}
