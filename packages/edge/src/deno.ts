// The entry point for Deno: `deno run --allow-env --allow-net --allow-read dist/deno.js`. With `--unstable-kv` and HOLM_KEEP=yes (or a
// file path) it stores journals in Deno KV.

import { connectTo } from './connect.js';
import { handler } from './handler.js';
import { ConflictError, JournalStore, type ChunkStore } from './journal-store.js';
import { readSettings } from './settings.js';

const PORT = 8000;

interface KvEntry {
  value: string;
}

interface Kv {
  list(selector: { prefix: string[] }): AsyncIterable<KvEntry>;
  atomic(): {
    check(entry: { key: string[]; versionstamp: null }): { set(key: string[], value: string): { commit(): Promise<{ ok: boolean }> } };
  };
}

declare const Deno: {
  env: { toObject(): { [name: string]: string } };
  resolveDns(host: string, kind: 'A' | 'AAAA'): Promise<string[]>;
  openKv?(path?: string): Promise<Kv>;
  serve(options: { port: number; hostname: string; onListen(at: { port: number }): void }, handle: (request: Request) => Promise<Response>): unknown;
};

const environment = Deno.env.toObject();
const settings = readSettings(environment);
const port = Number(environment.PORT ?? PORT);
const hostname = environment.HOST ?? '127.0.0.1';
const handle = handler({ settings, resolve, connect: connectTo, keep: await keepOf(environment.HOLM_KEEP) });
Deno.serve({ port, hostname, onListen: (at) => console.log(`http://${hostname}:${at.port}`) }, handle);

/** All addresses of a name; a single private one is enough to refuse it. */
async function resolve(host: string): Promise<string[]> {
  // Name servers do not know localhost.
  if (host === 'localhost' || host.endsWith('.localhost')) return ['127.0.0.1'];
  const found = await Promise.allSettled([Deno.resolveDns(host, 'A'), Deno.resolveDns(host, 'AAAA')]);
  const addresses = found.flatMap((one) => (one.status === 'fulfilled' ? one.value : []));
  if (addresses.length === 0) throw new Error(`cannot resolve ${host}`);
  return addresses;
}

async function keepOf(where: string | undefined): Promise<JournalStore | undefined> {
  if (where === undefined || where === '') return undefined;
  if (!Deno.openKv) throw new Error('HOLM_KEEP requires `deno run --unstable-kv`');
  return new JournalStore(inKv(await Deno.openKv(where === 'yes' ? undefined : where)));
}

function inKv(kv: Kv): ChunkStore {
  const keyOf = (path: string) => path.split('/').filter((part) => part !== '');
  return {
    async list(prefix) {
      const values: string[] = [];
      for await (const { value } of kv.list({ prefix: keyOf(prefix) })) values.push(value);
      return values;
    },
    async put(path, value) {
      const key = keyOf(path);
      const { ok } = await kv.atomic().check({ key, versionstamp: null }).set(key, value).commit();
      if (!ok) throw new ConflictError();
    },
  };
}
