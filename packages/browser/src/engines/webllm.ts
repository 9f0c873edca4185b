// WebLLM, for browsers with WebGPU. Its script is large, so it loads only when the user chooses it.

import { functionModel } from 'holm';
import type { FunctionModelCall, Model } from 'holm';
import type { ModelResult } from 'holm/kernel';
import type { MLCEngine } from '@mlc-ai/web-llm';
import type { Engine, Progress } from './engine';
import { messagesOf, replyOf } from './small-prompt';

/** The default output limit in tokens. */
const MAX_OUTPUT = 512;

interface Gpu {
  requestAdapter(): Promise<object | null>;
}

/** A larger model on this device's graphics processor. */
export class WebLlmEngine implements Engine {
  readonly id = 'webllm';
  readonly label = 'On this device (WebLLM, WebGPU)';
  readonly model: string;
  readonly #name: string;
  #engine: MLCEngine | undefined;

  constructor(name: string) {
    this.#name = name;
    this.model = `webllm/${name}`;
  }

  async unusable(): Promise<string | undefined> {
    const { gpu } = navigator as { gpu?: Gpu };
    const adapter = await gpu?.requestAdapter().catch(() => null);
    return adapter ? undefined : 'this browser has no WebGPU';
  }

  async prepare(progress: (progress: Progress) => void): Promise<void> {
    if (this.#engine) return;
    const { CreateMLCEngine } = await import('@mlc-ai/web-llm');
    this.#engine = await CreateMLCEngine(this.#name, {
      initProgressCallback: ({ progress: part }) => progress({ loaded: part, total: 1 }),
    });
  }

  named(name: string): Model {
    return functionModel(name, (asked) => this.#answer(asked), { max_output: MAX_OUTPUT, family: 'open' });
  }

  async #answer({ request, messages, signal, delta }: FunctionModelCall): Promise<ModelResult> {
    const engine = this.#engine;
    if (!engine) throw new Error('the model is not loaded');
    const stop = () => void engine.interruptGenerate();
    signal.addEventListener('abort', stop, { once: true });
    try {
      const pieces = await engine.chat.completions.create({
        messages: messagesOf(request, messages),
        stream: true,
        stream_options: { include_usage: true },
        temperature: 0,
        max_tokens: request.max_output ?? MAX_OUTPUT,
      });
      let text = '';
      let offset = 0;
      let usage = { input: 0, output: 0 };
      for await (const { choices, usage: counted } of pieces) {
        if (counted) usage = { input: counted.prompt_tokens, output: counted.completion_tokens };
        const piece = choices[0]?.delta.content ?? '';
        text += piece;
        if (piece === '' || text.trimStart().startsWith('{')) continue;
        delta({ text: { offset, text: piece } });
        offset += new TextEncoder().encode(piece).length;
      }
      return replyOf(text, usage, false);
    } finally {
      signal.removeEventListener('abort', stop);
    }
  }
}
