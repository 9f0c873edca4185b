// What goes wrong, what the program is told, and whether the generated types are those of the server.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ApiError, Holm, RunError, SseParser, StartError } from '../dist/index.js';
import { serveTools } from '../dist/node/index.js';
import { REPOSITORY, Stage, script } from './stage.mjs';

/** A test with a server. */
function served(name, body) {
  test(name, async () => {
    const stage = await Stage.open();
    const holm = await stage.start();
    try {
      await body(stage, holm);
    } finally {
      await holm.close();
      await stage.close();
    }
  });
}

served('a wrong token is refused', async (_, holm) => {
  await assert.rejects(Holm.connect(holm.url, 'holm_wrong'), (error) => error instanceof ApiError && error.status === 401);
});

served('a session that does not exist is not found', async (_, holm) => {
  await assert.rejects(holm.open('nowhere'), (error) => error instanceof ApiError && error.status === 404);
});

served('a session without work has nothing to wait for', async (_, holm) => {
  await assert.rejects((await holm.create()).wait(), /no work to wait for/);
});

served('a model that fails is an error with the reason', async (_, holm) => {
  const asked = (await holm.create()).ask(script({ fail: 400, why: 'out of paper' }));
  await assert.rejects(asked, (error) => error instanceof RunError && /out of paper/.test(error.message));
});

served('an error in a function that approves reaches the caller', async (_, holm) => {
  const session = await holm.create();
  const approve = () => {
    throw new TypeError('no idea');
  };
  const write = { call: 'write', with: { path: 'list.txt', content: 'bread' } };
  await assert.rejects(session.ask(script(write, { say: 'Done.' }), { approve }), /no idea/);
  assert.equal((await session.questions()).length, 1, 'the question stays open');
  // A server that stops gives a run with an open question 20 seconds.
  await session.cancel();
});

served('the types are those of the running server', async (stage, holm) => {
  const response = await fetch(`${holm.url}/api/openapi.json`, { headers: { authorization: `Bearer ${stage.token}` } });
  const document = join(stage.root, 'openapi.json');
  writeFileSync(document, await response.text());
  const check = spawnSync('python3', [join(REPOSITORY, 'scripts/make-client-types'), '--check', '--document', document]);
  assert.equal(check.status, 0, check.stderr.toString());
});

test('a bad option is told by the error', async () => {
  const stage = await Stage.open();
  try {
    await assert.rejects(
      stage.start({ options: ['--no-such-option'] }),
      (error) => error instanceof StartError && /--no-such-option/.test(error.message),
    );
  } finally {
    await stage.close();
  }
});

test('the port of the tools answers only with its token', async () => {
  const run = ({ n }) => 2 * n;
  const schema = { type: 'object', properties: { n: { type: 'integer' } } };
  const offer = await serveTools([{ name: 'double', description: 'Doubles a number.', schema, run }]);
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'double', arguments: { n: 21 } } });
  const send = (headers) => fetch(offer.entry.url, { method: 'POST', body, headers });
  assert.equal((await send({})).status, 401);
  assert.equal((await send({ authorization: 'Bearer wrong' })).status, 401);
  const { result } = await (await send(offer.entry.headers)).json();
  assert.deepEqual(result, { content: [{ type: 'text', text: '42' }], isError: false });
  await offer.close();
});

test('events are read whole, however they are cut', () => {
  const whole = 'event: note\nid: 1.0\ndata: {"a":\ndata: 1}\n\n: alive\n\nevent: closed\ndata: {}\n\n';
  const expected = [{ name: 'note', id: '1.0', data: '{"a":\n1}' }, { name: 'closed', id: '1.0', data: '{}' }];
  for (let cut = 0; cut <= whole.length; cut += 1) {
    const parser = new SseParser();
    assert.deepEqual([...parser.feed(whole.slice(0, cut)), ...parser.feed(whole.slice(cut))], expected);
  }
});
