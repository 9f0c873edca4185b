// The package on Node: what its own code does. Rules are tested in Rust and by vectors.json.

import assert from 'node:assert/strict';
import test from 'node:test';
import { z } from 'zod';
import * as holm from '../dist/index.js';
import * as agentRs from '../dist/agent-rs.js';
import * as catalogue from '../dist/catalogue.js';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { uiMessageChunks } from '../dist/ui.js';

const says = (text) => ({ replied: { blocks: [{ text }], usage: { input: 10, output: 2 } } });
const calls = (...asked) => ({
  replied: {
    blocks: asked.map(([name, args], index) => ({ tool_call: { id: `c${index}`, name, arguments: args } })),
    stop: 'tool_use',
  },
});

/** A model that plays results in order and then says "done". */
function scripted(...results) {
  const seen = [];
  const model = holm.functionModel('scripted/one', (asked) => {
    seen.push(asked);
    const next = results.shift() ?? says('done');
    return typeof next === 'function' ? next(asked) : next;
  });
  return Object.assign(model, { seen });
}

const echo = holm.tool({
  name: 'echo',
  description: 'Gives its text back.',
  level: 'none',
  input: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
  run: ({ text }) => text,
});

test('a run calls a tool and answers, and its journal gives the same run', async () => {
  const journal = new holm.MemoryJournal();
  const agent = holm.runAgent({ model: scripted(calls(['echo', '{"text":"hi"}']), says('It said hi.')), tools: [echo], prompt: 'go', journal });
  const events = [];
  for await (const event of agent) events.push(event);
  assert.deepEqual(events.at(-1), { type: 'ending', ending: { answered: { text: 'It said hi.' } } });
  const shown = events.filter(({ type }) => type === 'event').map(({ event }) => event);
  const replayed = holm.replayEffects(journal.text).split('\n').filter((line) => line.startsWith('{"emit"'));
  assert.deepEqual(replayed.map((line) => JSON.parse(line).emit.event), shown);
  assert.deepEqual(holm.Run.replay(journal.text).status(), agent.run.status());
});

test('a message at the end of a turn starts the next one, unless the run is stopped after it', async () => {
  const cases = [
    [(agent) => agent.steer('tardy'), { answered: { text: 'two' } }],
    [(agent) => agent.followUp('tardy'), { answered: { text: 'two' } }],
    // Whoever stops it first means what has ended.
    [(agent) => (agent.cancel('enough'), agent.steer('tardy')), { answered: { text: 'two' } }],
    [(agent) => (agent.steer('tardy'), agent.cancel('enough')), { cancelled: { reason: 'enough' } }],
    [(agent) => agent.cancel('enough'), { answered: { text: 'one' } }],
  ];
  for (const [atTheEnd, ending] of cases) {
    const lines = [];
    let agent;
    let ends = 0;
    // When its reply is written down the run has ended the turn already, and nobody was told.
    const append = (line) => {
      lines.push(line);
      if (line.includes('"model_finished"') && ends++ === 0) atTheEnd(agent);
    };
    agent = holm.runAgent({ model: scripted(says('one'), says('two')), prompt: 'go', journal: { append } });
    assert.deepEqual(await agent.ending, ending, String(atTheEnd));
    assert.equal(ends > 0 && lines.some((line) => line.includes('tardy')), String(atTheEnd).includes('tardy'));
    assert.throws(() => agent.steer('lost'), /resume it first/);
    agent.cancel('there is nothing to stop');
  }
});

test('large numbers reach a tool with every digit', async () => {
  let text;
  const wide = holm.tool({
    name: 'wide',
    description: 'Takes a number.',
    level: 'none',
    input: { type: 'object', properties: { n: { type: 'integer' } } },
    run: (_args, context) => {
      text = context.text;
      return 'ok then';
    },
  });
  await holm.runAgent({ model: scripted(calls(['wide', '{"n":9007199254740993}'])), tools: [wide], prompt: 'go' }).ending;
  assert.equal(text, '{"n":9007199254740993}');
});

test('a Zod schema declares a tool, and its transformations reach the function', async () => {
  let given;
  const zod = holm.tool({
    name: 'greet',
    description: 'Greets.',
    level: 'none',
    input: z.object({ name: z.string().transform((name) => name.toUpperCase()), times: z.number().int().default(2) }),
    run: (args) => {
      given = args;
      return 'greeted';
    },
  });
  const agent = holm.runAgent({ model: scripted(calls(['greet', '{"name":"ada"}'])), tools: [zod], prompt: 'go' });
  await agent.ending;
  assert.deepEqual(given, { name: 'ADA', times: 2 });
  assert.equal(zod.declaration.schema.properties.name.type, 'string');
});

test('invalid arguments are returned to the model and never reach the tool', async () => {
  let ran = 0;
  const strict = { ...echo, run: async () => ((ran += 1), { text: 'never' }) };
  const model = scripted(calls(['echo', '{"text":{"deep":[]}}']), says('I gave up.'));
  await holm.runAgent({ model, tools: [strict], prompt: 'go' }).ending;
  assert.equal(ran, 0);
  const { tool_result } = model.seen[1].messages.at(-1).blocks[0];
  assert.equal(tool_result.outcome, 'refused');
  assert.match(tool_result.text, /must be a string/);
});

test('an error of a tool is a failed call', async () => {
  const broken = { ...echo, run: async () => { throw new Error('out of paper'); } };
  const model = scripted(calls(['echo', '{"text":"x"}']), says('The printer is out of paper.'));
  await holm.runAgent({ model, tools: [broken], prompt: 'go' }).ending;
  const { tool_result } = model.seen[1].messages.at(-1).blocks[0];
  assert.equal(tool_result.outcome, 'failed');
  assert.match(tool_result.text, /out of paper/);
});

test('without a judge hook calls that need approval are denied; a judge hook gets the call', async () => {
  const write = { ...echo, declaration: { ...echo.declaration, name: 'write', level: 'write' } };
  const refused = scripted(calls(['write', '{"text":"x"}']), says('I was not allowed.'));
  await holm.runAgent({ model: refused, tools: [write], prompt: 'go' }).ending;
  assert.equal(refused.seen[1].messages.at(-1).blocks[0].tool_result.outcome, 'refused');

  const proposals = [];
  const allowed = scripted(calls(['write', '{"text":"written"}']), says('Done.'));
  const judge = (proposal) => (proposals.push(proposal), { allow: {} });
  await holm.runAgent({ model: allowed, tools: [write], prompt: 'go', hooks: { judge } }).ending;
  assert.deepEqual(proposals.map(({ tool, level }) => [tool, level]), [['write', 'write']]);
  assert.match(allowed.seen[1].messages.at(-1).blocks[0].tool_result.text, /written/);
});

test('a failed call is retried when the kernel says so', async () => {
  const model = scripted(() => { throw new Error('flaky'); }, says('second time lucky'));
  const config = { retry: { attempts: 3, base_ms: 5, jitter_milli: 0 } };
  assert.deepEqual(await holm.runAgent({ model, prompt: 'go', config }).ending, { answered: { text: 'second time lucky' } });
  assert.equal(model.seen.length, 2);
});

test('a signal stops a run that waits for its model, and the stop is in the journal', async () => {
  const controller = new AbortController();
  const journal = new holm.MemoryJournal();
  const model = scripted(({ signal }) => new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason));
    setTimeout(() => controller.abort('enough'), 20);
  }));
  const ending = await holm.runAgent({ model, prompt: 'go', journal, signal: controller.signal }).ending;
  assert.deepEqual(ending, { cancelled: { reason: 'enough' } });
  assert.equal(holm.Run.replay(journal.text).status().idle, true);
});

test('a journal resumes where it ended, and forks have the same past', async () => {
  const journal = new holm.MemoryJournal();
  const options = { tools: [echo], journal };
  await holm.runAgent({ ...options, model: scripted(says('one')), prompt: 'first' }).ending;
  const before = journal.text;
  const again = { append: (line) => { journal.text += line; } };
  const agent = holm.runAgent({ ...options, journal: again, resume: before, model: scripted(says('two')), prompt: 'second' });
  assert.deepEqual(await agent.ending, { answered: { text: 'two' } });
  assert.equal(agent.run.transcript().length, 4);
  assert.equal(holm.inspectJournal(journal.text).records, journal.text.split('\n').length - 1);
  const fork = holm.Run.fork(journal.text, 2);
  assert.ok(journal.text.startsWith(fork.journal));
  assert.equal(fork.run.status().seq, 2);
});

test('a snapshot gives the same run as its journal, and a wrong one is harmless', async () => {
  const journal = new holm.MemoryJournal();
  const agent = holm.runAgent({ model: scripted(says('one')), prompt: 'first', journal });
  await agent.ending;
  const snapshot = agent.run.snapshot();
  for (const kept of [snapshot, '{}']) {
    const run = holm.Run.resume(kept, journal.text);
    assert.deepEqual(run.status().head, agent.run.status().head);
    assert.deepEqual(run.transcript(), agent.run.transcript());
  }
});

test('a failed append ends the driver, because it must not act on unwritten records', async () => {
  const journal = { append: () => Promise.reject(new Error('disk full')) };
  await assert.rejects(holm.runAgent({ model: scripted(), prompt: 'go', journal }).ending, /disk full/);
});

test('errors have kinds', () => {
  const kind = (work) => {
    try {
      work();
    } catch (error) {
      assert.ok(error instanceof holm.HolmError);
      return error.kind;
    }
    return undefined;
  };
  const { run } = holm.createRun({ id: 'r', seed: 2n ** 64n - 1n, config: { models: [{ name: 'a/b' }] }, now: 0 });
  assert.equal(kind(() => run.handle(1, 'nonsense')), 'bad_json');
  assert.equal(kind(() => run.handle(1, { dispatched: { call: 99 } })), 'misuse');
  assert.equal(kind(() => run.request(3)), 'unknown_call');
  assert.equal(kind(() => new holm.Codec('telegraph')), 'unknown_format');
  assert.equal(kind(() => holm.Run.replay('{}\n')), 'journal');
  assert.equal(kind(() => new holm.Schema({ type: 5 })), 'schema');
  assert.equal(kind(() => holm.grants.admits(['read:x'], 'what')), 'grant');
  assert.equal(kind(() => agentRs.run_agent_step('{')), 'agent_rs');
});

test('a step shows a request by its measures, however long the conversation is', () => {
  const { run } = holm.createRun({ id: 'r', seed: 1, config: { models: [{ name: 'a/b' }], system: 'x'.repeat(10000) }, now: 0 });
  run.handle(1, { prompted: { blocks: [{ text: 'y'.repeat(10000) }] } });
  let shown;
  for (let effect = run.pollText(); !effect.startsWith('{"wait"'); effect = run.pollText()) {
    if (effect.startsWith('{"call_model"')) shown = effect;
  }
  assert.ok(shown.length < 300, shown);
  assert.equal(run.request(0).messages[0].blocks[0].text.length, 10000);
});

test('the agent.rs protocol works', () => {
  const state_json = agentRs.create_agent_state('What is 2 + 2?');
  const step = JSON.parse(agentRs.run_agent_step(JSON.stringify({ state_json, model_output: '{"tool":"calculator","expression":"2+2"}' })));
  assert.deepEqual(step.decision, { type: 'invoke_tool', tool: 'calculator', params: { expression: '2+2' } });
  const applied = agentRs.apply_tool_result(step.state_json, '{"success":true,"output":"4"}');
  assert.equal(JSON.parse(applied).history.at(-1).content, 'Tool output:\n4');
  assert.throws(() => agentRs.run_agent_step('{'), /^HolmError: Invalid input JSON: /);
});

test('the AI SDK reads a run as a UI message stream', async () => {
  const model = holm.functionModel('scripted/ui', ({ messages, delta }) => {
    if (messages.length > 1) {
      delta({ text: { offset: 0, text: 'It said ' } });
      delta({ text: { offset: 8, text: 'hi.' } });
      return says('It said hi.');
    }
    delta({ thinking: { offset: 0, text: 'Hm.' } });
    delta({ tool_call_started: { index: 0, id: 'c0', name: 'echo' } });
    delta({ tool_arguments: { index: 0, offset: 0, text: '{"text":"hi"}' } });
    return calls(['echo', '{"text":"hi"}']);
  });
  const chunks = [];
  for await (const chunk of uiMessageChunks(holm.runAgent({ model, tools: [echo], prompt: 'go' }), 'm1')) chunks.push(chunk);
  assert.deepEqual(chunks.map(({ type }) => type), [
    'start', 'start-step', 'reasoning-start', 'reasoning-delta', 'reasoning-end', 'tool-input-start', 'tool-input-delta',
    'tool-input-available', 'tool-output-available', 'finish-step', 'start-step', 'text-start', 'text-delta', 'text-delta',
    'text-end', 'finish-step', 'finish',
  ]);
  const { readUIMessageStream } = await import('ai');
  let last;
  const stream = new ReadableStream({ start(controller) { chunks.forEach((chunk) => controller.enqueue(chunk)); controller.close(); } });
  for await (const message of readUIMessageStream({ stream })) last = message;
  assert.deepEqual(last.parts.filter(({ type }) => type !== 'step-start').map(({ type, state }) => [type, state]), [
    ['reasoning', 'done'], ['tool-echo', 'output-available'], ['text', 'done'],
  ]);
  assert.equal(last.parts.at(-1).text, 'It said hi.');
});

test('TypeScript contains no rules: it names no guards, limits or classes', () => {
  const rules = /total \\d|hallucinat|169\.254|rate.?limit|retry_after|backoff|anti-|plausible|429|metadata only/i;
  for (const file of ['driver', 'guards', 'grants', 'kernel', 'model', 'tool', 'wire/codec', 'wire/model']) {
    const text = readFileSync(new URL(`../src/${file}.ts`, import.meta.url), 'utf8').replace(/\/\/.*|\/\*[^]*?\*\//g, '');
    assert.doesNotMatch(text, rules, file);
  }
});

const SECRET = 'hunter2/hunter2+"quoted"';

/** A tool that needs the secret, tells what it got, and gives it back in every disguise. */
const leaky = (got) =>
  holm.tool({
    name: 'leaky',
    description: 'Uses a token and gives it away.',
    level: 'read-only',
    needs: ['secret:github@api.github.com'],
    input: { type: 'object', properties: { token: { type: 'string' }, other: { type: 'string' } } },
    run: ({ token, other }) => {
      got.push(token, other);
      const bytes = Buffer.from(token);
      return [token, JSON.stringify(token), encodeURIComponent(token), bytes.toString('hex'), bytes.toString('base64'), Buffer.from(`x${token}`).toString('base64'), 'nothing else'].join('\n');
    },
  });

test('secrets reach only the allowed tool, not the journal or the model', async () => {
  const got = [];
  const journal = new holm.MemoryJournal();
  const model = scripted(calls(['leaky', '{"token":"‹secret:github›","other":"‹secret:bank›"}']), says('ok'));
  await holm.runAgent({
    model,
    tools: [leaky(got)],
    prompt: `use it, it is ${SECRET}`,
    journal,
    secrets: { github: SECRET, bank: 'another-secret-value' },
    config: { grants: ['secret:github@api.github.com'] },
  }).ending;
  assert.deepEqual(got, [SECRET, '‹secret:bank›']);
  const told = journal.text + model.seen.map((asked) => JSON.stringify(asked)).join('');
  assert.ok(told.includes('‹secret:github›') && told.includes('nothing else'));
  for (const form of [SECRET, 'hunter2', Buffer.from(SECRET).toString('base64').slice(0, 24), Buffer.from(SECRET).toString('hex')]) {
    assert.ok(!told.toLowerCase().includes(form.toLowerCase()), form);
  }
});

test('a large result goes to the blob store, with its ends, length and digest in the journal', async () => {
  const kept = new Map();
  const journal = new holm.MemoryJournal();
  const text = `begin ${'é'.repeat(60_000)} end`;
  const large = { ...echo, run: async () => ({ text }) };
  const model = scripted(calls(['echo', '{"text":"x"}']), says('ok'));
  const ending = await holm.runAgent({ model, tools: [large], prompt: 'go', journal, id: 'run-7', blobs: { put: (run, sha256, bytes) => void kept.set(`${run}/${sha256}`, bytes) } }).ending;
  assert.deepEqual(ending, { answered: { text: 'ok' } });
  const { spill } = journal.text.split('\n').filter(Boolean).map((line) => JSON.parse(line).input).find((input) => input.tool_finished).tool_finished.result;
  const bytes = Buffer.from(text);
  assert.equal(spill.bytes, bytes.length);
  assert.equal(spill.sha256, createHash('sha256').update(bytes).digest('hex'));
  assert.ok(text.startsWith(spill.head) && text.endsWith(spill.tail) && !spill.head.includes('\ufffd') && !spill.tail.includes('\ufffd'));
  assert.deepEqual(Buffer.from(kept.get(`run-7/${spill.sha256}`)), bytes);
  assert.ok(journal.text.length < 60_000);
});

test('if the blob store fails, the ends stay in the journal with a note', async () => {
  const model = scripted(calls(['echo', '{"text":"x"}']), says('ok'));
  const large = { ...echo, run: async () => ({ text: `begin ${'x'.repeat(100_000)} end` }) };
  const journal = new holm.MemoryJournal();
  await holm.runAgent({ model, tools: [large], prompt: 'go', journal, blobs: { put: () => Promise.reject(new Error('disk full')) } }).ending;
  assert.match(journal.text, /\[\d+ bytes are lost: disk full\]/);
});

test('the catalogue knows models and services', () => {
  const info = catalogue.model('anthropic/claude-sonnet-4-5');
  assert.deepEqual([info.window, info.max_output, info.price.input, info.family], [200_000, 32_000, 3_000_000_000, 'anthropic']);
  assert.equal(catalogue.model('toString'), undefined);
  assert.ok(catalogue.models.length > 100 && /^\d{4}-\d\d-\d\d$/.test(catalogue.source.as_of));
  assert.equal(catalogue.service('claude').id, 'anthropic');
  assert.equal(catalogue.service('nobody'), undefined);
  for (const { id, base_url, speaks } of catalogue.services) assert.ok(id && base_url && Object.keys(speaks).length > 0, id);
});
