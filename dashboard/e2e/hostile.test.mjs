// What a model writes runs nothing and asks for nothing elsewhere; what another site's page tries changes nothing.

import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { after, before, test } from 'node:test';

import { ended, stage } from './stage.mjs';

let staged;
before(async () => {
  staged = await stage();
});
after(() => staged?.close());

const EVIL = 'http://evil.invalid';

/** A hundred texts: twenty ways to reach out or to run, each plain and in four places where Markdown reads on. */
function texts() {
  const ways = [
    `![x](${EVIL}/a.png)`,
    `![x][r]\n\n[r]: ${EVIL}/b.png`,
    `<img src="${EVIL}/c.png">`,
    `<img src=x onerror="document.title='owned'">`,
    `<svg onload="document.title='owned'"><image href="${EVIL}/d.png"/></svg>`,
    `<script>document.title='owned'</script>`,
    `<iframe src="${EVIL}/e"></iframe>`,
    `<link rel="stylesheet" href="${EVIL}/f.css">`,
    `<style>@import "${EVIL}/g.css"; body{background:url(${EVIL}/h)}</style>`,
    `[x](javascript:document.title='owned')`,
    `[x](JaVaScRiPt&colon;document.title='owned')`,
    `[x](data:text/html,<script>document.title='owned'</script>)`,
    `<javascript:document.title='owned'>`,
    `[x][j]\n\n[j]: javascript:document.title='owned'`,
    `![x](data:image/svg+xml,<svg onload="document.title='owned'"/>)`,
    `<object data="${EVIL}/i"></object><embed src="${EVIL}/j">`,
    `<video src="${EVIL}/k" autoplay></video><audio src="${EVIL}/l" autoplay></audio>`,
    `<meta http-equiv="refresh" content="0;url=${EVIL}/m"><base href="${EVIL}/">`,
    `<form action="${EVIL}/n"><input autofocus onfocus="this.form.submit()"></form>`,
    `{{constructor.constructor("document.title='owned'")()}} <div v-html="'<img src=${EVIL}/o>'"></div>`,
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

test('a hundred hostile transcripts run nothing and ask for nothing elsewhere', async () => {
  const all = texts();
  assert.equal(all.length, 100);
  const { page, context, outside } = await staged.page();
  for (const text of all) {
    const id = await ended(staged, `say ${JSON.stringify(text)}`);
    await page.goto(`${staged.url}/#/chat/${id}`);
    await page.getByText('Answered.').waitFor();
    // Links can be pressed by people; what they lead to must be a page and nothing that runs.
    const kinds = await page.locator('.md a').evaluateAll((links) => links.map((link) => link.protocol));
    assert.ok(kinds.every((kind) => ['http:', 'https:', 'mailto:'].includes(kind)), `${kinds}: ${text}`);
    assert.equal(await page.locator('.md :is(img, iframe, svg, script, style, link, object, embed, video, audio, form, meta, base)').count(), 0, text);
    assert.ok(!(await page.title()).includes('owned'), text);
    await page.getByRole('link', { name: 'Sessions' }).click();
  }
  assert.deepEqual(outside(), []);
  await context.close();
});

/** Twenty-five pages of another site, each with one try to change something with a token that it does not have, or none. */
function tries(target) {
  const paths = ['/api/sessions', '/api/tokens', '/api/keys', '/api/sessions/one/prompt', '/v1/chat/completions'];
  const ways = [
    (path) => `fetch('${target}${path}', { method: 'POST', mode: 'no-cors', body: '{}' })`,
    (path) => `fetch('${target}${path}', { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' })`,
    (path) => `(() => { const f = document.createElement('form'); f.method = 'post'; f.enctype = 'text/plain'; f.action = '${target}${path}'; f.innerHTML = '<input name="{" value="}">'; document.body.append(f); f.target = 'x'; f.submit(); })()`,
    (path) => `navigator.sendBeacon('${target}${path}', new Blob(['{}'], { type: 'text/plain' }))`,
    (path) => `new WebSocket('${target.replace('http', 'ws')}${path.replace('prompt', 'socket')}', ['holm'])`,
  ];
  return paths.flatMap((path) => ways.map((way) => way(path)));
}

test('twenty-five pages of another site, and of a name that was made to point here, change nothing', async () => {
  const port = new URL(staged.url).port;
  const site = createServer((_, response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html><title>x</title><iframe name="x"></iframe>'));
  await new Promise((resolve) => site.listen(0, '127.0.0.1', resolve));
  const counts = async () => [(await staged.ask('GET', '/api/sessions?limit=1000')).sessions.length, (await staged.ask('GET', '/api/tokens')).length, staged.model.asked.length];
  const earlier = await counts();
  const { context } = await staged.page();
  const page = await context.newPage();
  const all = [...tries(staged.url), ...tries(`http://rebound.localhost:${port}`)];
  assert.equal(all.length, 50);
  for (const attempt of all) {
    await page.goto(`http://127.0.0.1:${site.address().port}/`);
    await page.evaluate(`(async () => { try { await ${attempt}; } catch {} })()`);
  }
  // A name of another that points here: the server gives it no page, so there is no page of that origin.
  const answer = await page.goto(`http://rebound.localhost:${port}/`);
  assert.equal(answer.status(), 421);
  assert.deepEqual(await counts(), earlier);
  site.close().closeAllConnections();
  await context.close();
});
