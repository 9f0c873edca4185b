// Every page with data that was created through the API: it loads without an axe finding, in light and dark, on a desktop, a
// phone and a very wide screen.

import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';

import { ended, findings, shot, startHarness } from './harness.mjs';

const PHONE = { width: 375, height: 700 };
const WIDE = { width: 2560, height: 1300 };
let harness;
let session;
let usual;
before(async () => {
  harness = await startHarness();
  session = await ended(harness, 'a very particular sentence');
  await writeFile(join(harness.work, 'notes.txt'), 'line one\n');
  await ended(harness, 'read notes.txt');
  [{ name: usual }] = await harness.ask('GET', '/api/agents');
});
after(() => harness?.close());

const PAGES = [
  ['/', 'New chat'],
  ['/inbox', 'Inbox'],
  ['/sessions', 'Sessions'],
  ['/agents', 'Agents'],
  ['/tools', 'Tools'],
  ['/skills', 'Skills'],
  ['/servers', 'MCP servers'],
  ['/evaluations', 'Evaluations'],
  ['/jobs', 'Jobs'],
  ['/sites', 'Sites'],
  ['/models', 'Models and keys'],
  ['/usage', 'Usage'],
  ['/files', 'Files'],
  ['/settings', 'Settings'],
  ['/settings/permissions', 'Settings'],
  ['/settings/access', 'Settings'],
  ['/settings/configuration', 'Settings'],
  ['/settings/backups', 'Settings'],
  ['/settings/audit', 'Settings'],
  ['/nowhere/at/all', 'Page not found'],
];

/** Pages of a single item; the items exist once the server runs. */
const SHEETS = [
  ['a chat', () => `/chat/${session}`, 'a very particular sentence', 'Answered.'],
  ['a run', () => `/run/${session}`, 'Run', 'Answered.'],
  ['a new agent', () => '/agents/new', 'New agent', 'Limits'],
  ['an agent', () => `/agents/${usual}`, 'Agent', 'Limits'],
  ['a tool', () => '/tools/read', 'read', 'succeeded'],
  ['a file', () => '/files?file=notes.txt', 'Files', 'line one'],
];

for (const [path, heading] of PAGES) shown(`${heading}${path.startsWith('/settings/') ? ` (${path.slice(10)})` : ''}`, () => path, heading, null);
for (const [what, path, heading, more] of SHEETS) shown(what, path, heading, more);

/** Tests the page with this heading, after its content has loaded. */
function shown(what, path, heading, more) {
  test(`the page of ${what} is there, wide and narrow, light and dark`, async () => {
    for (const [name, how] of [['desk', {}], ['phone', { viewport: PHONE }], ['wide', { viewport: WIDE }], ['dark', { dark: true }]]) {
      const { page, context, faults, outside } = await harness.page({ path: path(), ...how });
      await page.getByRole('heading', { name: heading, level: 1 }).waitFor();
      if (more !== null) await page.getByText(more).first().waitFor();
      await page.getByText('Loading…').first().waitFor({ state: 'detached' });
      assert.deepEqual(await findings(page), [], name);
      const over = await page.evaluate(() => {
        const boxes = [document.documentElement, ...document.querySelectorAll('main, .middle, .side, .sheet')];
        return Math.max(...boxes.map((box) => box.scrollWidth - box.clientWidth));
      });
      assert.ok(over <= 0, `${name}: ${over} pixels too wide`);
      assert.deepEqual(faults, [], name);
      assert.deepEqual(outside(), [], name);
      await shot(page, `${what.toLowerCase().replaceAll(' ', '-')}-${name}`);
      await context.close();
    }
  });
}

test('on a phone the menu button works with the keyboard', async () => {
  const { page, context } = await harness.page({ viewport: PHONE });
  const menu = page.getByRole('button', { name: 'Menu' });
  assert.equal(await page.getByRole('link', { name: 'Usage' }).isVisible(), false);
  await menu.focus();
  await page.keyboard.press('Enter');
  await page.getByRole('link', { name: 'Usage' }).click();
  await page.getByRole('heading', { name: 'Usage', level: 1 }).waitFor();
  assert.equal(await menu.getAttribute('aria-expanded'), 'false');
  await context.close();
});

test('sessions are found by their messages, renamed and deleted', async () => {
  const gone = await ended(harness, 'to be forgotten');
  const { page, context } = await harness.page({ path: '/sessions' });
  const search = async () => {
    await page.getByRole('searchbox').fill('particular sentence');
    await page.getByRole('button', { name: 'Search' }).click();
    await page.getByText(/\d+ match(es)?/).waitFor();
  };
  await search();
  await page.locator('.excerpt', { hasText: 'particular' }).first().waitFor();
  // A result leads to its place in the run: here to the prompt, before the reply.
  const prompt = page.getByRole('main').getByRole('listitem').filter({ hasText: 'prompt, record' }).first();
  await prompt.getByRole('link').click();
  await page.getByRole('region', { name: 'The run at this point' }).getByText('a very particular sentence', { exact: true }).waitFor();
  const slider = page.getByRole('slider');
  assert.ok(Number(await slider.inputValue()) < Number(await slider.getAttribute('max')));
  assert.equal(await page.getByRole('region', { name: 'The run at this point' }).getByText('Answered.').count(), 0);
  await page.goBack();
  await search();
  await page.getByRole('button', { name: 'All sessions' }).click();
  const list = page.getByRole('list', { name: 'Sessions' });
  const row = list.getByRole('listitem').filter({ hasText: 'to be forgotten' });
  await row.getByRole('button', { name: 'Rename' }).click();
  await row.getByLabel(/Title/).fill('another name');
  await row.getByRole('button', { name: 'Save' }).click();
  const renamed = list.getByRole('listitem').filter({ hasText: 'another name' });
  // The focus is on the safe answer, and Escape gives that answer.
  await renamed.getByRole('button', { name: 'Delete' }).click();
  await page.waitForFunction(() => document.activeElement?.textContent === 'Cancel');
  await page.keyboard.press('Escape');
  await renamed.getByRole('alertdialog').waitFor({ state: 'detached' });
  await page.waitForFunction(() => document.activeElement?.textContent === 'Delete');
  await renamed.getByRole('button', { name: /^Delete/ }).click();
  await renamed.getByRole('button', { name: 'Delete session' }).click();
  await renamed.waitFor({ state: 'detached' });
  await assert.rejects(harness.ask('GET', `/api/sessions/${gone}`), /404/);
  await context.close();
});

test('usage is shown by day, model, agent, session and tool', async () => {
  const { page, context } = await harness.page({ path: '/usage' });
  // The test model has no price, so the page shows tokens first.
  for (const [by, measure] of [['day', 'tokens'], ['model', 'tokens'], ['agent', 'tokens'], ['session', 'tokens'], ['tool', 'calls']]) {
    const { lines } = await harness.ask('GET', `/api/usage?by=${by}`);
    assert.ok(lines.length > 0, by);
    await page.getByLabel('Group by').selectOption(by);
    const chart = page.getByRole('img', { name: `${measure} by ${by}` });
    await chart.waitFor();
    assert.deepEqual(await page.locator('tbody td:first-child').allInnerTexts(), lines.map((line) => line.name), by);
    const widths = await chart.locator('.bar').evaluateAll((bars) => bars.map((bar) => bar.getBoundingClientRect().width));
    assert.equal(widths.length, lines.length, by);
    assert.ok(Math.max(...widths) > 50, `${by}: ${widths}`);
  }
  await page.getByRole('cell', { name: 'read', exact: true }).waitFor();
  await page.getByLabel('Group by').selectOption('session');
  // The provider of the tests has no prompt cache, so it serves nothing and nothing breaks.
  const row = page.getByRole('row', { name: session });
  await row.getByRole('cell', { name: '0.0 %', exact: true }).waitFor();
  assert.equal(await row.locator('td').nth(5).innerText(), '0');
  await page.getByLabel('Measure').selectOption('calls');
  await page.getByRole('img', { name: 'calls by session' }).waitFor();
  await page.getByRole('cell', { name: session }).waitFor();
  await context.close();
});

test('a page that failed to load can be reloaded', async () => {
  const { page, context } = await harness.page();
  await context.route(/\/UsagePage/, (route) => route.abort());
  await page.getByRole('link', { name: 'Usage' }).click();
  await page.getByRole('alert').getByText('could not be loaded').waitFor();
  assert.deepEqual(await findings(page), []);
  await shot(page, 'not-loaded');
  await context.unrouteAll();
  await page.getByRole('button', { name: 'Reload' }).click();
  await page.getByRole('heading', { name: 'Usage', level: 1 }).waitFor();
  await context.close();
});

test('a key is saved, never shown, and deleted', async () => {
  const secret = 'sk-never-shown-again';
  const { page, context } = await harness.page({ path: '/models' });
  await page.getByLabel('Provider').fill('openai');
  await page.getByLabel('Key', { exact: true }).fill(secret);
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Saved the key for openai.').waitFor();
  assert.equal(await page.getByLabel('Key', { exact: true }).inputValue(), '');
  assert.ok(!(await page.content()).includes(secret));
  assert.ok(!JSON.stringify(await harness.ask('GET', '/api/keys')).includes(secret));
  await page.getByRole('button', { name: 'Delete the key for openai' }).click();
  await page.getByText('No keys saved.').waitFor();
  await context.close();
});

test("a viewer's token is read-only, and a revoked token is invalid", async () => {
  const admin = await harness.page({ path: '/settings/access' });
  await admin.page.getByLabel('User').first().fill('ada');
  await admin.page.getByLabel('Role').selectOption('viewer');
  await admin.page.getByRole('button', { name: 'Create token' }).click();
  const token = (await admin.page.locator('[data-test=token]').innerText()).trim();
  const viewer = await harness.page({ token });
  await viewer.page.getByText('it cannot start sessions').waitFor();
  await admin.page.getByRole('button', { name: /of ada/ }).click();
  await admin.page.getByRole('alertdialog').getByRole('button', { name: 'Revoke token' }).click();
  await admin.page.getByRole('cell', { name: 'ada', exact: true }).waitFor({ state: 'detached' });
  await viewer.page.getByRole('link', { name: 'Sessions' }).click();
  await viewer.page.getByLabel('Token').waitFor();
  await admin.context.close();
  await viewer.context.close();
});
