// Chromium, with the package's files as they are: no bundler.

import { createServer } from 'node:http';
import { readFile, mkdtemp, rm } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { extname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';

const TYPES = { '.js': 'text/javascript', '.mjs': 'text/javascript', '.wasm': 'application/wasm', '.html': 'text/html' };
const PLACES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
const FLAGS =
  '--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking --disable-component-update --disable-sync';

const core = fileURLToPath(new URL('../core.mjs', import.meta.url));

/** Serves a folder's files, and a page to start from. */
export async function serveFolder(root, extra = {}) {
  const server = createServer(async (request, response) => {
    const path = normalize(decodeURIComponent(new URL(request.url, 'http://x').pathname));
    const file = extra[path] ?? (path === '/' ? undefined : join(root, path));
    try {
      const body = file === undefined ? '<!doctype html><title>holm</title>' : await readFile(file);
      response.writeHead(200, { 'content-type': TYPES[extname(file ?? 'page.html')] ?? 'application/octet-stream' });
      response.end(body);
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${server.address().port}/`, close: () => server.close().closeAllConnections() };
}

/** Opens a page and does something there. */
export async function inBrowser(url, work) {
  const profile = await mkdtemp(join(tmpdir(), 'holm-chromium-'));
  const executablePath = process.env.HOLM_CHROMIUM ?? PLACES.find((place) => existsSync(place));
  const browser = await chromium.launchPersistentContext(profile, { executablePath, headless: true, args: FLAGS.split(' ') });
  try {
    const page = await browser.newPage();
    page.on('pageerror', (error) => console.error('chromium:', error.message));
    await page.goto(url);
    return await work(page);
  } finally {
    await browser.close();
    await rm(profile, { recursive: true, force: true });
  }
}

export async function run(root, request) {
  const { url, close } = await serveFolder(root, { '/core.mjs': core });
  try {
    return await inBrowser(url, (page) =>
      page.evaluate(async (request) => {
        const { ready } = await import('/dist/load.js');
        await ready();
        const wasm = await import('/dist/wasm/holm.js');
        const { examine } = await import('/core.mjs');
        return examine(wasm, request);
      }, request),
    );
  } finally {
    close();
  }
}
