// A model behind an edge host or server, or any service that allows pages without a key, such as one on this machine. The page has no
// provider key, but a short-lived token for this route only.

import { fetchModel, type Model } from 'holm';
import type { Format } from 'holm/kernel';
import type { Engine } from './engine';

/** How long before its expiry a token is renewed. */
const EARLY_MS = 30_000;

/** A model over the network. */
export class RemoteEngine implements Engine {
  readonly id = 'endpoint';
  readonly label = 'Remote (endpoint)';
  readonly model: string;
  readonly #baseUrl: string;
  readonly #format: Format;
  readonly #served: string;
  readonly #tokenUrl: string | undefined;
  #token: { text: string; ends: number } | undefined;

  constructor(endpoint: string, served: string, format: Format | undefined, tokenUrl: string | undefined) {
    const base = endpoint.replace(/\/+$/, '');
    // The edge host has one format at one path; other services have their own.
    this.#baseUrl = format === undefined ? `${base}/v1` : base;
    this.#format = format ?? 'openai_chat';
    this.#served = served;
    this.#tokenUrl = tokenUrl;
    this.model = `endpoint/${served}`;
  }

  async unusable(): Promise<string | undefined> {
    return undefined;
  }

  async prepare(): Promise<void> {
    await this.#key();
  }

  named(name: string): Model {
    // A model name of another host is answered by this endpoint's model.
    const options = name === this.model ? {} : { extra: { model: this.#served } };
    return fetchModel(this.#format, { name, baseUrl: this.#baseUrl, key: () => this.#key(), options });
  }

  async #key(): Promise<string> {
    if (this.#tokenUrl === undefined) return '';
    if (this.#token && this.#token.ends - EARLY_MS > Date.now()) return this.#token.text;
    const answer = await fetch(this.#tokenUrl, { method: 'POST', credentials: 'same-origin' });
    if (!answer.ok) throw new Error(`cannot get a token: the server answered ${answer.status}`);
    const { token, expires } = (await answer.json()) as { token: string; expires: number };
    this.#token = { text: token, ends: expires * 1000 };
    return token;
  }
}
