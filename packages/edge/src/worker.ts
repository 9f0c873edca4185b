// The entry of Cloudflare's workerd. A worker resolves no names: that its network leads to public addresses only is the platform's
// promise (workerd's own default), so only addresses that are written out are checked here.

import { handler, type Handler } from './handler.js';
import { Conflict, Keep, type Chunks } from './keep.js';
import { Refusal } from './refusal.js';
import { readSettings, BadSettings, type Environment } from './settings.js';

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
        if (!(error instanceof BadSettings)) throw error;
        return Response.json(new Refusal(500, error.message).body(), { status: 500 });
      }
    }
    return ready.handle(request);
  },
};

/** A run's journal, one object for each run: of two hosts that put the same piece, one is told that it came too late. */
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

function keepOf({ HOLM_RUNS: runs, HOLM_KV: kv }: Environment): Keep | undefined {
  if (runs) return new Keep(inObjects(runs as Namespace));
  return kv ? new Keep(inKv(kv as Kv)) : undefined;
}

function inObjects(runs: Namespace): Chunks {
  const stub = (key: string) => runs.get(runs.idFromName(key.split('/')[1] ?? ''));
  const send = (key: string, body: object) => stub(key).fetch('https://journal/', { method: 'POST', body: JSON.stringify(body) });
  return {
    list: async (prefix) => (await send(prefix, { prefix })).json() as Promise<string[]>,
    put: async (key, value) => {
      const { status } = await send(key, { key, value });
      if (status === 409) throw new Conflict();
      if (status !== 204) throw new Error(`the journal's object answered ${status}`);
    },
  };
}

/** Workers KV cannot tell that somebody else was there first; where two may go on with one run, use an object. */
function inKv(kv: Kv): Chunks {
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
