// The theme: light, dark, or the one of the device.

import { ref } from 'vue';

export type Theme = 'auto' | 'light' | 'dark';

const STORAGE_KEY = 'holm.theme';

export const theme = ref<Theme>(storedTheme());

export function chooseTheme(chosen: Theme): void {
  theme.value = chosen;
  try {
    localStorage.setItem(STORAGE_KEY, chosen);
  } catch {
    // Without storage the theme lasts as long as the page.
  }
  applyTheme();
}

export function applyTheme(): void {
  if (theme.value === 'auto') delete document.documentElement.dataset['theme'];
  else document.documentElement.dataset['theme'] = theme.value;
}

function storedTheme(): Theme {
  try {
    const stored = localStorage.getItem(STORAGE_KEY);
    return stored === 'light' || stored === 'dark' ? stored : 'auto';
  } catch {
    return 'auto';
  }
}
