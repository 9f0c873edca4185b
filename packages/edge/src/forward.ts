// The model alone, for a kernel that runs in a page: the page's request goes on to the endpoint with the key that the page must not have.
// The page chooses the words; which model and where is the operator's to say.

import { Refusal } from './refusal.js';
import type { Settings } from './settings.js';

/** Where pages ask, as OpenAI's clients do. */
export const MODEL_ROUTE = '/v1/chat/completions';

/** Tokens of a reply that a page may ask for. */
const MOST_OUTPUT = 8192;

/** Hands a request on. */
export async function forward(
  { endpoint, models, wallMs }: Settings,
  body: { [name: string]: unknown },
  stop: AbortSignal,
  headers: Record<string, string>,
): Promise<Response> {
  if (endpoint.format !== 'openai_chat') throw new Refusal(400, 'the service behind this host speaks another format');
  const { model = models[0] } = body;
  if (typeof model !== 'string' || !models.includes(model)) throw new Refusal(400, "'model' must be one of LLM_MODEL");
  const bounded = { ...body, model, n: 1, ...cap(body) };
  const answer = await fetch(`${endpoint.baseUrl}/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(endpoint.key ? { authorization: `Bearer ${endpoint.key}` } : {}) },
    body: JSON.stringify(bounded),
    signal: AbortSignal.any([stop, AbortSignal.timeout(wallMs)]),
    redirect: 'manual',
  }).catch(() => {
    throw new Refusal(502, 'the model service cannot be reached');
  });
  // Of the service's headers only what the codecs read; cookies and accounts are not the page's business.
  const kept = ['content-type', 'retry-after'].flatMap((name) => {
    const value = answer.headers.get(name);
    return value === null ? [] : [[name, value] as const];
  });
  return new Response(answer.body, { status: answer.status, headers: { ...Object.fromEntries(kept), ...headers, 'cache-control': 'no-store' } });
}

/** Caps that a page sets may be smaller than the host's, never larger. */
function cap(body: { [name: string]: unknown }): { [name: string]: number } {
  const names = ['max_tokens', 'max_completion_tokens'].filter((name) => body[name] !== undefined);
  const bound = (name: string) => Math.min(Number(body[name]) || MOST_OUTPUT, MOST_OUTPUT);
  return Object.fromEntries((names.length > 0 ? names : ['max_tokens']).map((name) => [name, bound(name)]));
}
