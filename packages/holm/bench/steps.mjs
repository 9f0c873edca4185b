// Cost of one turn in WASM, at a short and at a long conversation, beside the native figure and beside a design that
// writes and reads the whole state as JSON at each step, as agent.rs does.
//
//   node bench/steps.mjs '{"10":1234,"1000":1300}'      the argument is what the native example printed

import { Run } from '../dist/kernel.js';
import { Codec } from '../dist/wire/codec.js';

const RUNS = 15;
const WINDOW = 10;
const TURNS = [10, 1000];

const config = {
  models: [{ name: 'double/bench', window: 100_000_000 }],
  system: 'You are measured.',
  limits: { turns: 'unbounded' },
  context: { result_budget: 1_000_000_000 },
  tools: [
    {
      name: 'look',
      description: 'Looks.',
      level: 'read-only',
      schema: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
    },
  ],
};

function drain(run, codec) {
  let model;
  let tool;
  for (;;) {
    const effect = run.poll();
    if ('wait' in effect) return { model, tool };
    if (effect.call_model) {
      model = effect.call_model.call;
      codec?.request(run, model, { baseUrl: 'http://localhost/v1', key: 'k', now: 0 });
    } else if (effect.run_tool) tool = effect.run_tool.call;
  }
}

/** Nanoseconds for one turn when `turns` have been before it; `each` is done after every step. */
function measure(turns, { codec, each } = {}) {
  const { run, line } = Run.create({ id: 'bench', seed: 7, config, now: 0 });
  const lines = [line];
  lines.push(run.handle(1, { prompted: { blocks: [{ text: 'Go.' }] } }));
  let { model } = drain(run, codec);
  let begun = process.hrtime.bigint();
  for (let turn = 0; turn < turns + WINDOW; turn += 1) {
    if (turn === turns) begun = process.hrtime.bigint();
    const timed = turn >= turns;
    const step = (input) => {
      run.handle(turn, input);
      const found = drain(run, codec);
      if (timed) each?.(run);
      return found;
    };
    const path = `src/${turn}.rs`;
    const call = { id: `c${turn}`, name: 'look', arguments: JSON.stringify({ path }) };
    const { tool } = step({ model_finished: { call: model, result: { replied: { blocks: [{ tool_call: call }] } } } });
    step({ dispatched: { call: tool } });
    ({ model } = step({ tool_finished: { call: tool, result: { text: `file ${path} holds ${turn} lines of text` } } }));
  }
  const spent = Number(process.hrtime.bigint() - begun) / WINDOW;
  run.free();
  return spent;
}

const median = (work) => Array.from({ length: RUNS }, work).sort((a, b) => a - b)[(RUNS - 1) / 2];
const codec = () => new Codec('openai_chat');

// What crosses twice at each step where the state is carried by the host.
const wholeState = (run) => JSON.stringify(JSON.parse(run.snapshot()));

const native = JSON.parse(process.argv[2] ?? '{}');
// The engine compiles hot code again while it runs; that is over after some thousand steps.
for (let warm = 0; warm < 3; warm += 1) measure(1000, { codec: codec() });

console.log(`one turn (reply, dispatch, result), microseconds, median of ${RUNS}`);
console.log('turns before   native, request encoded   WASM   WASM, request encoded   WASM, whole state as JSON at each step');
for (const turns of TURNS) {
  const us = (nanos, width) => (nanos === undefined ? '-' : (nanos / 1000).toFixed(1)).padStart(width);
  const kernel = median(() => measure(turns));
  const encoded = median(() => measure(turns, { codec: codec() }));
  const carried = median(() => measure(turns, { each: wholeState }));
  console.log(`${String(turns).padStart(12)}${us(native[turns], 26)}${us(kernel, 7)}${us(encoded, 24)}${us(carried, 41)}`);
}
