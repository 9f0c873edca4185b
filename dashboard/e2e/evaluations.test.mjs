// Evaluations that the real command made: the list, one evaluation, the run of an attempt, a comparison, and who sees them.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { after, before, test } from 'node:test';

import { findings, shot, startHarness } from './harness.mjs';

const PHONE = { width: 390, height: 800 };
const root = fileURLToPath(new URL('../..', import.meta.url));
const bin = process.env.HOLM_BIN ?? join(process.env.CARGO_TARGET_DIR ?? join(root, 'target'), 'debug/holm');

/** Runs `holm eval`. Exit code 3 stands for cases that failed. */
function evaluate(folder, ...words) {
  try {
    execFileSync(bin, ['--data', join(folder, 'data'), 'eval', ...words], { cwd: folder, env: { PATH: process.env.PATH, HOME: folder }, stdio: 'pipe' });
  } catch (error) {
    if (error.status !== 3) throw error;
  }
}

const text = (said) => ({ replied: { blocks: [{ text: said }] } });
const read = { replied: { blocks: [{ tool_call: { id: '1', name: 'read', arguments: '{"path":"notes.txt"}' } }], stop: 'tool_use' } };

async function writeCase(folder, name, contains, replies) {
  const place = join(folder, 'cases', name);
  await mkdir(join(place, 'workspace'), { recursive: true });
  await writeFile(join(place, 'workspace/notes.txt'), 'forty metres of rope\n');
  await writeFile(join(place, 'case.toml'), `prompt = "Read the notes."\n[[check]]\nanswer = { contains = "${contains}" }\n`);
  await writeFile(join(place, 'replies.json'), JSON.stringify({ results: replies }));
}

let harness;
before(async () => {
  harness = await startHarness({
    before: async (folder) => {
      await writeCase(folder, 'greeting', 'Hello', [text('Hello there.')]);
      await writeCase(folder, 'notes', 'rope', [read, text('They are about rope.')]);
      evaluate(folder, 'record', 'cases/notes');
      evaluate(folder, 'run', 'cases', '--name', 'first');
      await writeCase(folder, 'notes', 'rope', [text('They are about a boat.')]);
      evaluate(folder, 'run', 'cases', '--name', 'second');
    },
  });
});
after(() => harness?.close());

/** Checks a page for axe findings, for elements that are too wide, and for errors. */
async function checkPage({ page, faults, outside }, name) {
  assert.deepEqual(await findings(page), [], name);
  const over = await page.evaluate(() => {
    const boxes = [document.documentElement, ...document.querySelectorAll('main, .side')];
    return Math.max(...boxes.map((box) => box.scrollWidth - box.clientWidth));
  });
  assert.ok(over <= 0, `${name}: ${over} pixels too wide`);
  assert.deepEqual(faults, [], name);
  assert.deepEqual(outside(), [], name);
  await shot(page, `evaluations-${name}`);
}

test('the pages are there, wide and narrow, light and dark', async () => {
  const { attempts } = await harness.ask('GET', '/api/evaluations/second');
  const session = attempts.find((attempt) => attempt.case === 'notes').session;
  for (const [what, path, shown] of [
    ['list', '/evaluations', '1 of 2 (50 %)'],
    ['one', '/evaluations/second', 'Failed checks and differences'],
    ['comparison', '/evaluations/first/against/second', 'The second evaluation is worse.'],
    ['run', `/evaluations/second/runs/${session}`, 'Attempt of'],
  ]) {
    for (const [name, how] of [['desk', {}], ['phone', { viewport: PHONE }], ['dark', { dark: true }]]) {
      const opened = await harness.page({ path, ...how });
      await opened.page.getByText(shown).first().waitFor();
      await checkPage(opened, `${what}-${name}`);
      await opened.context.close();
    }
  }
});

test('an evaluation leads to the run of each attempt, and says why one failed', async () => {
  const opened = await harness.page({ path: '/evaluations' });
  const { page, context, faults } = opened;
  const table = page.getByRole('region', { name: 'Evaluations' });
  await table.getByRole('row', { name: /^first/ }).getByText('2 of 2 (100 %)').waitFor();
  await table.getByRole('link', { name: 'second', exact: true }).click();
  await page.getByRole('heading', { name: 'second', level: 1 }).waitFor();
  const failed = page.locator('details', { hasText: 'notes' });
  await failed.locator('summary').click();
  await failed.getByText('does not contain "rope"').waitFor();
  await failed.getByText('Turn 1').waitFor();
  await checkPage(opened, 'open-details');
  await page.getByLabel('Show').selectOption('failed');
  const attempts = page.getByRole('region', { name: 'Attempts' });
  await attempts.getByRole('cell', { name: 'greeting' }).waitFor({ state: 'detached' });
  await attempts.getByRole('link', { name: /1 failed\s*: run of notes with replay/ }).click();
  await page.getByRole('region', { name: 'The run at this point' }).getByText('They are about a boat.').waitFor();
  assert.equal(await page.getByRole('button', { name: 'Fork from here' }).count(), 0, 'an attempt cannot be changed');
  assert.equal(await page.getByRole('link', { name: 'Chat', exact: true }).count(), 0);
  const slider = page.getByRole('slider');
  await page.getByRole('button', { name: 'Previous' }).click();
  assert.ok(Number(await slider.inputValue()) < Number(await slider.getAttribute('max')));
  await page.getByRole('link', { name: 'second', exact: true }).click();
  await page.getByRole('heading', { name: 'second', level: 1 }).waitFor();
  assert.deepEqual(faults, []);
  await context.close();
});

test('two evaluations are compared, and what was lost leads to both runs', async () => {
  const { page, context, faults } = await harness.page({ path: '/evaluations' });
  await page.getByRole('combobox', { name: 'Compare', exact: true }).selectOption('first');
  await page.getByLabel('with', { exact: true }).selectOption('second');
  await page.getByRole('button', { name: 'Compare' }).click();
  await page.getByText('The second evaluation is worse.').waitFor();
  await page.getByText('−50.0 points').waitFor();
  await page.getByText('These cases changed between the two evaluations').locator('.tag', { hasText: 'notes' }).waitFor();
  const lost = page.getByRole('region', { name: /no call in place of read/ });
  assert.equal(await lost.getByRole('link').count(), 2);
  await lost.getByRole('link', { name: /1 (passed|changed)/ }).click();
  await page.getByRole('region', { name: 'The run at this point' }).getByText('They are about rope.').waitFor();
  assert.deepEqual(faults, []);
  await context.close();
});

test('only administrators see evaluations', async () => {
  const { user } = await harness.ask('GET', '/api/me');
  const { token } = await harness.ask('POST', '/api/tokens', { user, role: 'operator', sessions: null });
  for (const path of ['evaluations', 'evaluations/first', 'compare-evaluations?first=first&second=second']) {
    const answer = await fetch(`${harness.url}/api/${path}`, { headers: { authorization: `Bearer ${token}` } });
    assert.equal(answer.status, 403, path);
  }
  const { page, context, faults } = await harness.page({ token, path: '/evaluations' });
  await page.getByText('Only administrators can see evaluations.').waitFor();
  assert.deepEqual(faults, []);
  await context.close();
});

test('an evaluation that does not exist is an error with a message', async () => {
  const { page, context } = await harness.page({ path: '/evaluations/none' });
  await page.getByRole('alert').getByText('There is no such evaluation').waitFor();
  await context.close();
});
