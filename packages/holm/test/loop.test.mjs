// A full loop in Node and Deno against the provider double: streaming, two tools, retry and fallback, cancel.
//
// HOLM_DOUBLE is the double's address; scripts/test-js starts it.

import assert from 'node:assert/strict';
import test from 'node:test';
import { fileURLToPath } from 'node:url';
import * as holm from '../dist/index.js';
import { deno } from './hosts/deno.mjs';
import { loops } from './loop-core.mjs';

const base = process.env.HOLM_DOUBLE;
const HELLO = 'Hello, wörld ✓ 🚀';

function check(found) {
  for (const format of ['openai-chat', 'openai-responses', 'anthropic', 'ollama', 'gemini', 'cohere', 'bedrock']) {
    const { hello, tools, denied, retried, cancelled } = found[format];
    assert.deepEqual(hello.ending, { answered: { text: HELLO } }, format);
    assert.equal(hello.text, HELLO, format);
    assert.ok(hello.streamed, format);
    assert.deepEqual(tools.ending, { answered: { text: '18 and 21 degrees' } }, format);
    assert.deepEqual(tools.ran, ['Köln', 'Rome'], format);
    assert.equal(denied.ending.failed?.class, 'auth', format);
    assert.equal(denied.failures, 1, format);
    assert.deepEqual(retried.ending, { answered: { text: HELLO } }, format);
    assert.ok(retried.failures >= 2, `${format}: ${retried.failures} failures`);
    assert.deepEqual(cancelled.ending, { cancelled: { reason: 'enough' } }, format);
    for (const { same } of [hello, tools, denied, retried, cancelled]) assert.ok(same, format);
  }
  assert.equal(found.unreachable.ending.failed?.class, 'network');
}

test('Node: whole loops through every codec with fetch', { skip: !base }, async () => {
  check(await loops(holm, base));
});

test('Deno: whole loops through every codec with fetch', { skip: !base }, async () => {
  const script = fileURLToPath(new URL('loop-deno.mjs', import.meta.url));
  const root = fileURLToPath(new URL('..', import.meta.url));
  check(JSON.parse(await deno(script, [root, base], { allow: ['--allow-read', '--allow-net'] })));
});
