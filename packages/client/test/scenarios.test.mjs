// The scenarios of packages/python/tests/scenarios.txt, against the real command. packages/python has the same ones.

import assert from 'node:assert/strict';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { ConnectionLost, eventData } from '../dist/index.js';
import { REPOSITORY, Stage, collect, killAfter, script } from './stage.mjs';

const WRITE = { call: 'write', with: { path: 'list.txt', content: 'bread\n' } };
const READ = { call: 'read', with: { path: 'notes.txt' } };
const TODO = {
  type: 'object',
  properties: { task: { type: 'string' }, day: { enum: ['Monday', 'Friday'] } },
  required: ['task', 'day'],
  additionalProperties: false,
};

const tested = [];

/** A scenario with a server of its own, unless it starts one itself. */
function scenario(name, body, given = {}) {
  tested.push(name);
  test(name, async () => {
    const stage = await Stage.open();
    try {
      const holm = given.alone ? undefined : await stage.start(given);
      try {
        await body(stage, holm);
      } finally {
        await holm?.close();
      }
    } finally {
      await stage.close();
    }
  });
}

scenario('a program starts a server and gets an answer', async (stage) => {
  const holm = await stage.start();
  const session = await holm.create('first');
  const result = await session.ask(script({ say: 'Hello.' }));
  assert.deepEqual([result.text, result.ending, result.session], ['Hello.', 'answered', 'first']);
  assert.equal((await session.ask(script({ say: 'Hello again.' }))).text, 'Hello again.');
  await holm.close();
  await assert.rejects(stage.connect(holm), ConnectionLost);
}, { alone: true });

scenario('a second program connects to the same server', async (stage, holm) => {
  const other = await stage.connect(holm);
  await (await holm.create('shared')).ask(script({ say: 'One.' }));
  assert.deepEqual((await other.sessions()).sessions.map((one) => one.id), ['shared']);
  const { text } = await (await other.open('shared')).ask(script({ prompts: true }));
  assert.equal(text.split('script:').length - 1, 2);
});

scenario('a reply arrives in pieces that make up the answer', async (_, holm) => {
  const text = 'It was a bright cold day in April ✓, and the clocks were striking thirteen. 🚀';
  const frames = await collect((await holm.create()).stream(script({ say: text, slowly: true })));
  const pieces = frames.filter((frame) => frame.kind === 'delta' && frame.delta === 'text');
  assert.ok(pieces.length > 3);
  assert.equal(pieces.map((piece) => piece.text).join(''), text);
  assert.ok(pieces.every((piece, at) => at === 0 || piece.offset > pieces[at - 1].offset));
  assert.equal(frames.at(-1).result.text, text);
});

scenario('events show each call and its result', async (_, holm) => {
  const frames = await collect((await holm.create()).stream(script(READ, { results: 'I read: ' })));
  const data = (name) => frames.map((frame) => eventData(frame, name)).find((found) => found !== undefined);
  assert.equal(data('call_proposed').tool, 'read');
  assert.equal(data('call_finished').outcome, 'succeeded');
  assert.match(frames.at(-1).result.text, /Call Grace on Monday/);
});

scenario('a call runs after the program allows it', async (stage, holm) => {
  const asked = [];
  const approve = (approval) => {
    asked.push(approval);
    return true;
  };
  const result = await (await holm.create()).ask(script(WRITE, { say: 'Saved.' }), { approve });
  assert.equal(result.text, 'Saved.');
  assert.equal(stage.read('list.txt'), 'bread\n');
  assert.deepEqual(asked.map((one) => [one.tool, one.arguments.content, one.level]), [['write', 'bread\n', 'write']]);
  assert.ok(asked[0].missing.some((need) => need.includes('list.txt')));
});

scenario('a call that the program denies does not run and the model reads the reason', async (stage, holm) => {
  const approve = () => ({ deny: 'not on Sundays' });
  const result = await (await holm.create()).ask(script(WRITE, { results: '' }), { approve });
  assert.match(result.text, /not on Sundays/);
  assert.ok(!stage.exists('list.txt'));
});

scenario('an answer for the session covers the same call later', async (stage, holm) => {
  const asked = [];
  const approve = async (approval) => {
    asked.push(approval.tool);
    return 'session';
  };
  const session = await holm.create();
  for (let turn = 0; turn < 2; turn += 1) {
    await session.ask(script(WRITE, { say: 'Saved.' }), { approve });
    rmSync(stage.path('list.txt'));
  }
  assert.deepEqual(asked, ['write']);
});

scenario('without a function that approves a call is denied', async (stage, holm) => {
  const result = await (await holm.create()).ask(script(WRITE, { results: '' }));
  assert.match(result.text, /answers no questions/);
  assert.ok(!stage.exists('list.txt'));
});

scenario('another program answers an open question', async (stage, holm) => {
  const other = await stage.connect(holm);
  const session = await holm.create('asking');
  const frames = await collect(session.stream(script(WRITE, { say: 'Saved.' })), async (frame) => {
    if (frame.kind !== 'question') return;
    const elsewhere = await other.open('asking');
    const [posed] = await elsewhere.questions();
    assert.equal(posed.id, frame.id);
    await elsewhere.answer(posed.id, 'once', frame.question.approval.digest);
  });
  assert.equal(frames.at(-1).result.text, 'Saved.');
  assert.ok(stage.exists('list.txt'));
});

scenario('the program answers a question of the model', async (_, holm) => {
  const asked = [];
  const reply = (question) => {
    asked.push(question.words.text);
    return 'Tuesday';
  };
  const prompt = script({ call: 'ask_user', with: { question: 'Which day?' } }, { results: 'You said: ' });
  const result = await (await holm.create()).ask(prompt, { reply });
  assert.match(result.text, /Tuesday/);
  assert.match(asked[0], /Which day\?/);
});

const number = { type: 'integer' };
const text = { type: 'string' };
const object = (properties) => ({ type: 'object', properties, required: Object.keys(properties), additionalProperties: false });

const add = {
  name: 'add',
  description: 'Adds two numbers.',
  schema: object({ a: number, b: number }),
  run: ({ a, b }) => ({ sum: a + b }),
};
const shout = {
  name: 'shout',
  description: 'Writes a text in capitals.',
  schema: object({ text }),
  run: async (given) => given.text.toUpperCase(),
};

scenario('the model calls a function of the program', async (_, holm) => {
  const calls = { calls: [['node_add', { a: 2, b: 40 }], ['node_shout', { text: 'hi' }]] };
  const result = await (await holm.create()).ask(script(calls, { results: '' }));
  assert.match(result.text, /\{"sum":42\}/);
  assert.match(result.text, /HI/);
}, { tools: [add, shout] });

const stock = {
  name: 'stock',
  description: 'How many there are.',
  schema: object({ item: text }),
  run: ({ item }) => {
    throw new Error(`there is no ${item}`);
  },
};

scenario('the model reads what a function raises', async (_, holm) => {
  const prompt = script({ call: 'node_stock', with: { item: 'lamp' } }, { results: '' });
  assert.match((await (await holm.create()).ask(prompt)).text, /there is no lamp/);
}, { tools: [stock] });

const ordered = [];
const order = {
  name: 'order',
  description: 'Orders something.',
  schema: object({ item: text }),
  ask: true,
  run: ({ item }) => {
    ordered.push(item);
    return 'ordered';
  },
};

scenario('a function that asks waits for approval', async (_, holm) => {
  const asked = [];
  const approve = (approval) => {
    asked.push([approval.tool, approval.arguments.item, [...ordered]]);
    return approval.arguments.item === 'lamp';
  };
  const calls = ['lamp', 'yacht'].map((item) => ({ call: 'node_order', with: { item } }));
  await (await holm.create()).ask(script(...calls, { say: 'Done.' }), { approve });
  assert.deepEqual(ordered, ['lamp']);
  assert.deepEqual(asked, [['node_order', 'lamp', []], ['node_order', 'yacht', ['lamp']]]);
}, { tools: [order] });

scenario('a value matches its schema', async (stage, holm) => {
  const session = await holm.create('todos');
  const prompt = script(WRITE, { say: '{"task": "Call Grace", "day": "Monday"}' });
  const result = await session.askValue(prompt, TODO, { approve: () => true });
  assert.deepEqual(result.value, { task: 'Call Grace', day: 'Monday' });
  assert.ok(stage.exists('list.txt'));
  const { text } = await session.ask(script({ prompts: true }));
  assert.equal(text.split('script:').length - 1, 2, 'it is the same session');
});

scenario('a value that does not match is asked for again', async (_, holm) => {
  const session = await holm.create();
  const say = (day) => ({ say: `{"task": "Call Grace", "day": "${day}"}` });
  const result = await session.askValue(script(say('Sunday'), say('Friday')), TODO);
  assert.equal(result.value.day, 'Friday');
  const replies = (await session.replay()).filter((frame) => frame.name === 'model_replied');
  assert.equal(replies.length, 2);
});

scenario('steering reaches the work under way', async (stage, holm) => {
  const session = await holm.create();
  const prompt = script({ ...READ, until: stage.path('gate') }, { prompts: true });
  const frames = await collect(session.stream(prompt), async (frame) => {
    if (!eventData(frame, 'model_called') || stage.exists('gate')) return;
    await session.steer('Use capitals.');
    stage.touch('gate');
  });
  assert.match(frames.at(-1).result.text, /Use capitals\./);
});

scenario('a cancelled run ends as cancelled', async (stage, holm) => {
  const session = await holm.create();
  const prompt = script({ say: 'Late.', until: stage.path('never') });
  const frames = await collect(session.stream(prompt), async (frame) => {
    if (eventData(frame, 'model_called')) await session.cancel('enough');
  });
  assert.deepEqual([frames.at(-1).result.ending, frames.at(-1).result.reason], ['cancelled', 'enough']);
  assert.equal((await session.ask(script({ say: 'Next.' }))).text, 'Next.');
});

scenario('a watcher that continues misses nothing and sees nothing twice', async (_, holm) => {
  const session = await holm.create();
  await session.ask(script(READ, READ, { say: 'Done.', slowly: true }));
  const whole = (await session.replay()).map((frame) => frame.cursor);
  const seen = [];
  let cursor = '-';
  while (seen.length < whole.length) {
    // Three frames for each connection.
    let count = 0;
    for await (const frame of session.watch(cursor)) {
      cursor = frame.cursor;
      if (frame.kind === 'event') seen.push(`${frame.record}.${frame.index}`);
      count += 1;
      if (count === 3 || seen.length === whole.length) break;
    }
  }
  assert.deepEqual(seen, whole);
});

scenario('a server keeps working when the program that connected is killed', async (stage, holm) => {
  const prompt = script({ say: 'I was not alone.', until: stage.path('gate') });
  const program = stage.program(`
    const session = await (await Holm.connect(given.url, given.token)).create('lonely');
    for await (const frame of session.stream(given.prompt)) console.log(frame.name);`,
    { url: holm.url, token: stage.token, prompt });
  await killAfter(program, 'model_called');
  stage.touch('gate');
  assert.equal((await (await holm.open('lonely')).wait()).text, 'I was not alone.');
});

scenario('a program that was killed with its server resumes at the next start', async (stage) => {
  const prompt = script(READ, WRITE, { results: 'Both: ' });
  const program = stage.program(`
    const session = await (await start(given.start)).create('order');
    for await (const frame of session.stream(given.prompt)) console.log(frame.kind);`,
    { start: stage.given(), prompt });
  await killAfter(program, 'question');
  assert.ok(!stage.exists('list.txt'));
  const holm = await stage.start();
  const session = await holm.open('order');
  const result = await session.wait({ approve: (approval) => approval.tool === 'write' });
  assert.match(result.text, /Call Grace on Monday/);
  assert.equal(stage.read('list.txt'), 'bread\n');
  const prompts = (await session.replay()).filter((frame) => frame.name === 'group_started');
  assert.equal(prompts.length, 1, 'the prompt is not repeated');
  await holm.close();
}, { alone: true });

after(() => {
  const names = readFileSync(join(REPOSITORY, 'packages/python/tests/scenarios.txt'), 'utf8').trim().split('\n');
  assert.deepEqual(tested, names, 'both packages test the same scenarios');
});
