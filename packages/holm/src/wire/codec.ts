// Formats of models as pure functions: a request's bytes out, a reply's bytes in. Nothing is sent here.

import * as wasm from '../wasm/holm.js';
import { call } from '../load.js';
import { json } from '../text.js';
import type { Run } from '../kernel.js';
import type { Delta, Format, WireOptions } from '../types.js';

/** AWS keys, for formats that want a signature. */
export interface AwsKeys {
  region: string;
  accessKeyId: string;
  secretAccessKey: string;
  sessionToken?: string;
}

/** One HTTP request, ready to be sent. */
export interface HttpRequest {
  method: string;
  url: string;
  headers: [string, string][];
  body: Uint8Array;
}

/** Where a request goes and who sends it. */
export interface Target {
  baseUrl: string;
  key?: string;
  aws?: AwsKeys;
  now: number;
}

/** One format with its dialect. Keep one for each run: it keeps what it has written. */
export class Codec {
  readonly #codec: wasm.Codec;

  constructor(format: Format, dialect: object = {}, options: WireOptions = {}) {
    this.#codec = call(() => new wasm.Codec(format, json(dialect), json(options)));
  }

  /** Puts the bytes of a stored picture or file where the next request finds them. */
  putMedia(reference: string, base64: string): void {
    call(() => this.#codec.put_media(reference, base64));
  }

  /** Encodes a model call that waits for its answer. */
  request(run: Run, id: bigint | number, target: Target): HttpRequest {
    return call(() => {
      const sent = this.#codec.request(run.handleOfWasm, BigInt(id));
      const headers = JSON.parse(sent.headers(target.key ?? '')) as [string, string][];
      const { aws } = target;
      if (aws && sent.signed_service() !== undefined) {
        const { region, accessKeyId, secretAccessKey, sessionToken } = aws;
        const now = BigInt(Math.trunc(target.now));
        headers.push(
          ...(JSON.parse(
            sent.sign(target.baseUrl, region, accessKeyId, secretAccessKey, sessionToken, now),
          ) as [string, string][]),
        );
      }
      return { method: sent.method(), url: sent.url(target.baseUrl), headers, body: sent.into_body() };
    });
  }

  /** A decoder for one streamed reply. */
  decoder(): Decoder {
    return new Decoder(call(() => this.#codec.decoder()));
  }

  /** Decodes a reply that came whole; gives a model result as JSON text. */
  reply(body: Uint8Array): string {
    return call(() => this.#codec.reply(body));
  }
}

/** One streamed reply. Feed, then finish or abort, once. */
export class Decoder {
  readonly #decoder: wasm.Decoder;

  /** Use `Codec.decoder`. */
  constructor(decoder: wasm.Decoder) {
    this.#decoder = decoder;
  }

  /** Takes the next bytes, cut anywhere; gives the pieces that they complete. */
  feed(chunk: Uint8Array): Delta[] {
    return JSON.parse(call(() => this.#decoder.feed(chunk))) as Delta[];
  }

  /** Whether no more bytes are wanted. */
  get ended(): boolean {
    return call(() => this.#decoder.ended());
  }

  /** The model result as JSON text, once the bytes have ended. */
  finish(): string {
    return call(() => this.#decoder.finish());
  }

  /** The model result of a stopped call as JSON text: what had arrived. */
  abort(): string {
    return call(() => this.#decoder.abort());
  }
}

/** The model result of an HTTP answer that is no reply, as JSON text. */
export const httpFailure = (status: number, headers: [string, string][], body: Uint8Array, now: number): string =>
  call(() => wasm.http_failure(status, json(headers), body, BigInt(Math.trunc(now))));

/** The model result of any other failure, as JSON text. */
export const failure = (kind: string, message: string): string => call(() => wasm.failure(kind, message));
