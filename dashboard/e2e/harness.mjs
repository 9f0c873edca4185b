// Starts the real server with its embedded dashboard and a Chromium, and records every request of the browser.

import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';

import { pageProxy } from './page-proxy.mjs';
import { provider } from './provider.mjs';

/** The time limit of every step, long enough for a very slow machine. */
export const PATIENCE = 30_000;

/** An image of one pixel. */
export const DOT = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

const PLACES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
const FLAGS = '--no-sandbox --disable-gpu --no-first-run --disable-background-networking --disable-component-update --disable-sync';
const root = fileURLToPath(new URL('../..', import.meta.url));
const shots = process.env.HOLM_SHOTS;

/** Starts the server and the browser; `close` stops both. */
export async function startHarness(options = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'holm-dashboard-'));
  await mkdir(join(folder, 'work'));
  await options.before?.(folder);
  const model = await provider();
  let server = await serve(folder, model.base, options.serve ?? []);
  const port = new URL(server.url).port;
  // HOLM_PAGE: the folder of a built page, which is tested in place of the one in the command.
  const proxy = process.env.HOLM_PAGE ? await pageProxy(process.env.HOLM_PAGE, () => port) : null;
  const url = proxy?.url ?? server.url;
  const token = (await readFile(join(folder, 'data/server/token'), 'utf8')).trim();
  const executablePath = process.env.HOLM_CHROMIUM ?? PLACES.find((place) => existsSync(place));
  if (!executablePath) throw new Error('Chromium not found; run scripts/setup js, or set HOLM_CHROMIUM');
  const browser = await chromium.launch({ executablePath, headless: true, args: FLAGS.split(' ') });
  const harness = {
    url,
    token,
    model,
    browser,
    work: join(folder, 'work'),
    data: join(folder, 'data'),
    close: async () => {
      await browser.close();
      await server.stop();
      proxy?.close();
      model.close();
      await rm(folder, { recursive: true, force: true });
    },
    /** Stops the server; `start` starts it again at the same address. */
    stop: () => server.stop(),
    start: async () => {
      server = await serve(folder, model.base, options.serve ?? [], port);
    },
    /** Sends an API request as any client does, to create data for the pages. */
    ask: async (method, path, body) => {
      const answer = await fetch(`${url}${path}`, {
        method,
        headers: { authorization: `Bearer ${token}`, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
        body: body === undefined ? undefined : JSON.stringify(body),
      });
      const text = await answer.text();
      if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
      return text === '' ? null : JSON.parse(text);
    },
  };
  return { ...harness, page: (how = {}) => open(harness, how) };
}

/** Runs a session to its end; returns its id. */
export async function ended(harness, prompt) {
  const made = await harness.ask('POST', '/api/sessions', { prompt });
  const until = Date.now() + PATIENCE;
  while ((await harness.ask('GET', `/api/sessions/${made.id}`)).state !== 'idle') {
    if (Date.now() > until) throw new Error(`session ${made.id} did not end in time`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return made.id;
}

async function serve(folder, base, more, port = 0) {
  const bin = process.env.HOLM_BIN ?? join(process.env.CARGO_TARGET_DIR ?? join(root, 'target'), 'debug/holm');
  if (!existsSync(bin)) throw new Error(`${bin} not found; build it with \`make dashboard\` and \`cargo build -p holm-cli\`, or set HOLM_BIN`);
  const args = ['--data', join(folder, 'data'), 'serve', '--listen', `127.0.0.1:${port}`, '--', '--model', 'mine/any', '--grant', 'read:**', ...more];
  await mkdir(join(folder, 'config/holm'), { recursive: true });
  await writeFile(join(folder, 'config/holm/holm.toml'), `[providers.mine]\nbase_url = "${base}"\nkey_env = "MINE_KEY"\n`);
  const child = spawn(bin, args, {
    cwd: join(folder, 'work'),
    env: { PATH: process.env.PATH, HOME: folder, XDG_CONFIG_HOME: join(folder, 'config'), MINE_KEY: 'no-secret' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const said = [];
  child.stderr.on('data', (piece) => said.push(piece.toString()));
  const gone = new Promise((resolve) => child.once('exit', resolve));
  const url = await new Promise((resolve, reject) => {
    createInterface({ input: child.stdout }).once('line', resolve);
    gone.then(() => reject(new Error(`holm serve ended: ${said.join('')}`)));
  });
  const stop = async () => {
    if (child.exitCode === null) child.kill('SIGTERM');
    await gone;
  };
  return { url, stop };
}

/** Opens a page and logs in, unless the token is null. `faults` collects its errors. */
async function open(harness, { token = harness.token, path = '/', viewport = { width: 1280, height: 800 }, dark = false } = {}) {
  const context = await harness.browser.newContext({ viewport, colorScheme: dark ? 'dark' : 'light', reducedMotion: 'reduce' });
  context.setDefaultTimeout(PATIENCE);
  const [requests, faults] = [[], []];
  context.on('request', (request) => requests.push(request.url()));
  const page = await context.newPage();
  page.on('pageerror', (error) => faults.push(error.message));
  page.on('console', (message) => {
    // Only the console reports violations of the content security policy.
    if (message.type() === 'error') faults.push(message.text());
  });
  page.on('dialog', (dialog) => {
    faults.push(`a dialog was opened: ${dialog.message()}`);
    void dialog.dismiss();
  });
  await page.goto(harness.url);
  if (token !== null) {
    await page.getByLabel('Token').fill(token);
    await page.getByRole('button', { name: 'Log in' }).click();
    // On a phone the menu is hidden, and hidden elements have no role.
    await page.locator('#pages').waitFor({ state: 'attached' });
    if (path !== '/') await page.goto(`${harness.url}/#${path}`);
  }
  return { page, context, requests, faults, outside: () => requests.filter((url) => !url.startsWith(harness.url) && !url.startsWith('data:')) };
}

/** Saves a screenshot if HOLM_SHOTS is set. */
export async function shot(page, name) {
  if (!shots) return;
  await mkdir(shots, { recursive: true });
  await page.screenshot({ path: join(shots, `${name}.png`), fullPage: true });
}

const axe = readFileSync(fileURLToPath(new URL('../node_modules/axe-core/axe.min.js', import.meta.url)), 'utf8');

/** The findings of axe. The content security policy blocks scripts, so axe is evaluated from outside the page. */
export async function findings(page) {
  const found = await page.evaluate(`(() => { ${axe}; return axe.run(document, { resultTypes: ['violations'] }); })()`);
  return found.violations.map((violation) => `${violation.id}: ${violation.nodes.map((node) => node.target.join(' ')).join(', ')}`);
}
