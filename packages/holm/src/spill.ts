// A result that is too large for the journal lies elsewhere; the journal has its ends, its length and its digest.

import { hex } from './secrets.js';
import type { ToolOutput } from './types.js';

/** Bytes of text that stay in the journal: twice what a model sees of a result by default. */
export const CARRIED = 64 * 1024;

/** Bytes of the beginning that stay with the run: three quarters of what a model sees of a result by default. */
const HEAD = 24 * 1024;

/** Bytes of the end, where errors are. */
const TAIL = 8 * 1024;

/** Where large results lie. */
export interface Blobs {
  /** Keeps the bytes before it resolves; gives the reference by which the model asks for more, by default their digest. */
  put(run: string, sha256: string, bytes: Uint8Array): string | void | Promise<string | void>;
}

/** Moves a text that is too long to the blobs. If they cannot take it, the ends stay as text and the loss is said. */
export async function spill(output: ToolOutput, run: () => string, blobs: Blobs | undefined): Promise<ToolOutput> {
  const { text = '', ...rest } = output;
  if (!blobs || text.length * 3 <= CARRIED || output.spill) return output;
  const bytes = new TextEncoder().encode(text);
  if (bytes.length <= CARRIED) return output;
  const head = decode(bytes.subarray(0, boundary(bytes, HEAD, -1)));
  const tail = decode(bytes.subarray(boundary(bytes, bytes.length - TAIL, 1)));
  const sha256 = hex(new Uint8Array(await crypto.subtle.digest('SHA-256', bytes)));
  try {
    const reference = (await blobs.put(run(), sha256, bytes)) ?? sha256;
    return { ...rest, spill: { head, tail, bytes: bytes.length, sha256, reference } };
  } catch (error) {
    const lost = bytes.length - HEAD - TAIL;
    return { ...rest, text: `${head}\n[${lost} bytes are lost: ${error instanceof Error ? error.message : String(error)}]\n${tail}` };
  }
}

const decode = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

/** The nearest place between two characters. */
function boundary(bytes: Uint8Array, at: number, step: 1 | -1): number {
  while (((bytes[at] ?? 0) & 0xc0) === 0x80) at += step;
  return at;
}
