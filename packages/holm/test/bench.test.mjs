// The benchmark of hosts does what it says, on the real kernel. No time is looked at here.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import test from 'node:test';
import { PLAN, figures, markdown, native } from '../bench/hosts.mjs';
import { Turns, measure } from '../bench/turns.mjs';
import { Run } from '../dist/kernel.js';
import { Codec } from '../dist/wire/codec.js';

test('a run has the requested number of turns, and encodes one request per turn', () => {
  let requests = 0;
  class Counting extends Codec {
    request(...args) {
      requests += 1;
      return super.request(...args);
    }
  }
  const told = new Turns({ Run, Codec: Counting });
  told.advance(3);
  told.advance(4);
  told.free();
  // One follows the prompt, and one each result.
  assert.equal(requests, 8);
});

test('every variant is measured as often as planned', () => {
  let ticks = 0;
  const plan = { turns: [1, 3], window: 2, runs: 3, warm: 1, ways: ['encoded', 'bare', 'carried'] };
  const found = measure({ Run, Codec }, plan, () => (ticks += 1));
  const wanted = [1, 3].flatMap((turns) => plan.ways.map((way) => ({ way, turns, samples: [1, 1, 1] })));
  assert.deepEqual(found, wanted);
});

test('the hosts time as many turns as the native example, as often', () => {
  const source = readFileSync(new URL('../../../crates/holm-wasm/examples/steps.rs', import.meta.url), 'utf8');
  assert.match(source, new RegExp(`const WINDOW: u64 = ${PLAN.window};`));
  assert.match(source, new RegExp(`const RUNS: usize = ${PLAN.runs};`));
});

test('a host is compared with native at the same number of turns, and one that is missing is named', () => {
  const found = [
    { way: 'encoded', turns: 10, samples: [6, 4, 8] },
    { way: 'bare', turns: 10, samples: [2] },
  ];
  const told = { figures: [...native({ 10: [12_000, 10_000] }), ...figures('node', found, 200)], versions: { node: 'v1' } };
  const text = markdown({ ...told, missing: [{ system: 'deno', why: 'it is not there' }] });
  assert.ok(text.includes('| native | 10 | 12.0 | 10.0 | 1.00× |'), text);
  assert.ok(text.includes('| node | 10 | 30.0 | 20.0 | 2.00× |'), text);
  assert.ok(text.includes('| node-bare | 10 | 10.0 | 10.0 | 1.00× |'), text);
  assert.ok(text.includes('- node: v1\n- deno could not be measured: it is not there\n'), text);
});
