// The model alone, for a kernel that runs in a page: the page's request goes on to the endpoint with the key that the page must not have.
// The page chooses the words; which model, where, and everything else that costs or reaches further is the operator's to say.

import { readText } from 'holm/web';
import { Refusal } from './refusal.js';
import type { Endpoint, Settings } from './settings.js';

/** Where pages ask, as OpenAI's clients do. */
export const MODEL_ROUTE = '/v1/chat/completions';

/** Tokens of a reply that a page may ask for. */
const MOST_OUTPUT = 8192;

/** Bytes of a service's error that are handed on. */
const MOST_ERROR = 64 * 1024;

/**
 * What a page may say beside model, words and caps: what the codecs write. Services know many other members, among them such that
 * choose other models (`models`, `route`), search the web, keep what was said or cost more (`service_tier`, `n`).
 */
const PASSED: readonly string[] = [
  ...['messages', 'tools', 'tool_choice', 'parallel_tool_calls', 'stream', 'stream_options', 'stop'],
  ...['temperature', 'top_p', 'seed', 'presence_penalty', 'frequency_penalty', 'response_format', 'reasoning_effort'],
];

/** Hands a request on. */
export async function forward(
  { endpoint, models, wallMs }: Settings,
  body: { [name: string]: unknown },
  stop: AbortSignal,
  headers: Record<string, string>,
): Promise<Response> {
  const { model = models[0] } = body;
  if (typeof model !== 'string' || !models.includes(model)) throw new Refusal(400, "'model' must be one of LLM_MODEL");
  const way = wayTo(endpoint);
  const answer = await fetch(way.url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...way.headers },
    body: JSON.stringify({ ...passed(body), model, ...cap(body) }),
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
  const said = answer.ok ? answer.body : await errorOf(answer, endpoint.key);
  const own = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' };
  return new Response(said, { status: answer.status, headers: { ...Object.fromEntries(kept), ...headers, ...own } });
}

/** Where the service listens, and how it takes its key. */
function wayTo({ format, dialect, baseUrl, key }: Endpoint): { url: string; headers: Record<string, string> } {
  const { path, auth = 'bearer' } = dialect as { path?: string; auth?: string | { header?: string } };
  if (format !== 'openai_chat' || path !== undefined) throw new Refusal(400, 'the service behind this host speaks another format');
  const url = `${baseUrl}/chat/completions`;
  if (key === undefined || auth === 'none') return { url, headers: {} };
  const named = typeof auth === 'object' ? auth.header : undefined;
  return { url, headers: named === undefined ? { authorization: `Bearer ${key}` } : { [named]: key } };
}

/** What goes on of a page's request; what would reach further than words is refused. */
function passed(body: { [name: string]: unknown }): { [name: string]: unknown } {
  const { messages, tools = [] } = body;
  if (!Array.isArray(messages)) throw new Refusal(400, "'messages' must be a list");
  if (!Array.isArray(tools) || !tools.every((tool) => (tool as { type?: unknown } | null)?.type === 'function')) {
    throw new Refusal(400, "'tools' must be functions, which the page itself runs");
  }
  const parts = messages.flatMap((message) => (message as { content?: unknown } | null)?.content ?? []);
  const remote = parts.some((part) => typeof part === 'object' && part !== null && !isOwn(part as { [name: string]: unknown }));
  if (remote) throw new Refusal(400, 'pictures and files must come with the request: the service would fetch others from its own network');
  return Object.fromEntries(Object.entries(body).filter(([name]) => PASSED.includes(name)));
}

/** Whether a part of a message brings its own bytes. */
function isOwn({ type, text, image_url: image, file, input_audio: sound }: { [name: string]: unknown }): boolean {
  const data = (url: unknown) => typeof url === 'string' && url.startsWith('data:');
  if (type === 'text') return typeof text === 'string';
  if (type === 'image_url') return data((image as { url?: unknown } | undefined)?.url);
  if (type === 'file') return data((file as { file_data?: unknown } | undefined)?.file_data);
  return type === 'input_audio' && typeof sound === 'object';
}

/** Caps that a page sets may be smaller than the host's, never larger; some services take what is below zero for no cap at all. */
function cap(body: { [name: string]: unknown }): { [name: string]: number } {
  const names = ['max_tokens', 'max_completion_tokens'].filter((name) => body[name] !== undefined);
  const bound = (name: string) => {
    const wanted = body[name];
    return typeof wanted === 'number' && Number.isInteger(wanted) && wanted > 0 ? Math.min(wanted, MOST_OUTPUT) : MOST_OUTPUT;
  };
  return Object.fromEntries((names.length > 0 ? names : ['max_tokens']).map((name) => [name, bound(name)]));
}

/** A service's error, without the key of which some repeat parts. */
async function errorOf(answer: Response, key: string | undefined): Promise<string> {
  if (answer.status === 401 || answer.status === 403) {
    await answer.body?.cancel().catch(() => {});
    return JSON.stringify({ error: { message: "the model service refuses this host's key", type: 'authentication_error' } });
  }
  const text = await readText(answer.body, MOST_ERROR).catch(() => '');
  return key === undefined ? text : text.replaceAll(key, '‹secret:llm›');
}
