// Journals between requests, so that a run goes on in another isolate. Any store of keys and values will do; a journal is cut into
// pieces, because such stores have no append.

import type { Journal } from 'holm';

/** A store of keys and values, in the shape that a Durable Object, Workers KV and Deno KV share. */
export interface Chunks {
  /** The values whose keys begin so, in the order of their keys. */
  list(prefix: string): Promise<string[]>;
  /** Puts a value where none is; gives a `Conflict` where the store can tell that somebody else was there first. */
  put(key: string, value: string): Promise<void>;
}

/** Two hosts go on with one run at the same time; the second one must let go. */
export class Conflict extends Error {
  override readonly name = 'Conflict';

  constructor() {
    super('somebody else goes on with this run');
  }
}

/** Digits of a piece's number, so that the order of keys is the order of pieces. */
const DIGITS = 8;

/** Run names become keys. */
const NAME = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/;

/** Keeps journals. */
export class Keep {
  readonly #chunks: Chunks;

  constructor(chunks: Chunks) {
    this.#chunks = chunks;
  }

  /** Whether this can be a run's name. */
  static isName(run: unknown): run is string {
    return typeof run === 'string' && NAME.test(run);
  }

  /** The journal of a run; empty if there is none. */
  async load(run: string): Promise<string> {
    return (await this.#chunks.list(prefixOf(run))).join('');
  }

  /** Where a run's further records go. Nothing is lost that something was done about: a synced record is put before the driver goes on. */
  async writer(run: string): Promise<Journal & { flush(): Promise<void> }> {
    let piece = (await this.#chunks.list(prefixOf(run))).length;
    let waiting = '';
    const flush = async () => {
      if (waiting === '') return;
      const lines = waiting;
      waiting = '';
      await this.#chunks.put(`${prefixOf(run)}${String(piece).padStart(DIGITS, '0')}`, lines);
      piece += 1;
    };
    return {
      flush,
      append: async (line, { sync }) => {
        waiting += line;
        if (sync) await flush();
      },
    };
  }
}

const prefixOf = (run: string): string => `journal/${run}/`;
