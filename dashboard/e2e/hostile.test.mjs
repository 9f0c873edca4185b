// Hostile text from a model runs nothing and sends no request to other hosts. Hostile pages of other sites change nothing.

import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { after, before, test } from 'node:test';

import { pages, written } from './hostile-pages.mjs';
import { DOT, PATIENCE, ended, findings, shot, startHarness } from './harness.mjs';

let harness;
before(async () => {
  harness = await startHarness();
});
after(() => harness?.close());

const EVIL = 'http://evil.invalid';

/** A hundred texts: twenty ways to send a request or run a script, each plain and in four Markdown contexts. */
function texts() {
  const ways = [
    `![x](${EVIL}/a.png)`,
    `![x][r]\n\n[r]: ${EVIL}/b.png`,
    `<img src="${EVIL}/c.png">`,
    `<img src=x onerror="top.owned=1">`,
    `<svg onload="top.owned=1"><image href="${EVIL}/d.png"/></svg>`,
    `<script>top.owned=1</script>`,
    `<iframe src="${EVIL}/e"></iframe>`,
    `<link rel="stylesheet" href="${EVIL}/f.css">`,
    `<style>@import "${EVIL}/g.css"; body{background:url(${EVIL}/h)}</style>`,
    `[x](javascript:top.owned=1)`,
    `[x](JaVaScRiPt&colon;top.owned=1)`,
    `[x](data:text/html,<script>top.owned=1</script>)`,
    `<javascript:top.owned=1>`,
    `[x][j]\n\n[j]: javascript:top.owned=1`,
    `![x](data:image/svg+xml,<svg onload="top.owned=1"/>)`,
    `<object data="${EVIL}/i"></object><embed src="${EVIL}/j">`,
    `<video src="${EVIL}/k" autoplay></video><audio src="${EVIL}/l" autoplay></audio>`,
    `<meta http-equiv="refresh" content="0;url=${EVIL}/m"><base href="${EVIL}/">`,
    `<form action="${EVIL}/n"><input autofocus onfocus="this.form.submit()"></form>`,
    `{{constructor.constructor("top.owned=1")()}} <div v-html="'<img src=${EVIL}/o>'"></div>`,
  ];
  const places = [
    (text) => text,
    (text) => `# ${text}`,
    (text) => `> - ${text}`,
    (text) => `| a |\n|---|\n| ${text.replaceAll('\n', ' ')} |`,
    (text) => `**${text}** and\n\n\`\`\`html\n${text}\n\`\`\``,
  ];
  return ways.flatMap((way) => places.map((place) => place(way)));
}

test('a hundred hostile transcripts run nothing and send no request to other hosts', async () => {
  const all = texts();
  assert.equal(all.length, 100);
  const { page, context, outside } = await harness.page();
  for (const text of all) {
    const id = await ended(harness, `say ${JSON.stringify(text)}`);
    await page.goto(`${harness.url}/#/chat/${id}`);
    await page.getByText('Answered.').waitFor();
    await page.locator('.message.assistant .md').waitFor();
    // Users can follow links, so a link must lead to a page and not to a script.
    const kinds = await page.locator('.md a').evaluateAll((links) => links.map((link) => link.protocol));
    assert.ok(kinds.every((kind) => ['http:', 'https:', 'mailto:'].includes(kind)), `${kinds}: ${text}`);
    assert.equal(await page.locator('.md :is(img, iframe, svg, script, style, link, object, embed, video, audio, form, meta, base)').count(), 0, text);
    assert.equal(await page.evaluate(() => window.owned), undefined, text);
    await page.getByRole('link', { name: 'Sessions' }).click();
  }
  assert.deepEqual(outside(), []);
  await context.close();
});

/** Everything that a foreign page could have changed, so far as the server tells. */
async function serverState(session) {
  const all = (path) => harness.ask('GET', path);
  return {
    sessions: (await all('/api/sessions?limit=1000')).sessions.map((one) => [one.id, one.records]),
    past: (await all(`/api/sessions/${session}/replay`)).length,
    tokens: await all('/api/tokens'),
    keys: await all('/api/keys'),
    jobs: await all('/api/jobs'),
    sites: await all('/api/sites'),
    servers: await all('/api/mcp-servers'),
    agents: (await all('/api/agents')).map((one) => one.name),
    backups: await all('/api/backups'),
    files: (await all('/api/folders')).entries.map((one) => one.name),
    asked: harness.model.asked.length,
  };
}

/** Opens a page and waits until its attempt is over and all its requests to the server have a response. */
async function visited(context, address, target) {
  const page = await context.newPage();
  const [begun, settled] = [[], new Set()];
  page.on('request', (request) => {
    if (request.url().startsWith(target) && request.url() !== address) begun.push(request);
  });
  for (const what of ['response', 'requestfinished', 'requestfailed']) {
    page.on(what, (of) => settled.add(what === 'response' ? of.request() : of));
  }
  await page.goto(address);
  await page.waitForFunction(() => document.title === 'over', null, { timeout: PATIENCE });
  const until = Date.now() + PATIENCE;
  while (begun.some((request) => !settled.has(request))) {
    if (Date.now() > until) throw new Error(`not answered: ${begun.filter((request) => !settled.has(request)).map((request) => request.url())}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  const statuses = await Promise.all(begun.map(async (request) => (await request.response().catch(() => null))?.status() ?? null));
  await page.close();
  return statuses;
}

test('twenty-five pages of other sites and of a rebound name change nothing', async () => {
  const port = new URL(harness.url).port;
  const session = await ended(harness, 'hello');
  const all = pages(session);
  assert.equal(all.length, 25);
  assert.equal(new Set(all.map(({ name, from }) => `${from}: ${name}`)).size, 25);
  const earlier = await serverState(session);
  // A user is logged in beside these pages.
  const { context } = await harness.page();
  const served = new Map();
  const site = createServer((request, response) => response.writeHead(200, { 'content-type': 'text/html' }).end(served.get(request.url) ?? ''));
  await new Promise((resolve) => site.listen(0, '127.0.0.1', resolve));
  for (const [at, one] of all.entries()) {
    // After a DNS rebinding, requests to the page's own origin reach this server. The page itself was loaded before, from the
    // name's old address.
    const rebound = one.from === 'rebound';
    const target = rebound ? `http://rebound.localhost:${port}` : harness.url;
    const address = `${rebound ? target : `http://evil.localhost:${site.address().port}`}/page/${at}`;
    served.set(`/page/${at}`, written(one, target));
    if (rebound) await context.route(address, (route) => route.fulfill({ contentType: 'text/html', body: served.get(`/page/${at}`) }));
    const statuses = await visited(context, address, target);
    if (rebound) await context.unroute(address);
    assert.ok(statuses.every((status) => status === null || status >= 400 || one.name.includes('frame')), `${one.name}: ${statuses}`);
    assert.deepEqual(await serverState(session), earlier, `${one.from}: ${one.name}`);
  }
  // The server serves no page under a foreign name either.
  const page = await context.newPage();
  assert.equal((await page.goto(`http://rebound.localhost:${port}/`)).status(), 421);
  assert.deepEqual(await serverState(session), earlier);
  await context.close();
  site.close().closeAllConnections();
});

test('an image of another site loads only after the user has seen its address and agreed', async (t) => {
  const heard = [];
  const site = createServer((request, response) => {
    heard.push({ url: request.url, referer: request.headers.referer, cookie: request.headers.cookie });
    response.writeHead(200, { 'content-type': 'image/png' }).end(Buffer.from(DOT, 'base64'));
  });
  t.after(() => site.close().closeAllConnections());
  await new Promise((resolve) => site.listen(0, '127.0.0.1', resolve));
  const address = `http://pictures.localhost:${site.address().port}/cat.png?from=here`;
  const id = await ended(harness, `say ${JSON.stringify(`Look: ![cat](${address})`)}`);
  const { page, context, faults, outside } = await harness.page({ path: `/chat/${id}` });
  // The user's own message contains it too.
  const log = page.getByRole('article', { name: /^Agent/ });
  await log.getByRole('button', { name: 'Show image “cat”' }).click();
  const question = log.getByRole('group', { name: 'Load the image “cat”?' });
  await question.getByText(address, { exact: true }).waitFor();
  assert.deepEqual(await findings(page), []);
  await question.getByRole('button', { name: 'Cancel' }).click();
  assert.equal(await log.locator('iframe').count(), 0);
  assert.deepEqual(outside(), []);
  await log.getByRole('button', { name: 'Show image “cat”' }).click();
  const fetched = context.waitForEvent('requestfinished', { predicate: (request) => request.url() === address });
  await question.getByRole('button', { name: 'Load image' }).click();
  await fetched;
  assert.deepEqual(heard, [{ url: '/cat.png?from=here', referer: undefined, cookie: undefined }]);
  assert.deepEqual(outside(), [address]);
  await log.locator('iframe[title^="Image “cat”"]').waitFor();
  await shot(page, 'picture');
  await log.getByRole('button', { name: 'Hide image' }).click();
  assert.equal(await log.locator('iframe').count(), 0);
  // The frame runs no scripts, and the browser reports that for Playwright's scripts.
  assert.deepEqual(faults.filter((fault) => !fault.includes('sandboxed')), []);
  await context.close();
});
