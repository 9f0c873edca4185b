// Agents, tools, skills, MCP servers and the configuration.

import assert from 'node:assert/strict';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';

import { ended, findings, shot, startHarness } from './harness.mjs';

let harness;
before(async () => {
  harness = await startHarness({
    before: async (folder) => {
      await mkdir(join(folder, '.agents/skills/greet'), { recursive: true });
      await writeFile(join(folder, '.agents/skills/greet/SKILL.md'), '---\nname: greet\ndescription: Greets people.\nargs: [who]\n---\nSay **hello** to $who.\n');
    },
  });
  await writeFile(join(harness.work, 'notes.txt'), 'line one\n');
});
after(() => harness?.close());

test('an agent is edited and checked as the user types, saved and deleted', async () => {
  const { page, context, faults } = await harness.page({ path: '/agents' });
  await page.getByRole('link', { name: 'New agent' }).click();
  await page.getByLabel('Name', { exact: true }).fill('reviewer');
  // Key by key, as users type: the server's replies in the meantime change nothing in the form.
  await page.getByLabel('Description').pressSequentially('Reviews: "all" of it');
  await page.getByLabel('System prompt').fill('');
  const heard = page.waitForResponse((response) => response.url().endsWith('/api/check-agent') && response.request().postData().includes('You review'));
  await page.getByLabel('System prompt').pressSequentially('You review ');
  await heard;
  await page.getByLabel('System prompt').pressSequentially('code.');
  await page.getByLabel('Mode', { exact: true }).selectOption('plan');
  await page.getByLabel('Grants').fill('fly:high');
  await page.getByLabel('Grants').blur();
  await page.locator('.note.error').waitFor();
  assert.equal(await page.getByRole('button', { name: 'Save' }).isDisabled(), true);
  await page.getByLabel('Grants').fill('read:src/**');
  await page.getByLabel('Turns per prompt').fill('3');
  await page.getByLabel('All tools').uncheck();
  for (const tool of ['read', 'write']) await page.getByLabel(tool, { exact: true }).check();
  await page.locator('.note.error').waitFor({ state: 'detached' });
  assert.equal(await page.getByLabel('Description').inputValue(), 'Reviews: "all" of it');
  assert.equal(await page.getByLabel('System prompt').inputValue(), 'You review code.');
  // A click does not discard unsaved changes.
  await page.getByRole('link', { name: 'Usage' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Keep editing' }).click();
  assert.deepEqual(await findings(page), []);
  await shot(page, 'agent');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.waitForURL(/#\/agents\/reviewer$/);
  const kept = await harness.ask('GET', '/api/agents/reviewer');
  assert.deepEqual([kept.description, kept.mode, kept.grants, kept.limits.turns], ['Reviews: "all" of it', 'plan', ['read:src/**'], 3]);
  assert.deepEqual(kept.tools, ['read', 'write']);
  assert.match(await readFile(join(harness.data, 'agents/reviewer.md'), 'utf8'), /You review code\./);
  await page.getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('button', { name: 'Delete agent' }).click();
  await page.getByRole('link', { name: 'New agent' }).waitFor();
  await assert.rejects(harness.ask('GET', '/api/agents/reviewer'), /404/);
  // The browser's console reports refused checks; nothing else may be there.
  assert.deepEqual(faults.filter((fault) => !fault.includes('400')), []);
  await context.close();
});

test("an agent that is not the user's own is read-only", async () => {
  const [usual] = await harness.ask('GET', '/api/agents');
  const { page, context } = await harness.page({ path: `/agents/${usual.name}` });
  await page.getByText('this is not your own agent').waitFor();
  assert.equal(await page.getByRole('button', { name: 'Save' }).count(), 0);
  assert.deepEqual(await findings(page), []);
  await context.close();
});

test('a tool is tried with grants and denied without, and its calls are listed', async () => {
  await ended(harness, 'read notes.txt');
  const { page, context, faults } = await harness.page({ path: '/tools' });
  await page.getByRole('link', { name: 'read', exact: true }).click();
  await page.getByRole('heading', { name: 'Try this tool' }).waitFor();
  const raw = page.getByLabel('Arguments (JSON)');
  if (await raw.isVisible()) await raw.fill('{"path": "notes.txt"}');
  else await page.getByLabel(/^path/).fill('notes.txt');
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  await page.getByText('denied', { exact: true }).waitFor();
  await page.getByLabel('Grants for this call').fill('read:notes.txt');
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  await page.locator('[data-test=tried]', { hasText: 'line one' }).waitFor();
  const calls = page.getByRole('region', { name: 'Latest calls' });
  await calls.getByText('succeeded').first().waitFor();
  assert.deepEqual(await findings(page), []);
  await shot(page, 'tool');
  assert.deepEqual(faults, []);
  await context.close();
});

test('tools are reloaded', async () => {
  const { page, context } = await harness.page({ path: '/tools' });
  await page.getByRole('button', { name: 'Reload tools' }).click();
  await page.getByRole('status').getByText(/Loaded \d+ tools/).waitFor();
  await context.close();
});

test('a skill shows its text', async () => {
  const { page, context } = await harness.page({ path: '/skills' });
  await page.getByRole('link', { name: 'greet' }).click();
  await page.locator('.md strong', { hasText: 'hello' }).waitFor();
  await page.getByText('your own').waitFor();
  assert.deepEqual(await findings(page), []);
  await context.close();
});

test('an MCP server is added, tested and removed', async () => {
  const script = fileURLToPath(new URL('../../crates/holm-mcp/tests/servers/server.py', import.meta.url));
  const entry = {
    command: '/usr/bin/python3',
    args: [script, 'ok', join(harness.work, 'state')],
    grants: [`read:${script}`, `read:${harness.work}/`, `write:${harness.work}/`],
  };
  const { page, context } = await harness.page({ path: '/servers' });
  await page.getByText('No MCP servers configured.').waitFor();
  await page.getByLabel('Name', { exact: true }).fill('sea');
  await page.getByLabel('Configuration (JSON)').fill(JSON.stringify(entry));
  await page.getByRole('button', { name: 'Add server' }).click();
  await page.getByRole('button', { name: 'Test sea' }).click();
  await page.getByText(/Connected: MCP/).waitFor();
  await page.locator('.note.good', { hasText: 'sea_echo' }).waitFor();
  assert.equal(await page.getByLabel('Configuration (JSON)').inputValue(), '');
  assert.deepEqual(await findings(page), []);
  await shot(page, 'servers');
  await page.getByRole('button', { name: 'Remove sea' }).click();
  await page.getByRole('button', { name: 'Remove server' }).click();
  await page.getByText('No MCP servers configured.').waitFor();
  await context.close();
});

test('the configuration is shown, and a backup is created', async () => {
  const { page, context } = await harness.page({ path: '/settings/configuration' });
  await page.getByText('requests per minute').waitFor();
  await page.getByRole('navigation', { name: 'Settings' }).getByRole('link', { name: 'Backups' }).click();
  await page.getByLabel('Backup name').fill('first');
  await page.getByRole('button', { name: 'Create backup' }).click();
  await page.getByRole('listitem').getByText('first').waitFor();
  assert.deepEqual((await harness.ask('GET', '/api/backups')).map((one) => one.name), ['first']);
  await context.close();
});
