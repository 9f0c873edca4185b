// One run on three hosts: begun in a page, gone on with at the edge (Deno), at the other edge (workerd), and in the page.

import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import { replayEffects, Run } from '../../holm/dist/kernel.js';
import { deno, workerd } from '../../edge/test/hosts.mjs';
import { ask, browse, build, idle, journalOf, open, serve, texts } from './page.mjs';

const { HOLM_DOUBLE: double } = process.env;
assert.ok(double, 'HOLM_DOUBLE is not set; run scripts/test-hosts');

const HELLO = 'Hello, wörld ✓ 🚀';
const MODEL = 'hello';

async function atEdge(host, journal, query) {
  const answer = await fetch(host.url, { method: 'POST', body: JSON.stringify({ query, journal }) });
  const said = await answer.json();
  assert.deepEqual([answer.status, said.result], [200, HELLO], JSON.stringify(said).slice(0, 500));
  return said.journal;
}

test('a run moves from the page to the edge, to the other edge and back, and every host only adds to it', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'holm-journey-'));
  const page = await serve(undefined);
  const settings = { LLM_ENDPOINT: `${double}/v1`, LLM_MODEL: MODEL, HOLM_OPEN: 'yes', HOLM_ORIGINS: page.url };
  const [first, second] = [await deno(settings), await workerd(settings)];
  const built = await build({ HOLM_ENDPOINT: first.url, HOLM_ENDPOINT_MODEL: MODEL });
  page.use(built);
  const { context, close } = await browse();
  try {
    const tab = await open(context, page.url);
    await tab.selectOption('#engine', 'endpoint');
    await idle(tab);
    await ask(tab, 'One');
    const { text: begun, run } = await journalOf(tab);

    const edge = await atEdge(first, begun, 'Two');
    assert.ok(edge.startsWith(begun));

    const other = await atEdge(second, edge, 'Three');
    assert.ok(other.startsWith(edge));

    const file = join(folder, `${run}.jsonl`);
    await writeFile(file, other);
    await tab.setInputFiles('#import', file);
    await tab.waitForFunction(() => document.querySelectorAll('#log > .user').length === 3);
    await idle(tab);
    await ask(tab, 'Four');
    const back = await journalOf(tab);
    assert.equal(back.run, run);
    assert.ok(back.text.startsWith(other));
    assert.deepEqual(await texts(tab, 'user'), ['One', 'Two', 'Three', 'Four']);

    const whole = Run.replay(back.text);
    assert.equal(whole.transcript().length, 8);
    assert.equal(replayEffects(back.text), replayEffects(back.text.slice()));
    // The last record's digest covers everything that every host has caused: it was written by the page and is computed here again.
    const last = JSON.parse(back.text.trim().split('\n').at(-1));
    assert.equal(whole.status().effects, last.effects);
  } finally {
    await close();
    await Promise.all([first.close(), second.close(), rm(folder, { recursive: true, force: true }), rm(built, { recursive: true, force: true })]);
    page.close();
  }
});
