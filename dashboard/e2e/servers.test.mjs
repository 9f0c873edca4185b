// MCP servers: results shown as tables and charts, and forms for the user.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';

import { findings, shot, startHarness } from './harness.mjs';

let harness;
before(async () => {
  harness = await startHarness();
  const script = fileURLToPath(new URL('mcp-server.py', import.meta.url));
  const entry = { command: '/usr/bin/python3', args: [script], grants: [`read:${script}`] };
  await harness.ask('POST', '/api/mcp-servers', { name: 'harbour', entry });
  // The server's tools are known after a test.
  const tested = await harness.ask('POST', '/api/mcp-servers/harbour/test');
  assert.deepEqual(tested.tools.map((tool) => tool.name).sort(), ['harbour_ask', 'harbour_draw', 'harbour_picture']);
});
after(() => harness?.close());

/** Starts a chat, allows its call, and waits for `next`. */
async function called(page, prompt, next) {
  await page.getByRole('textbox', { name: /Message the agent/ }).fill(prompt);
  await page.keyboard.press('Enter');
  const allow = page.getByRole('button', { name: 'Allow once' });
  await allow.or(next).first().waitFor();
  if (await allow.isVisible()) await allow.click();
  await next.waitFor();
}

/** Opens a card, unless it opened itself for an approval. */
async function opened(card) {
  if ((await card.getAttribute('open')) === null) await card.locator('summary').first().click();
}

test("a tool's table and chart are shown, and nothing in them is HTML", async () => {
  const { page, context, faults, outside } = await harness.page();
  const log = page.getByRole('log');
  await called(page, 'call harbour_draw {}', log.getByText('Answered.'));
  const card = log.locator('details.card').first();
  await opened(card);
  const table = card.getByRole('table', { name: 'Tides' });
  await table.waitFor();
  assert.deepEqual(await table.getByRole('columnheader').allInnerTexts(), ['port', 'metres']);
  assert.deepEqual(await table.getByRole('cell').allInnerTexts(), ['Brest', '6.1', '<b>Cuxhaven</b>', '3']);
  const chart = card.getByRole('img', { name: 'Metres by port' });
  await chart.waitFor();
  const widths = await chart.locator('.bar').evaluateAll((bars) => bars.map((bar) => bar.getBoundingClientRect().width));
  assert.equal(widths.length, 2);
  assert.ok(widths[0] > widths[1] && widths[1] > 0, `${widths}`);
  await card.getByText('in 2 files').waitFor();
  assert.equal(await card.locator('b').count(), 0);
  assert.deepEqual(await findings(page), []);
  await shot(page, 'drawn');
  assert.deepEqual(faults, []);
  assert.deepEqual(outside(), []);
  await context.close();
});

test("a tool's image is shown in its card, from embedded bytes", async () => {
  const { page, context, faults, outside } = await harness.page();
  const log = page.getByRole('log');
  await called(page, 'call harbour_picture {}', log.getByText('Answered.'));
  const card = log.locator('details.card').first();
  await opened(card);
  const picture = card.getByRole('img', { name: 'image/png' });
  await picture.waitFor();
  assert.match(await picture.getAttribute('src'), /^data:image\/png;base64,/);
  await page.waitForFunction(() => document.querySelector('details.card img')?.naturalWidth === 1);
  assert.deepEqual(faults, []);
  assert.deepEqual(outside(), []);
  await context.close();
});

test("a server's form is filled in, and the values arrive with their types", async () => {
  const { page, context } = await harness.page();
  const form = page.getByRole('region', { name: /Question from the MCP server “harbour”/ });
  await called(page, 'call harbour_ask {}', form);
  await form.getByText('Who sails?').waitFor();
  await form.getByText('from the server, not from Holm').waitFor();
  await form.getByLabel('Your name').fill('Ada');
  await form.getByLabel('Age').fill('36');
  await form.getByLabel('Boat').selectOption('sloop');
  await form.getByLabel('You can swim').check();
  assert.deepEqual(await findings(page), []);
  await shot(page, 'form');
  await form.getByRole('button', { name: 'Send' }).click();
  await page.getByRole('log').getByText('Answered.').waitFor();
  const told = JSON.stringify(harness.model.asked.at(-1).messages.at(-1));
  for (const word of ['accept', 'Ada', 'sloop']) assert.ok(told.includes(word), `${word} in ${told}`);
  assert.match(told.replaceAll('\\', ''), /"age": ?36\b/);
  assert.match(told.replaceAll('\\', ''), /"swims": ?true/);
  await context.close();
});

test('a form can be declined', async () => {
  const { page, context } = await harness.page();
  const form = page.getByRole('region', { name: /Question from the MCP server “harbour”/ });
  await called(page, 'call harbour_ask {}', form);
  await form.getByRole('button', { name: 'Decline' }).click();
  await page.getByRole('log').getByText('Answered.').waitFor();
  assert.match(JSON.stringify(harness.model.asked.at(-1).messages.at(-1)), /decline/);
  await context.close();
});
