// Connects to addresses that were checked, for Deno. A name is looked up only once, because its name server could return a public
// address for the check and a private one for the connection. TLS prevents that, because only the real server has the name's
// certificate, so this code handles only plain HTTP.

import { request, type Incoming, type Outgoing } from 'node:http';

/** Some sites refuse requests without a user agent. */
const USER_AGENT = 'holm-edge';

/** Sends a request to one of these addresses, or over TLS to the name itself. It does not follow redirects. */
export async function connectTo(url: string, addresses: string[], init: RequestInit): Promise<Response> {
  if (new URL(url).protocol !== 'http:') return fetch(url, init);
  const { signal, method = 'GET' } = init;
  signal?.throwIfAborted();
  const found = addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
  const [first] = found;
  if (!first) throw new TypeError('no address to connect to');
  const answer = await new Promise<Incoming>((resolve, reject) => {
    const outgoing = request(url, {
      method,
      // One connection per request: an open one was checked for another request.
      agent: false,
      headers: { 'user-agent': USER_AGENT, accept: '*/*', 'accept-encoding': 'identity' },
      lookup: (_, { all }, done) => (all ? done(null, found) : done(null, first.address, first.family)),
    });
    outgoing.on('response', resolve);
    outgoing.on('error', reject);
    destroyOnAbort(signal, outgoing);
    outgoing.end();
  });
  destroyOnAbort(signal, answer);
  return new Response(hasNoBody(answer.statusCode) ? null : bodyOf(answer), { status: answer.statusCode, headers: headersOf(answer) });
}

/** Whether a response with this status has no body. */
const hasNoBody = (status: number): boolean => [101, 204, 205, 304].includes(status);

function destroyOnAbort(signal: AbortSignal | null | undefined, stream: Outgoing | Incoming): void {
  signal?.addEventListener('abort', () => stream.destroy(signal.reason as Error), { once: true });
}

function headersOf({ headers }: Incoming): Headers {
  const all = new Headers();
  for (const [name, value] of Object.entries(headers)) {
    for (const one of [value ?? []].flat()) all.append(name, one);
  }
  return all;
}

/** The body as a stream; cancelling it closes the connection. */
function bodyOf(answer: Incoming): ReadableStream<Uint8Array> {
  const pieces = answer[Symbol.asyncIterator]();
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await pieces.next();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    cancel() {
      answer.destroy();
    },
  });
}
