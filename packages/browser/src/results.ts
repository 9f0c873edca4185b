// Results that are too large for a journal, as files of this origin (OPFS). Journals are in IndexedDB, because what is appended there
// is whole or not there at all; a large result is written once, read in parts and named by its digest, which is what files are good for.

import { output, tool, type Blobs, type Tool } from 'holm';

/** Characters of a result that are handed on at once. */
const MOST_CHARS = 4000;

/** Bytes that hold so many characters, whatever they are. */
const MOST_BYTES = MOST_CHARS * 4;

/** The folder of all results. */
const FOLDER = 'holm-results';

/** The large results of this origin, each with the run that it belongs to. */
export class Results implements Blobs {
  readonly #folder: FileSystemDirectoryHandle;

  private constructor(folder: FileSystemDirectoryHandle) {
    this.#folder = folder;
  }

  /** Opens them; none where the browser has no such files. Large results then stay in the journal. */
  static async open(): Promise<Results | undefined> {
    try {
      if (!('createWritable' in FileSystemFileHandle.prototype)) return undefined;
      const root = await navigator.storage.getDirectory();
      return new Results(await root.getDirectoryHandle(FOLDER, { create: true }));
    } catch {
      // Private windows of some browsers have none.
      return undefined;
    }
  }

  async put(run: string, sha256: string, bytes: Uint8Array): Promise<void> {
    const folder = await this.#folder.getDirectoryHandle(nameOf(run), { create: true });
    const file = await (await folder.getFileHandle(sha256, { create: true })).createWritable();
    await file.write(bytes as Uint8Array<ArrayBuffer>);
    // Only then it is there under its name, and whole.
    await file.close();
  }

  /** A part of a result of this run; none if it is not here. */
  async read(run: string, sha256: string, from: number): Promise<{ text: string; whole: number } | undefined> {
    if (!/^[0-9a-f]{64}$/.test(sha256)) return undefined;
    try {
      const folder = await this.#folder.getDirectoryHandle(nameOf(run));
      const file = await (await folder.getFileHandle(sha256)).getFile();
      const bytes = await file.slice(from, from + MOST_BYTES).arrayBuffer();
      return { text: new TextDecoder().decode(bytes).slice(0, MOST_CHARS), whole: file.size };
    } catch (error) {
      if (error instanceof DOMException && error.name === 'NotFoundError') return undefined;
      throw error;
    }
  }
}

/** Names of other hosts' runs may be anything; a folder's may not. */
const nameOf = (run: string): string => `run-${encodeURIComponent(run)}`;

/** The tool `read_result`, by which a model sees more of a result than its ends. */
export function readResult(results: Results, run: () => string | undefined): Tool {
  return tool<{ reference: string; offset?: number }>({
    name: 'read_result',
    description: 'Reads more of a large result by its reference, from a byte on.',
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
      if (!found) return output({ outcome: 'failed', text: 'there is no such result here' });
      if (offset >= found.whole) return output({ outcome: 'failed', text: `the result ends at byte ${found.whole}` });
      return `${found.text}\n[from byte ${offset} of ${found.whole}]`;
    },
  });
}
