// Forwards model requests of a kernel that runs in a page, with the key that the page must not have. The page chooses the messages; the
// operator chooses the models, the endpoint and everything else that costs money or reaches further.

import { readText } from 'holm/web';
import { HttpError } from './http-error.js';
import type { Endpoint, Settings } from './settings.js';

/** The route for pages, in OpenAI's format. */
export const MODEL_ROUTE = '/v1/chat/completions';

/** The highest output limit in tokens that a page can request. */
const MAX_OUTPUT = 8192;

/** The most bytes of a service's error that are forwarded. */
const MAX_ERROR_BYTES = 64 * 1024;

/**
 * The fields that pages can set besides the model and the output limits: those that the codecs write. Services have many others, which
 * choose other models (`models`, `route`), search the web, store conversations or cost more (`service_tier`, `n`).
 */
const FORWARDED_FIELDS: readonly string[] = [
  ...['messages', 'tools', 'tool_choice', 'parallel_tool_calls', 'stream', 'stream_options', 'stop'],
  ...['temperature', 'top_p', 'seed', 'presence_penalty', 'frequency_penalty', 'response_format', 'reasoning_effort'],
];

/** Forwards a request. */
export async function forward(
  { endpoint, models, wallMs }: Settings,
  body: { [name: string]: unknown },
  stop: AbortSignal,
  headers: Record<string, string>,
): Promise<Response> {
  const { model = models[0] } = body;
  if (typeof model !== 'string' || !models.includes(model)) throw new HttpError(400, `'model' must be one of: ${models.join(' ')}`);
  const target = targetOf(endpoint);
  const answer = await fetch(target.url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...target.headers },
    body: JSON.stringify({ ...forwardedFields(body), model, ...outputLimits(body) }),
    signal: AbortSignal.any([stop, AbortSignal.timeout(wallMs)]),
    redirect: 'manual',
  }).catch(() => {
    throw new HttpError(502, 'cannot reach the model service');
  });
  // Only the headers that the codecs read; cookies and account headers stay here.
  const forwarded = ['content-type', 'retry-after'].flatMap((name) => {
    const value = answer.headers.get(name);
    return value === null ? [] : [[name, value] as const];
  });
  const content = answer.ok ? answer.body : await errorOf(answer, endpoint.key);
  const own = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' };
  return new Response(content, { status: answer.status, headers: { ...Object.fromEntries(forwarded), ...headers, ...own } });
}

/** The URL of the service, and the headers with its key. */
function targetOf({ format, dialect, baseUrl, key }: Endpoint): { url: string; headers: Record<string, string> } {
  const { path, auth = 'bearer' } = dialect as { path?: string; auth?: string | { header?: string } };
  if (format !== 'openai_chat' || path !== undefined) throw new HttpError(400, 'this route requires a service with the OpenAI chat format');
  const url = `${baseUrl}/chat/completions`;
  if (key === undefined || auth === 'none') return { url, headers: {} };
  const named = typeof auth === 'object' ? auth.header : undefined;
  return { url, headers: named === undefined ? { authorization: `Bearer ${key}` } : { [named]: key } };
}

/** The fields of a page's request that are forwarded; throws if the request would reach further than messages. */
function forwardedFields(body: { [name: string]: unknown }): { [name: string]: unknown } {
  const { messages, tools = [] } = body;
  if (!Array.isArray(messages)) throw new HttpError(400, "'messages' must be a list");
  if (!Array.isArray(tools) || !tools.every((tool) => (tool as { type?: unknown } | null)?.type === 'function')) {
    throw new HttpError(400, "'tools' must be functions, which the page runs");
  }
  const parts = messages.flatMap((message) => (message as { content?: unknown } | null)?.content ?? []);
  const remote = parts.some((part) => typeof part === 'object' && part !== null && !isEmbedded(part as { [name: string]: unknown }));
  if (remote) throw new HttpError(400, 'images and files must be data URLs in the request; the service would load other URLs from its own network');
  return Object.fromEntries(Object.entries(body).filter(([name]) => FORWARDED_FIELDS.includes(name)));
}

/** Whether a part of a message contains its own bytes. */
function isEmbedded({ type, text, image_url: image, file, input_audio: sound }: { [name: string]: unknown }): boolean {
  const data = (url: unknown) => typeof url === 'string' && url.startsWith('data:');
  if (type === 'text') return typeof text === 'string';
  if (type === 'image_url') return data((image as { url?: unknown } | undefined)?.url);
  if (type === 'file') return data((file as { file_data?: unknown } | undefined)?.file_data);
  return type === 'input_audio' && typeof sound === 'object';
}

/** The output limits: at most the host's. Some services treat a negative limit as no limit. */
function outputLimits(body: { [name: string]: unknown }): { [name: string]: number } {
  const names = ['max_tokens', 'max_completion_tokens'].filter((name) => body[name] !== undefined);
  const bound = (name: string) => {
    const wanted = body[name];
    return typeof wanted === 'number' && Number.isInteger(wanted) && wanted > 0 ? Math.min(wanted, MAX_OUTPUT) : MAX_OUTPUT;
  };
  return Object.fromEntries((names.length > 0 ? names : ['max_tokens']).map((name) => [name, bound(name)]));
}

/** A service's error without the key, which some services repeat. */
async function errorOf(answer: Response, key: string | undefined): Promise<string> {
  if (answer.status === 401 || answer.status === 403) {
    await answer.body?.cancel().catch(() => {});
    return JSON.stringify({ error: { message: "the model service rejected this host's key", type: 'authentication_error' } });
  }
  const text = await readText(answer.body, MAX_ERROR_BYTES).catch(() => '');
  return key === undefined ? text : text.replaceAll(key, '‹secret:llm›');
}
