// Jobs, sites and files: created on the page and visible on the server, and the other way round.

import assert from 'node:assert/strict';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';

import { DOT, PATIENCE, findings, shot, startHarness } from './harness.mjs';

let harness;
before(async () => {
  harness = await startHarness();
});
after(() => harness?.close());

test('a job is created from the form and run, and its run is a session', async () => {
  const { page, context, faults } = await harness.page({ path: '/jobs' });
  await page.getByText('No jobs yet.').waitFor();
  await page.getByRole('button', { name: 'New job' }).click();
  const form = page.getByRole('form', { name: 'Job' });
  await form.getByLabel('Name').fill('nightly');
  await form.getByLabel('Prompt').fill('write nothing');
  await form.getByLabel('Frequency').selectOption('weekly');
  await form.getByLabel('Friday').check();
  await form.getByLabel('Time of day').fill('02:30');
  await form.getByLabel('Time zone').fill('Europe/Berlin');
  assert.equal(await form.locator('[data-test=pattern]').innerText(), '30 2 * * 1,5');
  assert.deepEqual(await findings(page), []);
  await shot(page, 'job-form');
  await form.getByRole('button', { name: 'Create job' }).click();
  await page.getByText("Copy its signing key now; it won't be shown again").waitFor();
  const made = await harness.ask('GET', '/api/jobs/nightly');
  assert.deepEqual(made.spec.when, { cron: { pattern: '30 2 * * 1,5', zone: 'Europe/Berlin' } });
  assert.ok(made.next > Date.now());
  await page.getByText('every Monday, Friday at 02:30, Europe/Berlin').waitFor();
  await page.getByRole('button', { name: 'Run now: nightly' }).click();
  // The write needs approval and nobody can answer, so the call is denied and the run continues.
  const runs = page.getByRole('region', { name: 'Runs of nightly' });
  await runs.getByText('by hand').waitFor();
  await runs.getByText('The tool said:').waitFor();
  await shot(page, 'jobs');
  await runs.getByRole('link').first().click();
  await page.getByRole('log').getByText('Answered.').waitFor();
  assert.deepEqual(faults, []);
  await context.close();
});

test('a job is edited, switched off and on, and deleted', async () => {
  const spec = { when: 'asked', prompt: 'hello' };
  await harness.ask('POST', '/api/jobs', { id: 'asked-for', spec });
  const { page, context } = await harness.page({ path: '/jobs' });
  const row = page.getByRole('listitem', { name: 'asked-for' });
  await row.getByText('only on demand').waitFor();
  // The list follows the server without a reload.
  await harness.ask('POST', '/api/jobs', { id: 'added-meanwhile', spec });
  await page.getByRole('listitem', { name: 'added-meanwhile' }).waitFor();
  await harness.ask('DELETE', '/api/jobs/added-meanwhile');
  await page.getByRole('listitem', { name: 'added-meanwhile' }).waitFor({ state: 'detached' });
  await row.getByRole('button', { name: 'Edit asked-for' }).click();
  const form = page.getByRole('form', { name: 'Job' });
  await form.getByLabel('Description').fill('greets');
  await form.getByText('Reliability and limits').click();
  await form.getByLabel('Runs missed while the server was down').selectOption('all');
  await form.getByLabel('Missed runs at most').fill('7');
  await form.getByRole('button', { name: 'Save' }).click();
  await row.getByText('greets').waitFor();
  assert.deepEqual((await harness.ask('GET', '/api/jobs/asked-for')).spec.misfire, { all: { most: 7 } });
  await row.getByRole('button', { name: 'Switch off asked-for' }).click();
  await row.getByText('off', { exact: true }).waitFor();
  await row.getByRole('button', { name: 'Switch on asked-for' }).click();
  await row.getByText('on', { exact: true }).waitFor();
  await row.getByRole('button', { name: 'Delete asked-for' }).click();
  await row.getByRole('button', { name: 'Delete job' }).click();
  await row.waitFor({ state: 'detached' });
  await assert.rejects(harness.ask('GET', '/api/jobs/asked-for'), /404/);
  await context.close();
});

test('an invalid cron expression is rejected, and no job is created', async () => {
  const { page, context } = await harness.page({ path: '/jobs' });
  await page.getByRole('button', { name: 'New job' }).click();
  const form = page.getByRole('form', { name: 'Job' });
  await form.getByLabel('Name').fill('broken');
  await form.getByLabel('Prompt').fill('hello');
  await form.getByLabel('Frequency').selectOption('custom');
  await form.getByLabel(/Cron expression/).fill('99 99 * * *');
  await form.getByRole('button', { name: 'Create job' }).click();
  await form.getByRole('alert').waitFor();
  await assert.rejects(harness.ask('GET', '/api/jobs/broken'), /404/);
  await context.close();
});

test('a job with a webhook shows its address, and a one-time job that ran is done', async () => {
  await harness.ask('POST', '/api/jobs', { id: 'deployed', spec: { when: 'asked', prompt: 'hello', hook: 'open' } });
  await harness.ask('POST', '/api/jobs', { id: 'one-time', spec: { when: { once: { at: Date.now() + 1_000 } }, prompt: 'hello' } });
  const until = Date.now() + PATIENCE;
  while ((await harness.ask('GET', '/api/jobs/one-time')).next !== null) {
    assert.ok(Date.now() < until, 'the job did not run in time');
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  const { page, context } = await harness.page({ path: '/jobs' });
  const address = (await page.getByRole('listitem', { name: 'deployed' }).locator('[data-test=webhook]').innerText()).replace('POST ', '');
  // The server knows the address, and wants a signature. With a page before the server, the address is the server's own.
  assert.equal((await fetch(address, { method: 'POST', body: '{}' })).status, 401);
  const once = page.getByRole('listitem', { name: 'one-time' });
  await once.getByText('done', { exact: true }).waitFor();
  assert.equal(await once.locator('[data-test=webhook]').count(), 0);
  assert.deepEqual(await findings(page), []);
  await context.close();
});

test('a folder is published on its own origin, and unpublished', async () => {
  await mkdir(join(harness.work, 'site'));
  await writeFile(join(harness.work, 'site/index.html'), '<!doctype html><title>Shown</title><h1>For everybody</h1>');
  const { page, context } = await harness.page({ path: '/sites' });
  await page.getByLabel('Name', { exact: true }).fill('demo');
  await page.getByLabel(/Folder/).fill('site');
  await page.getByLabel(/Address/).fill('127.0.0.1:0');
  await page.getByRole('button', { name: 'Publish', exact: true }).click();
  const row = page.getByRole('listitem').filter({ hasText: 'demo' });
  const address = await row.getByRole('link').getAttribute('href');
  assert.notEqual(new URL(address).port, new URL(harness.url).port);
  assert.match(await (await fetch(address)).text(), /For everybody/);
  assert.deepEqual(await findings(page), []);
  await shot(page, 'sites');
  await row.getByRole('button', { name: 'Unpublish demo' }).click();
  await row.getByRole('button', { name: 'Unpublish site' }).click();
  await page.getByText('No sites published.').waitFor();
  await assert.rejects(fetch(address));
  await context.close();
});

/** The content of the editor, which is in a shadow root. */
const content = (page) => page.getByRole('textbox', { name: 'Content' });

test('a file is opened from its folder, edited and saved', async () => {
  await mkdir(join(harness.work, 'notes'), { recursive: true });
  await writeFile(join(harness.work, 'notes/plan.md'), '# Plan\n\nline two\n');
  const { page, context, faults } = await harness.page({ path: '/files' });
  await page.getByRole('link', { name: 'notes/' }).click();
  await page.getByRole('link', { name: /plan\.md/ }).click();
  await content(page).getByText('line two').waitFor();
  await content(page).click();
  await page.keyboard.press('Control+End');
  await page.keyboard.type('line three');
  await page.getByText('unsaved', { exact: true }).waitFor();
  assert.deepEqual(await findings(page), []);
  await page.keyboard.press('Control+s');
  await page.getByText('saved', { exact: true }).waitFor();
  assert.match(await readFile(join(harness.work, 'notes/plan.md'), 'utf8'), /line three$/);
  await shot(page, 'files');
  assert.deepEqual(faults, []);
  await context.close();
});

test("another client's change is not overwritten, and a click does not discard unsaved changes", async () => {
  const file = join(harness.work, 'both.md');
  await writeFile(file, 'mine\n');
  const { page, context } = await harness.page({ path: '/files?file=both.md' });
  await content(page).getByText('mine').waitFor();
  await writeFile(file, 'theirs\n');
  await content(page).click();
  await page.keyboard.type('and more ');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByRole('alert').waitFor();
  assert.equal(await readFile(file, 'utf8'), 'theirs\n');
  await page.getByRole('link', { name: 'Usage' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Keep editing' }).click();
  await content(page).getByText('and more').waitFor();
  await page.getByRole('button', { name: /Reload and discard/ }).click();
  await content(page).getByText('theirs').waitFor();
  await context.close();
});

test("a conflict shows the differences, and one's own version is saved only over the version that was shown", async () => {
  const file = join(harness.work, 'conflict.md');
  await writeFile(file, 'mine\n');
  const { page, context } = await harness.page({ path: '/files?file=conflict.md' });
  await content(page).getByText('mine').waitFor();
  await writeFile(file, 'theirs\n');
  await content(page).click();
  await page.keyboard.press('Control+Home');
  await page.keyboard.type('still ');
  const save = page.getByRole('button', { name: 'Save', exact: true });
  await save.click();
  await page.getByRole('button', { name: 'Show differences' }).click();
  const differences = page.getByRole('region', { name: 'Differences' });
  assert.deepEqual(await differences.locator('.diff span').allInnerTexts(), ['-theirs', '+still mine']);
  assert.deepEqual(await findings(page), []);
  await shot(page, 'conflict');
  await writeFile(file, 'theirs again\n');
  await differences.getByRole('button', { name: 'Save my version' }).click();
  await page.getByRole('alert').waitFor();
  assert.equal(await readFile(file, 'utf8'), 'theirs again\n');
  await page.getByRole('button', { name: 'Show differences' }).click();
  await differences.getByText('-theirs again').waitFor();
  await differences.getByRole('button', { name: 'Save my version' }).click();
  await page.getByText('saved', { exact: true }).waitFor();
  assert.equal(await readFile(file, 'utf8'), 'still mine\n');
  await context.close();
});

test('files and folders are created, renamed and deleted', async () => {
  const { page, context } = await harness.page({ path: '/files' });
  await page.getByRole('button', { name: 'New folder' }).click();
  await page.getByLabel('Folder name').fill('fresh');
  await page.getByRole('button', { name: 'Create', exact: true }).click();
  await page.getByRole('link', { name: 'fresh/' }).click();
  await page.getByText('This folder is empty.').waitFor();
  await page.getByRole('button', { name: 'New file' }).click();
  await page.getByLabel('File name').fill('a.txt');
  await page.getByRole('button', { name: 'Create', exact: true }).click();
  await page.getByRole('link', { name: /a\.txt/ }).waitFor();
  await page.getByRole('button', { name: 'Rename' }).click();
  await page.getByLabel('Path in the workspace').fill('fresh/b.txt');
  await page.getByRole('button', { name: 'Rename file' }).click();
  await page.getByRole('link', { name: /b\.txt/ }).waitFor();
  await page.getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('button', { name: 'Delete file' }).click();
  await page.getByText('This folder is empty.').waitFor();
  await context.close();
});

test('the last selected file is shown, whichever response arrives first', async () => {
  await writeFile(join(harness.work, 'slow.txt'), 'of the slow one\n');
  await writeFile(join(harness.work, 'fast.txt'), 'of the fast one\n');
  const { page, context, faults } = await harness.page({ path: '/files' });
  let release;
  const held = new Promise((resolve) => (release = resolve));
  // The server's response, delayed.
  await context.route(/api\/files\?path=slow\.txt/, async (route) => {
    await held;
    await route.continue();
  });
  await page.getByRole('link', { name: /slow\.txt/ }).click();
  await page.getByRole('link', { name: /fast\.txt/ }).click();
  await content(page).getByText('of the fast one').waitFor();
  const late = context.waitForEvent('requestfinished', { predicate: (request) => request.url().includes('slow.txt') });
  release();
  await late;
  await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
  assert.equal(await page.locator('.sheet .bar code').innerText(), 'fast.txt');
  await content(page).getByText('of the fast one').waitFor();
  assert.deepEqual(faults, []);
  await context.close();
});

test('an image is uploaded and shown, and an upload never overwrites a file', async () => {
  const { page, context, outside } = await harness.page({ path: '/files' });
  const buffer = Buffer.from(DOT, 'base64');
  await page.getByLabel('Upload').setInputFiles({ name: 'dot.png', mimeType: 'image/png', buffer });
  await page.getByRole('link', { name: /dot\.png/ }).click();
  const picture = page.getByRole('img', { name: 'dot.png' });
  await picture.waitFor();
  await page.waitForFunction(() => document.querySelector('.sheet img')?.naturalWidth === 1);
  await shot(page, 'file-picture');
  await page.getByLabel('Upload').setInputFiles({ name: 'dot.png', mimeType: 'image/png', buffer: Buffer.from('another') });
  await page.getByRole('alert').getByText('dot.png').waitFor();
  assert.deepEqual(await readFile(join(harness.work, 'dot.png')), buffer);
  assert.deepEqual(outside(), []);
  await context.close();
});

test('a missing file gives an error', async () => {
  const { page, context } = await harness.page({ path: '/files?file=none.md' });
  await page.getByRole('alert').waitFor({ timeout: PATIENCE });
  await context.close();
});
