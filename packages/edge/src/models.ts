// The endpoint's model, under the names that a run uses for it.

import { fetchModel, type Model } from 'holm';
import type { Settings } from './settings.js';
import { HttpError } from './http-error.js';

/** Formats with the model's name in the body, where it can be replaced. */
const NAMED_IN_BODY: readonly string[] = ['openai_chat', 'openai_responses', 'anthropic', 'cohere', 'ollama'];

/** The name of a model in journals. */
export const nameOf = (settings: Settings, model: string): string => `${settings.endpoint.provider}/${model}`;

/**
 * The endpoint's model, under its own name and under the names of a journal's models.
 *
 * A run keeps the models that it was started with. This host answers for models of other hosts, under their old names.
 */
export function modelsOf(settings: Settings, model: string, known: string[] = []): Model[] {
  const { format, dialect, baseUrl, key, aws } = settings.endpoint;
  const own = nameOf(settings, model);
  const made = (name: string) =>
    fetchModel(format, { name, baseUrl, key, aws, dialect, options: name === own ? {} : { extra: { model } } });
  const foreign = known.filter((name) => name !== own);
  if (foreign.length > 0 && !NAMED_IN_BODY.includes(format)) {
    throw new HttpError(400, `this service cannot replace the journal's models (${foreign.join(', ')})`);
  }
  return [made(own), ...foreign.map(made)];
}
