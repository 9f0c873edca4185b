// The packed tarball, installed in an empty folder: in plain Node, bundled by Vite for a browser, and served by wrangler for a worker.

import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import test, { after } from 'node:test';
import { build } from 'vite';
import { inBrowser, serveFolder } from './hosts/chromium.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'holm-packed-'));
after(() => rmSync(folder, { recursive: true, force: true }));

// Installed by hand, because the tarball has no dependencies and a registry need not be asked.
execFileSync('npm', ['pack', '--silent', '--ignore-scripts', '--pack-destination', folder], { cwd: root });
const tarball = readdirSync(folder).find((name) => name.endsWith('.tgz'));
mkdirSync(join(folder, 'node_modules/holm'), { recursive: true });
execFileSync('tar', ['-xzf', join(folder, tarball), '--strip-components=1', '-C', join(folder, 'node_modules/holm')]);

const USE = `
import { runAgent, functionModel, plausibility } from 'holm';
import { createRun } from 'holm/kernel';
import { codec } from 'holm/wire/anthropic';
import { create_agent_state } from 'holm/agent-rs';
export async function use() {
  const agent = runAgent({ model: functionModel('a/b', () => 'fine'), prompt: 'How are you?' });
  const ending = await agent.ending;
  return JSON.stringify([ending, typeof createRun, plausibility('succeeded', 'total 5').reject.guard, typeof codec(), create_agent_state('x').length > 0]);
}
`;
const EXPECT = JSON.stringify([{ answered: { text: 'fine' } }, 'function', 'plausibility', 'object', true]);

test('the tarball holds the package and nothing else', () => {
  const files = execFileSync('tar', ['-tzf', join(folder, tarball)], { encoding: 'utf8' }).split('\n').filter(Boolean);
  assert.ok(files.includes('package/dist/wasm/holm_bg.wasm'));
  assert.ok(files.every((file) => /^package\/(dist\/|package\.json|README\.md|LICENSE)/.test(file)), files.join(' '));
});

test('plain Node imports it without a bundler', () => {
  writeFileSync(join(folder, 'main.mjs'), `${USE}\nconsole.log(await use());\n`);
  assert.equal(execFileSync(process.execPath, ['main.mjs'], { cwd: folder, encoding: 'utf8' }).trim(), EXPECT);
});

test('TypeScript finds the types of every entry point', () => {
  writeFileSync(join(folder, 'main.ts'), `${USE.replaceAll(".reject.guard", " === 'accept'")}\nimport { admits } from 'holm/grants';\nimport { uiMessageResponse } from 'holm/ui';\nexport const both: [boolean, typeof uiMessageResponse] = [admits([], 'read:x'), uiMessageResponse];\n`);
  const tsc = fileURLToPath(new URL('../node_modules/.bin/tsc', import.meta.url));
  const flags = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2022', '--lib', 'es2022,dom,dom.iterable,esnext.disposable', '--types', ''];
  execFileSync(tsc, [...flags, 'main.ts'], { cwd: folder, stdio: ['ignore', 'inherit', 'inherit'] });
});

test('Vite bundles it for a browser, and the bundle runs there', async () => {
  writeFileSync(join(folder, 'index.html'), '<!doctype html><script type="module" src="./page.js"></script>');
  writeFileSync(join(folder, 'page.js'), `${USE.replace('export ', '')}\nuse().catch(String).then((text) => { document.title = text; });\n`);
  // plausibility is called after the run, and a run waits for the module by itself.
  await build({ root: folder, logLevel: 'error', build: { outDir: 'out', minify: false } });
  const { url, close } = await serveFolder(join(folder, 'out'));
  try {
    const title = await inBrowser(`${url}index.html`, async (page) => {
      await page.waitForFunction(() => document.title.length > 0, undefined, { timeout: 30000 });
      return page.title();
    });
    assert.equal(title, EXPECT);
  } finally {
    close();
  }
});

test('a worker bundler takes the entry points for workerd', async () => {
  const { rolldown } = await import('rolldown');
  const bundle = await rolldown({ input: join(folder, 'main.mjs'), external: /\.wasm$/, resolve: { conditionNames: ['workerd', 'import'] }, cwd: folder });
  const { output } = await bundle.generate({ format: 'esm' });
  assert.ok(output[0].imports.some((name) => name.endsWith('holm_bg.wasm')), 'the module is imported, not fetched');
});

test('wrangler serves it in local mode', async () => {
  writeFileSync(join(folder, 'worker.mjs'), `${USE}\nimport { model } from 'holm/catalogue';\nexport default { async fetch() { return new Response((await use()) + model('openai/gpt-5').name); } };\n`);
  writeFileSync(join(folder, 'wrangler.json'), JSON.stringify({ name: 'holm-test', main: 'worker.mjs', compatibility_date: '2026-01-01', send_metrics: false }));
  const port = await freePort();
  const program = fileURLToPath(new URL('../node_modules/wrangler/bin/wrangler.js', import.meta.url));
  const flags = ['dev', '--local', '--ip', '127.0.0.1', '--port', String(port), '--inspector-port', String(await freePort()), '--show-interactive-dev-session=false'];
  // It must not need anybody: no account, no telemetry, nothing fetched.
  const env = { ...process.env, WRANGLER_SEND_METRICS: 'false', CLOUDFLARE_CF_FETCH_ENABLED: 'false', CI: '1', HOME: folder, XDG_CONFIG_HOME: folder };
  // A group of its own, because wrangler starts others and they must end with it.
  const child = spawn(process.execPath, [program, ...flags], { cwd: folder, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (piece) => (said += piece));
  try {
    let answer;
    for (let tries = 0; !answer?.ok; tries += 1) {
      assert.ok(tries < 600 && child.exitCode === null, `wrangler did not serve:\n${said}`);
      await new Promise((resolve) => setTimeout(resolve, 200));
      answer = await fetch(`http://127.0.0.1:${port}/`).catch(() => undefined);
    }
    assert.equal(await answer.text(), `${EXPECT}openai/gpt-5`);
  } finally {
    process.kill(-child.pid, 'SIGKILL');
  }
});

const freePort = () =>
  new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
