// The entry point for Cloudflare's workerd. A worker cannot resolve names. The platform guarantees that its network reaches only public
// addresses (workerd's default), so this host checks only literal addresses.

import { handler, type Handler } from './handler.js';
import { ConflictError, JournalStore, type ChunkStore } from './journal-store.js';
import { HttpError } from './http-error.js';
import { readSettings, SettingsError, type Environment } from './settings.js';

interface Stub {
  fetch(url: string, init: { method: string; body: string }): Promise<Response>;
}

interface Namespace {
  idFromName(name: string): unknown;
  get(id: unknown): Stub;
}

interface Kv {
  get(key: string): Promise<string | null>;
  put(key: string, value: string): Promise<void>;
  list(options: { prefix: string; cursor?: string }): Promise<{ keys: { name: string }[]; list_complete: boolean; cursor?: string }>;
}

interface Storage {
  get(key: string): Promise<string | undefined>;
  put(key: string, value: string): Promise<void>;
  list(options: { prefix: string }): Promise<Map<string, string>>;
}

let ready: { environment: Environment; handle: Handler } | undefined;

export default {
  async fetch(request: Request, environment: Environment): Promise<Response> {
    if (ready?.environment !== environment) {
      try {
        ready = { environment, handle: handler({ settings: readSettings(environment), keep: keepOf(environment) }) };
      } catch (error) {
        if (!(error instanceof SettingsError)) throw error;
        return Response.json(new HttpError(500, error.message).body(), { status: 500 });
      }
    }
    return ready.handle(request);
  },
};

/** The journal of one run, as a Durable Object. If two hosts store the same chunk, the second gets a conflict. */
export class HolmJournal {
  readonly #storage: Storage;

  constructor(state: { storage: Storage }) {
    this.#storage = state.storage;
  }

  async fetch(request: Request): Promise<Response> {
    const { prefix, key, value } = (await request.json()) as { prefix?: string; key?: string; value?: string };
    if (prefix !== undefined) return Response.json([...(await this.#storage.list({ prefix })).values()]);
    if (key === undefined || value === undefined) return new Response(null, { status: 400 });
    if ((await this.#storage.get(key)) !== undefined) return new Response(null, { status: 409 });
    await this.#storage.put(key, value);
    return new Response(null, { status: 204 });
  }
}

function keepOf({ HOLM_RUNS: runs, HOLM_KV: kv }: Environment): JournalStore | undefined {
  if (runs) return new JournalStore(inObjects(runs as Namespace));
  return kv ? new JournalStore(inKv(kv as Kv)) : undefined;
}

function inObjects(runs: Namespace): ChunkStore {
  const stub = (key: string) => runs.get(runs.idFromName(key.split('/')[1] ?? ''));
  const send = (key: string, body: object) => stub(key).fetch('https://journal/', { method: 'POST', body: JSON.stringify(body) });
  return {
    list: async (prefix) => (await send(prefix, { prefix })).json() as Promise<string[]>,
    put: async (key, value) => {
      const { status } = await send(key, { key, value });
      if (status === 409) throw new ConflictError();
      if (status !== 204) throw new Error(`the journal's Durable Object answered ${status}`);
    },
  };
}

/** Workers KV cannot detect conflicts. If two hosts may resume the same run, use a Durable Object. */
function inKv(kv: Kv): ChunkStore {
  return {
    async list(prefix) {
      const names: string[] = [];
      let cursor: string | undefined;
      do {
        const page = await kv.list(cursor === undefined ? { prefix } : { prefix, cursor });
        names.push(...page.keys.map(({ name }) => name));
        cursor = page.list_complete ? undefined : page.cursor;
      } while (cursor !== undefined);
      return Promise.all(names.sort().map(async (name) => (await kv.get(name)) ?? ''));
    },
    put: (key, value) => kv.put(key, value),
  };
}
