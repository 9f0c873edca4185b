// A run at any of its events. The transcript at an event is the fold of all events before it. Snapshots of the fold at regular
// distances keep each step of the slider short.

import { EMPTY, type Transcript, reduceEvents } from './transcript.ts';
import type { NumberedEvent } from './wire.ts';

/** The initial number of events between two snapshots: a step of the slider folds at most as many. */
const STRIDE = 200;
/** Each snapshot holds a list as long as the run was; in a longer run the snapshots are further apart. */
const MAX_SNAPSHOTS = 128;

/** All events of a run, and its transcript at any point. */
export class RunHistory {
  readonly #events: NumberedEvent[] = [];
  #stride = STRIDE;
  /** The transcript before event `#stride * n`. */
  #snapshots: Transcript[] = [EMPTY];
  /** The last position that was requested: a later one folds only the events in between. */
  #last = { count: 0, transcript: EMPTY };

  get length(): number {
    return this.#events.length;
  }

  get events(): readonly NumberedEvent[] {
    return this.#events;
  }

  /** Adds the next events. */
  add(events: readonly NumberedEvent[]): void {
    for (const event of events) this.#events.push(event);
    while (this.#snapshots.length * this.#stride <= this.#events.length) {
      const from = (this.#snapshots.length - 1) * this.#stride;
      const before = this.#snapshots[this.#snapshots.length - 1] ?? EMPTY;
      this.#snapshots.push(reduceEvents(before, this.#events.slice(from, from + this.#stride)));
      if (this.#snapshots.length > MAX_SNAPSHOTS) this.#thin();
    }
  }

  /** The run after its first `count` events. */
  at(count: number): Transcript {
    const within = Math.max(0, Math.min(Math.floor(count), this.#events.length));
    const nearest = Math.min(Math.floor(within / this.#stride), this.#snapshots.length - 1);
    const isNear = this.#last.count <= within && this.#last.count > nearest * this.#stride;
    const base = isNear ? this.#last : { count: nearest * this.#stride, transcript: this.#snapshots[nearest] ?? EMPTY };
    const transcript = reduceEvents(base.transcript, this.#events.slice(base.count, within));
    this.#last = { count: within, transcript };
    return transcript;
  }

  #thin(): void {
    this.#snapshots = this.#snapshots.filter((_, at) => at % 2 === 0);
    this.#stride *= 2;
  }
}
