// Fetches URLs for a model. The model is untrusted: every URL, also of a redirect, is checked against the host's own policy, whatever
// the journal says.

import { decide, unreachable, type Policy } from '../grants.js';
import { output, tool, type Tool } from '../tool.js';
import { readHead } from './bounded-body.js';

/** The most bytes of a page: more than a model can use, and far less than a worker's memory. */
const MAX_BYTES = 512 * 1024;

/** The most characters of the result. */
const MAX_CHARS = 20_000;

/** The time limit of the whole fetch, with redirects. */
const TIMEOUT_MS = 15_000;

/** The most redirects: browsers stop at 20, and honest sites need two or three. */
const MAX_REDIRECTS = 5;

/** Resolves a host name to its addresses. */
export type Resolve = (host: string) => Promise<string[]>;

/** Sends a request to one of these addresses only, so that a second lookup of the name cannot lead elsewhere. */
export type Connect = (url: string, addresses: string[], init: RequestInit) => Promise<Response>;

/** Redirects: check each against the policy, or refuse them (browsers do not show where a redirect leads). */
export type Redirects = 'check' | 'refuse';

/** The options of `fetch_url`. */
export interface FetchUrlOptions {
  /** The URLs that may be fetched. */
  policy: Policy;
  /** Resolves names before a request; without it only literal addresses are checked. */
  resolve?: Resolve;
  /** Connects to the checked addresses; without it `fetch` resolves the name again. */
  connect?: Connect;
  redirects?: Redirects;
  maxBytes?: number;
  maxChars?: number;
  timeoutMs?: number;
  fetch?: typeof fetch;
  /** Other options of each request, such as `credentials: 'omit'` in a page. */
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
    run: ({ url }, { signal }) => fetchPage(options, url, signal),
  });
}

async function fetchPage(options: FetchUrlOptions, url: string, stop: AbortSignal): Promise<unknown> {
  const timeout = options.timeoutMs ?? TIMEOUT_MS;
  const signal = AbortSignal.any([stop, AbortSignal.timeout(timeout)]);
  try {
    return await follow(options, url, signal);
  } catch (error) {
    if (stop.aborted) throw error;
    const late = error instanceof Error && (error.name === 'TimeoutError' || error.name === 'AbortError');
    return failed(late ? `timed out after ${timeout} ms` : `cannot fetch the page: ${words(error)}`);
  }
}

async function follow(options: FetchUrlOptions, url: string, signal: AbortSignal): Promise<unknown> {
  const redirects = options.redirects ?? 'check';
  const send = options.fetch ?? globalThis.fetch.bind(globalThis);
  let next = url;
  for (let hops = 0; hops <= MAX_REDIRECTS; hops += 1) {
    const target = await checkUrl(options, next);
    if ('refused' in target) return failed(target.refused);
    const init: RequestInit = { ...options.init, signal, redirect: redirects === 'check' ? 'manual' : 'error' };
    next = target.url;
    const answer = await (options.connect && target.addresses.length > 0 ? options.connect(next, target.addresses, init) : send(next, init));
    const to = answer.headers.get('location');
    if (answer.status >= 300 && answer.status < 400 && to !== null) {
      await answer.body?.cancel().catch(() => {});
      next = new URL(to, next).href;
      continue;
    }
    return await page(options, answer);
  }
  return failed(`more than ${MAX_REDIRECTS} redirects`);
}

/** A checked URL with its addresses, or why it must not be fetched. */
type FetchTarget = { url: string; addresses: string[] } | { refused: string };

async function checkUrl({ policy, resolve }: FetchUrlOptions, text: string): Promise<FetchTarget> {
  let url: URL;
  try {
    // Normalized once, so that the checked URL is exactly the one that is sent.
    url = new URL(text);
    if (url.username !== '' || url.password !== '') return { refused: 'URLs with a user name or password are not allowed' };
    const decision = decide(policy, `fetch:${url.href}`);
    if (typeof decision === 'string') return { refused: `${url.origin} is not granted` };
    if ('denied' in decision) return { refused: `${url.origin} is denied` };
  } catch (error) {
    return { refused: `invalid URL: ${words(error)}` };
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
  const { bytes, more } = await readHead(answer.body, options.maxBytes ?? MAX_BYTES);
  const whole = new TextDecoder().decode(bytes);
  const most = options.maxChars ?? MAX_CHARS;
  // By characters, so that none is split.
  const text = whole.length > most ? [...whole].slice(0, most).join('') : whole;
  const cut = more || text.length < whole.length ? '\n[truncated]' : '';
  if (!answer.ok) return failed(`the server answered ${answer.status}: ${text.slice(0, 500)}`);
  return output({ text: `${text}${cut}` });
}

const failed = (text: string) => output({ outcome: 'failed', text });

const words = (error: unknown): string => (error instanceof Error ? error.message : String(error));
