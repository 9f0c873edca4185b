import vue from '@vitejs/plugin-vue';
import { defineConfig } from 'vite';

// Everything is asked for relative to the page, so that one build serves below any base path. Nothing is put into the
// page itself: the server forbids scripts and styles that stand in it.
export default defineConfig({
  base: './',
  plugins: [vue()],
  build: {
    target: 'es2022',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: true,
  },
  server: {
    // `npx vite` beside `holm serve`: the page is built as one edits, the rest is the real server's.
    proxy: { '/api': { target: 'http://127.0.0.1:7417', ws: true }, '/health': 'http://127.0.0.1:7417', '/picture': 'http://127.0.0.1:7417' },
  },
});
