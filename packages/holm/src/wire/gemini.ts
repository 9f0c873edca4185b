// Google Gemini.

import { Codec } from './codec.js';
import { fetchModel, type FetchModelOptions } from './model.js';
import type { Model } from '../model.js';
import type { WireOptions } from '../types.js';

export { load, ready } from '../load.js';

/** A model behind `fetch`. */
export const gemini = (options: FetchModelOptions): Model => fetchModel('gemini', options);

/** The codec alone, for hosts that send by themselves. */
export const codec = (dialect?: object, options?: WireOptions): Codec => new Codec('gemini', dialect, options);
