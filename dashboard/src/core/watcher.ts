// Watches a session without a gap and without a repetition, over connections that break. Each new connection asks from
// the last place that was heard; how a connection is made is somebody else's business.

import { START, moved } from './cursor.ts';
import type { Frame } from './wire.ts';

/** Why a connection ended. */
export type End =
  /** It broke, or the other side asks to come again. */
  | { kind: 'broke' }
  /** What was kept did not reach so far back; the journal has it. */
  | { kind: 'lagged' }
  /** There is no use in trying again. */
  | { kind: 'refused'; message: string };

/** What a connection says. */
export interface Ear {
  opened(): void;
  frame(frame: Frame): void;
  /** Said once, and last. */
  ended(end: End): void;
}

/** Makes a connection from a place on; what it gives back hangs up. */
export type Connect = (place: string, ear: Ear) => () => void;

/** Calls back after some milliseconds; what it gives back calls it off. */
export type Later = (millis: number, call: () => void) => () => void;

export type Connection =
  | { state: 'connecting' }
  | { state: 'open' }
  | { state: 'waiting'; millis: number }
  | { state: 'refused'; message: string }
  | { state: 'stopped' };

/** The first wait after a connection broke; each further one doubles it. */
const FIRST_WAIT = 250;
/** The longest wait: somebody who looks at the page should not have to reload it. */
const LONGEST_WAIT = 15_000;

/** Watches one session. */
export class Watcher {
  readonly #connect: Connect;
  readonly #later: Later;
  readonly #hear: (frame: Frame) => void;
  readonly #changed: (connection: Connection) => void;
  readonly #chance: () => number;
  #place: string;
  #failures = 0;
  #hangUp: () => void = () => undefined;
  #over = false;
  /** Which connection is listened to: what an older one still says is not heard. */
  #turn = 0;

  constructor(options: {
    connect: Connect;
    later: Later;
    hear: (frame: Frame) => void;
    changed?: (connection: Connection) => void;
    /** A number from 0 to 1, so that many pages do not come back at once. */
    chance?: () => number;
    /** From where on. */
    place?: string;
  }) {
    this.#connect = options.connect;
    this.#later = options.later;
    this.#hear = options.hear;
    this.#changed = options.changed ?? (() => undefined);
    this.#chance = options.chance ?? Math.random;
    this.#place = options.place ?? START;
  }

  /** The place after everything that was heard. */
  get place(): string {
    return this.#place;
  }

  start(): void {
    if (!this.#over) this.#open();
  }

  /** Tries at once what would be tried later. */
  hurry(): void {
    if (this.#over) return;
    this.#hangUp();
    this.#open();
  }

  stop(): void {
    this.#over = true;
    this.#turn += 1;
    this.#hangUp();
    this.#changed({ state: 'stopped' });
  }

  #open(): void {
    this.#turn += 1;
    const turn = this.#turn;
    const current = (): boolean => turn === this.#turn;
    this.#changed({ state: 'connecting' });
    this.#hangUp = this.#connect(this.#place, {
      opened: () => {
        if (!current()) return;
        this.#changed({ state: 'open' });
        this.#hear({ type: 'began', id: '', data: {} });
      },
      frame: (frame) => {
        if (!current()) return;
        this.#failures = 0;
        this.#place = moved(this.#place, frame);
        this.#hear(frame);
      },
      ended: (end) => {
        if (current()) this.#ended(end);
      },
    });
  }

  #ended(end: End): void {
    this.#turn += 1;
    this.#hangUp();
    switch (end.kind) {
      case 'refused':
        this.#over = true;
        this.#changed({ state: 'refused', message: end.message });
        return;
      case 'lagged':
        this.#open();
        return;
      case 'broke': {
        const full = Math.min(LONGEST_WAIT, FIRST_WAIT * 2 ** this.#failures);
        this.#failures += 1;
        const millis = Math.round(full * (0.5 + this.#chance() / 2));
        this.#changed({ state: 'waiting', millis });
        this.#hangUp = this.#later(millis, () => this.#open());
      }
    }
  }
}
