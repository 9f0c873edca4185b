// Caches the page's own files at the first visit, so that the page then opens without a network. It ignores other origins.

const FILES = __FILES__;
const CACHE = 'holm-page-__VERSION__';

self.addEventListener('install', (event) => {
  event.waitUntil(
    caches
      .open(CACHE)
      .then((cache) => cache.addAll(FILES))
      .then(() => self.skipWaiting()),
  );
});

self.addEventListener('activate', (event) => {
  const old = (name) => name.startsWith('holm-page-') && name !== CACHE;
  event.waitUntil(
    caches
      .keys()
      .then((names) => Promise.all(names.filter(old).map((name) => caches.delete(name))))
      .then(() => self.clients.claim()),
  );
});

self.addEventListener('fetch', (event) => {
  const url = new URL(event.request.url);
  if (event.request.method !== 'GET' || url.origin !== location.origin || url.pathname.startsWith('/models/')) return;
  const path = url.pathname === '/index.html' ? '/' : url.pathname;
  event.respondWith(caches.match(path).then((cached) => cached ?? fetch(event.request)));
});
