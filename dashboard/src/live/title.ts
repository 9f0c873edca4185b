// What the browser's tab says: the session that is shown, and whether it asks somebody.

import { type Ref, watch } from 'vue';

/** Names the tab as long as the page stands; the next page names it anew. */
export function titled(title: Readonly<Ref<string>>): void {
  watch(
    title,
    (now) => {
      document.title = `${now} · Holm`;
    },
    { immediate: true },
  );
}
