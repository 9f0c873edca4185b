// OpenAI Chat Completions, and the many services that speak it.

import { Codec } from './codec.js';
import { fetchModel, type FetchModelOptions } from './model.js';
import type { Model } from '../model.js';
import type { WireOptions } from '../types.js';

export { load, ready } from '../load.js';

/** A model behind `fetch`. */
export const openaiChat = (options: FetchModelOptions): Model => fetchModel('openai_chat', options);

/** The codec alone, for hosts that send by themselves. */
export const codec = (dialect?: object, options?: WireOptions): Codec => new Codec('openai_chat', dialect, options);
