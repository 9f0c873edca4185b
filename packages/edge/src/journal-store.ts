// Stores journals between requests, so that a run can be resumed in another isolate. Any key-value store works; a journal is split into
// chunks, because such stores cannot append.

import type { Journal } from 'holm';

/** A key-value store, with the methods that Durable Objects, Workers KV and Deno KV have in common. */
export interface ChunkStore {
  /** The values of all keys with this prefix, in the order of their keys. */
  list(prefix: string): Promise<string[]>;
  /** Stores a value under a new key; throws a `ConflictError` if the store can tell that the key exists. */
  put(key: string, value: string): Promise<void>;
}

/** Another host is driving the same run. */
export class ConflictError extends Error {
  override readonly name = 'ConflictError';

  constructor() {
    super('this run is already in progress or stored on this host');
  }
}

/** The most characters of one value. Deno KV allows 64 KiB, and non-Latin text has two bytes per character. */
const MAX_CHARS = 30_000;

/** The header of a value that is part of a longer one: `#INDEX/COUNT` and a newline. Lines of journals never start like this. */
const PART = /^#(\d+)\/(\d+)\n/;

/** The digits of a chunk's number, so that keys sort like chunks. */
const DIGITS = 8;

/** Valid run names, which become parts of keys. */
const NAME = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/;

/** Appends to a run's journal. A synced record is stored before the driver continues, so that nothing it acts on is lost. */
export interface JournalWriter extends Journal {
  /** Stores the buffered lines. */
  flush(): Promise<void>;
}

/** A run in the store. */
export interface StoredJournal {
  text: string;
  writer: JournalWriter;
}

/** Stores journals in chunks. */
export class JournalStore {
  readonly #chunks: ChunkStore;

  constructor(chunks: ChunkStore) {
    this.#chunks = chunks;
  }

  /** Whether this is a valid run name. */
  static isName(run: unknown): run is string {
    return typeof run === 'string' && NAME.test(run);
  }

  /** Opens a run; its text is empty if it is not stored. */
  async open(run: string): Promise<StoredJournal> {
    if (!JournalStore.isName(run)) throw new TypeError(`'${String(run)}' is not a valid run name`);
    const pieces = await this.#chunks.list(prefixOf(run));
    return { text: join(pieces), writer: this.#writer(run, pieces.length) };
  }

  /** Writes after the chunks that were read; if another host has written since then, the store reports a conflict. */
  #writer(run: string, first: number): JournalWriter {
    let piece = first;
    let waiting = '';
    const flush = async () => {
      if (waiting === '') return;
      const lines = waiting;
      waiting = '';
      for (const part of split(lines)) {
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

/** Splits lines into values that every store accepts. */
function split(lines: string): string[] {
  if (lines.length <= MAX_CHARS) return [lines];
  const parts: string[] = [];
  for (let at = 0; at < lines.length; ) {
    const end = Math.min(at + MAX_CHARS, lines.length);
    // A split must not fall inside a surrogate pair.
    const whole = end < lines.length && isHighSurrogate(lines.charCodeAt(end - 1)) ? end - 1 : end;
    parts.push(lines.slice(at, whole));
    at = whole;
  }
  return parts.map((part, which) => `#${which}/${parts.length}\n${part}`);
}

const isHighSurrogate = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff;

/** Joins values. Incomplete parts come from a host that was stopped before it acted on them, so they are dropped. */
function join(values: string[]): string {
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
