// Models over `fetch`. The codecs interpret the responses.

import { Codec, failure, httpFailure, type AwsKeys } from './codec.js';
import { ready } from '../load.js';
import type { ModelCall, Model } from '../model.js';
import type { Format, ModelInfo, WireOptions } from '../types.js';

/** The most bytes of an error response that are read. */
const MAX_ERROR_BYTES = 64 * 1024;

/** The options of a model over HTTP. */
export interface FetchModelOptions extends Omit<ModelInfo, 'name'> {
  /** `provider/model`; the part after the first slash is the provider's name of the model. */
  name: string;
  /** The base URL of the service, such as `https://api.example.com/v1`. */
  baseUrl: string;
  /** The key, or a function that gets it. */
  key?: string | (() => string | Promise<string>);
  /** The keys for services with signed requests. */
  aws?: AwsKeys;
  /** How the service deviates from its format. */
  dialect?: object;
  /** Wire options, which the kernel does not know. */
  options?: WireOptions;
  /** A replacement for `fetch`. */
  fetch?: typeof fetch;
  /** Additional headers, such as those of a gateway. */
  headers?: Record<string, string>;
}

/** A model with this format. */
export function fetchModel(format: Format, given: FetchModelOptions): Model {
  const { name, baseUrl, key, aws, dialect, options, fetch: send = globalThis.fetch, headers: extra, ...info } = given;
  const open = () => {
    const codec = new Codec(format, dialect, options);
    return async (ask: ModelCall): Promise<string> => {
      // Encoded before the first await, while the run is still at this request.
      const secret = typeof key === 'function' ? undefined : key;
      const request = codec.request(ask.run, ask.call, { baseUrl, key: secret, aws, now: Date.now() });
      const headers = new Headers(request.headers);
      for (const [header, value] of Object.entries(extra ?? {})) headers.set(header, value);
      if (typeof key === 'function') {
        const fetched = await key();
        const again = codec.request(ask.run, ask.call, { baseUrl, key: fetched, aws, now: Date.now() });
        for (const [header, value] of again.headers) headers.set(header, value);
      }
      const { method, url } = request;
      const body = request.body as Uint8Array<ArrayBuffer>;
      return exchange(codec, ask, options?.delivery === 'whole', () =>
        send(url, { method, headers, body, signal: ask.signal }),
      );
    };
  };
  return { name, info, ready, open };
}

async function exchange(codec: Codec, ask: ModelCall, whole: boolean, send: () => Promise<Response>): Promise<string> {
  let answer: Response;
  try {
    answer = await send();
  } catch (error) {
    return ask.signal.aborted ? codec.decoder().abort() : failure('network', words(error));
  }
  if (!answer.ok) {
    const body = await head(answer, MAX_ERROR_BYTES);
    return httpFailure(answer.status, [...answer.headers], body, Date.now());
  }
  if (whole) {
    try {
      return codec.reply(new Uint8Array(await answer.arrayBuffer()));
    } catch (error) {
      // The provider had started to answer and charges for it.
      return ask.signal.aborted ? codec.decoder().abort() : failure('truncated', words(error));
    }
  }
  return stream(codec, ask, answer);
}

async function stream(codec: Codec, ask: ModelCall, answer: Response): Promise<string> {
  const decoder = codec.decoder();
  const reader = answer.body?.getReader();
  try {
    while (reader && !decoder.ended) {
      const { done, value } = await reader.read();
      if (done) break;
      for (const delta of decoder.feed(value)) ask.delta(delta);
    }
  } catch {
    // A broken connection ends the bytes; the decoder knows whether the reply was complete.
  }
  if (ask.signal.aborted && !decoder.ended) return decoder.abort();
  // The reply is complete; the code does not wait for an open connection.
  reader?.cancel().catch(() => {});
  return decoder.finish();
}

async function head(answer: Response, most: number): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let length = 0;
  const reader = answer.body?.getReader();
  try {
    while (reader && length < most) {
      const { done, value } = await reader.read();
      if (done) break;
      parts.push(value);
      length += value.length;
    }
  } catch {
    // The bytes read so far are enough.
  }
  reader?.cancel().catch(() => {});
  const whole = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole.subarray(0, most);
}

function words(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const cause = error.cause instanceof Error ? `: ${error.cause.message}` : '';
  return `${error.message}${cause}`;
}
