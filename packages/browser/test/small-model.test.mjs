// The small default model in the page, by wllama on one thread: a whole run with a tool, a reload in the middle of one, a call that is
// asked about, and a run without a network.
//
// The model comes with scripts/setup model.

import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'node:test';
import { Run } from '../../holm/dist/kernel.js';
import { ask, browse, build, idle, journalOf, models, open, send, serve, texts } from './page.mjs';

assert.ok(existsSync(join(models, 'SmolLM2-135M-Instruct.Q4_1.gguf')), 'the small model is missing; run scripts/setup model');

const results = (journal) =>
  Run.replay(journal)
    .transcript()
    .flatMap(({ blocks }) => blocks)
    .filter((block) => 'tool_result' in block)
    .map((block) => block.tool_result);

test('the small model reads the page on one thread, survives a reload in mid-run, asks before it writes, and works without a network', async () => {
  const folder = await build({});
  const page = await serve(folder);
  const { context, requests, close } = await browse();
  try {
    const tab = await open(context, page.url);
    assert.equal(await tab.evaluate(() => crossOriginIsolated), false);
    assert.equal(await tab.inputValue('#engine'), 'wllama');
    await ask(tab, 'Read the h2 of this page.');
    assert.match((await texts(tab, 'result')).join(), /Weather in Bergen/);
    assert.match((await texts(tab, 'assistant')).at(-1), /Weather in Bergen/);
    assert.equal(await tab.evaluate(() => document.querySelector('#download').value), 1);
    const { text } = await journalOf(tab);
    assert.deepEqual(results(text).map(({ tool, outcome }) => [tool, outcome]), [['read_dom', 'succeeded']]);

    await tab.click('#new');
    await idle(tab);
    await send(tab, 'Read the h2 of this page.');
    await tab.waitForSelector('#log > .user');
    // Whatever is under way then, the model or its tool, goes on behind the reload.
    await tab.reload();
    await idle(tab);
    assert.equal((await texts(tab, 'user')).length, 1);
    assert.match((await texts(tab, 'assistant')).at(-1), /Weather in Bergen/);
    const resumed = await journalOf(tab);
    assert.match(resumed.text, /"resumed"/);
    assert.equal(Run.replay(resumed.text).status().idle, true);

    await tab.click('#new');
    await idle(tab);
    await send(tab, 'Save the note "rain in Bergen".');
    // A model that calls nothing is not waited for.
    await tab.waitForFunction(() => document.querySelector('#log button') ?? document.querySelector('#state').value !== 'working');
    assert.equal(await tab.locator('#log button:text("Allow")').count(), 1, (await texts(tab, 'assistant')).join());
    await tab.click('#log button:text("Allow")');
    await idle(tab);
    const noted = results((await journalOf(tab)).text);
    assert.deepEqual(noted.map(({ tool, outcome }) => [tool, outcome]), [['save_note', 'succeeded']], JSON.stringify(noted));

    await tab.evaluate(() => navigator.serviceWorker.ready);
    await context.setOffline(true);
    await tab.reload();
    await idle(tab);
    await tab.click('#new');
    await idle(tab);
    await ask(tab, 'Read the h2 of this page.');
    assert.match((await texts(tab, 'assistant')).at(-1), /Weather in Bergen/);
    const own = [page.url, 'blob:', 'data:'];
    assert.deepEqual(requests.filter((url) => !own.some((start) => url.startsWith(start))), []);
  } finally {
    await close();
    page.close();
    await rm(folder, { recursive: true, force: true });
  }
});
