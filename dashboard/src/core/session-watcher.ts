// Watches a session without gaps and without duplicates, over connections that break. Each new connection starts at the
// cursor of the last frame. The caller provides the connections.

import { START, advance } from './cursor.ts';
import type { Frame } from './wire.ts';

/** Why a connection ended. */
export type ConnectionEnd =
  /** It broke, or the server asked the client to reconnect. */
  | { kind: 'broke' }
  /** The server's buffer did not reach back far enough; the journal has the rest. */
  | { kind: 'lagged' }
  /** A retry is useless. */
  | { kind: 'refused'; message: string };

/** Receives the frames and the end of a connection. */
export interface ConnectionListener {
  opened(): void;
  frame(frame: Frame): void;
  /** Called once, as the last call. */
  ended(end: ConnectionEnd): void;
}

/** Opens a connection that starts at a cursor; returns a function that closes it. */
export type Connector = (cursor: string, listener: ConnectionListener) => () => void;

/** Calls back after some milliseconds; returns a function that cancels the call. */
export type Delay = (millis: number, call: () => void) => () => void;

export type ConnectionState =
  | { state: 'connecting' }
  | { state: 'open' }
  | { state: 'waiting'; millis: number }
  | { state: 'refused'; message: string }
  | { state: 'stopped' };

/** The wait after the first broken connection; each further one doubles it. */
const FIRST_WAIT_MS = 250;
/** The longest wait, short enough that nobody has to reload the page. */
const MAX_WAIT_MS = 15_000;

/** Watches one session. */
export class SessionWatcher {
  readonly #connect: Connector;
  readonly #delay: Delay;
  readonly #receive: (frame: Frame) => void;
  readonly #changed: (connection: ConnectionState) => void;
  readonly #random: () => number;
  #cursor: string;
  #failures = 0;
  #disconnect: () => void = () => undefined;
  #over = false;
  /** The number of the current connection: frames of older ones are ignored. */
  #current = 0;

  constructor(options: {
    connect: Connector;
    delay: Delay;
    receive: (frame: Frame) => void;
    changed?: (connection: ConnectionState) => void;
    /** Returns a number from 0 to 1 for the jitter of retries, so that many pages do not reconnect at once. */
    random?: () => number;
    /** The cursor to start from. */
    cursor?: string;
  }) {
    this.#connect = options.connect;
    this.#delay = options.delay;
    this.#receive = options.receive;
    this.#changed = options.changed ?? (() => undefined);
    this.#random = options.random ?? Math.random;
    this.#cursor = options.cursor ?? START;
  }

  /** The cursor after the last frame. */
  get cursor(): string {
    return this.#cursor;
  }

  start(): void {
    if (!this.#over) this.#open();
  }

  /** Connects at once instead of waiting for the next retry. */
  reconnect(): void {
    if (this.#over) return;
    this.#disconnect();
    this.#open();
  }

  stop(): void {
    this.#over = true;
    this.#current += 1;
    this.#disconnect();
    this.#changed({ state: 'stopped' });
  }

  #open(): void {
    this.#current += 1;
    const own = this.#current;
    const isCurrent = (): boolean => own === this.#current;
    this.#changed({ state: 'connecting' });
    this.#disconnect = this.#connect(this.#cursor, {
      opened: () => {
        if (!isCurrent()) return;
        this.#changed({ state: 'open' });
        this.#receive({ type: 'connected', id: '', data: {} });
      },
      frame: (frame) => {
        if (!isCurrent()) return;
        this.#failures = 0;
        this.#cursor = advance(this.#cursor, frame);
        this.#receive(frame);
      },
      ended: (end) => {
        if (isCurrent()) this.#ended(end);
      },
    });
  }

  #ended(end: ConnectionEnd): void {
    this.#current += 1;
    this.#disconnect();
    switch (end.kind) {
      case 'refused':
        this.#over = true;
        this.#changed({ state: 'refused', message: end.message });
        return;
      case 'lagged':
        this.#open();
        return;
      case 'broke': {
        const full = Math.min(MAX_WAIT_MS, FIRST_WAIT_MS * 2 ** this.#failures);
        this.#failures += 1;
        const millis = Math.round(full * (0.5 + this.#random() / 2));
        this.#changed({ state: 'waiting', millis });
        this.#disconnect = this.#delay(millis, () => this.#open());
      }
    }
  }
}
