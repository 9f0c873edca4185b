// One run as a state machine. It takes inputs and returns effects; the host performs them.

import * as wasm from './wasm/holm.js';
import { call } from './load.js';
import { bytes, json } from './text.js';
import type { Config, Effect, Input, JournalReport, Message, Request, Started, Status } from './types.js';

export { HolmError, type HolmErrorKind } from './error.js';
export { load, ready } from './load.js';
export { json, raw, Raw } from './text.js';
export type * from './types.js';

/** The parameters of a new run. */
export interface NewRun {
  /** The run's own id, unique among all runs. */
  id: string;
  /** The seed of all jitter; use a different one for every run. */
  seed: bigint | number;
  /** The configuration, or its JSON text. */
  config: Config | string;
  /** The current time in milliseconds, from any epoch. */
  now: bigint | number;
}

/** The line of a handled record: append it durably before you act on it. */
export type Line = string;

/**
 * A run in WASM memory.
 *
 * Each step is the same: `handle` an input, append the line, `poll` until `wait`, perform the effects.
 */
export class Run {
  /** For the codecs. */
  readonly handleOfWasm: wasm.Run;

  private constructor(run: wasm.Run) {
    this.handleOfWasm = run;
  }

  /** Starts a run; returns the first line of its journal. */
  static create(start: NewRun): { run: Run; line: Line } {
    const config = typeof start.config === 'string' ? start.config : json(start.config);
    const run = call(() => wasm.Run.start(start.id, BigInt(start.seed), config, BigInt(start.now)));
    return { run: new Run(run), line: call(() => run.opening()) };
  }

  /** Rebuilds a run from its journal, without performing anything. */
  static replay(journal: string | Uint8Array): Run {
    return new Run(call(() => wasm.Run.replay(bytes(journal))));
  }

  /** Rebuilds a run up to and including a record, for a fork. */
  static fork(journal: string | Uint8Array, at: bigint | number): { run: Run; journal: string } {
    const past = call(() => wasm.journal_prefix(bytes(journal), BigInt(at)));
    return { run: new Run(call(() => wasm.Run.fork(bytes(journal), BigInt(at)))), journal: past };
  }

  /** Like `replay`, but faster if the snapshot belongs to the journal. */
  static resume(snapshot: string | Uint8Array, journal: string | Uint8Array): Run {
    return new Run(call(() => wasm.Run.resume(bytes(snapshot), bytes(journal))));
  }

  /** Handles one input, as an object or as JSON text; returns the line to append. */
  handle(now: bigint | number, input: Input | string): Line {
    const text = typeof input === 'string' ? input : json(input);
    return call(() => this.handleOfWasm.handle(BigInt(now), text));
  }

  /** The next effect. */
  poll(): Effect {
    return JSON.parse(this.pollText()) as Effect;
  }

  /** The next effect as JSON text, with every digit. */
  pollText(): string {
    return call(() => this.handleOfWasm.poll());
  }

  /** The whole request of a waiting model call, with its messages. */
  request(id: bigint | number): { request: Request; messages: Message[] } {
    return JSON.parse(call(() => this.handleOfWasm.request(BigInt(id)))) as { request: Request; messages: Message[] };
  }

  /** Limits a child run's configuration to what its parent allows. */
  confine(id: bigint | number, config: Config | string): string {
    const text = typeof config === 'string' ? config : json(config);
    return call(() => this.handleOfWasm.confine(BigInt(id), text));
  }

  /** The transcript, starting at a message. */
  transcript(from: bigint | number = 0): Message[] {
    return JSON.parse(call(() => this.handleOfWasm.transcript(BigInt(from)))) as Message[];
  }

  /** The state in figures: record, time, tokens, money, marks. */
  status(): Status {
    return JSON.parse(call(() => this.handleOfWasm.status())) as Status;
  }

  /** Record 0. */
  started(): Started {
    return JSON.parse(call(() => this.handleOfWasm.started())) as Started;
  }

  /** A snapshot as text, to be stored beside the journal as a cache. */
  snapshot(): string {
    return call(() => this.handleOfWasm.snapshot());
  }

  /** Frees the memory; otherwise the garbage collector does that later. */
  free(): void {
    this.handleOfWasm.free();
  }
}

/** Starts a run. */
export const createRun = Run.create;

/** Every effect of a journal as JSON text, one per line, as `poll` returned them. */
export const replayEffects = (journal: string | Uint8Array): string => call(() => wasm.replay_effects(bytes(journal)));

/** A report on a journal, and where to cut a torn tail. */
export const inspectJournal = (journal: string | Uint8Array): JournalReport =>
  JSON.parse(call(() => wasm.journal_inspect(bytes(journal)))) as JournalReport;
