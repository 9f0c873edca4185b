// Where the page begins.

import { ready } from 'holm';
import { App } from './app';
import type { Engine } from './engines/engine';
import { RemoteEngine } from './engines/remote';
import { WebLlmEngine } from './engines/webllm';
import { WllamaEngine } from './engines/wllama';
import { Results } from './results';
import { settings } from './settings';
import { Store } from './store';
import { closeGate } from './trusted';
import { controls } from './ui/controls';

closeGate();

async function start(): Promise<void> {
  // Another page that shows this one could lay itself over the buttons by which a person allows a call.
  if (window.top !== window.self) throw new Error('this page does not work inside another one');
  const engines: Engine[] = [new WllamaEngine(settings.files), new WebLlmEngine(settings.webLlmModel)];
  const { endpoint, endpointModel, endpointFormat, tokenUrl } = settings;
  if (endpoint !== undefined) engines.push(new RemoteEngine(endpoint, endpointModel, endpointFormat, tokenUrl));
  const [store, results] = await Promise.all([Store.open(), Results.open(), ready()]);
  await new App(controls(), store, results, settings, engines).start();
}

if (import.meta.env.PROD && 'serviceWorker' in navigator) {
  navigator.serviceWorker.register('/sw.js').catch(() => {
    // Then the page needs a network every time; nothing else is lost.
  });
}

start().catch((error: unknown) => {
  controls().state.value = error instanceof Error ? error.message : String(error);
});
