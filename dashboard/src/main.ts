import { createApp } from 'vue';

import App from './App.vue';
import { routes } from './routes.ts';
import './style.css';
import { applyTheme } from './live/theme.ts';

applyTheme();
createApp(App).use(routes).mount('#app');
