// The routes of the pages. The part of a URL after `#` never leaves the browser, so one file serves every page below any
// base path. All pages except the chat load when they are first opened.

import { shallowRef } from 'vue';
import { type RouteRecordRaw, createRouter, createWebHashHistory } from 'vue-router';

import { setTitle } from './client/title.ts';
import ChatPage from './pages/ChatPage.vue';

const pages: RouteRecordRaw[] = [
  { path: '/', name: 'new', component: ChatPage, meta: { title: 'New chat' } },
  { path: '/chat/:id', name: 'chat', component: ChatPage, meta: { title: 'Chat' } },
  { path: '/run/:id', name: 'run', component: () => import('./pages/RunPage.vue'), meta: { title: 'Run' } },
  { path: '/inbox', name: 'inbox', component: () => import('./pages/InboxPage.vue'), meta: { title: 'Inbox' } },
  { path: '/sessions', name: 'sessions', component: () => import('./pages/SessionsPage.vue'), meta: { title: 'Sessions' } },
  { path: '/agents/:id?', name: 'agents', component: () => import('./pages/AgentsPage.vue'), meta: { title: 'Agents' } },
  { path: '/tools/:id?', name: 'tools', component: () => import('./pages/ToolsPage.vue'), meta: { title: 'Tools' } },
  { path: '/skills/:id?', name: 'skills', component: () => import('./pages/SkillsPage.vue'), meta: { title: 'Skills' } },
  { path: '/servers', name: 'servers', component: () => import('./pages/ServersPage.vue'), meta: { title: 'MCP servers' } },
  { path: '/evaluations/:id?', name: 'evaluations', component: () => import('./pages/EvaluationsPage.vue'), meta: { title: 'Evaluations' } },
  { path: '/evaluations/:id/against/:second', name: 'comparison', component: () => import('./pages/ComparisonPage.vue'), meta: { title: 'Comparison' } },
  { path: '/evaluations/:id/runs/:session', name: 'attempt', component: () => import('./pages/RunPage.vue'), meta: { title: 'Run' } },
  { path: '/jobs', name: 'jobs', component: () => import('./pages/JobsPage.vue'), meta: { title: 'Jobs' } },
  { path: '/sites', name: 'sites', component: () => import('./pages/SitesPage.vue'), meta: { title: 'Sites' } },
  { path: '/models', name: 'models', component: () => import('./pages/ModelsPage.vue'), meta: { title: 'Models and keys' } },
  { path: '/usage', name: 'usage', component: () => import('./pages/UsagePage.vue'), meta: { title: 'Usage' } },
  { path: '/files', name: 'files', component: () => import('./pages/FilesPage.vue'), meta: { title: 'Files' } },
  { path: '/settings/:id?', name: 'settings', component: () => import('./pages/SettingsPage.vue'), meta: { title: 'Settings' } },
  { path: '/:rest(.*)*', name: 'not-found', component: () => import('./pages/NotFoundPage.vue'), meta: { title: 'Page not found' } },
];

export const routes = createRouter({ history: createWebHashHistory(), routes: pages });

/** The path of a page that failed to load. Pages load one by one, and by then the server may be down or updated. */
export const failedPath = shallowRef<string | null>(null);

routes.onError((_, to) => {
  failedPath.value = to.fullPath;
});
routes.afterEach((to) => {
  failedPath.value = null;
  setTitle(String(to.meta['title']));
});
