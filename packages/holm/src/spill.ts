// Moves results that are too large for the journal to a blob store; the journal keeps their ends, length and digest.

import { hex } from './secrets.js';
import type { ToolOutput } from './types.js';

/** The most bytes of text that stay in the journal: twice what a model sees of a result by default. */
export const MAX_JOURNAL_BYTES = 64 * 1024;

/** Bytes of the start that stay in the journal: three quarters of what a model sees of a result by default. */
const HEAD_BYTES = 24 * 1024;

/** Bytes of the end, where errors are. */
const TAIL_BYTES = 8 * 1024;

/** Stores large results. */
export interface BlobStore {
  /** Stores the bytes before it resolves. Returns the reference with which the model reads more; by default the digest. */
  put(run: string, sha256: string, bytes: Uint8Array): string | void | Promise<string | void>;
}

/** Moves a long text to the blob store. If that fails, the ends stay in the journal with a note about the lost bytes. */
export async function spill(output: ToolOutput, run: () => string, blobs: BlobStore | undefined): Promise<ToolOutput> {
  const { text = '', ...rest } = output;
  if (!blobs || text.length * 3 <= MAX_JOURNAL_BYTES || output.spill) return output;
  const bytes = new TextEncoder().encode(text);
  if (bytes.length <= MAX_JOURNAL_BYTES) return output;
  const head = decode(bytes.subarray(0, boundary(bytes, HEAD_BYTES, -1)));
  const tail = decode(bytes.subarray(boundary(bytes, bytes.length - TAIL_BYTES, 1)));
  const sha256 = hex(new Uint8Array(await crypto.subtle.digest('SHA-256', bytes)));
  try {
    const reference = (await blobs.put(run(), sha256, bytes)) ?? sha256;
    return { ...rest, spill: { head, tail, bytes: bytes.length, sha256, reference } };
  } catch (error) {
    const lost = bytes.length - HEAD_BYTES - TAIL_BYTES;
    return { ...rest, text: `${head}\n[${lost} bytes are lost: ${error instanceof Error ? error.message : String(error)}]\n${tail}` };
  }
}

const decode = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

/** The nearest boundary between two characters. */
function boundary(bytes: Uint8Array, at: number, step: 1 | -1): number {
  while (((bytes[at] ?? 0) & 0xc0) === 0x80) at += step;
  return at;
}
