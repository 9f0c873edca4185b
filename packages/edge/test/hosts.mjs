// The two platforms, each as a child process that serves the built module.

import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer as createHttp } from 'node:http';
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';

/** How long a host may take to start, on a slow and busy machine. */
const PATIENCE_MS = 60_000;

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
// The tools are those of the kernel's package; this one needs none of its own.
const tools = createRequire(here('../../holm/package.json'));

/** Deno, with the permissions that the documentation names. `keep` is a file for its journals. */
export async function deno(environment, { keep } = {}) {
  const allow = ['--allow-env', '--allow-net', '--allow-read', ...(keep ? ['--unstable-kv', `--allow-write=${keep}`] : [])];
  const command = [join(tools.resolve('deno/package.json'), '../bin.cjs'), 'run', '--quiet', '--no-prompt', ...allow, here('../dist/deno.js')];
  const env = { PATH: process.env.PATH, HOME: process.env.HOME, PORT: '0', ...environment, ...(keep ? { HOLM_KEEP: join(keep, 'kv') } : {}) };
  const child = spawn(process.execPath, command, { env, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
  let said = '';
  child.stderr.on('data', (piece) => (said += piece));
  const lines = createInterface({ input: child.stdout });
  const first = await Promise.race([once(lines, 'line'), once(child, 'exit').then(() => undefined)]);
  if (!first) throw new Error(`deno did not serve:\n${said}`);
  // A group of its own, because the program is started by a wrapper.
  return { url: first[0], said: () => said, close: () => stop(child, () => process.kill(-child.pid, 'SIGKILL')) };
}

/** What a script says on Deno, with the permissions that the documentation names. */
export async function evaluate(script, args) {
  const folder = await mkdtemp(join(tmpdir(), 'holm-deno-'));
  try {
    const file = join(folder, 'script.mjs');
    await writeFile(file, script);
    const program = join(tools.resolve('deno/package.json'), '../bin.cjs');
    const command = [program, 'run', '--quiet', '--no-prompt', '--allow-env', '--allow-net', '--allow-read', file, ...args];
    return (await promisify(execFile)(process.execPath, command)).stdout;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** workerd. `keep` is a folder for its journals; `kv` keeps them in Workers KV instead, served by a worker beside it. */
export async function workerd(environment, { keep, kv } = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'holm-edge-'));
  await bundle(folder);
  if (keep) await mkdir(keep, { recursive: true });
  await writeFile(join(folder, 'config.capnp'), config(environment, keep, kv));
  const port = await freePort();
  const program = (await import(pathToFileURL(tools.resolve('workerd')))).default;
  const args = ['serve', '--experimental', join(folder, 'config.capnp'), `--socket-addr=http=127.0.0.1:${port}`];
  const child = spawn(program.default ?? program, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (piece) => (said += piece));
  const url = `http://127.0.0.1:${port}`;
  for (const end = Date.now() + PATIENCE_MS; ; ) {
    if (await fetch(url).catch(() => undefined)) break;
    if (Date.now() > end || child.exitCode !== null) throw new Error(`workerd did not serve:\n${said}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  const close = async () => {
    await stop(child, () => child.kill('SIGKILL'));
    await rm(folder, { recursive: true, force: true });
  };
  return { url, said: () => said, close };
}

async function stop(child, kill) {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  kill();
  await ended;
}

async function bundle(folder) {
  const { rolldown } = await import(pathToFileURL(tools.resolve('rolldown')));
  const made = await rolldown({
    input: here('../dist/worker.js'),
    external: /\.wasm$/,
    resolve: { conditionNames: ['workerd', 'import'] },
  });
  await made.write({ file: join(folder, 'worker.js'), format: 'esm', paths: () => './holm_bg.wasm' });
  await made.close();
  await cp(here('../../holm/dist/wasm/holm_bg.wasm'), join(folder, 'holm_bg.wasm'));
  await cp(here('kv-worker.mjs'), join(folder, 'kv-worker.js'));
}

const text = (value) => JSON.stringify(String(value));

function config(environment, keep, kv) {
  const bindings = Object.entries(environment).map(([name, value]) => `(name = ${text(name)}, text = ${text(value)})`);
  const services = ['(name = "main", worker = .main)', '(name = "internet", network = (allow = ["public", "private"], tlsOptions = (trustBrowserCas = true)))'];
  let storage = '';
  if (keep) {
    services.push(`(name = "disk", disk = (path = ${text(keep)}, writable = true))`);
    bindings.push('(name = "HOLM_RUNS", durableObjectNamespace = "HolmJournal")');
    storage = 'durableObjectNamespaces = [(className = "HolmJournal", uniqueKey = "holm-journal")], durableObjectStorage = (localDisk = "disk"),';
  }
  if (kv) {
    services.push('(name = "kv", worker = .kv)');
    bindings.push('(name = "HOLM_KV", kvNamespace = "kv")');
  }
  return `
using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [${services.join(', ')}],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")],
);
const main :Workerd.Worker = (
  modules = [
    (name = "worker.js", esModule = embed "worker.js"),
    (name = "holm_bg.wasm", wasm = embed "holm_bg.wasm"),
  ],
  compatibilityDate = "2026-01-01",
  compatibilityFlags = ["enable_request_signal"],
  bindings = [${bindings.join(', ')}],
  globalOutbound = "internet",
  ${storage}
);
const kv :Workerd.Worker = (
  modules = [(name = "kv-worker.js", esModule = embed "kv-worker.js")],
  compatibilityDate = "2026-01-01",
);
`;
}

/** A port that nobody has. */
export function freePort() {
  return new Promise((resolve) => {
    const server = createServer();
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

/** Pages that an agent may be sent to, and what was asked of them. */
export async function pages() {
  const asked = [];
  const server = createHttp((request, response) => {
    asked.push(request.url);
    const to = new URL(request.url, 'http://x').searchParams.get('to');
    if (request.url === '/page') response.end('Bergen: 18 degrees and rain');
    else if (request.url === '/empty') response.end('');
    else if (request.url === '/big') response.end('x'.repeat(3_000_000));
    else if (request.url === '/never') return;
    else if (to !== null) response.writeHead(302, { location: to }).end();
    else response.writeHead(404).end('nothing here');
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${server.address().port}`, asked, close: () => server.close().closeAllConnections() };
}
