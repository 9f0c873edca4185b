// A connection to `holm serve`, with nothing but `fetch`: it works in Node and in a page.

import type { AgentCard, Health, Me, Routes, SessionPage, ToolCard } from './api-types.js';
import { ApiError, ConnectionLost } from './errors.js';
import { Session } from './session.js';

/** The server answers everything but events and `/v1` well within this time. */
const TIMEOUT_MS = 60_000;

type Route = keyof Routes;
type Given<T> = { [K in keyof T]: T[K] | undefined };

/** What a request carries. */
export type RequestOptions<R extends Route> = {
  path?: Routes[R]['path'];
  query?: Given<Routes[R]['query']>;
  body?: Routes[R]['body'];
  headers?: Record<string, string>;
  signal?: AbortSignal | undefined;
};

/** Functions of this program that a server can call; `serveTools` of `holm-client/node` makes one. */
export interface ToolOffer {
  /** The first part of the tools' names. */
  name: string;
  /** How the server reaches the functions. */
  entry: Record<string, unknown>;
  /** The names that the model uses. */
  names: string[];
  /** Whether a call of this name is a function that needs no question. */
  allows(tool: string): boolean;
  close(): Promise<void>;
}

export interface ConnectOptions {
  /** Needs an administrator's token. Programs that use one server at the same time need offers with different names. */
  tools?: ToolOffer | undefined;
  /** Runs when the connection is closed. */
  onClose?: (() => Promise<void>) | undefined;
}

/** A server, its sessions, and this program's functions as their tools. */
export class Holm {
  readonly url: string;
  readonly #token: string;
  readonly #tools: ToolOffer | undefined;
  readonly #onClose: (() => Promise<void>) | undefined;

  private constructor(url: string, token: string, options: ConnectOptions) {
    this.url = url.replace(/\/$/, '');
    this.#token = token;
    this.#tools = options.tools;
    this.#onClose = options.onClose;
  }

  /** Connects to a server that runs. */
  static async connect(url: string, token: string, options: ConnectOptions = {}): Promise<Holm> {
    const holm = new Holm(url, token, options);
    try {
      await holm.me();
      await holm.#offerTools();
    } catch (error) {
      await options.tools?.close();
      throw error;
    }
    return holm;
  }

  /** Takes the tools back, and stops the server if this program started it. */
  async close(): Promise<void> {
    try {
      if (this.#tools) {
        await this.#withdrawTools();
        await this.#tools.close();
      }
    } finally {
      await this.#onClose?.();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  /** The user of the token. */
  me(): Promise<Me> {
    return this.request('GET /api/me');
  }

  health(): Promise<Health> {
    return this.request('GET /health');
  }

  agents(): Promise<AgentCard[]> {
    return this.request('GET /api/agents');
  }

  tools(): Promise<ToolCard[]> {
    return this.request('GET /api/tools');
  }

  /** A page of the sessions, latest first. */
  sessions(query: Given<Routes['GET /api/sessions']['query']> = {}): Promise<SessionPage> {
    return this.request('GET /api/sessions', { query });
  }

  /** A new session, with a name of its own if none is given. */
  async create(id?: string, options: { agent?: string; model?: string } = {}): Promise<Session> {
    const made = await this.request('POST /api/sessions', { body: { id, ...options } });
    return new Session(this, made.id, options.agent);
  }

  /** A session that exists. */
  async open(id: string, options: { agent?: string } = {}): Promise<Session> {
    const session = new Session(this, id, options.agent);
    await session.view();
    return session;
  }

  /** Sends any request of the API. The types come from the server's OpenAPI document. */
  async request<R extends Route>(route: R, options: RequestOptions<R> = {}): Promise<Routes[R]['answer']> {
    const signal = options.signal ?? AbortSignal.timeout(TIMEOUT_MS);
    const response = await this.send(route, { ...options, signal });
    const text = await response.text();
    if (text === '') return undefined as Routes[R]['answer'];
    const isJson = response.headers.get('content-type')?.startsWith('application/json');
    return (isJson ? JSON.parse(text) : text) as Routes[R]['answer'];
  }

  /** Like `request`, for answers that are read as they arrive. */
  async send<R extends Route>(route: R, options: RequestOptions<R> = {}): Promise<Response> {
    const [method, template] = route.split(' ') as [string, string];
    const given = (options.path ?? {}) as Record<string, string | number>;
    const path = template.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(given[name])));
    const query = new URLSearchParams();
    for (const [name, value] of Object.entries(options.query ?? {})) if (value !== undefined) query.set(name, String(value));
    const headers: Record<string, string> = { authorization: `Bearer ${this.#token}`, ...options.headers };
    if (options.body !== undefined) headers['content-type'] = 'application/json';
    let response: Response;
    try {
      const body = options.body === undefined ? null : JSON.stringify(options.body);
      const address = `${this.url}${path}${query.size > 0 ? `?${query}` : ''}`;
      response = await fetch(address, { method, headers, body, signal: options.signal ?? null });
    } catch (error) {
      if (options.signal?.aborted && (error as Error).name === 'AbortError') throw error;
      throw new ConnectionLost(`the server at ${this.url} cannot be reached`, { cause: error });
    }
    if (!response.ok) throw await refusal(response);
    return response;
  }

  /** Whether the call is one of this program's own functions that needs no question. */
  allows(tool: string): boolean {
    return this.#tools?.allows(tool) ?? false;
  }

  async #offerTools(): Promise<void> {
    if (!this.#tools) return;
    const { name, entry, names } = this.#tools;
    // A program that was killed leaves its entry behind, with an address that is no longer valid.
    await this.#withdrawTools();
    await this.request('POST /api/mcp-servers', { body: { name, entry } });
    await this.request('POST /api/reload-tools');
    const tested = await this.request('POST /api/mcp-servers/{id}/test', { path: { id: name } });
    const offered = new Set(tested.tools.map((card) => card.name));
    const missing = names.filter((one) => !offered.has(one));
    if (missing.length > 0) {
      const problems = tested.problems.join('; ') || 'the server does not offer them';
      throw new ApiError(409, 'tools', `these functions cannot be used: ${missing.join(', ')} (${problems})`);
    }
  }

  async #withdrawTools(): Promise<void> {
    try {
      await this.request('DELETE /api/mcp-servers/{id}', { path: { id: this.#tools?.name ?? '' } });
    } catch (error) {
      if (!(error instanceof ApiError && error.status === 404)) throw error;
    }
  }
}

/** The server's error. */
async function refusal(response: Response): Promise<ApiError> {
  const text = await response.text();
  try {
    const { error } = JSON.parse(text) as { error: { code?: string; type?: string; message: string } };
    return new ApiError(response.status, error.code ?? error.type ?? '', error.message);
  } catch {
    return new ApiError(response.status, '', text.slice(0, 500) || response.statusText);
  }
}
