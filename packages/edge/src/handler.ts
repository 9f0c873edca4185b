// One request in, one answer out. The order is: method, who asks, how much, what.

import { admit, mint, type Scope } from './access.js';
import { bodyOf, extractOf, isForeign, queryOf } from './ask.js';
import { corsHeaders, preflight } from './cors.js';
import { answerExtract } from './extract.js';
import type { Host } from './host.js';
import { Conflict } from './keep.js';
import { forward, MODEL_ROUTE } from './forward.js';
import { answerQuery } from './query.js';
import { Refusal } from './refusal.js';
import { streamed, type Work } from './stream.js';

/** Answers requests. */
export type Handler = (request: Request) => Promise<Response>;

/** Makes the handler of a host. */
export function handler(host: Host): Handler {
  return async (request) => {
    if (request.method === 'OPTIONS') return preflight(host.settings, request);
    const headers = corsHeaders(host.settings, request);
    try {
      return await answer(host, request, headers);
    } catch (error) {
      return refused(error, headers);
    }
  };
}

async function answer(host: Host, request: Request, headers: Record<string, string>): Promise<Response> {
  const { settings } = host;
  if (request.method !== 'POST') throw new Refusal(405, 'Method not allowed', {}, { allow: 'POST, OPTIONS' });
  const route = routeOf(new URL(request.url).pathname);
  await admit(settings, request, route);
  const body = await bodyOf(settings, request);
  if (route === 'token') return json(200, await mint(settings, body), headers);
  if (route === 'model') return await forward(settings, body, request.signal, headers);
  // The body may ask for the skill as well; a token that is not for it must not reach it that way.
  const skill = route === 'extract' || body.skill === 'extract';
  if (skill && route !== 'extract') await admit(settings, request, 'extract');
  const ask = skill ? extractOf(settings, request, body) : queryOf(settings, request, body, host.keep);
  // A journal says what the system prompt was and what was said: nobody but the operator makes one up for everybody.
  if ('query' in ask && (await isForeign(settings, ask, body))) await admit(settings, request, 'journal');
  const work: Work = async (emit, stop) => {
    try {
      return 'query' in ask ? await answerQuery(host, ask, emit, stop) : await answerExtract(host, ask, emit, stop);
    } catch (error) {
      const { status, body } = refusalOf(error);
      return { status, body };
    }
  };
  if (ask.delivery === 'stream') return streamed(work, request.signal, headers);
  const { status, body: said } = await work(() => {}, request.signal);
  return json(status, said, headers);
}

function routeOf(path: string): Scope {
  if (path === '/skill/extract') return 'extract';
  if (path === '/token') return 'token';
  if (path === MODEL_ROUTE) return 'model';
  return 'query';
}

function refused(error: unknown, headers: Record<string, string>): Response {
  const { status, body, more } = refusalOf(error);
  return json(status, body, { ...headers, ...more });
}

/** What may be said of an error: of ours everything, of others nothing that could hold a secret. */
function refusalOf(error: unknown): { status: number; body: { [name: string]: unknown }; more: Record<string, string> } {
  if (error instanceof Refusal) return { status: error.status, body: error.body(), more: error.headers };
  if (error instanceof Conflict) return { status: 409, body: new Refusal(409, error.message).body(), more: {} };
  console.error(error instanceof Error ? error.stack : error);
  return { status: 500, body: new Refusal(500, 'Internal error').body(), more: {} };
}

const json = (status: number, body: object, headers: Record<string, string>): Response =>
  Response.json(body, { status, headers: { ...headers, 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' } });
