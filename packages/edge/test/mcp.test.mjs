// Tools of an MCP server over streamable HTTP, in Node by hand and in both edge hosts.

import assert from 'node:assert/strict';
import test, { after } from 'node:test';
import { Run } from '../../holm/dist/kernel.js';
import { McpServer } from '../../holm/dist/web/index.js';
import { deno, workerd } from './hosts.mjs';
import { everything } from './mcp-server.mjs';

const double = process.env.HOLM_DOUBLE;
assert.ok(double, 'HOLM_DOUBLE is not set; run scripts/test-hosts');

const server = await everything();
after(() => server.close());
const granted = { grants: [`fetch:${server.url}`] };

test("a server's tools are listed, called, and named after it", async () => {
  const connected = await McpServer.connect({ name: 'every', url: server.url, policy: granted, levels: { echo: 'none' } });
  const tools = await connected.tools();
  const echo = tools.find(({ declaration }) => declaration.name === 'every_echo');
  assert.equal(echo.declaration.level, 'none');
  assert.ok(tools.every(({ declaration }) => declaration === echo.declaration || declaration.level === 'execute'));
  const { outcome, text } = await echo.run({ text: '{"message":"hello there"}', signal: new AbortController().signal });
  assert.deepEqual([outcome, /hello there/.test(text)], ['succeeded', true]);
});

test('a server that is not granted gets no request', async () => {
  await assert.rejects(McpServer.connect({ name: 'every', url: server.url, policy: {} }), /not granted/);
  await assert.rejects(McpServer.connect({ name: 'ev_ery', url: server.url, policy: granted }), /only letters, digits and dashes/);
});

for (const [name, start] of [['Deno', deno], ['workerd', workerd]]) {
  test(`${name}: the mode decides whether the agent can call a server's tool`, async () => {
    const model = `call:every_echo:${Buffer.from('{"message":"hello there"}').toString('hex')}`;
    const ask = async (mode) => {
      const host = await start({ LLM_ENDPOINT: `${double}/v1`, LLM_MODEL: model, HOLM_OPEN: 'yes', HOLM_MCP: `every=${server.url}`, HOLM_MODE: mode });
      try {
        const answer = await fetch(host.url, { method: 'POST', body: '{"query":"Say it"}' });
        const { journal } = await answer.json();
        assert.equal(answer.status, 200);
        const blocks = Run.replay(journal).transcript().flatMap(({ blocks }) => blocks);
        return blocks.find((block) => block.tool_result)?.tool_result;
      } finally {
        await host.close();
      }
    };
    const allowed = await ask('full');
    assert.deepEqual([allowed.outcome, /hello there/.test(allowed.text)], ['succeeded', true]);
    const refused = await ask('default');
    assert.notEqual(refused.outcome, 'succeeded');
    assert.ok(!/Echo/.test(refused.text), refused.text);
  });
}

for (const [name, start] of [['Deno', deno], ['workerd', workerd]]) {
  test(`${name}: after a server's answer only tools that look are called again`, async () => {
    const model = `insist:every_echo:${Buffer.from('{"message":"hello there"}').toString('hex')}`;
    const ask = async (settings) => {
      const host = await start({ LLM_ENDPOINT: `${double}/v1`, LLM_MODEL: model, HOLM_OPEN: 'yes', HOLM_MCP: `every=${server.url}`, ...settings });
      try {
        const answer = await fetch(host.url, { method: 'POST', body: '{"query":"Say it"}' });
        const { journal } = await answer.json();
        const blocks = Run.replay(journal).transcript().flatMap(({ blocks }) => blocks);
        return blocks.flatMap(({ tool_result }) => tool_result?.outcome ?? []).slice(0, 2);
      } finally {
        await host.close();
      }
    };
    const looks = { HOLM_MCP_LEVELS: 'every_echo=read-only' };
    assert.deepEqual(await ask({ HOLM_MODE: 'full' }), ['succeeded', 'refused']);
    assert.deepEqual(await ask({ HOLM_MODE: 'full', ...looks }), ['succeeded', 'succeeded']);
    assert.deepEqual(await ask(looks), ['succeeded', 'succeeded']);
  });
}

for (const [name, start] of [['Deno', deno], ['workerd', workerd]]) {
  test(`${name}: of two tools with the same name the second is renamed, and both can be called`, async () => {
    const ask = async (tool) => {
      const model = `call:${tool}:${Buffer.from('{"message":"hello there"}').toString('hex')}`;
      const servers = `every=${server.url},EVERY=${server.url}`;
      const host = await start({ LLM_ENDPOINT: `${double}/v1`, LLM_MODEL: model, HOLM_OPEN: 'yes', HOLM_MCP: servers, HOLM_MODE: 'full' });
      try {
        const answer = await fetch(host.url, { method: 'POST', body: '{"query":"Say it"}' });
        const { journal } = await answer.json();
        const blocks = Run.replay(journal).transcript().flatMap(({ blocks }) => blocks);
        return blocks.find((block) => block.tool_result)?.tool_result.outcome;
      } finally {
        await host.close();
      }
    };
    assert.deepEqual([await ask('every_echo'), await ask('EVERY_echo_2')], ['succeeded', 'succeeded']);
  });
}
