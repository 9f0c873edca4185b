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

/** Characters of one value. Deno KV takes 64 KiB, and a text that is not Latin has two bytes for each. */
const MOST_CHARS = 30_000;

/** What a value begins with that is part of a longer one: `#which/how many` and a line's end. Lines of journals begin otherwise. */
const PART = /^#(\d+)\/(\d+)\n/;

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
    return { text: joined(pieces), writer: this.#writer(run, pieces.length) };
  }

  /** Writes behind the pieces that were read: whoever wrote since then was first, and the store says so. */
  #writer(run: string, first: number): Writer {
    let piece = first;
    let waiting = '';
    const flush = async () => {
      if (waiting === '') return;
      const lines = waiting;
      waiting = '';
      for (const part of cut(lines)) {
        await this.#chunks.put(`${prefixOf(run)}${String(piece).padStart(DIGITS, '0')}`, part);
        piece += 1;
      }
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

/** Lines in values that every store takes. */
function cut(lines: string): string[] {
  if (lines.length <= MOST_CHARS) return [lines];
  const parts: string[] = [];
  for (let at = 0; at < lines.length; ) {
    const end = Math.min(at + MOST_CHARS, lines.length);
    // Stores of bytes have no half characters.
    const whole = end < lines.length && isHigh(lines.charCodeAt(end - 1)) ? end - 1 : end;
    parts.push(lines.slice(at, whole));
    at = whole;
  }
  return parts.map((part, which) => `#${which}/${parts.length}\n${part}`);
}

const isHigh = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff;

/** The text of values. Parts without their last one are what is left of somebody who was stopped: nothing was done about them. */
function joined(values: string[]): string {
  let text = '';
  let parts: string[] = [];
  for (const value of values) {
    const [head, which, count] = PART.exec(value) ?? [];
    if (head === undefined) {
      parts = [];
      text += value;
      continue;
    }
    if (Number(which) === 0) parts = [];
    parts.push(value.slice(head.length));
    if (Number(which) !== parts.length - 1) parts = [];
    else if (parts.length === Number(count)) text += parts.splice(0).join('');
  }
  return text;
}

const prefixOf = (run: string): string => `journal/${run}/`;
