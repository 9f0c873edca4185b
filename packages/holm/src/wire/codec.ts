// The model formats as pure functions between requests, replies and bytes. They send nothing.

import * as wasm from '../wasm/holm.js';
import { call } from '../load.js';
import { json } from '../text.js';
import type { Run } from '../kernel.js';
import type { Delta, Format, WireOptions } from '../types.js';

/** AWS keys, for formats with signed requests. */
export interface AwsKeys {
  region: string;
  accessKeyId: string;
  secretAccessKey: string;
  sessionToken?: string;
}

/** An HTTP request, ready to send. */
export interface HttpRequest {
  method: string;
  url: string;
  headers: [string, string][];
  body: Uint8Array;
}

/** The endpoint and the credentials of a request. */
export interface Target {
  baseUrl: string;
  key?: string;
  aws?: AwsKeys;
  now: number;
}

/** A format with its dialect. Use one per run, because it caches what it has encoded. */
export class Codec {
  readonly #codec: wasm.Codec;

  constructor(format: Format, dialect: object = {}, options: WireOptions = {}) {
    this.#codec = call(() => new wasm.Codec(format, json(dialect), json(options)));
  }

  /** Provides the bytes of a stored image or file for the next request. */
  putMedia(reference: string, base64: string): void {
    call(() => this.#codec.put_media(reference, base64));
  }

  /** Encodes a waiting model call. */
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

  /** Decodes a complete reply; returns a model result as JSON text. */
  reply(body: Uint8Array): string {
    return call(() => this.#codec.reply(body));
  }
}

/** Decodes one streamed reply. Feed it, then finish or abort it once. */
export class Decoder {
  readonly #decoder: wasm.Decoder;

  /** Use `Codec.decoder`. */
  constructor(decoder: wasm.Decoder) {
    this.#decoder = decoder;
  }

  /** Takes the next bytes, split anywhere; returns the completed pieces. */
  feed(chunk: Uint8Array): Delta[] {
    return JSON.parse(call(() => this.#decoder.feed(chunk))) as Delta[];
  }

  /** Whether the reply is complete. */
  get ended(): boolean {
    return call(() => this.#decoder.ended());
  }

  /** The model result as JSON text, after the last byte. */
  finish(): string {
    return call(() => this.#decoder.finish());
  }

  /** The model result of a stopped call as JSON text, with the part that arrived. */
  abort(): string {
    return call(() => this.#decoder.abort());
  }
}

/** The model result of an HTTP error response, as JSON text. */
export const httpFailure = (status: number, headers: [string, string][], body: Uint8Array, now: number): string =>
  call(() => wasm.http_failure(status, json(headers), body, BigInt(Math.trunc(now))));

/** The model result of any other failure, as JSON text. */
export const failure = (kind: string, message: string): string => call(() => wasm.failure(kind, message));
