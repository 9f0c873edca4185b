// The level of the folder: shown where a chat begins, changed in the settings, and applied to new chats.

import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';

import { ended, findings, shot, startHarness } from './harness.mjs';

let harness;
before(async () => {
  harness = await startHarness();
});
after(() => harness?.close());

test('the level is changed in the settings, and new chats have it', async () => {
  const { page, context, faults } = await harness.page();
  await page.getByText('Permissions in this folder: no level chosen.').waitFor();
  await page.getByRole('link', { name: 'Change permissions' }).click();
  await page.getByRole('heading', { name: 'Permissions in this folder' }).waitFor();
  await page.getByText('You have not chosen a level yet.').waitFor();
  assert.equal(await page.getByRole('radio').count(), 4);
  assert.equal(await page.getByRole('radio', { checked: true }).count(), 0);
  await page.getByRole('radio', { name: /^edit/ }).check();
  await page.getByText('Saved.').waitFor();
  assert.equal((await harness.ask('GET', '/api/trust')).level, 'edit');
  assert.deepEqual(await findings(page), []);
  await shot(page, 'permissions');
  await page.goto(`${harness.url}/#/`);
  await page.getByText('Permissions in this folder: edit.').waitFor();
  await ended(harness, 'write unasked.txt');
  assert.ok(existsSync(join(harness.work, 'unasked.txt')));
  assert.deepEqual(faults, []);
  await context.close();
});

test('a level that cannot be saved is not shown as chosen', async () => {
  await harness.ask('PUT', '/api/trust', { level: 'look' });
  const { page, context } = await harness.page({ path: '/settings/permissions' });
  const look = page.getByRole('radio', { name: /^look/ });
  await look.waitFor();
  assert.ok(await look.isChecked());
  await page.route('**/api/trust', (route) =>
    route.request().method() === 'PUT'
      ? route.fulfill({ status: 500, contentType: 'application/json', body: JSON.stringify({ error: { code: 'failed', message: 'the disk is full' } }) })
      : route.continue(),
  );
  await page.getByRole('radio', { name: /^jail/ }).click();
  await page.getByRole('alert').getByText('The disk is full').waitFor();
  await page.getByRole('radio', { name: /^look/, checked: true }).waitFor();
  assert.equal((await harness.ask('GET', '/api/trust')).level, 'look');
  await context.close();
});

test('an operator sees the level and cannot change it, and another user has none', async () => {
  await harness.ask('PUT', '/api/trust', { level: 'look' });
  const { token } = await harness.ask('POST', '/api/tokens', { user: 'owner', role: 'operator', sessions: null });
  const operator = await harness.page({ token });
  await operator.page.getByText('Permissions in this folder: look.').waitFor();
  assert.equal(await operator.page.getByRole('link', { name: 'Change permissions' }).count(), 0);
  await operator.context.close();
  const ada = await harness.ask('POST', '/api/tokens', { user: 'ada', role: 'admin', sessions: null });
  const other = await harness.page({ token: ada.token, path: '/settings' });
  await other.page.getByRole('link', { name: 'Backups' }).waitFor();
  assert.equal(await other.page.getByRole('link', { name: 'Permissions' }).count(), 0);
  assert.deepEqual(other.faults, []);
  await other.context.close();
});
