// The catalogue of models and services. The lists are data files, so only this import loads them; WASM interprets them.

import * as wasm from './wasm/holm.js';
import { call } from './load.js';
import { json } from './text.js';
import list from './data/models.js';
import known from './data/services.js';
import type { ModelInfo } from './types.js';

export { load, ready } from './load.js';

/** A service: its URL, the names of its keys, and its formats. */
export interface Service {
  id: string;
  name: string;
  base_url: string;
  keys: string[];
  aliases?: string[];
  /** Its formats, each with its dialect. */
  speaks: { [format: string]: object };
  [more: string]: unknown;
}

/** The source of the model list, and its date. */
export const source: { source: string; as_of: string } = { source: list.source, as_of: list.as_of };

/** The names of all models, `provider/model`. */
export const models: readonly string[] = Object.keys(list.models);

/** All services. */
export const services: readonly Service[] = known as unknown as Service[];

/** The catalogue entry of a model: window, output limit, price, family. */
export function model(name: string): ModelInfo | undefined {
  if (!Object.hasOwn(list.models, name)) return undefined;
  const entry = (list.models as { [name: string]: object })[name];
  return JSON.parse(call(() => wasm.catalogue_model(json({ models: { [name]: entry } }), name))) as ModelInfo;
}

/** The service with this id or alias; ids take precedence. */
export const service = (name: string): Service | undefined =>
  services.find(({ id }) => id === name) ?? services.find(({ aliases }) => aliases?.includes(name));
