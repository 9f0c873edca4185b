// What hosts with `fetch` alone use: a bounded fetch that believes no URL, and runs that change hosts.

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import test, { after } from 'node:test';
import * as holm from '../dist/index.js';
import { extractTool, fetchUrl, McpServer, nameBeside, readBytes, BodyTooLargeError } from '../dist/web/index.js';

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

test('URLs that are not granted, denied or private are refused before any request', async () => {
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
  await check('not a url', /invalid URL/);
  await check('javascript:alert(1)', /invalid URL|not granted/);
  assert.equal(asked.length, before);
});

test('redirects are checked against the same policy, and limited', async () => {
  const to = (url) => `${base}/to/${encodeURIComponent(url)}`;
  for (const url of ['http://169.254.169.254/latest', 'https://example.com/', 'file:///etc/passwd']) {
    assert.equal((await run(to(url))).outcome, 'failed', url);
  }
  assert.match((await run(`${base}/loop`)).text, /redirects/);
  assert.equal((await run(to(`${base}/page`), { redirects: 'refuse' })).outcome, 'failed');
});

test('a long page is truncated, an error is a failure, and a silent server times out', async () => {
  const { text } = await run(`${base}/long`, { maxChars: 10 });
  assert.equal(text, `${'é'.repeat(10)}\n[truncated]`);
  assert.match((await run(`${base}/long`, { maxBytes: 11 })).text, /\[truncated\]$/);
  assert.match((await run(`${base}/gone`)).text, /410: it is gone/);
  assert.match((await run(`${base}/never`, { timeoutMs: 50 })).text, /timed out after 50 ms/);
});

test('a body is never read beyond its limit', async () => {
  let pulled = 0;
  const body = new ReadableStream({
    pull(controller) {
      pulled += 1;
      controller.enqueue(new Uint8Array(1000));
    },
  });
  await assert.rejects(readBytes(body, 3000), BodyTooLargeError);
  assert.ok(pulled < 10);
});

test('the model performs the skill extract, and the guards prove the reply', async () => {
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

test('a run that changes hosts gets the new tools only if they differ', async () => {
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

test('a waiting call does not run on a host without its tool', async () => {
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

/** A line as somebody writes it who has no kernel: another text of the same fact, with hashes that fit. */
function rewritten(line, before, change) {
  const record = JSON.parse(line);
  const payload = change(/"input":(.*)\}\n$/s.exec(line)[1]);
  const number = (value, bytes) => Buffer.from(BigInt(value).toString(16).padStart(bytes * 2, '0'), 'hex');
  const sha = (...parts) => createHash('sha256').update(Buffer.concat(parts)).digest();
  const hash = sha(Buffer.from(payload));
  const chain = sha(
    Buffer.from('holm journal'),
    number(record.v, 4),
    Buffer.from(JSON.parse(before).chain, 'hex'),
    number(record.seq, 8),
    number(record.at, 8),
    Buffer.from(record.effects, 'hex'),
    hash,
  );
  const head = { v: record.v, seq: record.seq, at: record.at, effects: record.effects, payload: hash.toString('hex'), chain: chain.toString('hex') };
  return `${JSON.stringify(head).slice(0, -1)},"input":${payload}}\n`;
}

test('a journal cannot hide its changes to a tool', async () => {
  const ran = [];
  const strict = { ...named('wipe', ran), declaration: { ...named('wipe', ran).declaration, level: 'execute' } };
  const { run, line } = holm.Run.create({ id: 'forged', seed: 1, now: 1, config: { models: [{ name: 'scripted/one' }], tools: [strict.declaration] } });
  const harmless = run.handle(2, { tools_changed: [{ ...strict.declaration, level: 'none' }] });
  assert.equal(rewritten(harmless, line, (text) => text), harmless);
  const hidden = rewritten(harmless, line, (text) => text.replace('tools_changed', '\\u0074ools_changed'));
  let asked = 0;
  const call = { replied: { blocks: [{ tool_call: { id: 'c', name: 'wipe', arguments: '{}' } }], stop: 'tool_use' } };
  const model = holm.functionModel('scripted/one', () => (asked++ === 0 ? call : 'done'));
  const agent = holm.runAgent({ model, tools: [strict], resume: line + hidden, prompt: 'wipe it' });
  assert.deepEqual(await agent.ending, { answered: { text: 'done' } });
  assert.deepEqual(ran, []);
});

test('a secret goes to a tool that declares it here, not in a journal', async () => {
  const got = [];
  const tool = holm.tool({ name: 'send', description: 'x', level: 'none', input: { type: 'object' }, run: ({ text }) => void got.push(text) });
  const needs = ['secret:llm@api.example.com'];
  const declared = { ...tool.declaration, needs };
  let asked = 0;
  const call = { replied: { blocks: [{ tool_call: { id: 'c', name: 'send', arguments: '{"text":"‹secret:llm›"}' } }], stop: 'tool_use' } };
  const model = holm.functionModel('scripted/one', () => (asked++ % 2 === 0 ? call : 'done'));
  const { run, line } = holm.Run.create({ id: 'r', seed: 1, now: 1, config: { models: [{ name: 'scripted/one' }], tools: [declared], grants: needs } });
  run.free();
  const common = { model, secrets: { llm: 'a-key-that-nobody-may-see' }, prompt: 'send it' };
  // The host that goes on names no tools, so those of the journal stay declared.
  const stranger = { declaration: { name: 'send', level: 'none', schema: {} }, run: tool.run };
  const resumed = holm.runAgent({ ...common, resume: line, tools: [stranger], before: [{ tools_changed: [declared] }] });
  await resumed.ending;
  const own = holm.runAgent({ ...common, tools: [{ ...tool, declaration: declared }], config: { grants: needs } });
  await own.ending;
  assert.deepEqual(got, ['‹secret:llm›', 'a-key-that-nobody-may-see']);
});

test('the checked URL is the one that is sent', async () => {
  const sent = [];
  const send = async (url) => (sent.push(url), new Response('ok'));
  const fetched = (url, more = {}) => run(url, { policy: { grants: ['fetch:https://*'] }, fetch: send, ...more });
  for (const url of ['https://user:secret@example.com/', 'https://example.com\\@10.0.0.1/', '//example.com/']) {
    const { outcome } = await fetched(url);
    if (outcome !== 'failed') assert.equal(new URL(sent.at(-1)).hostname, 'example.com', url);
  }
  await fetched('https://ex\tample.com:443/a/../b#c');
  assert.equal(sent.at(-1), 'https://example.com/b#c');
  const connected = [];
  const connect = async (url, addresses) => (connected.push([url, addresses]), new Response('ok'));
  await fetched('https://example.com/', { resolve: async () => ['93.184.216.34'], connect });
  assert.deepEqual(connected, [['https://example.com/', ['93.184.216.34']]]);
});

test('a body that never arrives times out', async () => {
  const body = new ReadableStream({ pull: () => new Promise(() => {}) });
  await assert.rejects(readBytes(body, 3000, AbortSignal.timeout(20)), /timeout/i);
});

test('an MCP server cannot keep a host busy, and an invalid tool does not affect others', async () => {
  let asked = 0;
  const answer = (id, result) => new Response(JSON.stringify({ jsonrpc: '2.0', id, result }), { headers: { 'content-type': 'application/json' } });
  const endless = async (_, { body }) => {
    const { id, method } = JSON.parse(body);
    asked += 1;
    if (method !== 'tools/list') return answer(id, {});
    return answer(id, { tools: asked < 4 ? [null, { name: 5 }, { name: 'bad' }, { name: 'good', inputSchema: {} }] : [], nextCursor: 'more' });
  };
  const url = 'https://mcp.example.com/mcp?key=a-key-in-an-address';
  const server = await McpServer.connect({ name: 'x', url, policy: { grants: ['fetch:https://mcp.example.com/mcp'] }, fetch: endless });
  const tools = await server.tools();
  assert.deepEqual(tools.map(({ declaration }) => declaration.name), ['x_good', 'x_good_2'].slice(0, tools.length));
  assert.ok(tools.length > 0 && asked < 100);
  // What a tool needs is written down in journals.
  assert.ok(!JSON.stringify(tools).includes('a-key-in-an-address'));
});

test("a server's tool cannot take the name of another tool, and the host's own tools come first", async () => {
  const listed = ['url', 'URL', 'url_2', 'other'].map((name) => ({ name, inputSchema: {} }));
  const called = [];
  const serving = async (_, { body }) => {
    const { id, method, params } = JSON.parse(body);
    if (method === 'tools/call') called.push(params.name);
    const result = method === 'tools/list' ? { tools: listed } : { content: [{ type: 'text', text: 'fine' }] };
    return new Response(JSON.stringify({ jsonrpc: '2.0', id, result }), { headers: { 'content-type': 'application/json' } });
  };
  const own = [fetchUrl({ policy: {} })];
  const notes = [];
  const url = 'https://mcp.example.com/mcp';
  const options = { name: 'fetch', url, policy: { grants: [`fetch:${url}`] }, fetch: serving, beside: own, told: (note) => notes.push(note) };
  const tools = await (await McpServer.connect(options)).tools();
  const names = (tools) => tools.map(({ declaration }) => declaration.name);
  assert.deepEqual(names(tools), ['fetch_url_3', 'fetch_URL_4', 'fetch_url_2', 'fetch_other']);
  assert.deepEqual(notes, [
    "tool 'fetch_url' was renamed to 'fetch_url_3', because another tool has its name",
    "tool 'fetch_URL' was renamed to 'fetch_URL_4', because another tool has its name",
  ]);
  await tools[0].run({ text: '{}', signal: new AbortController().signal });
  assert.deepEqual(called, ['url'], 'the server knows it by the name that it gave');
  // Those of two servers are named together.
  const { tools: both, renamed } = nameBeside(own, [...tools, ...tools.slice(3)]);
  assert.deepEqual(names(both), [...names(tools), 'fetch_other_2']);
  assert.deepEqual(renamed, [{ wanted: 'fetch_other', name: 'fetch_other_2' }]);
});

test("no tool can take the names of the kernel's own tools", () => {
  const source = readFileSync(new URL('../../../crates/holm-kernel/src/config/own_tools.rs', import.meta.url), 'utf8');
  const own = [...source.matchAll(/^ {4}[A-Z_]+ = "(\w+)";$/gm)].map(([, name]) => name);
  assert.ok(own.length > 3, String(own));
  const { renamed } = nameBeside([], own.map((name) => ({ declaration: { name } })));
  assert.deepEqual(renamed, own.map((wanted) => ({ wanted, name: `${wanted}_2` })));
});
