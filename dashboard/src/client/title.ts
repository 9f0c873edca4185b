// The title of the browser tab, with the number of items that wait for the user.

import { type Ref, shallowRef, watch } from 'vue';

export const waitingCount = shallowRef(0);
const title = shallowRef('Holm');

watch([title, waitingCount], ([name, count]) => {
  document.title = count === 0 ? name : `(${count}) ${name}`;
});

/** Sets the title of the tab to the name of a page. */
export function setTitle(name: string): void {
  title.value = `${name} · Holm`;
}

/** Sets the title of the tab until the next page sets its own. */
export function useTitle(name: Readonly<Ref<string>>): void {
  watch(name, setTitle, { immediate: true });
}
