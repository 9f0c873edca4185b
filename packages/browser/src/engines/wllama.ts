// llama.cpp in WASM, for browsers without WebGPU. It uses one thread unless the page is cross-origin isolated, and needs no headers.

import { functionModel } from 'holm';
import type { FunctionModelCall, Model } from 'holm';
import type { ModelResult } from 'holm/kernel';
import { Wllama } from '@wllama/wllama';
import wasm from '@wllama/wllama/esm/wasm/wllama.wasm?url';
import { fileOf } from './download';
import type { Engine, Progress } from './engine';
import { chatMl, grammarOf, messagesOf, replyOf, toolsOf } from './small-prompt';
import type { ModelFiles } from '../settings';

/** The context window in tokens: the adapter was trained with it, and one thread can read it in reasonable time. */
const WINDOW = 4096;

/** The default output limit in tokens. */
const MAX_OUTPUT = 256;

/** The path of the second file in the engine's file system; the first is the model. */
const ADAPTER = 'models/model-00002-of-00002.gguf';

/** The small model on this device. */
export class WllamaEngine implements Engine {
  readonly id = 'wllama';
  readonly label = 'On this device (wllama)';
  /** The same name as in the `holm` command, so that the command can resume a page's run. */
  readonly model = 'local/smollm2';
  readonly #files: ModelFiles;
  #engine: Wllama | undefined;

  constructor(files: ModelFiles) {
    this.#files = files;
  }

  async unusable(): Promise<string | undefined> {
    // The engine needs 64-bit WASM and promise integration, which older browsers lack.
    const suspends = 'Suspending' in WebAssembly;
    return suspends ? undefined : 'not supported by this browser; use a newer one, or an endpoint';
  }

  async prepare(progress: (progress: Progress) => void): Promise<void> {
    if (this.#engine) return;
    const { model, sha256, adapter } = this.#files;
    const blobs = [await fileOf(model, sha256, progress)];
    if (adapter !== undefined) blobs.push(await fileOf(adapter, undefined, progress));
    const engine = new Wllama({ default: new URL(wasm, location.href).href }, { suppressNativeLog: true });
    // No files from other hosts.
    engine.setCompat(null);
    await engine.loadModel(blobs, {
      n_ctx: WINDOW,
      n_gpu_layers: 0,
      ...(adapter === undefined ? {} : { lora_adapters: [{ path: ADAPTER, scale: 1 }] }),
    });
    this.#engine = engine;
  }

  named(name: string): Model {
    return functionModel(name, (asked) => this.#answer(asked), { window: WINDOW, max_output: MAX_OUTPUT, family: 'open' });
  }

  async #answer({ request, messages, signal, delta }: FunctionModelCall): Promise<ModelResult> {
    const engine = this.#engine;
    if (!engine) throw new Error('the model is not loaded');
    const grammar = grammarOf(toolsOf(request));
    const pieces = await engine.createCompletion({
      prompt: chatMl(messagesOf(request, messages)),
      stream: true,
      temperature: 0,
      max_tokens: request.max_output ?? MAX_OUTPUT,
      stop: ['<|im_end|>'],
      abortSignal: signal,
      ...(grammar === undefined ? {} : { grammar }),
    });
    return readReply(pieces, delta);
  }
}

type Piece = { choices: { text: string; finish_reason: string | null }[]; usage?: { prompt_tokens: number; completion_tokens: number } | null };

/** Streams text as it arrives; a reply that starts like a call is shown when it is complete. */
async function readReply(pieces: AsyncIterable<Piece>, delta: FunctionModelCall['delta']): Promise<ModelResult> {
  let text = '';
  let offset = 0;
  let output = 0;
  let usage = { input: 0, output: 0 };
  let cut = false;
  for await (const { choices, usage: counted } of pieces) {
    const [choice] = choices;
    const piece = choice?.text ?? '';
    if (counted) usage = { input: counted.prompt_tokens, output: counted.completion_tokens };
    cut ||= choice?.finish_reason === 'length';
    if (piece === '') continue;
    output += 1;
    text += piece;
    if (text.trimStart().startsWith('{')) continue;
    delta({ text: { offset, text: piece } });
    offset += new TextEncoder().encode(piece).length;
  }
  return replyOf(text, usage.output === 0 ? { ...usage, output } : usage, cut);
}
