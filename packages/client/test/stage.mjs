// The stage of a test: a provider double, a folder to work in, a data folder, and the real command.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Holm } from '../dist/index.js';
import { start } from '../dist/node/index.js';

export const PACKAGE = fileURLToPath(new URL('..', import.meta.url));
export const REPOSITORY = join(PACKAGE, '../..');
const DOUBLE = join(REPOSITORY, 'packages/python/tests/double.py');

/** A prompt that tells the double what to reply; packages/python/tests/double.py says how. */
export const script = (...replies) => `script: ${JSON.stringify(replies)}`;

export class Stage {
  static async open() {
    const stage = new Stage();
    stage.command = process.env.HOLM_BIN ?? 'holm';
    stage.root = mkdtempSync(join(tmpdir(), 'holm-client-'));
    [stage.work, stage.data] = [join(stage.root, 'work'), join(stage.root, 'data')];
    mkdirSync(stage.work);
    writeFileSync(join(stage.work, 'notes.txt'), 'Call Grace on Monday.\n');
    stage.double = spawn('python3', [DOUBLE], { stdio: ['pipe', 'pipe', 'inherit'] });
    const [address] = await once(stage.double.stdout, 'data');
    // Nothing of the caller's environment but the way to programs: no key and no setting may change a test.
    stage.env = {
      PATH: process.env.PATH,
      HOME: stage.root,
      OPENAI_API_KEY: 'sk-double',
      OPENAI_BASE_URL: address.toString().trim(),
    };
    stage.options = ['--model', 'openai-chat/double', '--grant', 'read:**'];
    return stage;
  }

  given(more = {}) {
    const { command, data, options, env, work: cwd } = this;
    return { command, data, options, env, cwd, ...more };
  }

  start(more) {
    return start(this.given(more));
  }

  get token() {
    return readFileSync(join(this.data, 'server', 'token'), 'utf8').trim();
  }

  /** A second connection to the same server. */
  connect(holm, options) {
    return Holm.connect(holm.url, this.token, options);
  }

  /** Another program. It finds its arguments in `given`. */
  program(text, given) {
    const head = `
      import { Holm } from ${JSON.stringify(new URL('../dist/index.js', import.meta.url).href)};
      import { start } from ${JSON.stringify(new URL('../dist/node/index.js', import.meta.url).href)};
      const given = ${JSON.stringify(given)};`;
    return spawn(process.execPath, ['--input-type=module', '-e', head + text], { stdio: ['ignore', 'pipe', 'inherit'] });
  }

  path(name) {
    return join(this.work, name);
  }

  touch(name) {
    writeFileSync(this.path(name), '');
  }

  exists(name) {
    return existsSync(this.path(name));
  }

  read(name) {
    return readFileSync(this.path(name), 'utf8');
  }

  async close() {
    const gone = once(this.double, 'close');
    this.double.stdin.end();
    await gone;
    rmSync(this.root, { recursive: true, force: true });
  }
}

/** All frames of a stream; `each` sees each of them as it arrives. */
export async function collect(frames, each = async () => {}) {
  const all = [];
  for await (const frame of frames) {
    all.push(frame);
    await each(frame);
  }
  return all;
}

/** Waits until a program has printed a line, then kills it. */
export async function killAfter(program, line) {
  let text = '';
  for await (const piece of program.stdout) {
    text += piece;
    if (text.split('\n').includes(line)) break;
  }
  if (!text.split('\n').includes(line)) throw new Error(`the program ended and did not print ${line}: ${text}`);
  const gone = once(program, 'exit');
  program.kill('SIGKILL');
  const [, signal] = await gone;
  if (signal !== 'SIGKILL') throw new Error(`the program ended with ${signal}`);
}
