// What people do, from log-in to fork, against the real server.

import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';

import { LONG } from './provider.mjs';
import { ended, findings, shot, stage } from './stage.mjs';

let staged;
before(async () => {
  staged = await stage({
    before: async (folder) => {
      const agents = join(folder, 'data/agents');
      await mkdir(agents, { recursive: true });
      await writeFile(join(agents, 'scribe.md'), '---\nname: scribe\ndescription: Writes.\n---\nYou write.\n');
      await writeFile(join(agents, 'boss.md'), '---\nname: boss\ndescription: Delegates.\ntools: [read, scribe]\n---\nYou delegate.\n');
    },
  });
});
after(() => staged?.close());

const words = (page) => page.getByRole('textbox', { name: /What is to be done|Steer/ });
const log = (page) => page.getByRole('log');

async function say(page, text) {
  await words(page).fill(text);
  await words(page).press('Enter');
}

test('a wrong token is told so, and a right one opens the house', async () => {
  const { page, context, faults } = await staged.page({ token: null });
  await page.getByLabel('Token').fill('holm_wrong');
  await page.getByRole('button', { name: 'Log in' }).click();
  await page.getByRole('alert').waitFor();
  assert.equal(await page.getByLabel('Token').inputValue(), '');
  assert.deepEqual(await findings(page), []);
  await page.getByLabel('Token').fill(staged.token);
  await page.getByRole('button', { name: 'Log in' }).click();
  await page.getByRole('heading', { name: 'New chat' }).waitFor();
  assert.ok(!page.url().includes(staged.token));
  assert.deepEqual(faults.filter((fault) => !fault.includes('401')), []);
  await shot(page, 'new-chat');
  await context.close();
});

test('a chat streams, and a reload in mid-run misses nothing and shows nothing twice', async () => {
  const { page, context, faults } = await staged.page();
  await say(page, 'hold');
  await page.waitForURL(/#\/chat\//);
  await log(page).getByText('It was a bright cold day').waitFor();
  await page.getByText('working').waitFor();
  await page.reload();
  await log(page).getByText('It was a bright cold day').waitFor();
  staged.model.release();
  await log(page).getByText('The end.').waitFor();
  await log(page).getByText('Answered.').waitFor();
  const said = await log(page).locator('.said.assistant').allInnerTexts();
  assert.deepEqual(said.map((text) => text.trim()), [LONG]);
  assert.deepEqual(faults, []);
  await context.close();
});

test('what is steered while a reply arrives is heard before the next model call', async () => {
  const { page, context } = await staged.page();
  await say(page, 'hold');
  await page.getByRole('button', { name: 'Stop' }).waitFor();
  await log(page).getByText('It was a bright cold day').waitFor();
  await say(page, 'and now this');
  await log(page).getByText('it enters before the next model call').waitFor();
  staged.model.release();
  await log(page).getByText('You said and now this').waitFor();
  await context.close();
});

test('a run that is stopped says so, and what had arrived of its reply is gone', async () => {
  const { page, context } = await staged.page();
  await say(page, 'hold');
  await log(page).getByText('It was a bright cold day').waitFor();
  await page.getByRole('button', { name: 'Stop' }).click();
  await log(page).getByText('Stopped:').waitFor();
  assert.equal(await log(page).locator('.said.assistant').count(), 0);
  staged.model.release();
  await context.close();
});

test('an approval shows exactly what would run, and both answers count', async () => {
  const { page, context } = await staged.page();
  await say(page, 'write notes.txt');
  const question = page.getByRole('region', { name: /May write run/ });
  await question.waitFor();
  assert.match(await question.locator('[data-test=exact]').innerText(), /"path": "notes\.txt"/);
  assert.match(await question.innerText(), /write:notes\.txt \(not granted\)/);
  assert.deepEqual(await findings(page), []);
  await shot(page, 'approval');
  await question.getByLabel(/Why not/).fill('not today');
  await question.getByRole('button', { name: 'Refuse', exact: true }).click();
  await log(page).getByText('refused', { exact: true }).waitFor();
  await page.getByText('Answered.').waitFor();
  await say(page, 'write other.txt');
  await page.getByRole('button', { name: 'Allow once' }).click();
  await log(page).getByText('succeeded').waitFor();
  await context.close();
});

test('a question that is answered on one page is gone from the other', async () => {
  const one = await staged.page();
  await say(one.page, 'write third.txt');
  await one.page.getByRole('button', { name: 'Allow once' }).waitFor();
  const id = new URL(one.page.url()).hash.split('/').at(-1);
  const other = await staged.page({ path: `/chat/${id}` });
  await other.page.getByRole('button', { name: 'Allow once' }).click();
  await one.page.getByRole('button', { name: 'Allow once' }).waitFor({ state: 'detached' });
  await one.page.getByText('Answered.').waitFor();
  await one.context.close();
  await other.context.close();
});

test('a prompt is changed in a fork, and the first session stays as it was', async () => {
  const id = await ended(staged, 'hello');
  const { page, context } = await staged.page({ path: `/chat/${id}` });
  await page.getByRole('button', { name: 'Change in a fork' }).click();
  await page.waitForFunction((old) => !location.hash.includes(old), id);
  assert.equal(await words(page).inputValue(), 'hello');
  await say(page, 'goodbye');
  await log(page).getByText('You said goodbye').waitFor();
  assert.equal(await log(page).getByText('You said hello').count(), 0);
  const replay = await staged.ask('GET', `/api/sessions/${id}/replay`);
  assert.ok(!JSON.stringify(replay).includes('goodbye'));
  await context.close();
});

test('the run view goes back in time by its slider and by the keyboard', async () => {
  const id = await ended(staged, 'hello');
  const { page, context } = await staged.page({ path: `/run/${id}` });
  const then = page.getByRole('region', { name: 'The run at this point' });
  await then.getByText('You said hello').waitFor();
  const slider = page.getByRole('slider');
  await slider.focus();
  await page.keyboard.press('Home');
  await page.getByText('before the beginning').first().waitFor();
  assert.equal(await then.getByText('hello').count(), 0);
  await page.keyboard.press('End');
  await then.getByText('You said hello').waitFor();
  assert.deepEqual(await findings(page), []);
  await shot(page, 'run');
  await context.close();
});

test("a sub-agent's own run is read within the call that started it", async () => {
  const { page, context } = await staged.page();
  await page.getByLabel('Agent', { exact: true }).selectOption('boss');
  await say(page, 'delegate a tale');
  await log(page).getByText('Answered.').waitFor();
  const card = log(page).locator('details.card').first();
  await card.locator('summary').first().click();
  await card.getByText('What the sub-agent did').click();
  await card.locator('.child').getByText('You said a tale').waitFor();
  assert.deepEqual(await findings(page), []);
  await shot(page, 'sub-agent');
  await context.close();
});

test('a reply that is arriving can be read on a phone, and nothing is wider than the page', async () => {
  const { page, context } = await staged.page({ viewport: { width: 375, height: 700 } });
  await say(page, 'hold');
  await log(page).getByText('It was a bright cold day').waitFor();
  const over = await page.evaluate(() => Math.max(...[document.documentElement, ...document.querySelectorAll('main, .middle, .chat')].map((box) => box.scrollWidth - box.clientWidth)));
  assert.ok(over <= 0, `${over} pixels too wide`);
  staged.model.release();
  await log(page).getByText('Answered.').waitFor();
  assert.deepEqual(await findings(page), []);
  await shot(page, 'chat-phone');
  await context.close();
});
