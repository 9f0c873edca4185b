// The title of the browser tab.

import { type Ref, watch } from 'vue';

/** Sets the title of the tab until the next page sets its own. */
export function useTitle(title: Readonly<Ref<string>>): void {
  watch(
    title,
    (now) => {
      document.title = `${now} · Holm`;
    },
    { immediate: true },
  );
}
