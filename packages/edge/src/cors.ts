// Which pages may read an answer. A page that is not named gets no header, and so its browser keeps the answer from it.

import type { Settings } from './settings.js';

/** How long a browser may remember the answer to its question. */
const REMEMBER_SECONDS = 600;

/** The headers of an answer for a request's origin. */
export function corsHeaders(settings: Settings, request: Request): Record<string, string> {
  const origin = request.headers.get('origin');
  if (origin === null || !settings.origins.includes(origin)) return { vary: 'origin' };
  return { 'access-control-allow-origin': origin, vary: 'origin' };
}

/** Answers a browser that asks before it sends. */
export function preflight(settings: Settings, request: Request): Response {
  const headers = corsHeaders(settings, request);
  if (!headers['access-control-allow-origin']) return new Response(null, { status: 403, headers });
  return new Response(null, {
    status: 204,
    headers: {
      ...headers,
      'access-control-allow-methods': 'POST',
      'access-control-allow-headers': 'authorization, content-type',
      'access-control-max-age': String(REMEMBER_SECONDS),
    },
  });
}
