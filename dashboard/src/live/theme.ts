// Light, dark, or as the device says.

import { ref } from 'vue';

export type Theme = 'auto' | 'light' | 'dark';

const PLACE = 'holm.theme';

export const theme = ref<Theme>(kept());

export function chooseTheme(chosen: Theme): void {
  theme.value = chosen;
  try {
    localStorage.setItem(PLACE, chosen);
  } catch {
    // A browser that keeps nothing shows it all the same.
  }
  applyTheme();
}

export function applyTheme(): void {
  if (theme.value === 'auto') delete document.documentElement.dataset['theme'];
  else document.documentElement.dataset['theme'] = theme.value;
}

function kept(): Theme {
  try {
    const word = localStorage.getItem(PLACE);
    return word === 'light' || word === 'dark' ? word : 'auto';
  } catch {
    return 'auto';
  }
}
