// Stores results that are too large for a journal, as files of this origin (OPFS). Journals are in IndexedDB, because its appends
// are atomic. A large result is written once, read in parts and named by its digest, so files suit it better.

import { output, tool, type BlobStore, type Tool } from 'holm';

/** The most characters of a result that one call returns. */
const MAX_CHARS = 4000;

/** The most bytes that `MAX_CHARS` characters can have. */
const MAX_BYTES = MAX_CHARS * 4;

/** The folder of all results. */
const FOLDER = 'holm-results';

/** The large results of this origin, by run. */
export class ResultStore implements BlobStore {
  readonly #folder: FileSystemDirectoryHandle;

  private constructor(folder: FileSystemDirectoryHandle) {
    this.#folder = folder;
  }

  /** Opens the store; undefined if the browser has no such files. Large results then stay in the journal. */
  static async open(): Promise<ResultStore | undefined> {
    try {
      if (!('createWritable' in FileSystemFileHandle.prototype)) return undefined;
      const root = await navigator.storage.getDirectory();
      return new ResultStore(await root.getDirectoryHandle(FOLDER, { create: true }));
    } catch {
      // Some browsers have no such files in private windows.
      return undefined;
    }
  }

  async put(run: string, sha256: string, bytes: Uint8Array): Promise<void> {
    const folder = await this.#folder.getDirectoryHandle(nameOf(run), { create: true });
    const file = await (await folder.getFileHandle(sha256, { create: true })).createWritable();
    await file.write(bytes as Uint8Array<ArrayBuffer>);
    // Closing publishes the whole file under its name.
    await file.close();
  }

  /** A part of a result of this run; undefined if it is not stored here. */
  async read(run: string, sha256: string, from: number): Promise<{ text: string; whole: number } | undefined> {
    if (!/^[0-9a-f]{64}$/.test(sha256)) return undefined;
    try {
      const folder = await this.#folder.getDirectoryHandle(nameOf(run));
      const file = await (await folder.getFileHandle(sha256)).getFile();
      const bytes = await file.slice(from, from + MAX_BYTES).arrayBuffer();
      return { text: new TextDecoder().decode(bytes).slice(0, MAX_CHARS), whole: file.size };
    } catch (error) {
      if (error instanceof DOMException && error.name === 'NotFoundError') return undefined;
      throw error;
    }
  }
}

/** A folder name for a run: runs of other hosts can have any name. */
const nameOf = (run: string): string => `run-${encodeURIComponent(run)}`;

/** The tool `read_result`, with which a model reads the middle of a large result. */
export function readResult(results: ResultStore, run: () => string | undefined): Tool {
  return tool<{ reference: string; offset?: number }>({
    name: 'read_result',
    description: 'Reads more of a large result by its reference, starting at a byte offset.',
    level: 'read-only',
    yields: { untrusted: true, private: true },
    repeat: 'idempotent',
    error_text: 'allowed',
    input: {
      type: 'object',
      properties: { reference: { type: 'string' }, offset: { type: 'integer', minimum: 0 } },
      required: ['reference'],
    },
    async run({ reference, offset = 0 }) {
      const found = await results.read(run() ?? '', reference, offset);
      if (!found) return output({ outcome: 'failed', text: 'no such result; check the reference' });
      if (offset >= found.whole) return output({ outcome: 'failed', text: `the result ends at byte ${found.whole}` });
      return `${found.text}\n[from byte ${offset} of ${found.whole}]`;
    },
  });
}
