// A run that can be looked at as it was at any event. The journal is the list of what happened, so the past is a fold of
// its beginning; every so often a fold is kept, so that moving a slider costs a short fold and not a long one.

import { EMPTY, type Transcript, reduceEvents } from './transcript.ts';
import type { Numbered } from './wire.ts';

/** Events between two kept folds: a slider's step folds at most as many. */
const STRIDE = 200;

/** Everything that happened in a run, and the run at any point of it. */
export class History {
  readonly #events: Numbered[] = [];
  /** The transcript before event `STRIDE * n`. */
  readonly #kept: Transcript[] = [EMPTY];

  /** How many events there are. */
  get length(): number {
    return this.#events.length;
  }

  /** All events. */
  get events(): readonly Numbered[] {
    return this.#events;
  }

  /** Adds what happened next. */
  add(events: readonly Numbered[]): void {
    this.#events.push(...events);
    while (this.#kept.length * STRIDE <= this.#events.length) {
      const from = (this.#kept.length - 1) * STRIDE;
      const before = this.#kept[this.#kept.length - 1] ?? EMPTY;
      this.#kept.push(reduceEvents(before, this.#events.slice(from, from + STRIDE)));
    }
  }

  /** The run after its first `count` events. */
  at(count: number): Transcript {
    const within = Math.max(0, Math.min(Math.floor(count), this.#events.length));
    const kept = Math.min(Math.floor(within / STRIDE), this.#kept.length - 1);
    return reduceEvents(this.#kept[kept] ?? EMPTY, this.#events.slice(kept * STRIDE, within));
  }
}
