// One run on four hosts: begun in a page, gone on with at the edge (Deno), by the command, at the other edge (workerd), in the page and
// by the command again. All that moves is the journal.
//
// HOLM_DOUBLE is the provider double's address and HOLM_BIN the built command; scripts/test-hosts brings both.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import { promisify } from 'node:util';
import { replayEffects, Run } from '../../holm/dist/kernel.js';
import { deno, workerd } from '../../edge/test/hosts.mjs';
import { ask, browse, build, idle, journalOf, open, serve, texts } from './page.mjs';

const { HOLM_DOUBLE: double, HOLM_BIN: command } = process.env;
assert.ok(double && command, 'HOLM_DOUBLE or HOLM_BIN is not set; run scripts/test-hosts');

const HELLO = 'Hello, wörld ✓ 🚀';
const MODEL = 'hello';

/** Bytes of a journal that the command prints; its own tools alone are many lines. */
const MOST_OUTPUT = 64 * 1024 * 1024;

async function atEdge(host, journal, query) {
  const answer = await fetch(host.url, { method: 'POST', body: JSON.stringify({ query, journal }) });
  const said = await answer.json();
  assert.deepEqual([answer.status, said.result], [200, HELLO], JSON.stringify(said).slice(0, 500));
  return said.journal;
}

/** The command in a world of its own, whose settings say where the model is that the other hosts call `endpoint`. */
async function native() {
  const folder = await mkdtemp(join(tmpdir(), 'holm-native-'));
  const work = join(folder, 'work');
  await mkdir(work);
  await writeFile(join(folder, 'holm.toml'), `[providers.endpoint]\nbase_url = "${double}/v1"\n`);
  const env = { PATH: process.env.PATH, HOME: folder, HOLM_DATA: join(folder, 'data'), HOLM_CONFIG: join(folder, 'holm.toml') };
  const holm = async (...args) => (await promisify(execFile)(command, args, { cwd: work, env, maxBuffer: MOST_OUTPUT })).stdout;
  return {
    /** Takes a journal in, asks it something, and gives the longer journal. */
    async goOn(journal, run, query) {
      await writeFile(join(work, 'run.jsonl'), journal);
      assert.equal(await holm('session', 'import', 'run.jsonl'), `${run}\n`);
      assert.equal(await holm('run', '--session', run, '--resume', '-p', query), `${HELLO}\n`);
      return holm('session', 'export', run, '--format', 'jsonl');
    },
    replay: (run) => holm('session', 'replay', run),
    /** What happened, an event a line. */
    events: (run) => holm('session', 'replay', run, '--json'),
    close: () => rm(folder, { recursive: true, force: true }),
  };
}

/** Gives the page's run a journal that went on elsewhere. */
async function bring(tab, folder, run, journal, prompts) {
  const file = join(folder, `${run}.jsonl`);
  await writeFile(file, journal);
  await tab.setInputFiles('#import', file);
  await tab.waitForFunction((count) => document.querySelectorAll('#log > .user').length === count, prompts);
  await idle(tab);
}

test('a run moves from the page to the edge, to the command, to the other edge and back, and every host only appends', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'holm-journey-'));
  const page = await serve(undefined);
  const settings = { LLM_ENDPOINT: `${double}/v1`, LLM_MODEL: MODEL, HOLM_OPEN: 'yes', HOLM_ORIGINS: page.url };
  const [first, second, here] = [await deno(settings), await workerd(settings), await native()];
  const built = await build({ HOLM_ENDPOINT: first.url, HOLM_ENDPOINT_MODEL: MODEL });
  page.use(built);
  const { context, close } = await browse();
  try {
    const tab = await open(context, page.url);
    await tab.selectOption('#engine', 'endpoint');
    await idle(tab);
    await ask(tab, 'One');
    const { text: begun, run } = await journalOf(tab);
    const steps = [begun];
    steps.push(await atEdge(first, steps.at(-1), 'Two'));
    steps.push(await here.goOn(steps.at(-1), run, 'Three'));
    steps.push(await atEdge(second, steps.at(-1), 'Four'));
    await bring(tab, folder, run, steps.at(-1), 4);
    await ask(tab, 'Five');
    const back = await journalOf(tab);
    assert.equal(back.run, run);
    steps.push(back.text);
    assert.deepEqual(await texts(tab, 'user'), ['One', 'Two', 'Three', 'Four', 'Five']);
    // The command knows the beginning of it already, and takes what is new.
    steps.push(await here.goOn(steps.at(-1), run, 'Six'));
    steps.slice(1).forEach((text, at) => assert.ok(text.startsWith(steps[at]), `host ${at + 2} wrote over what was there`));

    const whole = steps.at(-1);
    const replayed = Run.replay(whole);
    assert.equal(replayed.transcript().length, 12);
    // Whoever folds it tells the same, to the byte.
    const emitted = replayEffects(whole).split('\n').filter((line) => line.startsWith('{"emit":'));
    const told = (await here.events(run)).trimEnd().split('\n');
    assert.deepEqual(emitted, told.map((event) => `{"emit":${event}}`));
    // The last record's digest covers everything that every host has caused: it was written natively and is computed here again.
    assert.equal(replayed.status().effects, JSON.parse(whole.trim().split('\n').at(-1)).effects);
    assert.match(await here.replay(run), /Six/);
  } finally {
    await close();
    await Promise.all([first.close(), second.close(), here.close(), rm(folder, { recursive: true, force: true }), rm(built, { recursive: true, force: true })]);
    page.close();
  }
});
