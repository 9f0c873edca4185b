// Streams a response as server-sent events: `delta` and `event` while the run works, and one `result` at the end, with the status that
// a plain response would have.

import type { AgentEvent } from 'holm';
import type { HttpOutcome } from './outcome.js';

/** Work that reports its events. */
export type Work = (emit: (event: AgentEvent) => void, stop: AbortSignal) => Promise<HttpOutcome>;

/** Responds with a stream; when the client disconnects, the work stops. */
export function streamed(work: Work, stop: AbortSignal, headers: Record<string, string>): Response {
  const gone = new AbortController();
  const signal = AbortSignal.any([stop, gone.signal]);
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array>({
    async start(controller) {
      const send = (name: string, data: unknown) => {
        if (!gone.signal.aborted) controller.enqueue(encoder.encode(`event: ${name}\ndata: ${JSON.stringify(data)}\n\n`));
      };
      // Proxies and clients see at once that the host responds.
      controller.enqueue(encoder.encode(': holm\n\n'));
      const outcome = await work((event) => {
        if (event.type === 'delta') send('delta', { call: event.call, delta: event.delta });
        if (event.type === 'event') send('event', { id: event.id, at: event.at, event: event.event });
      }, signal);
      send('result', { status: outcome.status, ...outcome.body });
      if (!gone.signal.aborted) controller.close();
    },
    cancel() {
      gone.abort();
    },
  });
  return new Response(body, { headers: { ...headers, 'content-type': 'text/event-stream', 'cache-control': 'no-store' } });
}
