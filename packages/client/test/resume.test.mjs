// Programs and servers that end at a bad moment, beyond the scenarios.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, connect as dial } from 'node:net';
import { test } from 'node:test';
import { Holm, eventData } from '../dist/index.js';
import { Stage, collect, killAfter, script } from './stage.mjs';

const WRITE = { call: 'write', with: { path: 'list.txt', content: 'bread\n' } };
const READ = { call: 'read', with: { path: 'notes.txt' } };

function staged(name, body) {
  test(name, async () => {
    const stage = await Stage.open();
    try {
      await body(stage);
    } finally {
      await stage.close();
    }
  });
}

/** A server at a known port, started by hand. */
async function serve(stage, port) {
  const line = ['serve', '--listen', `127.0.0.1:${port}`, '--', ...stage.options];
  const env = { ...stage.env, HOLM_DATA: stage.data };
  const server = spawn(stage.command, line, { cwd: stage.work, env, stdio: ['ignore', 'pipe', 'ignore'] });
  await once(server.stdout, 'data');
  return server;
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
}

async function end(server, signal) {
  const gone = once(server, 'exit');
  server.kill(signal);
  await gone;
}

staged('a stream goes on when its server was killed and started again', async (stage) => {
  const port = await freePort();
  let server = await serve(stage, port);
  try {
    const holm = await Holm.connect(`http://127.0.0.1:${port}`, stage.token);
    const session = await holm.create();
    const prompt = script(READ, { results: '', until: stage.path('gate') });
    const frames = await collect(session.stream(prompt), async (frame) => {
      if (eventData(frame, 'model_called')?.turn !== 2 || stage.exists('gate')) return;
      await end(server, 'SIGKILL');
      stage.touch('gate');
      server = await serve(stage, port);
    });
    assert.match(frames.at(-1).result.text, /Call Grace on Monday/);
    const seen = frames.filter((frame) => frame.kind === 'event').map((frame) => [frame.record, frame.index]);
    const isInOrder = ([record, index], at) => at === 0 || record > seen[at - 1][0] || index > seen[at - 1][1];
    assert.ok(seen.every(isInOrder), 'no event comes twice');
  } finally {
    await end(server, 'SIGTERM');
  }
});

staged('a resumed run calls the functions of the next program', async (stage) => {
  const schema = { type: 'object', properties: { a: { type: 'integer' }, b: { type: 'integer' } }, required: ['a', 'b'] };
  const add = { name: 'add', description: 'Adds two numbers.', schema, run: ({ a, b }) => a + b };
  const call = { call: 'node_add', with: { a: 40, b: 2 } };
  const program = stage.program(`
    const add = { ...given.add, run: ({ a, b }) => a + b };
    const session = await (await start({ ...given.start, tools: [add] })).create('sums');
    for await (const frame of session.stream(given.prompt)) console.log(frame.question?.approval.tool);`,
    { start: stage.given(), add, prompt: script(call, WRITE, call, { results: '' }) });
  await killAfter(program, 'write');
  const holm = await stage.start({ tools: [add] });
  try {
    const result = await (await holm.open('sums')).wait({ approve: (approval) => approval.tool === 'write' });
    // Between the seals of the results, which are random and may contain the number too.
    assert.equal(result.text.split('>42<').length - 1, 2);
  } finally {
    await holm.close();
  }
});

staged('a server ends with the program that started it', async (stage) => {
  const program = stage.program(`
    console.log(new URL((await start(given)).url).port);
    setInterval(() => {}, 1000);`, stage.given());
  const port = Number(await once(program.stdout, 'data'));
  const isListening = () =>
    new Promise((resolve) => {
      const socket = dial(port, '127.0.0.1').once('connect', () => resolve(true)).once('error', () => resolve(false));
      socket.once('connect', () => socket.destroy());
    });
  assert.ok(await isListening());
  await end(program, 'SIGKILL');
  for (const began = Date.now(); await isListening(); ) {
    assert.ok(Date.now() - began < 60_000, 'the server ends');
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
});

/** Passes connections on, and can cut them. */
async function proxy(port) {
  const sockets = new Set();
  let count = 0;
  const server = createServer((near) => {
    count += 1;
    const far = dial(port, '127.0.0.1');
    for (const [one, other] of [[near, far], [far, near]]) {
      sockets.add(one);
      one.pipe(other);
      one.on('error', () => {}).once('close', () => other.destroy());
    }
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const cut = () => sockets.forEach((socket) => socket.destroy());
  return { url: `http://127.0.0.1:${server.address().port}`, cut, close: () => server.close(), count: () => count };
}

staged('a question that comes again is answered once', async (stage) => {
  const holm = await stage.start();
  const between = await proxy(Number(new URL(holm.url).port));
  try {
    const other = await Holm.connect(between.url, stage.token);
    const asked = [];
    const approve = async (approval) => {
      asked.push(approval.tool);
      for (let times = 0; times < 2; times += 1) {
        const before = between.count();
        between.cut();
        while (between.count() === before) await new Promise((resolve) => setTimeout(resolve, 20));
        // The connection brings the open question again.
        await new Promise((resolve) => setTimeout(resolve, 300));
      }
      return true;
    };
    const result = await (await other.create()).ask(script(WRITE, { say: 'Saved.' }), { approve });
    assert.deepEqual([result.text, asked], ['Saved.', ['write']]);
  } finally {
    between.cut();
    between.close();
    await holm.close();
  }
});
