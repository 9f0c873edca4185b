// Handles one request: it checks the method, then access, then size, then the content.

import { authorize, createToken, type Scope } from './access.js';
import { bodyOf, extractOf, isForeign, queryOf } from './request.js';
import { corsHeaders, preflight } from './cors.js';
import { answerExtract } from './extract.js';
import type { Host } from './host.js';
import { ConflictError } from './journal-store.js';
import { forward, MODEL_ROUTE } from './forward.js';
import { answerQuery } from './query.js';
import { HttpError } from './http-error.js';
import { streamed, type Work } from './stream.js';

export type Handler = (request: Request) => Promise<Response>;

/** The request handler of a host. */
export function handler(host: Host): Handler {
  return async (request) => {
    if (request.method === 'OPTIONS') return preflight(host.settings, request);
    const headers = corsHeaders(host.settings, request);
    try {
      return await answer(host, request, headers);
    } catch (error) {
      return errorResponse(error, headers);
    }
  };
}

async function answer(host: Host, request: Request, headers: Record<string, string>): Promise<Response> {
  const { settings } = host;
  if (request.method !== 'POST') throw new HttpError(405, 'Method not allowed', {}, { allow: 'POST, OPTIONS' });
  const route = routeOf(new URL(request.url).pathname);
  await authorize(settings, request, route);
  const body = await bodyOf(settings, request);
  if (route === 'token') return json(200, await createToken(settings, body), headers);
  if (route === 'model') return await forward(settings, body, request.signal, headers);
  // The body can request the skill too; a token without that scope must not reach it this way.
  const skill = route === 'extract' || body.skill === 'extract';
  if (skill && route !== 'extract') await authorize(settings, request, 'extract');
  const parsed = skill ? extractOf(settings, request, body) : queryOf(settings, request, body, host.keep);
  // A journal contains the system prompt and the conversation, so only the operator may send one that this host did not seal.
  if ('query' in parsed && (await isForeign(settings, parsed, body))) await authorize(settings, request, 'journal');
  const work: Work = async (emit, stop) => {
    try {
      return 'query' in parsed ? await answerQuery(host, parsed, emit, stop) : await answerExtract(host, parsed, emit, stop);
    } catch (error) {
      const { status, body } = responseOf(error);
      return { status, body };
    }
  };
  if (parsed.delivery === 'stream') return streamed(work, request.signal, headers);
  const { status, body: content } = await work(() => {}, request.signal);
  return json(status, content, headers);
}

function routeOf(path: string): Scope {
  if (path === '/skill/extract') return 'extract';
  if (path === '/token') return 'token';
  if (path === MODEL_ROUTE) return 'model';
  return 'query';
}

function errorResponse(error: unknown, headers: Record<string, string>): Response {
  const { status, body, more } = responseOf(error);
  return json(status, body, { ...headers, ...more });
}

/** The response to an error. Unknown errors may contain secrets, so their text stays in the log. */
function responseOf(error: unknown): { status: number; body: { [name: string]: unknown }; more: Record<string, string> } {
  if (error instanceof HttpError) return { status: error.status, body: error.body(), more: error.headers };
  if (error instanceof ConflictError) return { status: 409, body: new HttpError(409, error.message).body(), more: {} };
  console.error(error instanceof Error ? error.stack : error);
  return { status: 500, body: new HttpError(500, 'Internal error').body(), more: {} };
}

const json = (status: number, body: object, headers: Record<string, string>): Response =>
  Response.json(body, { status, headers: { ...headers, 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' } });
