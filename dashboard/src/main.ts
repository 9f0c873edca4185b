// Where the page begins: the colours first, so that nothing flashes, then the house with its pages.

import { createApp } from 'vue';

import App from './App.vue';
import { routes } from './routes.ts';
import './style.css';
import { applyTheme } from './live/theme.ts';

applyTheme();
createApp(App).use(routes).mount('#app');
