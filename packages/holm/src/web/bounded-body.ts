// Reads untrusted bodies up to a limit, because the announced length may be wrong.

/** A body exceeded its limit. */
export class BodyTooLargeError extends Error {
  override readonly name = 'BodyTooLargeError';

  constructor(readonly most: number) {
    super(`the body is longer than ${most} bytes`);
  }
}

/** The start of a body, and whether there was more. */
export interface BodyHead {
  bytes: Uint8Array;
  more: boolean;
}

/** Reads at most this many bytes and cancels the rest. The signal also ends a body that sends nothing. */
export async function readHead(body: ReadableStream<Uint8Array> | null, most: number, signal?: AbortSignal): Promise<BodyHead> {
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
  // A cancelled body looks like one that has ended.
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

/** Reads a whole body; throws if it is longer than the limit. */
export async function readBytes(body: ReadableStream<Uint8Array> | null, most: number, signal?: AbortSignal): Promise<Uint8Array> {
  const { bytes, more } = await readHead(body, most, signal);
  if (more) throw new BodyTooLargeError(most);
  return bytes;
}

/** Reads a whole body as text; invalid UTF-8 becomes the replacement character. */
export const readText = async (body: ReadableStream<Uint8Array> | null, most: number, signal?: AbortSignal): Promise<string> =>
  new TextDecoder().decode(await readBytes(body, most, signal));
