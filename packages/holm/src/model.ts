// What a model is to the driver: something that answers one request with one result.

import { failure } from './wire/codec.js';
import { json } from './text.js';
import type { Run } from './kernel.js';
import type { Delta, Message, ModelInfo, ModelResult, Request } from './types.js';

/** One call. Read the request before anything is awaited. */
export interface Ask {
  run: Run;
  call: number;
  signal: AbortSignal;
  /** Hands a piece of the reply on to the watchers. */
  delta(delta: Delta): void;
}

/** A model. */
export interface Model {
  /** `provider/model`, unique among the models of a run. */
  name: string;
  /** Window, price, output cap and so on. */
  info?: Omit<ModelInfo, 'name'>;
  /** Waits until the model can be opened. */
  ready?(): Promise<void>;
  /** Opens it for one run; gives what answers its calls with a model result, as JSON text. */
  open(): (ask: Ask) => Promise<string>;
}

/** What a function that stands in for a model is given. */
export interface Asked {
  request: Request;
  messages: Message[];
  signal: AbortSignal;
  delta(delta: Delta): void;
}

/** A model that is a function: a local one, a scripted one. What it throws is a failed call, tried again as the policy says. */
export function functionModel(
  name: string,
  answer: (asked: Asked) => ModelResult | string | Promise<ModelResult | string>,
  info?: Omit<ModelInfo, 'name'>,
): Model {
  const open = () => async (ask: Ask) => {
    const asked = { ...ask.run.request(ask.call), signal: ask.signal, delta: ask.delta };
    try {
      const said = await answer(asked);
      return json(typeof said === 'string' ? { replied: { blocks: [{ text: said }] } } : said);
    } catch (error) {
      if (ask.signal.aborted) return json({ aborted: { blocks: [] } });
      return failure('server', error instanceof Error ? error.message : String(error));
    }
  };
  return { name, info, open };
}
