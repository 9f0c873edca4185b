// Starts `holm serve`. The server ends with the program that started it, even after `kill -9`: a small shell waits at a pipe from
// this program, and stops the server when the pipe closes. Work that is interrupted in this way continues at the next start with
// the same data folder.

import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Holm } from '../client.js';
import { StartError } from '../errors.js';
import { type Tool, serveTools } from './tools.js';

/**
 * Starts the server, then waits until standard input ends. The shell closes its own standard output, so that this program
 * sees the end of the server's output when the server ends.
 */
const SUPERVISOR = `
"$@" </dev/null & server=$!
exec >&-
cat >/dev/null
kill "$server" 2>/dev/null
wait "$server"
`;

/** A server of a killed program may take 20 seconds to stop; until then its data folder is in use. */
const FOLDER_PATIENCE_MS = 40_000;

/** A debug build on a busy machine starts within this time. */
const START_PATIENCE_MS = 60_000;

/** The server's message if another server has the data folder. */
const FOLDER_IN_USE = 'another server is using';

export interface StartOptions {
  /** The command; `$HOLM_BIN`, or `holm` of `PATH`, if not set. */
  command?: string;
  /** The folder in which agents work. */
  cwd?: string;
  /** The data folder with the sessions. */
  data?: string;
  /** Options of `holm run` for every session, such as `['--grant', 'read:**']`. */
  options?: string[];
  env?: Record<string, string | undefined>;
  /** Functions of this program that the model may call, as `<toolsName>_<function>`. */
  tools?: Tool[];
  toolsName?: string;
}

/** Starts a server on a free port of this machine and connects to it. */
export async function start(options: StartOptions = {}): Promise<Holm> {
  if (process.platform === 'win32') {
    throw new StartError('a server cannot be started from here on Windows; start `holm serve` and connect to it');
  }
  const env: Record<string, string | undefined> = { ...(options.env ?? process.env) };
  if (options.data !== undefined) env.HOLM_DATA = resolve(options.data);
  const server = await startServer(options, env);
  try {
    const token = readFileSync(join(dataFolder(env), 'server', 'token'), 'utf8').trim();
    const tools = options.tools?.length ? await serveTools(options.tools, options.toolsName) : undefined;
    return await Holm.connect(server.url, token, { tools, onClose: server.stop });
  } catch (error) {
    await server.stop();
    throw error;
  }
}

interface Running {
  url: string;
  stop: () => Promise<void>;
}

async function startServer(options: StartOptions, env: Record<string, string | undefined>): Promise<Running> {
  const command = options.command ?? process.env.HOLM_BIN ?? 'holm';
  const line = [command, 'serve', '--listen', '127.0.0.1:0', '--', ...(options.options ?? [])];
  const deadline = Date.now() + FOLDER_PATIENCE_MS;
  for (;;) {
    // A file and not a pipe: a server whose pipe is full would wait, and one whose reader has died would fail.
    const folder = mkdtempSync(join(tmpdir(), 'holm-'));
    const log = join(folder, 'log');
    const stderr = openSync(log, 'a', 0o600);
    const child = spawn('/bin/sh', ['-c', SUPERVISOR, 'holm-supervisor', ...line], {
      cwd: options.cwd,
      env,
      stdio: ['pipe', 'pipe', stderr],
      // Ctrl-C at the terminal is for this program, which then stops the server.
      detached: true,
    });
    const ended = new Promise<void>((done) => child.once('close', done).once('error', done));
    const stop = async () => {
      child.stdin?.end();
      await ended;
      rmSync(folder, { recursive: true, force: true });
    };
    const url = await address(child);
    if (url) return { url, stop };
    const said = readFileSync(log, 'utf8').trim();
    await stop();
    if (!said.includes(FOLDER_IN_USE) || Date.now() > deadline) {
      throw new StartError(`\`holm serve\` did not start: ${said || 'it said nothing'}`);
    }
    await new Promise((again) => setTimeout(again, 200));
  }
}

/** The address that the server prints first; empty if it ended before that. */
function address(child: ChildProcess): Promise<string> {
  return new Promise((resolve) => {
    let text = '';
    const patience = setTimeout(() => resolve(''), START_PATIENCE_MS);
    const done = (url: string) => {
      clearTimeout(patience);
      resolve(url);
    };
    child.once('error', () => done(''));
    child.stdout?.on('data', (piece: Buffer) => {
      text += piece.toString();
      if (text.includes('\n')) done(text.slice(0, text.indexOf('\n')).trim());
    });
    child.stdout?.once('end', () => done(''));
  });
}

/** The data folder that the command uses with these variables. */
function dataFolder(env: Record<string, string | undefined>): string {
  if (env.HOLM_DATA) return env.HOLM_DATA;
  if (env.XDG_DATA_HOME) return join(env.XDG_DATA_HOME, 'holm');
  return join(env.HOME ?? homedir(), '.local', 'share', 'holm');
}
