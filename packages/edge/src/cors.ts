// CORS headers. A page that is not listed gets none, so its browser hides the response from it.

import type { Settings } from './settings.js';

/** How long a browser may cache the preflight response. */
const PREFLIGHT_SECONDS = 600;

/** The CORS headers for a request's origin. */
export function corsHeaders(settings: Settings, request: Request): Record<string, string> {
  const origin = request.headers.get('origin');
  if (origin === null || !settings.origins.includes(origin)) return { vary: 'origin' };
  return { 'access-control-allow-origin': origin, vary: 'origin' };
}

/** Answers a preflight request. */
export function preflight(settings: Settings, request: Request): Response {
  const headers = corsHeaders(settings, request);
  if (!headers['access-control-allow-origin']) return new Response(null, { status: 403, headers });
  return new Response(null, {
    status: 204,
    headers: {
      ...headers,
      'access-control-allow-methods': 'POST',
      'access-control-allow-headers': 'authorization, content-type',
      'access-control-max-age': String(PREFLIGHT_SECONDS),
    },
  });
}
