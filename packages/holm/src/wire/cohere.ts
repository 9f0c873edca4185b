// Cohere v2 chat.

import { Codec } from './codec.js';
import { fetchModel, type FetchModelOptions } from './model.js';
import type { Model } from '../model.js';
import type { WireOptions } from '../types.js';

export { load, ready } from '../load.js';

/** A model behind `fetch`. */
export const cohere = (options: FetchModelOptions): Model => fetchModel('cohere', options);

/** The codec alone, for hosts that send by themselves. */
export const codec = (dialect?: object, options?: WireOptions): Codec => new Codec('cohere', dialect, options);
