// What somebody has written and not kept is not lost by a click: they are asked before the page is left.

import { type Ref, type ShallowRef, onScopeDispose, shallowRef, watch } from 'vue';
import { type RouteLocationNormalized, onBeforeRouteLeave, onBeforeRouteUpdate } from 'vue-router';

export interface Unkept {
  /** What to call with the answer while somebody is asked. */
  leaving: Readonly<ShallowRef<((leave: boolean) => void) | null>>;
}

/** Asks as long as `dirty` is true. `within` says which ways lead to nowhere else. */
export function unkept(dirty: Ref<boolean>, within: (to: RouteLocationNormalized) => boolean = () => false): Unkept {
  const leaving = shallowRef<((leave: boolean) => void) | null>(null);
  const guard = (): Promise<boolean> | boolean => {
    if (!dirty.value) return true;
    // Who goes elsewhere while they are asked is asked anew.
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

  // A tab that is closed asks in the browser's own words.
  const stay = (event: BeforeUnloadEvent): void => event.preventDefault();
  watch(dirty, (now) => (now ? window.addEventListener('beforeunload', stay) : window.removeEventListener('beforeunload', stay)));
  onScopeDispose(() => window.removeEventListener('beforeunload', stay));
  return { leaving };
}
