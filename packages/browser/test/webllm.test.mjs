// WebLLM on a software WebGPU. Its weights lie on somebody else's servers, so here nothing is let out: what is tested is that it is loaded on
// demand, asks where its policy lets it, and says what it could not get.

import assert from 'node:assert/strict';
import { rm } from 'node:fs/promises';
import test from 'node:test';
import { ask, browse, build, idle, open, serve, texts } from './page.mjs';

test('WebLLM is offered with WebGPU, and a failed download is reported', async () => {
  const folder = await build({ HOLM_WEBLLM: 'yes' });
  const page = await serve(folder);
  const { context, requests, close } = await browse(['--enable-unsafe-webgpu', '--use-webgpu-adapter=swiftshader']);
  try {
    await context.route('https://**', (route) => route.abort());
    const tab = await open(context, page.url);
    assert.equal(await tab.locator('#engine option[value=webllm]').isEnabled(), true);
    assert.ok(!requests.some((url) => url.includes('/assets/lib-')), 'its script was loaded before anybody chose it');
    await tab.selectOption('#engine', 'webllm');
    await idle(tab);
    await ask(tab, 'Hi');
    assert.ok((await texts(tab, 'problem')).length > 0);
    const outside = requests.filter((url) => url.startsWith('https://'));
    assert.ok(outside.length > 0 && outside.every((url) => /^https:\/\/(huggingface\.co|[^/]*\.hf\.co|raw\.githubusercontent\.com)\//.test(url)), outside.join(' '));
  } finally {
    await close();
    page.close();
    await rm(folder, { recursive: true, force: true });
  }
});
