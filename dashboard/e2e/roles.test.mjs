// Viewers see everything and can change nothing: the page has no buttons for it, and the server refuses.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import { ended, findings, shot, startHarness } from './harness.mjs';

let harness;
let token;
before(async () => {
  harness = await startHarness();
  const { user } = await harness.ask('GET', '/api/me');
  ({ token } = await harness.ask('POST', '/api/tokens', { user, role: 'viewer', sessions: null }));
});
after(() => harness?.close());

/** The status of the server's response to a viewer. */
async function refused(method, path, body) {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  return (await fetch(`${harness.url}${path}`, { method, headers, body: JSON.stringify(body) })).status;
}

test('a viewer reads a chat and cannot send, retry or fork', async () => {
  const id = await ended(harness, 'hello');
  const { page, context, faults } = await harness.page({ token, path: `/chat/${id}` });
  const log = page.getByRole('log');
  await log.getByText('You said hello').waitFor();
  assert.equal(await page.getByRole('textbox').count(), 0);
  for (const name of ['Retry', 'Edit in a fork', 'Fork from here', 'Stop', 'Send']) {
    assert.equal(await page.getByRole('button', { name }).count(), 0, name);
  }
  assert.deepEqual(await findings(page), []);
  await shot(page, 'viewer-chat');
  assert.deepEqual(faults, []);
  assert.equal(await refused('POST', `/api/sessions/${id}/prompt`, { text: 'x' }), 403);
  assert.equal(await refused('POST', `/api/sessions/${id}/fork`, { at: 1 }), 403);
  await context.close();
});

test('a viewer sees a question, and another user answers', async () => {
  const owner = await harness.page();
  await owner.page.getByRole('textbox', { name: /Message the agent/ }).fill('write seen.txt');
  await owner.page.keyboard.press('Enter');
  await owner.page.getByRole('button', { name: 'Allow once' }).waitFor();
  const id = new URL(owner.page.url()).hash.split('/').at(-1);
  const viewer = await harness.page({ token, path: `/chat/${id}` });
  const question = viewer.page.getByRole('region', { name: /Write the new file seen\.txt/ });
  await question.getByText('Your token is read-only; it cannot answer.').waitFor();
  assert.equal(await question.getByRole('button').count(), 0);
  // A single key does not answer either: the server would refuse, and the question stays open.
  await viewer.page.getByRole('log').focus();
  await viewer.page.keyboard.press('a');
  const [posed] = await harness.ask('GET', `/api/sessions/${id}/questions`);
  assert.equal(await refused('POST', `/api/sessions/${id}/questions`, { question: posed.id, answer: 'once' }), 403);
  await owner.page.getByRole('button', { name: 'Allow once' }).click();
  await viewer.page.getByRole('log').getByText('Answered.').waitFor();
  await question.waitFor({ state: 'detached' });
  await owner.context.close();
  await viewer.context.close();
});

test('a viewer moves through a run and cannot fork', async () => {
  const id = await ended(harness, 'hello');
  const { page, context, faults } = await harness.page({ token, path: `/run/${id}` });
  const then = page.getByRole('region', { name: 'The run at this point' });
  await then.getByText('You said hello').waitFor();
  await page.getByRole('button', { name: 'Previous' }).click();
  await page.getByRole('button', { name: 'Latest' }).click();
  await then.getByText('Answered.').waitFor();
  assert.equal(await page.getByRole('button', { name: 'Fork from here' }).count(), 0);
  assert.deepEqual(faults, []);
  await context.close();
});

test('a viewer cannot change settings', async () => {
  const { page, context } = await harness.page({ token, path: '/settings' });
  await page.getByText('Only administrators can see').waitFor();
  for (const [method, path, body] of [
    ['POST', '/api/tokens', { user: 'eve', role: 'admin', sessions: null }],
    ['POST', '/api/keys', { provider: 'openai', key: 'x' }],
    ['POST', '/api/jobs', { id: 'x', spec: { when: 'asked', prompt: 'x' } }],
    ['POST', '/api/backups', { name: 'x' }],
    ['PUT', '/api/trust', { level: 'jail' }],
    ['POST', '/api/reload-tools', {}],
  ]) {
    assert.equal(await refused(method, path, body), 403, path);
  }
  await page.goto(`${harness.url}/#/`);
  await page.getByText('it cannot start sessions').waitFor();
  await context.close();
});
