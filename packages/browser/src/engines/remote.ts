// A model behind an edge or server endpoint, or any service that lets pages in and wants no key, such as one on this machine. The page
// holds no provider's key: it has a token that ends soon and opens this route alone.

import { fetchModel, type Model } from 'holm';
import type { Format } from 'holm/kernel';
import type { Engine } from './engine';

/** Tokens are renewed this long before they end. */
const EARLY_MS = 30_000;

/** A model over the network. */
export class RemoteEngine implements Engine {
  readonly id = 'endpoint';
  readonly label = 'Over the network (endpoint)';
  readonly model: string;
  readonly #baseUrl: string;
  readonly #format: Format;
  readonly #served: string;
  readonly #tokenUrl: string | undefined;
  #token: { text: string; ends: number } | undefined;

  constructor(endpoint: string, served: string, format: Format | undefined, tokenUrl: string | undefined) {
    const base = endpoint.replace(/\/+$/, '');
    // The edge host speaks one format at one place; a service is spoken to as it wants.
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
    // Another host's name for its model is answered by this one's.
    const options = name === this.model ? {} : { extra: { model: this.#served } };
    return fetchModel(this.#format, { name, baseUrl: this.#baseUrl, key: () => this.#key(), options });
  }

  async #key(): Promise<string> {
    if (this.#tokenUrl === undefined) return '';
    if (this.#token && this.#token.ends - EARLY_MS > Date.now()) return this.#token.text;
    const answer = await fetch(this.#tokenUrl, { method: 'POST', credentials: 'same-origin' });
    if (!answer.ok) throw new Error(`no token: the server answered ${answer.status}`);
    const { token, expires } = (await answer.json()) as { token: string; expires: number };
    this.#token = { text: token, ends: expires * 1000 };
    return token;
  }
}
