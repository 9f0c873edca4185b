// Figures: the size of the first load, the first paint, the layout shift while a reply arrives, and how a run of ten thousand
// events scrolls and scrubs. Figures with a limit are checked; the others are printed.

import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { gzipSync } from 'node:zlib';

import { FLOW } from './provider.mjs';
import { PATIENCE, ended, startHarness } from './harness.mjs';

/** The most compressed bytes of the first page. */
const MAX_BYTES = 100 * 1024;
/** The highest layout shift: a tenth of the value that counts as good. */
const MAX_SHIFT = 0.01;
const EVENTS = 10_000;

let harness;
before(async () => {
  harness = await startHarness();
});
after(() => harness?.close());

test('the first page is small, and the editor is loaded when a file is shown', async () => {
  const { page, context } = await harness.page({ token: null });
  const loaded = [];
  await page.goto('about:blank');
  page.on('response', (response) => {
    if (response.url().startsWith(harness.url) && !response.url().includes('/api/')) loaded.push(response.body().then((body) => [response.url(), gzipSync(body).length]));
  });
  await page.goto(harness.url, { waitUntil: 'networkidle' });
  const sizes = new Map(await Promise.all(loaded));
  const bytes = [...sizes.values()].reduce((sum, size) => sum + size, 0);
  const paint = await page.evaluate(() => performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? null);
  console.log(`first page: ${bytes} bytes packed, first paint after ${Math.round(paint)} ms`);
  assert.ok(bytes > 0 && bytes <= MAX_BYTES, `${bytes}`);
  assert.ok(paint !== null, 'something was painted');
  assert.ok(![...sizes.keys()].some((url) => /editor|BarChart|UsagePage/.test(url)), `${[...sizes.keys()]}`);
  await context.close();
  await writeFile(join(harness.work, 'shown.txt'), 'a text\n');
  const files = await harness.page({ path: '/files' });
  assert.ok(!files.requests.some((url) => url.includes('editor')), `${files.requests}`);
  await files.page.getByRole('link', { name: /shown\.txt/ }).click();
  await files.page.getByRole('textbox', { name: 'Content' }).waitFor();
  assert.ok(files.requests.some((url) => url.includes('editor')), `${files.requests}`);
  await files.context.close();
});

test('the page does not jump while a reply arrives', async () => {
  const { page, context } = await harness.page();
  await page.evaluate(() => {
    if (!PerformanceObserver.supportedEntryTypes.includes('layout-shift')) throw new Error('this browser counts no jumps');
    const add = (entries) => entries.forEach((entry) => (window.shift += entry.value));
    window.shift = 0;
    window.shifts = new PerformanceObserver((list) => add(list.getEntries()));
    window.shifts.observe({ type: 'layout-shift', buffered: false });
    window.shiftNow = () => (add(window.shifts.takeRecords()), window.shift);
  });
  await page.getByRole('textbox', { name: /Message the agent/ }).fill('flow');
  await page.keyboard.press('Enter');
  await page.getByText('Part-0', { exact: true }).waitFor();
  // The chat has loaded; from here on only the reply grows.
  await page.evaluate(() => (window.shiftNow(), (window.shift = 0)));
  for (let at = 0; at < FLOW.length; at += 1) {
    await page.getByRole('log').getByText(`Part-${at}`).last().waitFor({ state: 'attached' });
    harness.model.release();
  }
  await page.getByText('Answered.').waitFor();
  const shift = await page.evaluate(() => window.shiftNow());
  console.log(`layout shift while a reply arrives: ${shift.toFixed(4)}`);
  assert.ok(shift <= MAX_SHIFT, `${shift}`);
  await context.close();
});

test('a run of ten thousand events scrolls and scrubs', { timeout: 20 * PATIENCE }, async () => {
  const id = await ended(harness, 'hello');
  let events = 0;
  while (events < EVENTS) {
    for (let at = 0; at < 100; at += 1) {
      await harness.ask('POST', `/api/sessions/${id}/prompt`, { text: `more ${at}` });
      while ((await harness.ask('GET', `/api/sessions/${id}`)).state !== 'idle') await new Promise((resolve) => setTimeout(resolve, 2));
    }
    events = (await harness.ask('GET', `/api/sessions/${id}/replay`)).length;
  }
  const { page, context } = await harness.page({ path: `/run/${id}` });
  const slider = page.getByRole('slider');
  await slider.waitFor();
  const frames = (what) =>
    page.evaluate(async (kind) => {
      const range = document.querySelector('#position');
      const box = document.querySelector('[aria-label="The run at this point"]');
      const times = [];
      let last = performance.now();
      for (let step = 0; step < 120; step += 1) {
        if (kind === 'scrub') {
          range.value = String(Math.round((Number(range.max) * (step % 60)) / 60));
          range.dispatchEvent(new Event('input', { bubbles: true }));
        } else box.scrollTop = (box.scrollHeight * (step % 60)) / 60;
        await new Promise((resolve) => requestAnimationFrame(resolve));
        const now = performance.now();
        times.push(now - last);
        last = now;
      }
      times.sort((one, other) => one - other);
      return { median: times[60], p95: times[114], worst: times[119] };
    }, what);
  for (const what of ['scroll', 'scrub']) {
    const { median, p95, worst } = await frames(what);
    console.log(`${events} events, ${what}: frames of ${median.toFixed(1)} ms, 95 % within ${p95.toFixed(1)} ms, worst ${worst.toFixed(1)} ms`);
    // This only detects a broken page; judge smoothness by the figures of an idle machine.
    assert.ok(p95 < 1_000, `${what}: ${p95}`);
  }
  await context.close();
});
