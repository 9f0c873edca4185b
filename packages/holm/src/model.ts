// The interface of a model for the driver: it answers one request with one result.

import { failure } from './wire/codec.js';
import { json } from './text.js';
import type { Run } from './kernel.js';
import type { Delta, Message, ModelInfo, ModelResult, Request } from './types.js';

/** One model call. Read the request before you await anything. */
export interface ModelCall {
  run: Run;
  call: number;
  signal: AbortSignal;
  /** Reports a piece of the reply. */
  delta(delta: Delta): void;
}

export interface Model {
  /** `provider/model`, unique among the models of a run. */
  name: string;
  /** Window, price, output limit and so on. */
  info?: Omit<ModelInfo, 'name'>;
  /** Resolves when the model can be opened. */
  ready?(): Promise<void>;
  /** Opens the model for one run; returns a function that answers calls with a model result as JSON text. */
  open(): (ask: ModelCall) => Promise<string>;
}

/** The call that a function model answers. */
export interface FunctionModelCall {
  request: Request;
  messages: Message[];
  signal: AbortSignal;
  delta(delta: Delta): void;
}

/** A model made from a function, such as a local or a scripted one. An error it throws is a failed call, which the policy may retry. */
export function functionModel(
  name: string,
  answer: (asked: FunctionModelCall) => ModelResult | string | Promise<ModelResult | string>,
  info?: Omit<ModelInfo, 'name'>,
): Model {
  const open = () => async (ask: ModelCall) => {
    const asked = { ...ask.run.request(ask.call), signal: ask.signal, delta: ask.delta };
    try {
      const reply = await answer(asked);
      return json(typeof reply === 'string' ? { replied: { blocks: [{ text: reply }] } } : reply);
    } catch (error) {
      if (ask.signal.aborted) return json({ aborted: { blocks: [] } });
      return failure('server', error instanceof Error ? error.message : String(error));
    }
  };
  return { name, info, open };
}
