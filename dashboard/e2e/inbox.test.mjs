// The inbox, the menu, the list of sessions, shortcuts and outages: what users see on every page.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import { PATIENCE, ended, findings, shot, startHarness } from './harness.mjs';

const PHONE = { width: 390, height: 844 };
let harness;
before(async () => {
  harness = await startHarness();
});
after(() => harness?.close());

const menu = (page) => page.getByRole('navigation', { name: 'Pages' });
const badge = (page) => page.locator('[data-test=waiting]');

/** Starts a session that asks for approval; returns its id when the question is open. */
async function asking(path) {
  const { id } = await harness.ask('POST', '/api/sessions', { prompt: `write ${path}` });
  const until = Date.now() + PATIENCE;
  while ((await harness.ask('GET', `/api/sessions/${id}/questions`)).length === 0) {
    if (Date.now() > until) throw new Error(`session ${id} did not ask`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return id;
}

test('an approval appears on every page while it is open, and is answered in two taps on a phone', async () => {
  const { page, context, faults } = await harness.page({ path: '/usage', viewport: PHONE });
  await page.getByRole('heading', { name: 'Usage', level: 1 }).waitFor();
  assert.equal(await badge(page).count(), 0);
  const id = await asking('inbox.txt');
  await badge(page).getByText('1 waiting').waitFor();
  await page.waitForFunction(() => document.title.startsWith('(1) '));
  assert.deepEqual(await findings(page), []);
  await badge(page).click();
  const question = page.getByRole('region', { name: 'Write the new file inbox.txt?' });
  await question.waitFor();
  assert.deepEqual(await findings(page), []);
  await shot(page, 'inbox-phone');
  await question.getByRole('button', { name: 'Allow once' }).click();
  await page.getByText('Nothing waits for you.').waitFor();
  assert.equal(await badge(page).count(), 0);
  await page.waitForFunction(() => !document.title.startsWith('('));
  const until = Date.now() + PATIENCE;
  while ((await harness.ask('GET', `/api/sessions/${id}`)).state !== 'idle') assert.ok(Date.now() < until);
  assert.match(JSON.stringify(await harness.ask('GET', `/api/sessions/${id}/replay`)), /succeeded/);
  assert.deepEqual(faults, []);
  await context.close();
});

test('the inbox lists the questions of several sessions, and one key answers the first', async () => {
  const [first, second] = [await asking('one.txt'), await asking('two.txt')];
  const { page, context } = await harness.page({ path: '/inbox' });
  await page.getByText('2 items wait for you.').waitFor();
  await menu(page).getByRole('link', { name: 'Inbox 2 waiting' }).waitFor();
  for (const name of ['Write the new file one.txt?', 'Write the new file two.txt?']) await page.getByRole('region', { name }).waitFor();
  assert.deepEqual(await findings(page), []);
  await shot(page, 'inbox');
  await page.waitForTimeout(700);
  await page.keyboard.press('d');
  await page.getByRole('region', { name: 'Write the new file one.txt?' }).waitFor({ state: 'detached' });
  // The next card does not take a key that was meant for this one.
  await page.keyboard.press('d');
  await page.getByText('1 item waits for you.').waitFor();
  assert.deepEqual(await harness.ask('GET', `/api/sessions/${first}/questions`), []);
  assert.equal((await harness.ask('GET', `/api/sessions/${second}/questions`)).length, 1);
  await page.getByRole('region', { name: 'Write the new file two.txt?' }).getByRole('button', { name: 'Deny', exact: true }).click();
  await page.getByText('Nothing waits for you.').waitFor();
  await context.close();
});

test('a hidden tab notifies the user of a new question, once the user allowed it', async () => {
  const { page, context } = await harness.page({ path: '/inbox' });
  await context.grantPermissions(['notifications']);
  // A headless browser never hides a tab, and shows no notifications: the tab says that it is hidden, and counts them.
  await context.addInitScript(() => {
    Object.defineProperty(document, 'visibilityState', { get: () => window.hiddenTab ? 'hidden' : 'visible' });
    window.notified = [];
    window.Notification = class extends Notification {
      constructor(title, options) {
        super(title, options);
        window.notified.push([title, options.body]);
      }
    };
  });
  await page.reload();
  await page.getByText('Nothing waits for you.').waitFor();
  const seen = await asking('seen.txt');
  await page.getByText('1 item waits for you.').waitFor();
  assert.deepEqual(await page.evaluate(() => window.notified), [], 'a visible tab shows the count and nothing more');
  await page.evaluate(() => (window.hiddenTab = true));
  const hidden = await asking('hidden.txt');
  await page.getByText('2 items wait for you.').waitFor();
  assert.deepEqual(await page.evaluate(() => window.notified), [['Holm: 2 items wait for you', 'write hidden.txt']]);
  for (const id of [seen, hidden]) await harness.ask('POST', `/api/sessions/${id}/cancel`, { reason: 'over' });
  await context.close();
});

test('a failed job is in the inbox until it is dismissed, and returns when it fails again', async () => {
  const spec = { when: 'asked', prompt: 'hello', model: 'nobody/none', retry: { most: 0, first_s: 1 }, off_after: 20 };
  await harness.ask('POST', '/api/jobs', { id: 'doomed', spec });
  const run = async (failures) => {
    await harness.ask('POST', '/api/jobs/doomed/run');
    const until = Date.now() + PATIENCE;
    while ((await harness.ask('GET', '/api/jobs/doomed')).failures < failures) {
      assert.ok(Date.now() < until, 'the job did not fail in time');
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  };
  await run(1);
  const { page, context } = await harness.page({ path: '/inbox' });
  await page.getByText('1 failure in a row.').waitFor();
  assert.deepEqual(await findings(page), []);
  await page.getByRole('button', { name: 'Dismiss doomed' }).click();
  await page.getByText('Nothing waits for you.').waitFor();
  await run(2);
  await page.getByText('2 failures in a row.').waitFor();
  await page.getByRole('link', { name: 'doomed', exact: true }).click();
  // The link opens the history of the job.
  await page.getByRole('region', { name: 'Runs of doomed' }).waitFor();
  await harness.ask('DELETE', '/api/jobs/doomed');
  await context.close();
});

test('the list of sessions follows the server, with true states and filters', async () => {
  const { page, context } = await harness.page({ path: '/sessions' });
  const list = page.getByRole('list', { name: 'Sessions' });
  await list.waitFor();
  const id = await asking('listed.txt');
  const row = list.getByRole('listitem').filter({ hasText: 'write listed.txt' });
  // Without a reload.
  await row.getByText('needs an answer').waitFor();
  await page.getByLabel('State').selectOption('answer');
  assert.equal(await list.getByRole('listitem').count(), 1);
  await harness.ask('POST', `/api/sessions/${id}/cancel`, { reason: 'stopped by a test' });
  await page.getByText('No session matches the filters').waitFor();
  await page.getByRole('button', { name: 'Clear filters' }).click();
  await row.getByText('stopped', { exact: true }).waitFor();
  await page.getByLabel('Started by').selectOption('job');
  assert.deepEqual((await list.getByRole('listitem').allInnerTexts()).filter((text) => !text.includes('job ')), []);
  await page.getByLabel('Started by').selectOption('all');
  await page.getByLabel('Title or model').fill('LISTED');
  assert.equal(await list.getByRole('listitem').count(), 1);
  assert.deepEqual(await findings(page), []);
  await shot(page, 'sessions-filtered');
  await context.close();
});

test('the menu has the recent chats, and a new one at once', async () => {
  const { page, context } = await harness.page();
  await page.getByRole('textbox', { name: /Message the agent/ }).fill('a chat for the menu');
  await page.keyboard.press('Enter');
  const link = menu(page).getByRole('link', { name: 'a chat for the menu' });
  await link.waitFor();
  await page.getByText('Answered.').waitFor();
  await page.goto(`${harness.url}/#/usage`);
  await page.getByRole('heading', { name: 'Usage', level: 1 }).waitFor();
  await link.click();
  await page.getByRole('log').getByText('You said a chat for the menu').waitFor();
  // Work comes first, administration last.
  const links = await menu(page).getByRole('link').allInnerTexts();
  assert.deepEqual(links.slice(0, 5).map((text) => text.trim().split('\n')[0]), ['New chat', 'Inbox', 'Sessions', 'Jobs', 'Files']);
  assert.equal(links.at(-1).trim(), 'Settings');
  await context.close();
});

test('a model is chosen from a list, or named', async () => {
  const { page, context } = await harness.page();
  const models = await harness.ask('GET', '/api/models');
  await page.getByLabel('Model', { exact: true }).waitFor();
  const options = await page.getByLabel('Model', { exact: true }).locator('option').allInnerTexts();
  assert.deepEqual(options, ['Agent default', ...models.map(({ name }) => name), 'Other…']);
  await page.getByLabel('Model', { exact: true }).selectOption('Other…');
  await page.getByLabel('Model name').fill('mine/named');
  await page.getByRole('textbox', { name: /Message the agent/ }).fill('with another model');
  await page.keyboard.press('Enter');
  await page.getByText('Answered.').waitFor();
  assert.equal(harness.model.asked.at(-1).model, 'named');
  await context.close();
});

test('shortcuts lead to pages, and can be switched off', async () => {
  const { page, context } = await harness.page({ path: '/usage' });
  await page.getByRole('heading', { name: 'Usage', level: 1 }).waitFor();
  await page.keyboard.press('s');
  await page.getByRole('heading', { name: 'Sessions', level: 1 }).waitFor();
  await page.keyboard.press('i');
  await page.getByRole('heading', { name: 'Inbox', level: 1 }).waitFor();
  await page.keyboard.press('n');
  await page.getByRole('heading', { name: 'New chat' }).waitFor();
  await page.waitForFunction(() => document.activeElement?.id === 'message');
  await page.keyboard.press('s');
  assert.equal(await page.locator('#message').inputValue(), 's', 'letters in the input box are text');
  await page.goto(`${harness.url}/#/settings`);
  await page.getByLabel('Keyboard shortcuts').uncheck();
  await page.getByRole('main').focus();
  await page.keyboard.press('i');
  await page.waitForTimeout(200);
  assert.ok(page.url().endsWith('/settings'), page.url());
  await context.close();
});

test('the palette finds pages and chats by keyboard', async () => {
  const id = await ended(harness, 'a needle in the palette');
  const { page, context, faults } = await harness.page();
  await page.getByRole('textbox', { name: /Message the agent/ }).waitFor();
  await page.keyboard.press('Control+k');
  const field = page.getByRole('combobox', { name: 'Page or chat' });
  await field.waitFor();
  await page.waitForFunction(() => document.activeElement?.getAttribute('role') === 'combobox');
  assert.deepEqual(await findings(page), []);
  await shot(page, 'palette');
  await page.keyboard.press('Escape');
  await field.waitFor({ state: 'detached' });
  await page.keyboard.press('Control+k');
  await field.fill('needle');
  await page.getByRole('option', { name: /a needle in the palette/ }).waitFor();
  await page.keyboard.press('Enter');
  await page.waitForURL(new RegExp(`#/chat/${id}$`));
  assert.deepEqual(faults, []);
  await context.close();
});

test('after an outage every page continues by itself', { timeout: 4 * PATIENCE }, async () => {
  const id = await ended(harness, 'before the outage');
  const list = await harness.page({ path: '/usage' });
  const chat = await harness.page({ path: `/chat/${id}` });
  await chat.page.getByText('Answered.').waitFor();
  await harness.stop();
  for (const { page } of [list, chat]) await page.getByText('The server does not respond.').waitFor();
  // A page that is opened during the outage loads when it is over.
  await list.page.getByLabel('Group by').selectOption('model');
  await list.page.getByRole('alert').waitFor();
  await shot(list.page, 'outage');
  await harness.start();
  await list.page.getByRole('img', { name: /by model/ }).waitFor();
  for (const { page } of [list, chat]) await page.getByText('The server does not respond.').waitFor({ state: 'detached' });
  await chat.page.locator('.bar').getByText('live').waitFor();
  await chat.page.getByRole('textbox', { name: /Message the agent/ }).fill('after the outage');
  await chat.page.keyboard.press('Enter');
  await chat.page.getByRole('log').getByText('You said after the outage').waitFor();
  await list.context.close();
  await chat.context.close();
});

test('an empty list has a button for the first item', async () => {
  const { token } = await harness.ask('POST', '/api/tokens', { user: 'newcomer', role: 'operator', sessions: null });
  const { page, context } = await harness.page({ token, path: '/sessions' });
  await page.getByText('No sessions yet.').waitFor();
  await page.getByRole('link', { name: 'Start a chat' }).click();
  await page.getByRole('heading', { name: 'New chat' }).waitFor();
  await page.goto(`${harness.url}/#/jobs`);
  await page.getByText('No jobs yet.').waitFor();
  await page.getByRole('button', { name: 'Create a job' }).click();
  await page.getByRole('button', { name: 'Cancel' }).waitFor();
  await context.close();
});
