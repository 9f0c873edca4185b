// The model behind the endpoint, under the name that the run knows it by.

import { fetchModel, type Model } from 'holm';
import type { Settings } from './settings.js';
import { Refusal } from './refusal.js';

/** Formats that write the model's name into the body, where it can be replaced. */
const NAMED_IN_BODY: readonly string[] = ['openai_chat', 'openai_responses', 'anthropic', 'cohere', 'ollama'];

/** The name of a model in journals. */
export const nameOf = (settings: Settings, model: string): string => `${settings.endpoint.provider}/${model}`;

/**
 * The model that answers, and the names of an older journal's models.
 *
 * A run keeps the models it was started with. Those that are not of this host are answered by its own, under their old names.
 */
export function modelsOf(settings: Settings, model: string, known: string[] = []): Model[] {
  const { format, dialect, baseUrl, key, aws } = settings.endpoint;
  const own = nameOf(settings, model);
  const made = (name: string) =>
    fetchModel(format, { name, baseUrl, key, aws, dialect, options: name === own ? {} : { extra: { model } } });
  const foreign = known.filter((name) => name !== own);
  if (foreign.length > 0 && !NAMED_IN_BODY.includes(format)) {
    throw new Refusal(400, `this journal's models (${foreign.join(', ')}) cannot be replaced with this service`);
  }
  return [made(own), ...foreign.map(made)];
}
