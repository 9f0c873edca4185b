// Stores journals and notes in IndexedDB. A record is on disk before the page acts on it, so the page can be closed at any time.

import type { Journal } from 'holm';

/** The database; its version changes with its schema. */
const NAME = 'holm';
const VERSION = 1;

/** The entry of a run. */
export interface StoredRun {
  run: string;
  /** The time of the last change, in milliseconds. */
  at: number;
  /** The engine that last drove the run. */
  engine: string;
}

/** The journals and notes of this origin. */
export class RunStore {
  readonly #database: IDBDatabase;

  private constructor(database: IDBDatabase) {
    this.#database = database;
  }

  static async open(): Promise<RunStore> {
    const asked = indexedDB.open(NAME, VERSION);
    asked.onupgradeneeded = () => {
      asked.result.createObjectStore('runs', { keyPath: 'run' });
      asked.result.createObjectStore('lines', { autoIncrement: true }).createIndex('run', 'run');
      asked.result.createObjectStore('notes', { autoIncrement: true });
    };
    return new RunStore(await result(asked));
  }

  /** The run with the latest change. */
  async latest(): Promise<StoredRun | undefined> {
    const runs = await result(this.#database.transaction('runs').objectStore('runs').getAll() as IDBRequest<StoredRun[]>);
    return runs.sort((a, b) => b.at - a.at)[0];
  }

  /** The journal of a run; empty for an unknown run. */
  async journal(run: string): Promise<string> {
    const index = this.#database.transaction('lines').objectStore('lines').index('run');
    const rows = await result(index.getAll(run) as IDBRequest<{ line: string }[]>);
    return rows.map(({ line }) => line).join('');
  }

  /** The writer for the next records of a run. */
  writer(run: string, engine: string): Journal {
    return { append: (line, { sync }) => this.#append({ run, at: Date.now(), engine }, line, sync) };
  }

  /** Stores an imported journal in place of the run's stored one. */
  async replace(run: string, engine: string, journal: string): Promise<void> {
    const transaction = this.#database.transaction(['runs', 'lines'], 'readwrite', { durability: 'strict' });
    const lines = transaction.objectStore('lines');
    for (const key of await result(lines.index('run').getAllKeys(run))) lines.delete(key);
    lines.add({ run, line: journal });
    transaction.objectStore('runs').put({ run, at: Date.now(), engine });
    await done(transaction);
  }

  async #append(entry: StoredRun, line: string, sync: boolean): Promise<void> {
    const durability = sync ? 'strict' : 'relaxed';
    const transaction = this.#database.transaction(['runs', 'lines'], 'readwrite', { durability });
    transaction.objectStore('lines').add({ run: entry.run, line });
    transaction.objectStore('runs').put(entry);
    await done(transaction);
  }

  async addNote(text: string): Promise<void> {
    const transaction = this.#database.transaction('notes', 'readwrite', { durability: 'strict' });
    transaction.objectStore('notes').add(text);
    await done(transaction);
  }

  /** All notes, the oldest first. */
  notes(): Promise<string[]> {
    return result(this.#database.transaction('notes').objectStore('notes').getAll() as IDBRequest<string[]>);
  }
}

const result = <T>(request: IDBRequest<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });

const done = (transaction: IDBTransaction): Promise<void> =>
  new Promise((resolve, reject) => {
    transaction.oncomplete = () => resolve();
    transaction.onabort = () => reject(transaction.error);
    transaction.onerror = () => reject(transaction.error);
  });
