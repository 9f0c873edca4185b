// Which address shows which page. What stands behind `#` never leaves the browser, so one file serves every page below
// any base path. Pages but the chat are loaded when they are first opened.

import { shallowRef } from 'vue';
import { type RouteRecordRaw, createRouter, createWebHashHistory } from 'vue-router';

import ChatPage from './pages/ChatPage.vue';

const pages: RouteRecordRaw[] = [
  { path: '/', name: 'new', component: ChatPage, meta: { title: 'New chat' } },
  { path: '/chat/:id', name: 'chat', component: ChatPage, meta: { title: 'Chat' } },
  { path: '/run/:id', name: 'run', component: () => import('./pages/RunPage.vue'), meta: { title: 'Run' } },
  { path: '/sessions', name: 'sessions', component: () => import('./pages/SessionsPage.vue'), meta: { title: 'Sessions' } },
  { path: '/agents/:id?', name: 'agents', component: () => import('./pages/AgentsPage.vue'), meta: { title: 'Agents' } },
  { path: '/tools/:id?', name: 'tools', component: () => import('./pages/ToolsPage.vue'), meta: { title: 'Tools' } },
  { path: '/skills/:id?', name: 'skills', component: () => import('./pages/SkillsPage.vue'), meta: { title: 'Skills' } },
  { path: '/servers', name: 'servers', component: () => import('./pages/ServersPage.vue'), meta: { title: 'MCP servers' } },
  { path: '/jobs', name: 'jobs', component: () => import('./pages/JobsPage.vue'), meta: { title: 'Jobs' } },
  { path: '/sites', name: 'sites', component: () => import('./pages/SitesPage.vue'), meta: { title: 'Sites' } },
  { path: '/models', name: 'models', component: () => import('./pages/ModelsPage.vue'), meta: { title: 'Models and keys' } },
  { path: '/usage', name: 'usage', component: () => import('./pages/UsagePage.vue'), meta: { title: 'Usage' } },
  { path: '/files', name: 'files', component: () => import('./pages/FilesPage.vue'), meta: { title: 'Files' } },
  { path: '/settings', name: 'settings', component: () => import('./pages/SettingsPage.vue'), meta: { title: 'Settings' } },
  { path: '/:rest(.*)*', name: 'nowhere', component: () => import('./pages/NowherePage.vue'), meta: { title: 'Not here' } },
];

export const routes = createRouter({ history: createWebHashHistory(), routes: pages });

/** The address of a page that could not be loaded: pages come one by one, and a server may be away or be another by then. */
export const lost = shallowRef<string | null>(null);

routes.onError((_, to) => {
  lost.value = to.fullPath;
});
routes.afterEach((to) => {
  lost.value = null;
  document.title = `${String(to.meta['title'])} · Holm`;
});
