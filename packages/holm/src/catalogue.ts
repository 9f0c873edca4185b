// Models and services that Holm knows. The lists are data beside the module, so only who imports them loads them; what they mean is
// decided in WASM.

import * as wasm from './wasm/holm.js';
import { call } from './load.js';
import { json } from './text.js';
import list from './data/models.js';
import known from './data/services.js';
import type { ModelInfo } from './types.js';

export { load, ready } from './load.js';

/** A service: where it is, which keys it takes, which formats it speaks. */
export interface Service {
  id: string;
  name: string;
  base_url: string;
  keys: string[];
  aliases?: string[];
  /** Formats, each with its dialect. */
  speaks: { [format: string]: object };
  [more: string]: unknown;
}

/** Where the list of models comes from, and its date. */
export const source: { source: string; as_of: string } = { source: list.source, as_of: list.as_of };

/** The names of all models, `provider/model`. */
export const models: readonly string[] = Object.keys(list.models);

/** All services. */
export const services: readonly Service[] = known as unknown as Service[];

/** What is known of a model, for `runAgent`'s models: window, output cap, price, family. */
export function model(name: string): ModelInfo | undefined {
  if (!Object.hasOwn(list.models, name)) return undefined;
  const entry = (list.models as { [name: string]: object })[name];
  return JSON.parse(call(() => wasm.catalogue_model(json({ models: { [name]: entry } }), name))) as ModelInfo;
}

/** The service of this id or alias; an id comes first. */
export const service = (name: string): Service | undefined =>
  services.find(({ id }) => id === name) ?? services.find(({ aliases }) => aliases?.includes(name));
