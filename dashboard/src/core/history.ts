// A run that can be looked at as it was at any event. The journal is the list of what happened, so the past is a fold of
// its beginning; every so often a fold is kept, so that moving a slider costs a short fold and not a long one.

import { EMPTY, type Transcript, reduceEvents } from './transcript.ts';
import type { Numbered } from './wire.ts';

/** Events between two kept folds at first: a slider's step folds at most as many. */
const STRIDE = 200;
/** Folds that are kept. Each holds a list as long as the run was; a run that needs more has them further apart. */
const MOST_KEPT = 128;

/** Everything that happened in a run, and the run at any point of it. */
export class History {
  readonly #events: Numbered[] = [];
  #stride = STRIDE;
  /** The transcript before event `#stride * n`. */
  #kept: Transcript[] = [EMPTY];
  /** Where somebody looked last: whoever goes on from there folds what lies between. */
  #last = { count: 0, transcript: EMPTY };

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
    for (const event of events) this.#events.push(event);
    while (this.#kept.length * this.#stride <= this.#events.length) {
      const from = (this.#kept.length - 1) * this.#stride;
      const before = this.#kept[this.#kept.length - 1] ?? EMPTY;
      this.#kept.push(reduceEvents(before, this.#events.slice(from, from + this.#stride)));
      if (this.#kept.length > MOST_KEPT) this.#thin();
    }
  }

  /** The run after its first `count` events. */
  at(count: number): Transcript {
    const within = Math.max(0, Math.min(Math.floor(count), this.#events.length));
    const kept = Math.min(Math.floor(within / this.#stride), this.#kept.length - 1);
    const near = this.#last.count <= within && this.#last.count > kept * this.#stride;
    const base = near ? this.#last : { count: kept * this.#stride, transcript: this.#kept[kept] ?? EMPTY };
    const transcript = reduceEvents(base.transcript, this.#events.slice(base.count, within));
    this.#last = { count: within, transcript };
    return transcript;
  }

  #thin(): void {
    this.#kept = this.#kept.filter((_, at) => at % 2 === 0);
    this.#stride *= 2;
  }
}
