// User journeys from log-in to fork, against the real server.

import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';

import { LONG } from './provider.mjs';
import { PATIENCE, ended, findings, shot, startHarness } from './harness.mjs';

let harness;
before(async () => {
  harness = await startHarness({
    before: async (folder) => {
      const agents = join(folder, 'data/agents');
      await mkdir(agents, { recursive: true });
      await writeFile(join(agents, 'scribe.md'), '---\nname: scribe\ndescription: Writes.\ntools: [write]\n---\nYou write.\n');
      await writeFile(join(agents, 'boss.md'), '---\nname: boss\ndescription: Delegates.\ntools: [read, write, scribe]\n---\nYou delegate.\n');
    },
  });
});
after(() => harness?.close());

const input = (page) => page.getByRole('textbox', { name: /Message the agent|Add instructions/ });
const log = (page) => page.getByRole('log');

async function say(page, text) {
  await input(page).fill(text);
  await input(page).press('Enter');
}

test('a wrong token is rejected, and a right one logs in', async () => {
  const { page, context, faults } = await harness.page({ token: null });
  await page.getByLabel('Token').fill('holm_wrong');
  await page.getByRole('button', { name: 'Log in' }).click();
  await page.getByRole('alert').waitFor();
  assert.equal(await page.getByLabel('Token').inputValue(), '');
  assert.deepEqual(await findings(page), []);
  await page.getByLabel('Token').fill(harness.token);
  await page.getByRole('button', { name: 'Log in' }).click();
  await page.getByRole('heading', { name: 'New chat' }).waitFor();
  assert.ok(!page.url().includes(harness.token));
  assert.deepEqual(faults.filter((fault) => !fault.includes('401')), []);
  await shot(page, 'new-chat');
  await context.close();
});

test('a chat streams, and a reload during a run loses and duplicates nothing', async () => {
  const { page, context, faults } = await harness.page();
  await say(page, 'hold');
  await page.waitForURL(/#\/chat\//);
  // After the first message the focus is in the input box.
  await page.waitForFunction(() => document.activeElement?.id === 'message');
  await log(page).getByText('It was a bright cold day').waitFor();
  await page.getByText('working, turn').waitFor();
  await page.reload();
  await log(page).getByText('It was a bright cold day').waitFor();
  harness.model.release();
  await log(page).getByText('The end.').waitFor();
  await log(page).getByText('Answered.').waitFor();
  const said = await log(page).locator('.message.assistant .md').allInnerTexts();
  assert.deepEqual(said.map((text) => text.trim()), [LONG]);
  assert.deepEqual(faults, []);
  await context.close();
});

test('steering during a reply reaches the next model call', async () => {
  const { page, context } = await harness.page();
  await say(page, 'hold');
  await page.getByRole('button', { name: 'Stop' }).waitFor();
  await log(page).getByText('It was a bright cold day').waitFor();
  await say(page, 'and now this');
  await log(page).getByText('will be applied before the next step').waitFor();
  harness.model.release();
  await log(page).getByText('You said and now this').waitFor();
  await context.close();
});

test('a stopped run says who stopped it, and keeps the part of the reply that had arrived', async () => {
  const { page, context } = await harness.page();
  await say(page, 'hold');
  await log(page).getByText('It was a bright cold day').waitFor();
  await page.getByRole('button', { name: 'Stop' }).click();
  await log(page).getByText('Stopped by owner.').waitFor();
  const stopped = log(page).getByRole('article', { name: 'Agent, stopped reply' });
  await stopped.getByText('It was a bright cold day').waitFor();
  await stopped.getByText('This reply was stopped before it was complete.').waitFor();
  await page.locator('.bar').getByText('stopped', { exact: true }).waitFor();
  assert.deepEqual(await findings(page), []);
  // The journal does not have the text, and the tab keeps it.
  await page.reload();
  await stopped.getByText('It was a bright cold day').waitFor();
  harness.model.release();
  await context.close();
});

test('an approval shows exactly what would run, and both answers count', async () => {
  const { page, context } = await harness.page();
  await say(page, 'write notes.txt');
  const question = page.getByRole('region', { name: 'Write the new file notes.txt?' });
  await question.waitFor();
  // The change comes first, as a diff; the rest is folded.
  assert.match(await question.locator('[data-test=exact] figcaption').innerText(), /^notes\.txt \+2 −0$/);
  assert.deepEqual(await question.locator('[data-test=exact] .added').allInnerTexts(), ['+one', '+two']);
  assert.equal(await question.locator('[data-test=arguments]').isVisible(), false);
  await question.getByText('Details').click();
  assert.match(await question.locator('[data-test=arguments]').innerText(), /"path": "notes\.txt"/);
  assert.match(await question.innerText(), /write:notes\.txt \(not granted\)/);
  assert.match(await question.locator('[data-test=always]').innerText(), /^this exact call.*for every later call write:notes\.txt/);
  assert.deepEqual(await findings(page), []);
  await shot(page, 'approval');
  assert.match(await question.locator('[data-test=reason]').innerText(), /^Asked because you have not allowed it to write notes\.txt\.$/);
  await question.getByRole('button', { name: 'Deny with a reason' }).click();
  await question.getByLabel('Reason (shared with the agent)').fill('not today');
  await question.getByRole('button', { name: 'Deny', exact: true }).click();
  await log(page).getByText('denied', { exact: true }).waitFor();
  await log(page).getByText('not today', { exact: true }).waitFor();
  await page.getByText('Answered.').waitFor();
  await say(page, 'write other.txt');
  await page.getByRole('button', { name: 'Allow once' }).click();
  await log(page).getByText('succeeded').waitFor();
  // The diff is visible without a click.
  assert.deepEqual(await log(page).locator('.diff').last().locator('.added').allInnerTexts(), ['+one', '+two']);
  await context.close();
});

test('the calls of one reply are one card, answered together or one by one', async () => {
  const { page, context, faults } = await harness.page();
  await say(page, 'write both src/a.txt src/b.txt');
  const group = page.getByRole('region', { name: 'The agent wants to make 2 calls' });
  await group.waitFor();
  assert.deepEqual(await group.getByRole('heading', { level: 3 }).allInnerTexts(), ['Write the new file src/a.txt?', 'Write the new file src/b.txt?']);
  await group.getByRole('button', { name: 'Allow writes under src/' }).waitFor();
  assert.deepEqual(await findings(page), []);
  await shot(page, 'approval-group');
  await group.getByRole('button', { name: 'Allow all 2 once' }).click();
  await page.getByText('Answered.').waitFor();
  assert.equal(await log(page).getByText('succeeded').count(), 2);
  await say(page, 'write both c.txt d.txt');
  await group.getByRole('button', { name: 'Answer one by one' }).click();
  await page.getByRole('region', { name: 'Write the new file c.txt?' }).getByRole('button', { name: 'Allow once' }).click();
  await page.getByRole('region', { name: 'Write the new file d.txt?' }).getByRole('button', { name: 'Deny', exact: true }).click();
  await log(page).getByText('denied', { exact: true }).waitFor();
  assert.deepEqual(faults, []);
  await context.close();
});

test('a question answered on one page disappears from the other', async () => {
  const one = await harness.page();
  await say(one.page, 'write third.txt');
  await one.page.getByRole('button', { name: 'Allow once' }).waitFor();
  const id = new URL(one.page.url()).hash.split('/').at(-1);
  const other = await harness.page({ path: `/chat/${id}` });
  await other.page.getByRole('button', { name: 'Allow once' }).click();
  await one.page.getByRole('button', { name: 'Allow once' }).waitFor({ state: 'detached' });
  await one.page.getByText('Answered.').waitFor();
  await one.context.close();
  await other.context.close();
});

test('a prompt is edited in a fork, and the first session stays unchanged', async () => {
  const id = await ended(harness, 'hello');
  const { page, context } = await harness.page({ path: `/chat/${id}` });
  const sessions = async () => (await harness.ask('GET', '/api/sessions')).sessions.length;
  const before = await sessions();
  const edited = page.getByRole('textbox', { name: /^Edit the prompt/ });
  await input(page).fill('a draft');
  // A second click changes nothing.
  for (let click = 0; click < 2; click += 1) await page.getByRole('button', { name: 'Edit in a fork' }).click();
  assert.equal(await edited.inputValue(), 'hello');
  assert.deepEqual(await findings(page), []);
  // A change of mind leaves the draft as it was, and makes no session.
  await page.getByRole('button', { name: 'Cancel' }).click();
  assert.equal(await input(page).inputValue(), 'a draft');
  assert.equal(await sessions(), before);
  await page.getByRole('button', { name: 'Edit in a fork' }).click();
  await edited.fill('goodbye');
  await edited.press('Enter');
  await page.waitForFunction((old) => !location.hash.includes(old), id);
  await log(page).getByText('You said goodbye').waitFor();
  assert.equal(await log(page).getByText('You said hello').count(), 0);
  // A sent prompt does not return to the input box.
  await page.reload();
  await log(page).getByText('You said goodbye').waitFor();
  assert.equal(await input(page).inputValue(), '');
  const replay = await harness.ask('GET', `/api/sessions/${id}/replay`);
  assert.ok(!JSON.stringify(replay).includes('goodbye'));
  await context.close();
});

test('the slider of the run view works with the keyboard', async () => {
  const id = await ended(harness, 'hello');
  const { page, context } = await harness.page({ path: `/run/${id}` });
  const then = page.getByRole('region', { name: 'The run at this point' });
  await then.getByText('You said hello').waitFor();
  const slider = page.getByRole('slider');
  await slider.focus();
  await page.keyboard.press('Home');
  await page.getByText('before the first event').first().waitFor();
  assert.equal(await then.getByText('hello').count(), 0);
  await page.keyboard.press('End');
  await then.getByText('You said hello').waitFor();
  assert.deepEqual(await findings(page), []);
  await shot(page, 'run');
  await context.close();
});

test("a helper's run is shown inside the call that started it", async () => {
  const { page, context } = await harness.page();
  await page.getByLabel('Agent', { exact: true }).selectOption('boss');
  await say(page, 'delegate a tale');
  await log(page).getByText('Answered.').waitFor();
  const card = log(page).locator('details.card').first();
  await card.locator('summary').first().click();
  await card.getByText("Helper's run").click();
  await card.locator('.child').getByText('You said a tale').waitFor();
  assert.deepEqual(await findings(page), []);
  await shot(page, 'helper');
  await context.close();
});

test('an arriving reply fits on a phone screen', async () => {
  const { page, context } = await harness.page({ viewport: { width: 375, height: 700 } });
  await say(page, 'hold');
  await log(page).getByText('It was a bright cold day').waitFor();
  const over = await page.evaluate(() => Math.max(...[document.documentElement, ...document.querySelectorAll('main, .middle, .chat')].map((box) => box.scrollWidth - box.clientWidth)));
  assert.ok(over <= 0, `${over} pixels too wide`);
  harness.model.release();
  await log(page).getByText('Answered.').waitFor();
  assert.deepEqual(await findings(page), []);
  await shot(page, 'chat-phone');
  await context.close();
});

test('a prompt is retried in a fork', async () => {
  const id = await ended(harness, 'hello');
  const { page, context } = await harness.page({ path: `/chat/${id}` });
  await page.getByRole('button', { name: 'Retry' }).click();
  await page.waitForFunction((old) => !location.hash.includes(old), id);
  await log(page).getByText('You said hello').waitFor();
  await log(page).getByText('Answered.').waitFor();
  assert.equal(await log(page).locator('.message.user').count(), 1);
  const fork = new URL(page.url()).hash.split('/').at(-1);
  const asked = (await harness.ask('GET', `/api/sessions/${fork}/replay`)).filter((told) => told.event.model_called !== undefined);
  assert.equal(asked.length, 1);
  await context.close();
});

test('a fork from the run view continues from the shown event', async () => {
  const id = await ended(harness, 'hello');
  const { page, context } = await harness.page({ path: `/run/${id}` });
  await page.getByRole('region', { name: 'The run at this point' }).getByText('You said hello').waitFor();
  await page.getByRole('button', { name: 'Fork from here' }).click();
  await page.waitForURL(/#\/chat\//);
  const fork = new URL(page.url()).hash.split('/').at(-1);
  assert.notEqual(fork, id);
  await log(page).getByText('You said hello').waitFor();
  await say(page, 'goodbye');
  await log(page).getByText('You said goodbye').waitFor();
  const replay = await harness.ask('GET', `/api/sessions/${id}/replay`);
  assert.ok(!JSON.stringify(replay).includes('goodbye'));
  await context.close();
});

test('the run view shows the grants of each call, and those given by approval', async () => {
  await writeFile(join(harness.work, 'old.txt'), 'line one\n');
  const { page, context, faults } = await harness.page();
  await say(page, 'read old.txt');
  await log(page).getByText('Answered.').waitFor();
  await say(page, 'write fresh.txt');
  await page.getByRole('button', { name: 'Allow once' }).click();
  await log(page).getByText('Answered.').nth(1).waitFor();
  const id = new URL(page.url()).hash.split('/').at(-1);
  await page.goto(`${harness.url}/#/run/${id}`);
  const then = page.getByRole('region', { name: 'The run at this point' });
  const cards = then.locator('details.card');
  await cards.nth(1).waitFor();
  for (const at of [0, 1]) if ((await cards.nth(at).getAttribute('open')) === null) await cards.nth(at).locator('summary').first().click();
  const [read, write] = [cards.nth(0).locator('[data-test=grants]'), cards.nth(1).locator('[data-test=grants]')];
  await read.getByText('read:old.txt', { exact: true }).waitFor();
  assert.match(await read.innerText(), /^Grants used:/);
  await write.getByText('write:fresh.txt (given by approval)').waitFor();
  assert.match(await write.innerText(), /Approved because you had not allowed it/);
  // The list beside the slider shows the calls of the first turn.
  await page.locator('button.turn').first().click();
  await page.getByRole('list', { name: 'Calls of this turn' }).getByText('read:old.txt', { exact: true }).waitFor();
  const uses = await harness.ask('GET', `/api/sessions/${id}/grants`);
  const steps = uses.map((use) => `${use.tool}: ${use.step}`);
  assert.ok(steps.includes('read: run'), `${steps}`);
  assert.deepEqual(steps.filter((step) => step.startsWith('write')), ['write: asked', 'write: run']);
  assert.deepEqual(await findings(page), []);
  await shot(page, 'run-grants');
  assert.deepEqual(faults, []);
  await context.close();
});

test('Markdown and code are rendered, and thinking is folded until the user opens it', async () => {
  const { page, context, faults } = await harness.page();
  await say(page, `say ${JSON.stringify('# Tides\n\n#### Ports\n\n```js\nconst sea = 1;\n```\n\n| port |\n|---|\n| Brest |\n\n- [x] seen')}`);
  await log(page).getByText('Answered.').waitFor();
  const reply = log(page).locator('.message.assistant');
  // Headings skip no level, whatever the text does.
  await reply.getByRole('heading', { name: 'Tides', level: 2 }).waitFor();
  await reply.getByRole('heading', { name: 'Ports', level: 3 }).waitFor();
  assert.equal(await reply.locator('.code .c-keyword').first().innerText(), 'const');
  await reply.getByRole('cell', { name: 'Brest' }).waitFor();
  await reply.getByRole('img', { name: 'done' }).waitFor();
  await say(page, 'think');
  await log(page).getByText('Weighed.').waitFor();
  await log(page).getByText('Answered.').nth(1).waitFor();
  const thought = log(page).getByText('First I weigh it.');
  assert.equal(await thought.isVisible(), false);
  await log(page).getByText('Thinking', { exact: true }).click();
  await thought.waitFor();
  assert.deepEqual(await findings(page), []);
  await shot(page, 'markdown');
  assert.deepEqual(faults, []);
  await context.close();
});

test('the output of a command is shown while it runs', async () => {
  const { page, context, faults } = await harness.page();
  const script = 'echo first; until [ -e go-on ]; do sleep 0.1; done; echo second';
  await say(page, `call shell ${JSON.stringify({ script })}`);
  const question = page.getByRole('region', { name: 'Run this command?' });
  assert.match(await question.locator('[data-test=exact]').innerText(), /echo first; until/);
  await question.getByRole('button', { name: 'Allow once' }).click();
  await log(page).locator('[data-test=live]').getByText('first').waitFor();
  assert.deepEqual(await findings(page), []);
  await shot(page, 'live-output');
  await writeFile(join(harness.work, 'go-on'), '');
  await log(page).getByText('Answered.').waitFor();
  const card = log(page).locator('details.card').first();
  await card.getByText('succeeded').waitFor();
  assert.equal(await card.getAttribute('open'), '');
  // A line of its own: the command contains the word in another line.
  assert.match(await card.locator('.body').innerText(), /^\s*second\s*$/m);
  assert.deepEqual(faults, []);
  await context.close();
});

test('an approval names the helper', async () => {
  const { page, context } = await harness.page();
  await page.getByLabel('Agent', { exact: true }).selectOption('boss');
  await say(page, 'delegate write below.txt');
  const question = page.getByRole('region', { name: 'Write below.txt?' });
  await question.waitFor();
  assert.match(await question.locator('[data-test=helper]').innerText(), /scribe/);
  await shot(page, 'approval-helper');
  await question.getByRole('button', { name: 'Allow once' }).click();
  await log(page).getByText('Answered.').waitFor();
  await context.close();
});

test('a queued session says so, and typed text is not lost', async () => {
  // As many sessions as one user may run at the same time.
  const { server } = await harness.ask('GET', '/api/settings');
  const most = server.runs_per_user;
  for (let at = 0; at < most; at += 1) await harness.ask('POST', '/api/sessions', { prompt: 'hold' });
  const until = Date.now() + PATIENCE;
  while (harness.model.held() < most) {
    assert.ok(Date.now() < until, `${harness.model.held()} of ${most} are at work`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  const made = await harness.ask('POST', '/api/sessions', { prompt: 'at last' });
  const { page, context } = await harness.page({ path: `/chat/${made.id}` });
  await page.getByText('queued', { exact: true }).waitFor();
  const box = page.getByRole('textbox', { name: /^Queued/ });
  await box.fill('and this');
  await page.getByRole('button', { name: 'Steer', exact: true }).click();
  await page.getByText('has not started yet').waitFor();
  assert.equal(await box.inputValue(), 'and this');
  assert.deepEqual(await findings(page), []);
  await shot(page, 'waiting');
  harness.model.release();
  await log(page).getByText('You said at last').waitFor();
  await log(page).getByText('Answered.').waitFor();
  assert.equal(await input(page).inputValue(), 'and this');
  await context.close();
});
