// Requests to addresses that were checked, for Deno. A name is looked up once: whoever runs the name server could otherwise give a
// public address to be checked and a private one to be used. With TLS that leads nowhere, because no other server has the name's
// certificate; so only requests without it are sent from here.

import { request, type Incoming, type Outgoing } from 'node:http';

/** Sites refuse who does not say what they are. */
const AGENT = 'holm-edge';

/** Sends a request to one of these addresses, or to who can prove that the name is theirs; redirects are handed back. */
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
      // One connection for each request: one that is kept open was checked for somebody else.
      agent: false,
      headers: { 'user-agent': AGENT, accept: '*/*', 'accept-encoding': 'identity' },
      lookup: (_, { all }, tell) => (all ? tell(null, found) : tell(null, first.address, first.family)),
    });
    outgoing.on('response', resolve);
    outgoing.on('error', reject);
    stopping(signal, outgoing);
    outgoing.end();
  });
  stopping(signal, answer);
  return new Response(isBare(answer.statusCode) ? null : bodyOf(answer), { status: answer.statusCode, headers: headersOf(answer) });
}

/** Statuses that a response with a body cannot have. */
const isBare = (status: number): boolean => [101, 204, 205, 304].includes(status);

function stopping(signal: AbortSignal | null | undefined, what: Outgoing | Incoming): void {
  signal?.addEventListener('abort', () => what.destroy(signal.reason as Error), { once: true });
}

function headersOf({ headers }: Incoming): Headers {
  const all = new Headers();
  for (const [name, value] of Object.entries(headers)) {
    for (const one of [value ?? []].flat()) all.append(name, one);
  }
  return all;
}

/** The bytes as they are asked for; whoever stops reading closes the connection. */
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
