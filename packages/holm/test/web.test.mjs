// What hosts with `fetch` alone use: a bounded fetch that believes no URL, and runs that change hosts.

import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import test, { after } from 'node:test';
import * as holm from '../dist/index.js';
import { extractTool, fetchUrl, readBytes, TooLarge } from '../dist/web/index.js';

const asked = [];
const server = createServer((request, response) => {
  asked.push(request.url);
  if (request.url.startsWith('/to/')) response.writeHead(302, { location: decodeURIComponent(request.url.slice(4)) }).end();
  else if (request.url === '/loop') response.writeHead(302, { location: '/loop' }).end();
  else if (request.url === '/long') response.end('é'.repeat(100_000));
  else if (request.url === '/never') return;
  else if (request.url === '/gone') response.writeHead(410).end('it is gone');
  else response.end('the page');
});
await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
after(() => server.close().closeAllConnections());
const base = `http://127.0.0.1:${server.address().port}`;

const run = async (url, more = {}) => {
  const tool = fetchUrl({ policy: { grants: [`fetch:${base}`, 'fetch:http://*'], denials: ['fetch:http://denied.example'] }, ...more });
  return tool.run({ text: JSON.stringify({ url }), signal: new AbortController().signal });
};

test('a granted page is read', async () => {
  assert.deepEqual(await run(`${base}/page`), { text: 'the page' });
  assert.deepEqual(await run(`${base}/to/%2Fpage`), { text: 'the page' });
});

test('what is not granted, denied or inside is refused before anything is sent', async () => {
  const before = asked.length;
  const check = async (url, words, more) => {
    const { outcome, text } = await run(url, more);
    assert.equal(outcome, 'failed', url);
    assert.match(text, words, url);
  };
  await check('https://example.com/', /not granted/);
  await check('http://denied.example/', /denied/);
  await check('http://169.254.169.254/', /not granted/);
  await check('http://[::ffff:169.254.169.254]/', /not granted/);
  await check('http://0251.0376.0251.0376/', /not granted/);
  await check('http://name.example/', /this machine/, { resolve: async () => ['93.184.216.34', '127.0.0.1'] });
  await check('http://name.example/', /no address/, { resolve: async () => Promise.reject(new Error('no address')) });
  await check('not a url', /cannot be fetched/);
  await check('javascript:alert(1)', /cannot be fetched|not granted/);
  assert.equal(asked.length, before);
});

test('a redirect is held to the same policy, and not followed for ever', async () => {
  const to = (url) => `${base}/to/${encodeURIComponent(url)}`;
  for (const url of ['http://169.254.169.254/latest', 'https://example.com/', 'file:///etc/passwd']) {
    assert.equal((await run(to(url))).outcome, 'failed', url);
  }
  assert.match((await run(`${base}/loop`)).text, /redirects/);
  assert.equal((await run(to(`${base}/page`), { redirects: 'refuse' })).outcome, 'failed');
});

test('a page is cut, a failing one is a failure, and a silent one is not waited for', async () => {
  const { text } = await run(`${base}/long`, { maxChars: 10 });
  assert.equal(text, `${'é'.repeat(10)}\n[cut here]`);
  assert.match((await run(`${base}/long`, { maxBytes: 11 })).text, /\[cut here\]$/);
  assert.match((await run(`${base}/gone`)).text, /410: it is gone/);
  assert.match((await run(`${base}/never`, { timeoutMs: 50 })).text, /within 50 ms/);
});

test('a body is never read further than it may be', async () => {
  let pulled = 0;
  const body = new ReadableStream({
    pull(controller) {
      pulled += 1;
      controller.enqueue(new Uint8Array(1000));
    },
  });
  await assert.rejects(readBytes(body, 3000), TooLarge);
  assert.ok(pulled < 10);
});

test('the skill extract is carried out by the model and proven by the guards', async () => {
  const replies = [
    { replied: { blocks: [{ tool_call: { id: 'c', name: 'extract', arguments: '{"text":"Mail a@b.example","target":"email"}' } }], stop: 'tool_use' } },
    '{"email":["a@b.example"]}',
    'found it',
  ];
  const model = holm.functionModel('scripted/one', () => replies.shift());
  const agent = holm.runAgent({ model, tools: [extractTool()], prompt: 'Which address?' });
  assert.deepEqual(await agent.ending, { answered: { text: 'found it' } });
  assert.match(JSON.stringify(agent.run.transcript()), /a@b\.example/);
});

const named = (name, ran) =>
  holm.tool({ name, description: name, level: 'none', input: { type: 'object' }, run: () => ran.push(name) });
const says = (text) => holm.functionModel('scripted/one', () => text);

test('a run that changes hosts is told of the tools there, and only if they are others', async () => {
  const journal = new holm.MemoryJournal();
  await holm.runAgent({ model: says('one'), tools: [named('here', [])], prompt: 'first', journal }).ending;
  const told = async (tools, before) => {
    const added = new holm.MemoryJournal();
    await holm.runAgent({ model: says('two'), tools, before, prompt: 'second', journal: added, resume: journal.text }).ending;
    assert.ok(holm.Run.replay(journal.text + added.text));
    return added.text.trim().split('\n').map((line) => Object.keys(JSON.parse(line).input)[0]);
  };
  assert.deepEqual(await told([named('here', [])]), ['resumed', 'prompted', 'model_finished']);
  assert.deepEqual(await told([named('there', [])]), ['tools_changed', 'resumed', 'prompted', 'model_finished']);
  assert.deepEqual(await told(undefined, [{ grants_changed: [] }]), ['grants_changed', 'resumed', 'prompted', 'model_finished']);
});

test('a call that waited for a tool which the new host does not have is not run there', async () => {
  const journal = new holm.MemoryJournal();
  const call = { replied: { blocks: [{ tool_call: { id: 'c', name: 'here', arguments: '{}' } }], stop: 'tool_use' } };
  const stopped = holm.runAgent({
    model: holm.functionModel('scripted/one', () => call),
    tools: [{ ...named('here', []), declaration: { ...named('here', []).declaration, level: 'write' } }],
    hooks: { judge: () => new Promise(() => {}) },
    prompt: 'first',
    journal,
  });
  for await (const event of stopped) if (event.type === 'event' && event.event.approval_asked) break;
  const ran = [];
  const agent = holm.runAgent({ model: says('done'), tools: [named('there', ran)], resume: journal.text });
  assert.deepEqual(await agent.ending, { answered: { text: 'done' } });
  assert.deepEqual(ran, []);
});
