// The chat as its reader sees it: it follows its end, approvals answer to one key or one tap, text can be copied.

import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';

import { FLOW } from './provider.mjs';
import { ended, findings, shot, startHarness } from './harness.mjs';

const PHONE = { width: 390, height: 844 };
let harness;
before(async () => {
  harness = await startHarness();
});
after(() => harness?.close());

const input = (page) => page.getByRole('textbox', { name: /Message the agent|Add instructions/ });
const log = (page) => page.getByRole('log');
const idOf = (page) => new URL(page.url()).hash.split('/').at(-1);

async function say(page, text) {
  await input(page).fill(text);
  await input(page).press('Enter');
}

/** The pixels below the shown part of the chat, once the layout is stable. */
async function belowEnd(page) {
  return log(page).evaluate(async (box) => {
    let last = null;
    for (let frame = 0; frame < 60; frame += 1) {
      await new Promise((resolve) => requestAnimationFrame(resolve));
      const now = Math.round(box.scrollHeight - box.scrollTop - box.clientHeight);
      if (now === last && frame > 5) return now;
      last = now;
    }
    return last;
  });
}

test('a chat opens at its end, and follows every prompt and reply', async () => {
  const long = Array.from({ length: 30 }, (_, at) => `Paragraph ${at} of a long reply.`).join('\n\n');
  const id = await ended(harness, `say ${JSON.stringify(long)}`);
  const { page, context } = await harness.page({ path: `/chat/${id}` });
  await log(page).getByText('Answered.').waitFor();
  assert.ok((await belowEnd(page)) <= 1, 'opened at its end');
  for (let at = 1; at <= 3; at += 1) {
    await say(page, `say ${JSON.stringify(long)}`);
    await log(page).getByText('Answered.').nth(at).waitFor();
    assert.ok((await belowEnd(page)) <= 1, `at the end after prompt ${at}`);
  }
  assert.equal(await page.getByRole('button', { name: 'Jump to latest' }).count(), 0);
  await context.close();
});

test('a reader who scrolls up stays there while a reply arrives, and one button leads back', async () => {
  const { page, context } = await harness.page({ viewport: { width: 1000, height: 500 } });
  await say(page, 'flow');
  for (let at = 0; at < FLOW.length - 3; at += 1) {
    await log(page).getByText(`Part-${at}`).last().waitFor({ state: 'attached' });
    harness.model.release();
  }
  await log(page).getByText(`Part-${FLOW.length - 3}`).last().waitFor({ state: 'attached' });
  assert.ok((await belowEnd(page)) <= 1, 'follows while the reply arrives');
  await log(page).hover();
  await page.mouse.wheel(0, -300);
  await page.getByRole('button', { name: 'Jump to latest' }).waitFor();
  await belowEnd(page);
  const place = () => log(page).getByText('Part-3', { exact: true }).evaluate((one) => Math.round(one.getBoundingClientRect().top));
  const before = await place();
  for (let at = FLOW.length - 2; at < FLOW.length; at += 1) {
    harness.model.release();
    await log(page).getByText(`Part-${at}`).last().waitFor({ state: 'attached' });
  }
  harness.model.release();
  await log(page).getByText('Answered.').waitFor({ state: 'attached' });
  assert.ok((await belowEnd(page)) > 100, 'the reader was not moved to the end');
  assert.ok(Math.abs((await place()) - before) <= 2, `${before} became ${await place()}`);
  assert.deepEqual(await findings(page), []);
  await page.getByRole('button', { name: 'Jump to latest' }).click();
  assert.ok((await belowEnd(page)) <= 1);
  await page.getByRole('button', { name: 'Jump to latest' }).waitFor({ state: 'detached' });
  await context.close();
});

test('an edit is approved with one key, and its card shows the path and the changed lines', async () => {
  await writeFile(join(harness.work, 'calc.py'), 'def add(a, b):\n    return a - b\n');
  const { page, context } = await harness.page();
  await say(page, 'read calc.py');
  await log(page).getByText('Answered.').waitFor();
  await say(page, `call edit ${JSON.stringify({ path: 'calc.py', old: 'return a - b', new: 'return a + b' })}`);
  const question = page.getByRole('region', { name: 'Edit calc.py?' });
  await question.waitFor();
  assert.match(await question.locator('figcaption').innerText(), /^calc\.py \+1 −1$/);
  assert.deepEqual(await question.locator('.removed').allInnerTexts(), ['-return a - b']);
  await page.locator('.bar').getByText('needs an answer').waitFor();
  // Letters in the input box are text, not answers.
  await input(page).fill('');
  await input(page).press('a');
  assert.equal(await input(page).inputValue(), 'a');
  await input(page).fill('');
  await input(page).press('Escape');
  // A key in the first moments was meant for something else.
  await page.waitForTimeout(700);
  await page.keyboard.press('a');
  await question.waitFor({ state: 'detached' });
  await log(page).getByText('Answered.').nth(1).waitFor();
  assert.equal(await readFile(join(harness.work, 'calc.py'), 'utf8'), 'def add(a, b):\n    return a + b\n');
  const card = log(page).locator('details.card').last().locator('summary').first();
  assert.match((await card.innerText()).replace(/\s+/g, ' '), /edit \+1 −1 succeeded calc\.py/);
  await context.close();
});

test('a denial without a reason says so to the agent', async () => {
  const { page, context } = await harness.page();
  await say(page, 'write never.txt');
  await page.getByRole('region', { name: 'Write the new file never.txt?' }).getByRole('button', { name: 'Deny', exact: true }).click();
  await log(page).getByText('Answered.').waitFor();
  const result = harness.model.asked.at(-1).messages.at(-1);
  assert.match(JSON.stringify(result), /denied: the user gave no reason/);
  await context.close();
});

test('on a phone the answers to an approval are in view, also for a long change and for a reader who scrolled up', async () => {
  const { page, context } = await harness.page({ viewport: PHONE });
  await say(page, `say ${JSON.stringify(Array.from({ length: 40 }, (_, at) => `Line ${at}.`).join('\n\n'))}`);
  await log(page).getByText('Answered.').waitFor();
  const content = Array.from({ length: 80 }, (_, at) => `line ${at}`).join('\n');
  await say(page, `call write ${JSON.stringify({ path: 'long.txt', content })}`);
  const question = page.getByRole('region', { name: 'Write the new file long.txt?' });
  await question.waitFor();
  await log(page).evaluate((box) => (box.scrollTop = 0));
  for (const name of ['Allow once', 'Deny']) {
    const box = await question.getByRole('button', { name, exact: true }).boundingBox();
    assert.ok(box !== null && box.y >= 0 && box.y + box.height <= PHONE.height, `${name}: ${JSON.stringify(box)}`);
    assert.ok(box.height >= 36, `${name} is large enough for a thumb`);
    const hit = await page.evaluate(({ x, y }) => document.elementFromPoint(x, y)?.closest('button')?.textContent, { x: box.x + box.width / 2, y: box.y + box.height / 2 });
    assert.match(hit ?? '', new RegExp(name), `${name} is covered`);
  }
  const over = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  assert.ok(over <= 0, `${over} pixels too wide`);
  assert.deepEqual(await findings(page), []);
  await shot(page, 'approval-phone');
  await question.getByRole('button', { name: 'Allow once' }).click();
  await log(page).getByText('Answered.').nth(1).waitFor();
  await context.close();
});

test('a reply and the output of a tool can be copied', async () => {
  await writeFile(join(harness.work, 'copied.txt'), 'to be copied\n');
  const { page, context } = await harness.page();
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await say(page, `say ${JSON.stringify('A **bold** reply.')}`);
  await log(page).getByText('Answered.').waitFor();
  await log(page).getByRole('button', { name: 'Copy reply' }).click();
  await log(page).getByRole('button', { name: 'Copied' }).waitFor();
  assert.equal(await page.evaluate(() => navigator.clipboard.readText()), 'A **bold** reply.');
  await say(page, 'read copied.txt');
  await log(page).getByText('Answered.').nth(1).waitFor();
  await log(page).locator('details.card').last().locator('summary').first().click();
  await log(page).getByRole('button', { name: 'Copy output' }).click();
  assert.match(await page.evaluate(() => navigator.clipboard.readText()), /to be copied/);
  await context.close();
});

test('each answer shows its own figures, and the session total on demand', async () => {
  const { page, context } = await harness.page();
  await say(page, 'one');
  await log(page).getByText('Answered.').waitFor();
  await say(page, 'two');
  await log(page).getByText('Answered.').nth(1).waitFor();
  const figures = log(page).locator('.line [title^="Session total"]');
  assert.deepEqual(await figures.allInnerTexts(), ['12 tokens in, 5 out, —', '12 tokens in, 5 out, —']);
  assert.equal(await figures.nth(1).getAttribute('title'), 'Session total: 24 tokens in, 10 out, —');
  await context.close();
});

test('a chat is renamed in place', async () => {
  const id = await ended(harness, 'a first name');
  const { page, context } = await harness.page({ path: `/chat/${id}` });
  await page.getByRole('button', { name: 'Rename' }).click();
  const field = page.getByRole('textbox', { name: /^Title/ });
  assert.equal(await field.inputValue(), 'a first name');
  assert.deepEqual(await findings(page), []);
  await field.fill('A better name');
  await field.press('Enter');
  await page.getByRole('heading', { name: 'A better name', level: 1 }).waitFor();
  await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'A better name' }).waitFor();
  assert.equal((await harness.ask('GET', `/api/sessions/${id}`)).title, 'A better name');
  await context.close();
});

test('a session that does not exist has no input box and leads back to the list', async () => {
  const { page, context } = await harness.page({ path: '/chat/s-nope' });
  await page.getByRole('alert').waitFor();
  assert.equal(await input(page).count(), 0);
  assert.deepEqual(await findings(page), []);
  await page.getByRole('link', { name: 'Show all sessions' }).click();
  await page.getByRole('heading', { name: 'Sessions', level: 1 }).waitFor();
  assert.notEqual(idOf(page), 's-nope');
  await context.close();
});

test('files are attached by button, paste and drop, and the message names them', async () => {
  const { page, context } = await harness.page();
  const file = (name, text) => ({ name, mimeType: 'text/plain', buffer: Buffer.from(text) });
  await page.locator('.composer input[type=file]').setInputFiles([file('tide table.txt', 'high water 12:00')]);
  await page.getByRole('list', { name: 'Attached files' }).getByText('uploads/tide-table.txt').waitFor();
  for (const kind of ['paste', 'drop']) {
    await input(page).evaluate((box, kind) => {
      const data = new DataTransfer();
      data.items.add(new File([kind], `${kind}.txt`));
      const event = kind === 'paste' ? new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }) : new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true });
      box.dispatchEvent(event);
    }, kind);
    await page.getByText(`uploads/${kind}.txt`).waitFor();
  }
  await page.getByRole('button', { name: 'Remove drop.txt' }).click();
  assert.deepEqual(await findings(page), []);
  await shot(page, 'attachments');
  await say(page, 'read these');
  await log(page).getByText('Answered.').waitFor();
  const sent = harness.model.asked.at(-1).messages.at(-1);
  assert.match(JSON.stringify(sent), /read these\\n\\nAttached files:\\n- uploads\/tide-table\.txt\\n- uploads\/paste\.txt/);
  assert.equal(await readFile(join(harness.work, 'uploads/tide-table.txt'), 'utf8'), 'high water 12:00');
  // The list is empty for the next message, and a taken name gets a number.
  assert.equal(await page.getByRole('list', { name: 'Attached files' }).count(), 0);
  await page.locator('.composer input[type=file]').setInputFiles([file('paste.txt', 'again')]);
  await page.getByText('uploads/paste-2.txt').waitFor();
  await context.close();
});

test('the changes of a whole session are shown by file', async () => {
  const { page, context } = await harness.page();
  await say(page, 'write alpha.txt');
  await page.getByRole('button', { name: 'Allow once' }).click();
  await log(page).getByText('Answered.').waitFor();
  await page.getByRole('button', { name: '1 changed file' }).waitFor();
  await say(page, 'write beta.txt');
  await page.getByRole('button', { name: 'Allow once' }).click();
  await log(page).getByText('Answered.').nth(1).waitFor();
  await page.getByRole('button', { name: '2 changed files' }).click();
  const dialog = page.getByRole('dialog', { name: 'Changes of this session' });
  assert.deepEqual((await dialog.locator('summary').allInnerTexts()).map((text) => text.replace(/\s+/g, ' ').trim()), ['alpha.txt +2 −0', 'beta.txt +2 −0']);
  await dialog.getByText('alpha.txt').first().click();
  assert.deepEqual(await dialog.locator('.added').filter({ visible: true }).allInnerTexts(), ['+one', '+two']);
  assert.deepEqual(await findings(page), []);
  await shot(page, 'changes');
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  await context.close();
});
