// Records the pictures of docs/pictures from the built program: the tour, a chat, and the dashboard's view of a run. A script
// answers in place of a provider; tools, questions, journal and screens are real.
//
//   HOLM_BIN=… node scripts/docs/pictures.mjs [tour|chat|dashboard]...     all of them without a name

import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { homedir, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

import { drawCast } from './cast.mjs';
import { startProvider } from './provider.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '../..');
const pictures = join(root, 'docs/pictures');
const holm = process.env.HOLM_BIN;
/** How long one step may take on a slow machine, in ms. */
const PATIENCE = 60_000;
const CHROMIUM = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

const SLUG = `import re
import unicodedata


def slug(text):
    """Makes a name for an address."""
    text = text.lower()
    return re.sub(r"[^a-z0-9]+", "-", text).strip("-")
`;
const PROMPT = 'slug("Café") gives "caf". Fix that.';
const SCRIPT = (paced) => [
  { text: ['I will look at the function.'], call: ['read', { path: 'slug.py' }] },
  {
    text: ['The pattern drops every letter that is not ASCII, so `é` disappears.'],
    call: ['edit', {
      path: 'slug.py',
      old: '    text = text.lower()\n',
      new: '    text = unicodedata.normalize("NFKD", text.lower())\n    text = text.encode("ascii", "ignore").decode()\n',
    }],
  },
  { text: ['Fixed in `slug.py`: ', 'letters lose their accents first, ', 'so `slug("Café")` is now `cafe`.'], paced },
];

/** A home folder with a workspace and settings that lead to the scripted provider. */
async function prepare(paced) {
  const folder = mkdtempSync(join(tmpdir(), 'holm-pictures-'));
  const provider = await startProvider(SCRIPT(paced));
  mkdirSync(join(folder, 'shop'), { recursive: true });
  mkdirSync(join(folder, 'config/holm'), { recursive: true });
  writeFileSync(join(folder, 'shop/slug.py'), SLUG);
  const settings = `model = "demo/scripted"\n[providers.demo]\nbase_url = "${provider.base}"\nkey_env = "DEMO_KEY"\ncontext = 128000\nmax_output = 8192\ninput_price = "0.25usd"\noutput_price = "2usd"\n`;
  writeFileSync(join(folder, 'config/holm/holm.toml'), settings);
  const env = { PATH: process.env.PATH, HOME: folder, XDG_CONFIG_HOME: join(folder, 'config'), HOLM_DATA: join(folder, 'data'), DEMO_KEY: 'none', LANG: 'C.UTF-8' };
  const close = () => {
    provider.close();
    rmSync(folder, { recursive: true, force: true });
  };
  return { folder, work: join(folder, 'shop'), env, provider, close };
}

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** A program in tmux, whose screen can be captured. */
class Terminal {
  #socket = `holm-pictures-${process.pid}`;

  constructor({ columns, rows, cwd, env, command }) {
    const assignments = Object.entries(env).map(([name, value]) => `${name}='${value}'`).join(' ');
    this.#tmux('new-session', '-d', '-x', String(columns), '-y', String(rows), '-c', cwd, `env -i ${assignments} TERM=screen-256color ${command}`);
  }

  #tmux(...args) {
    return execFileSync('tmux', ['-L', this.#socket, '-f', '/dev/null', ...args], { encoding: 'utf8' });
  }

  type(text) {
    this.#tmux('send-keys', '-l', text);
  }

  press(key) {
    this.#tmux('send-keys', key);
  }

  /** The screen once it shows this text and has come to rest. */
  async screen(text) {
    const until = Date.now() + PATIENCE;
    let last = null;
    while (Date.now() < until) {
      const now = this.#tmux('capture-pane', '-e', '-p');
      if (now === last && now.replaceAll(/\x1b\[[\d;]*m/g, '').includes(text)) return now.trimEnd();
      last = now;
      await sleep(250);
    }
    throw new Error(`the screen never showed "${text}":\n${last}`);
  }

  close() {
    this.#tmux('kill-server');
  }
}

async function recordChat() {
  const stage = await prepare(true);
  const [columns, rows] = [92, 29];
  const terminal = new Terminal({ columns, rows, cwd: stage.work, env: stage.env, command: `'${holm}' chat --grant 'read:**'` });
  try {
    const frames = [];
    const take = async (text, seconds) => frames.push({ screen: await terminal.screen(text), seconds });
    await take('Type what you want done', 1);
    for (const word of PROMPT.match(/\S+\s*/g)) {
      terminal.type(word);
      await take(word.trimEnd(), 0.2);
    }
    frames.at(-1).seconds = 0.8;
    terminal.press('Enter');
    await take('holm asks: edit slug.py?', 4);
    terminal.press('y');
    for (const text of ['Fixed in slug.py', 'lose their accents', 'is now cafe']) {
      await take(text, 0.6);
      stage.provider.release();
    }
    await take('is now cafe', 5);
    write('chat.svg', drawCast({ frames, columns, rows, title: 'A chat: Holm reads a file, shows the edit before it runs, asks, and answers' }));
  } finally {
    terminal.close();
    stage.close();
  }
}

async function recordTour() {
  const folder = mkdtempSync(join(tmpdir(), 'holm-pictures-'));
  try {
    const work = join(folder, 'harbour');
    mkdirSync(work);
    for (const name of ['notes.md', 'plan.txt', 'tides.csv']) writeFileSync(join(work, name), 'one\n');
    const models = process.env.HOLM_MODELS ?? join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'holm/models');
    const env = { PATH: process.env.PATH, HOME: folder, HOLM_DATA: join(folder, 'data'), HOLM_MODELS: models, LANG: 'C.UTF-8' };
    const done = spawnSync(holm, ['tour', '--offline'], { cwd: work, env, encoding: 'utf8', timeout: 5 * PATIENCE });
    if (done.status !== 0) throw new Error(`holm tour ended with ${done.status}: ${done.stderr}`);
    // The name of a session is different each time and says nothing.
    const text = done.stdout.replaceAll(/ \(session [\w-]+\)/g, '');
    const lines = text.slice(0, text.indexOf('\nNext:')).trimEnd().split('\n');
    const columns = Math.max(80, ...lines.map((line) => [...line].length));
    const shown = ['\x1b[32m$\x1b[0m holm tour', ''];
    const frames = [{ screen: shown.join('\n'), seconds: 1 }];
    for (const line of lines) {
      shown.push(line);
      frames.push({ screen: shown.join('\n'), seconds: line === '' ? 0.5 : 0.35 });
    }
    frames.at(-1).seconds = 8;
    write('tour.svg', drawCast({ frames, columns, rows: shown.length, title: 'holm tour: a lookup, an extraction and a hostile tool, with every decision' }));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function recordDashboard() {
  const stage = await prepare(false);
  const { chromium } = createRequire(join(root, 'dashboard/package.json'))('playwright-core');
  const server = spawn(holm, ['serve', '--listen', '127.0.0.1:0', '--', '--grant', 'read:**', '--grant', 'write:**', '--mode', 'accept-edits'], { cwd: stage.work, env: stage.env, stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = new Promise((resolve) => server.once('exit', resolve));
  const executablePath = process.env.HOLM_CHROMIUM ?? CHROMIUM.find((path) => existsSync(path));
  let browser = null;
  try {
    const url = await new Promise((resolve, reject) => {
      createInterface({ input: server.stdout }).once('line', resolve);
      ended.then(() => reject(new Error('holm serve ended')));
    });
    const token = readFileSync(join(stage.folder, 'data/server/token'), 'utf8').trim();
    const ask = async (method, path, body) => {
      const answer = await fetch(`${url}${path}`, { method, headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' }, body: body && JSON.stringify(body) });
      if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
      return answer.json();
    };
    const { id } = await ask('POST', '/api/sessions', { prompt: PROMPT });
    const until = Date.now() + PATIENCE;
    for (let state = null; state !== 'idle'; ({ state } = await ask('GET', `/api/sessions/${id}`))) {
      if (Date.now() > until) throw new Error(`the session does not end; its state is ${state}`);
      await sleep(100);
    }
    browser = await chromium.launch({ executablePath, headless: true, args: ['--no-sandbox', '--disable-gpu', '--hide-scrollbars'] });
    const context = await browser.newContext({ viewport: { width: 1360, height: 700 }, colorScheme: 'light', reducedMotion: 'reduce' });
    context.setDefaultTimeout(PATIENCE);
    const page = await context.newPage();
    await page.goto(url);
    await page.locator('input[type=password], #token').first().fill(token);
    await page.locator('button[type=submit]').first().click();
    await page.locator('#pages').waitFor({ state: 'attached' });
    await page.goto(`${url}/#/run/${id}`);
    await page.locator('h1').first().waitFor();
    await page.waitForLoadState('networkidle');
    write('run-view.png', await page.screenshot({ type: 'png' }));
  } finally {
    await browser?.close();
    server.kill('SIGTERM');
    await ended;
    stage.close();
  }
}

function write(name, content) {
  mkdirSync(pictures, { recursive: true });
  writeFileSync(join(pictures, name), content);
  console.log(`docs/pictures/${name}: ${Math.round(content.length / 1024)} KiB`);
}

const recorders = { tour: recordTour, chat: recordChat, dashboard: recordDashboard };
const names = process.argv.length > 2 ? process.argv.slice(2) : Object.keys(recorders);
for (const name of names) {
  if (recorders[name] === undefined) throw new Error(`there is no picture ${name}; the pictures are ${Object.keys(recorders).join(', ')}`);
  await recorders[name]();
}
