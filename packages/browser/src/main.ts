// The entry point of the page.

import { ready } from 'holm';
import { App } from './app';
import type { Engine } from './engines/engine';
import { RemoteEngine } from './engines/remote';
import { WebLlmEngine } from './engines/webllm';
import { WllamaEngine } from './engines/wllama';
import { ResultStore } from './result-store';
import { settings } from './settings';
import { RunStore } from './run-store';
import { restrictScripts } from './trusted-types';
import { controls } from './ui/controls';

restrictScripts();

async function start(): Promise<void> {
  // A page that embeds this one could cover the approval buttons.
  if (window.top !== window.self) throw new Error('this page cannot be embedded in another page');
  const engines: Engine[] = [new WllamaEngine(settings.files), new WebLlmEngine(settings.webLlmModel)];
  const { endpoint, endpointModel, endpointFormat, tokenUrl } = settings;
  if (endpoint !== undefined) engines.push(new RemoteEngine(endpoint, endpointModel, endpointFormat, tokenUrl));
  const [store, results] = await Promise.all([RunStore.open(), ResultStore.open(), ready()]);
  await new App(controls(), store, results, settings, engines).start();
}

if (import.meta.env.PROD && 'serviceWorker' in navigator) {
  navigator.serviceWorker.register('/sw.js').catch(() => {
    // Without it the page needs a network each time; nothing else is lost.
  });
}

start().catch((error: unknown) => {
  controls().state.value = error instanceof Error ? error.message : String(error);
});
