// The interface of an engine: it provides a model under any name that a run uses for it.

import type { Model } from 'holm';

/** The progress of a download. */
export interface Progress {
  loaded: number;
  /** Undefined if the server does not say it. */
  total: number | undefined;
}

export interface Engine {
  id: string;
  label: string;
  /** Why it does not work here; undefined if it does. */
  unusable(): Promise<string | undefined>;
  /** Loads the model; the first time can take minutes, later times must be quick. */
  prepare(progress: (progress: Progress) => void): Promise<void>;
  /** The model's name in new runs. */
  model: string;
  /** The model under this name. */
  named(name: string): Model;
}
