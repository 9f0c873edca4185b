// The entry point. It applies the theme first, so that the page does not flash in the wrong colours.

import { createApp } from 'vue';

import App from './App.vue';
import { routes } from './routes.ts';
import './style.css';
import { applyTheme } from './client/theme.ts';

applyTheme();
createApp(App).use(routes).mount('#app');
