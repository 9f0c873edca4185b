// Bodies of strangers are read up to a bound, never whole: a length that is announced may be a lie.

/** A body was longer than it may be. */
export class TooLarge extends Error {
  override readonly name = 'TooLarge';

  constructor(readonly most: number) {
    super(`the body is longer than ${most} bytes`);
  }
}

/** What a body begins with, and whether there was more. */
export interface Head {
  bytes: Uint8Array;
  more: boolean;
}

/** Reads at most so many bytes and lets go of the rest. Whoever sends nothing is not waited for behind the signal. */
export async function readHead(body: ReadableStream<Uint8Array> | null, most: number, signal?: AbortSignal): Promise<Head> {
  const parts: Uint8Array[] = [];
  let length = 0;
  const reader = body?.getReader();
  const stop = () => void reader?.cancel().catch(() => {});
  signal?.addEventListener('abort', stop, { once: true });
  try {
    while (reader && length <= most && !signal?.aborted) {
      const { done, value } = await reader.read();
      if (done) break;
      parts.push(value);
      length += value.length;
    }
  } finally {
    signal?.removeEventListener('abort', stop);
  }
  // A body that was let go of looks like one that has ended.
  signal?.throwIfAborted();
  if (length > most) await reader?.cancel().catch(() => {});
  const whole = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return { bytes: whole.subarray(0, most), more: length > most };
}

/** Reads a body that must not be longer than this. */
export async function readBytes(body: ReadableStream<Uint8Array> | null, most: number, signal?: AbortSignal): Promise<Uint8Array> {
  const { bytes, more } = await readHead(body, most, signal);
  if (more) throw new TooLarge(most);
  return bytes;
}

/** The same as text; bytes that are no UTF-8 become the replacement character. */
export const readText = async (body: ReadableStream<Uint8Array> | null, most: number, signal?: AbortSignal): Promise<string> =>
  new TextDecoder().decode(await readBytes(body, most, signal));
