// Finds the WASM module on each host, without a bundler: Node and Deno read it at once, workerd is given it by its own
// entry points, browsers fetch it when somebody asks.

import init, { initSync } from './wasm/holm.js';
import { HolmError } from './error.js';

let state: 'absent' | 'loaded' = 'absent';
let loading: Promise<void> | undefined;

/** Resolves once the module can be used. Node, Deno and workerd need not wait. */
export function ready(): Promise<void> {
  if (state === 'loaded') return Promise.resolve();
  loading ??= init({ module_or_path: new URL('./wasm/holm_bg.wasm', import.meta.url) }).then(
    () => {
      state = 'loaded';
    },
    (cause: unknown) => {
      loading = undefined;
      throw new HolmError('not_ready', `the WASM module could not be loaded: ${String(cause)}`, { cause });
    },
  );
  return loading;
}

/** Uses a module that the host has loaded in its own way. */
export function load(module: WebAssembly.Module | BufferSource): void {
  if (state === 'loaded') return;
  initSync({ module });
  state = 'loaded';
}

/** Calls into WASM; what is thrown there arrives as a `HolmError`. */
export function call<T>(work: () => T): T {
  if (state === 'absent') {
    throw new HolmError('not_ready', 'the WASM module is not loaded yet; await ready() first');
  }
  try {
    return work();
  } catch (thrown) {
    throw HolmError.of(thrown);
  }
}

// Where files can be read without waiting, nobody should have to wait.
function loadFromDisk(): void {
  type Process = { getBuiltinModule?: (name: string) => { readFileSync(url: URL): Uint8Array<ArrayBuffer> } | undefined };
  const process = (globalThis as { process?: Process }).process;
  try {
    const files = process?.getBuiltinModule?.('node:fs');
    const url = new URL('./wasm/holm_bg.wasm', import.meta.url);
    if (files && url.protocol === 'file:') load(files.readFileSync(url));
  } catch {
    // No such file here, or no leave to read it: `ready` tries the other way and says why it fails.
  }
}

loadFromDisk();
