// The built page on a server of its own, and Chromium on it. Every request of the browser is written down.

import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createReadStream, existsSync, readFileSync, statSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { homedir, tmpdir } from 'node:os';
import { extname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { chromium } from 'playwright-core';

const TYPES = { '.js': 'text/javascript', '.wasm': 'application/wasm', '.html': 'text/html', '.css': 'text/css' };
const PLACES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
const FLAGS =
  '--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking --disable-component-update --disable-sync';

/** How long anything may take: a model on one thread of a busy machine. */
export const PATIENCE_MS = 600_000;

const root = fileURLToPath(new URL('..', import.meta.url));
export const models = process.env.HOLM_MODELS ?? join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'holm/models');

/** Builds the page with these settings into a folder of its own. */
export async function build(env) {
  const folder = await mkdtemp(join(tmpdir(), 'holm-page-'));
  const vite = join(root, 'node_modules/vite/bin/vite.js');
  await promisify(execFile)(process.execPath, [vite, 'build', '--outDir', folder, '--emptyOutDir', '--logLevel', 'error'], {
    cwd: root,
    env: { ...process.env, HOLM_WEBLLM: 'no', ...env },
  });
  return folder;
}

/**
 * Serves a build without any special header, so without isolation and with one thread. `answer` may answer first; `use` says which
 * build, once there is one, and what becomes of its scripts.
 */
export async function serve(built, answer = () => false) {
  let [folder, change] = [built, (text) => text];
  const server = createServer((request, response) => {
    if (answer(request, response)) return;
    const path = normalize(decodeURIComponent(new URL(request.url, 'http://x').pathname));
    const file = path.startsWith('/models/') ? join(models, path.slice(8)) : join(folder, path === '/' ? 'index.html' : path);
    if (!existsSync(file) || !statSync(file).isFile()) return void response.writeHead(404).end();
    const type = TYPES[extname(file)] ?? 'application/octet-stream';
    if (extname(file) === '.js') {
      response.writeHead(200, { 'content-type': type }).end(change(readFileSync(file, 'utf8')));
      return;
    }
    response.writeHead(200, { 'content-type': type, 'content-length': statSync(file).size });
    createReadStream(file).pipe(response);
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const use = (next, how = (text) => text) => {
    [folder, change] = [next, how];
  };
  return { url: `http://127.0.0.1:${server.address().port}`, use, close: () => server.close().closeAllConnections() };
}

/** The server of `make demo-browser` on a build, at this port. */
export async function preview(folder, port, env) {
  const vite = join(root, 'node_modules/vite/bin/vite.js');
  const args = [vite, 'preview', '--host', '127.0.0.1', '--port', String(port), '--strictPort', '--outDir', folder];
  const child = spawn(process.execPath, args, { cwd: root, env: { ...process.env, ...env }, stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  child.stderr.on('data', (piece) => (said += piece));
  const url = `http://127.0.0.1:${port}`;
  for (const end = Date.now() + 60_000; !(await fetch(url).catch(() => undefined)); ) {
    if (Date.now() > end || child.exitCode !== null) throw new Error(`the page was not served:\n${said}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  const close = async () => {
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  };
  return { url, close };
}

/** A browser with a profile of its own, with these flags and settings beside its own. */
export async function browse(more = [], settings = {}) {
  const profile = await mkdtemp(join(tmpdir(), 'holm-chromium-'));
  const executablePath = process.env.HOLM_CHROMIUM ?? PLACES.find((place) => existsSync(place));
  if (!executablePath) throw new Error('no Chromium was found; run scripts/setup js, or set HOLM_CHROMIUM');
  const context = await chromium.launchPersistentContext(profile, { executablePath, headless: true, args: [...FLAGS.split(' '), ...more], acceptDownloads: true, ...settings });
  context.setDefaultTimeout(PATIENCE_MS);
  const requests = [];
  context.on('request', (request) => requests.push(request.url()));
  const close = async () => {
    await context.close();
    await rm(profile, { recursive: true, force: true });
  };
  return { context, requests, close };
}

/** Opens the page; what it complains of is printed. */
export async function open(context, url, before = async () => {}) {
  const page = await context.newPage();
  page.on('pageerror', (error) => console.error('page:', error.message));
  await before(page);
  await page.goto(url);
  await idle(page);
  return page;
}

/** Waits until nothing is under way. */
export const idle = (page) =>
  page.waitForFunction(() => ['ready', 'failed'].includes(document.querySelector('#state')?.value), undefined, { timeout: PATIENCE_MS });

/** Asks the page something and does not wait. */
export async function send(page, text) {
  await page.fill('#prompt', text);
  await page.click('#ask button[type=submit]');
}

/** Asks and waits for the end. */
export async function ask(page, text) {
  await send(page, text);
  await idle(page);
}

/** The texts of the log's items of a kind. */
export const texts = (page, kind) => page.locator(`#log > .${kind}`).allTextContents();

/** Saves the journal of the page's run; gives its text and its run's name. */
export async function journalOf(page) {
  const [download] = await Promise.all([page.waitForEvent('download'), page.click('#export')]);
  const parts = [];
  for await (const part of await download.createReadStream()) parts.push(part);
  await idle(page);
  return { text: Buffer.concat(parts).toString(), run: download.suggestedFilename().replace(/\.jsonl$/, '') };
}
