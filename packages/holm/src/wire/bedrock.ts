// AWS Bedrock Converse; give `aws` keys.

import { Codec } from './codec.js';
import { fetchModel, type FetchModelOptions } from './model.js';
import type { Model } from '../model.js';
import type { WireOptions } from '../types.js';

export { load, ready } from '../load.js';

/** A model behind `fetch`. */
export const bedrock = (options: FetchModelOptions): Model => fetchModel('bedrock', options);

/** The codec alone, for hosts that send by themselves. */
export const codec = (dialect?: object, options?: WireOptions): Codec => new Codec('bedrock', dialect, options);
