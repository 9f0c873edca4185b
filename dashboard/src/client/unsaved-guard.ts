// Asks before the user leaves a page with unsaved changes.

import { type Ref, type ShallowRef, onScopeDispose, shallowRef, watch } from 'vue';
import { type RouteLocationNormalized, onBeforeRouteLeave, onBeforeRouteUpdate } from 'vue-router';

export interface UnsavedGuard {
  /** Takes the user's answer while the page asks; null otherwise. */
  leaving: Readonly<ShallowRef<((leave: boolean) => void) | null>>;
}

/** Asks while `dirty` is true. `within` says which routes stay on the same page. */
export function useUnsavedGuard(dirty: Ref<boolean>, within: (to: RouteLocationNormalized) => boolean = () => false): UnsavedGuard {
  const leaving = shallowRef<((leave: boolean) => void) | null>(null);
  const guard = (): Promise<boolean> | boolean => {
    if (!dirty.value) return true;
    // Another navigation while the page asks replaces the first.
    leaving.value?.(false);
    return new Promise((resolve) => {
      leaving.value = (leave) => {
        if (leave) dirty.value = false;
        leaving.value = null;
        resolve(leave);
      };
    });
  };
  onBeforeRouteLeave(guard);
  onBeforeRouteUpdate((to) => (within(to) ? true : guard()));

  // When the tab is closed, the browser shows its own question.
  const stay = (event: BeforeUnloadEvent): void => event.preventDefault();
  watch(dirty, (now) => (now ? window.addEventListener('beforeunload', stay) : window.removeEventListener('beforeunload', stay)));
  onScopeDispose(() => window.removeEventListener('beforeunload', stay));
  return { leaving };
}
