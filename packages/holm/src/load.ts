// Loads the WASM module on each host, without a bundler: Node and Deno read the file at import, workerd gets it through its own entry
// points, and browsers fetch it on `ready`.

import init, { initSync } from './wasm/holm.js';
import { HolmError } from './error.js';

let state: 'absent' | 'loaded' = 'absent';
let loading: Promise<void> | undefined;

/** Resolves when the module is loaded. On Node, Deno and workerd it already is. */
export function ready(): Promise<void> {
  if (state === 'loaded') return Promise.resolve();
  loading ??= init({ module_or_path: new URL('./wasm/holm_bg.wasm', import.meta.url) }).then(
    () => {
      state = 'loaded';
    },
    (cause: unknown) => {
      loading = undefined;
      throw new HolmError('not_ready', `cannot load the WASM module: ${String(cause)}`, { cause });
    },
  );
  return loading;
}

/** Uses a module that the host has loaded. */
export function load(module: WebAssembly.Module | BufferSource): void {
  if (state === 'loaded') return;
  initSync({ module });
  state = 'loaded';
}

/** Calls into WASM and turns its errors into `HolmError`. */
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

// Hosts with synchronous file access need no `ready`.
function loadFromDisk(): void {
  type Process = { getBuiltinModule?: (name: string) => { readFileSync(url: URL): Uint8Array<ArrayBuffer> } | undefined };
  const process = (globalThis as { process?: Process }).process;
  try {
    const files = process?.getBuiltinModule?.('node:fs');
    const url = new URL('./wasm/holm_bg.wasm', import.meta.url);
    if (files && url.protocol === 'file:') load(files.readFileSync(url));
  } catch {
    // The file is missing or not readable: `ready` fetches it, and reports an error if that fails.
  }
}

loadFromDisk();
