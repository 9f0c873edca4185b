// Journals in IndexedDB. A record that something is done about is on the disk before that happens, so a page may be closed at any time.

import type { Journal } from 'holm';

/** The database; its version changes with its shape. */
const NAME = 'holm';
const VERSION = 1;

/** A run as the list shows it. */
export interface Kept {
  run: string;
  /** When it was touched last, in milliseconds. */
  at: number;
  /** The engine that it was driven by. */
  engine: string;
}

/** The journals and notes of this origin. */
export class Store {
  readonly #database: IDBDatabase;

  private constructor(database: IDBDatabase) {
    this.#database = database;
  }

  static async open(): Promise<Store> {
    const asked = indexedDB.open(NAME, VERSION);
    asked.onupgradeneeded = () => {
      asked.result.createObjectStore('runs', { keyPath: 'run' });
      asked.result.createObjectStore('lines', { autoIncrement: true }).createIndex('run', 'run');
      asked.result.createObjectStore('notes', { autoIncrement: true });
    };
    return new Store(await result(asked));
  }

  /** The run that was touched last. */
  async latest(): Promise<Kept | undefined> {
    const runs = await result(this.#database.transaction('runs').objectStore('runs').getAll() as IDBRequest<Kept[]>);
    return runs.sort((a, b) => b.at - a.at)[0];
  }

  /** A run's journal; empty if there is none. */
  async journal(run: string): Promise<string> {
    const index = this.#database.transaction('lines').objectStore('lines').index('run');
    const rows = await result(index.getAll(run) as IDBRequest<{ line: string }[]>);
    return rows.map(({ line }) => line).join('');
  }

  /** Where a run's further records go. */
  writer(run: string, engine: string): Journal {
    return { append: (line, { sync }) => this.#append({ run, at: Date.now(), engine }, line, sync) };
  }

  /** Puts down a journal that came from elsewhere; what was kept under its name is replaced. */
  async replace(run: string, engine: string, journal: string): Promise<void> {
    const transaction = this.#database.transaction(['runs', 'lines'], 'readwrite', { durability: 'strict' });
    const lines = transaction.objectStore('lines');
    for (const key of await result(lines.index('run').getAllKeys(run))) lines.delete(key);
    lines.add({ run, line: journal });
    transaction.objectStore('runs').put({ run, at: Date.now(), engine });
    await done(transaction);
  }

  async #append(kept: Kept, line: string, sync: boolean): Promise<void> {
    const durability = sync ? 'strict' : 'relaxed';
    const transaction = this.#database.transaction(['runs', 'lines'], 'readwrite', { durability });
    transaction.objectStore('lines').add({ run: kept.run, line });
    transaction.objectStore('runs').put(kept);
    await done(transaction);
  }

  /** Keeps a note. */
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
