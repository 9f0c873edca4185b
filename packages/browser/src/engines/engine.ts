// What an engine is to the page: something that becomes a model under whatever name a run knows it by.

import type { Model } from 'holm';

/** How far a download is. */
export interface Progress {
  loaded: number;
  /** None where nobody says how much there is. */
  total: number | undefined;
}

/** An engine. */
export interface Engine {
  id: string;
  label: string;
  /** Why it cannot be used here; none if it can. */
  unusable(): Promise<string | undefined>;
  /** Brings the model; may take minutes the first time and must be quick after that. */
  prepare(progress: (progress: Progress) => void): Promise<void>;
  /** The name under which new runs know the model. */
  model: string;
  /** A model under this name. */
  named(name: string): Model;
}
