// Fetches what a model asks for. The model's word is worth nothing here: every address, and every address that a redirect names, is
// held against the host's own policy, whatever the journal says.

import { decide, unreachable, type Policy } from '../grants.js';
import { output, tool, type Tool } from '../tool.js';
import { readHead } from './bounded.js';

/** Bytes of a page that are read: far more than a model can use, far less than a worker's memory. */
const MOST_BYTES = 512 * 1024;

/** Characters that are handed on. */
const MOST_CHARS = 20_000;

/** How long the whole fetch may take, redirects included. */
const PATIENCE_MS = 15_000;

/** Redirects that are followed; browsers stop at 20, honest sites need two or three. */
const MOST_REDIRECTS = 5;

/** Finds the addresses of a host's name. */
export type Resolve = (host: string) => Promise<string[]>;

/** Sends a request to one of these addresses and to no other, so that a name which is looked up twice cannot lead elsewhere. */
export type Connect = (url: string, addresses: string[], init: RequestInit) => Promise<Response>;

/** What becomes of redirects: each is held against the policy, or none is followed (in browsers nobody is told where one leads). */
export type Redirects = 'check' | 'refuse';

/** How `fetch_url` behaves. */
export interface FetchUrlOptions {
  /** What may be fetched. */
  policy: Policy;
  /** Looks names up before they are used; without it only addresses that are written out are checked. */
  resolve?: Resolve;
  /** Connects to the addresses that were checked; without it `fetch` looks the name up once more. */
  connect?: Connect;
  redirects?: Redirects;
  maxBytes?: number;
  maxChars?: number;
  timeoutMs?: number;
  fetch?: typeof fetch;
  /** Other settings of each request, for example `credentials: 'omit'` in a page. */
  init?: RequestInit;
}

/** The tool `fetch_url`. */
export function fetchUrl(options: FetchUrlOptions): Tool {
  return tool<{ url: string }>({
    name: 'fetch_url',
    description: 'Fetches a web page by its URL and returns its text.',
    level: 'read-only',
    needs: ['fetch:{url}'],
    yields: { untrusted: true, egress: true },
    repeat: 'idempotent',
    error_text: 'allowed',
    input: {
      type: 'object',
      properties: { url: { type: 'string', description: 'The whole URL, with https://' } },
      required: ['url'],
    },
    run: ({ url }, { signal }) => guarded(options, url, signal),
  });
}

async function guarded(options: FetchUrlOptions, url: string, stop: AbortSignal): Promise<unknown> {
  const timeout = options.timeoutMs ?? PATIENCE_MS;
  const signal = AbortSignal.any([stop, AbortSignal.timeout(timeout)]);
  try {
    return await follow(options, url, signal);
  } catch (error) {
    if (stop.aborted) throw error;
    const late = error instanceof Error && (error.name === 'TimeoutError' || error.name === 'AbortError');
    return failed(late ? `nothing came within ${timeout} ms` : `the page could not be fetched: ${words(error)}`);
  }
}

async function follow(options: FetchUrlOptions, url: string, signal: AbortSignal): Promise<unknown> {
  const redirects = options.redirects ?? 'check';
  const send = options.fetch ?? globalThis.fetch.bind(globalThis);
  let next = url;
  for (let hops = 0; hops <= MOST_REDIRECTS; hops += 1) {
    const way = await wayTo(options, next);
    if ('refused' in way) return failed(way.refused);
    const init: RequestInit = { ...options.init, signal, redirect: redirects === 'check' ? 'manual' : 'error' };
    next = way.url;
    const answer = await (options.connect && way.addresses.length > 0 ? options.connect(next, way.addresses, init) : send(next, init));
    const to = answer.headers.get('location');
    if (answer.status >= 300 && answer.status < 400 && to !== null) {
      await answer.body?.cancel().catch(() => {});
      next = new URL(to, next).href;
      continue;
    }
    return await page(options, answer);
  }
  return failed(`more than ${MOST_REDIRECTS} redirects`);
}

/** Where a URL leads, or why it may not be fetched. */
type Way = { url: string; addresses: string[] } | { refused: string };

async function wayTo({ policy, resolve }: FetchUrlOptions, text: string): Promise<Way> {
  let url: URL;
  try {
    // Written out once, so that what is decided on is to the letter what is sent.
    url = new URL(text);
    if (url.username !== '' || url.password !== '') return { refused: 'a URL with a name or a password in it is not fetched' };
    const decision = decide(policy, `fetch:${url.href}`);
    if (typeof decision === 'string') return { refused: `${url.origin} was not granted` };
    if ('denied' in decision) return { refused: `${url.origin} is denied` };
  } catch (error) {
    return { refused: `this URL cannot be fetched: ${words(error)}` };
  }
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const literal = /^[\d.]+$/.test(host) || host.includes(':');
  const addresses = literal ? [host] : ((await resolve?.(host)) ?? []);
  for (const address of addresses) {
    const reason = unreachable(policy, url.href, address);
    if (reason) return { refused: `${host} ${reason}` };
  }
  return { url: url.href, addresses };
}

async function page(options: FetchUrlOptions, answer: Response): Promise<unknown> {
  const { bytes, more } = await readHead(answer.body, options.maxBytes ?? MOST_BYTES);
  const whole = new TextDecoder().decode(bytes);
  const most = options.maxChars ?? MOST_CHARS;
  // By characters, so that none is cut in half.
  const text = whole.length > most ? [...whole].slice(0, most).join('') : whole;
  const cut = more || text.length < whole.length ? '\n[cut here]' : '';
  if (!answer.ok) return failed(`the server answered ${answer.status}: ${text.slice(0, 500)}`);
  return output({ text: `${text}${cut}` });
}

const failed = (text: string) => output({ outcome: 'failed', text });

const words = (error: unknown): string => (error instanceof Error ? error.message : String(error));
