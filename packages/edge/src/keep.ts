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

/** Where a run's further records go. Nothing is lost that something was done about: a synced record is put before the driver goes on. */
export interface Writer extends Journal {
  /** Puts what waits. */
  flush(): Promise<void>;
}

/** A run in the store. */
export interface Kept {
  text: string;
  writer: Writer;
}

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

  /** A run as it is kept; its text is empty if there is none. */
  async open(run: string): Promise<Kept> {
    if (!Keep.isName(run)) throw new TypeError('this is no name of a run');
    const pieces = await this.#chunks.list(prefixOf(run));
    return { text: pieces.join(''), writer: this.#writer(run, pieces.length) };
  }

  /** Writes behind the pieces that were read: whoever wrote since then was first, and the store says so. */
  #writer(run: string, first: number): Writer {
    let piece = first;
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
