// One run as a state machine. It performs nothing: facts go in, commands come out, and the host does the rest.

import * as wasm from './wasm/holm.js';
import { call } from './load.js';
import { bytes, json } from './text.js';
import type { Config, Effect, Input, JournalReport, Message, Request, Started, Status } from './types.js';

export { HolmError, type FaultKind } from './error.js';
export { load, ready } from './load.js';
export { json, raw, Raw } from './text.js';
export type * from './types.js';

/** How a run begins. */
export interface NewRun {
  /** The run's own id, unique among all runs. */
  id: string;
  /** Source of all jitter; every run should have another. */
  seed: bigint | number;
  /** The configuration, or its JSON text. */
  config: Config | string;
  /** Milliseconds, from any beginning that the host likes. */
  now: bigint | number;
}

/** A record that was handled: append its line durably before anything is done about it. */
export type Line = string;

/**
 * A run in WASM memory.
 *
 * Each step is the same: `handle` a fact, append the line, `poll` until `wait`, perform what came out.
 */
export class Run {
  /** For the codecs. */
  readonly handleOfWasm: wasm.Run;

  private constructor(run: wasm.Run) {
    this.handleOfWasm = run;
  }

  /** Begins a run; gives the journal's first line. */
  static create(start: NewRun): { run: Run; line: Line } {
    const config = typeof start.config === 'string' ? start.config : json(start.config);
    const run = call(() => wasm.Run.start(start.id, BigInt(start.seed), config, BigInt(start.now)));
    return { run: new Run(run), line: call(() => run.opening()) };
  }

  /** Folds a journal: the run stands where it stood, and nothing is performed. */
  static replay(journal: string | Uint8Array): Run {
    return new Run(call(() => wasm.Run.replay(bytes(journal))));
  }

  /** Folds a journal up to and with a record: another future from the same past. */
  static fork(journal: string | Uint8Array, at: bigint | number): { run: Run; journal: string } {
    const past = call(() => wasm.journal_prefix(bytes(journal), BigInt(at)));
    return { run: new Run(call(() => wasm.Run.fork(bytes(journal), BigInt(at)))), journal: past };
  }

  /** As `replay`, faster where the snapshot belongs to the journal. */
  static resume(snapshot: string | Uint8Array, journal: string | Uint8Array): Run {
    return new Run(call(() => wasm.Run.resume(bytes(snapshot), bytes(journal))));
  }

  /** Takes one fact, as an object or as its JSON text; gives the line to append. */
  handle(now: bigint | number, input: Input | string): Line {
    const text = typeof input === 'string' ? input : json(input);
    return call(() => this.handleOfWasm.handle(BigInt(now), text));
  }

  /** The next command. */
  poll(): Effect {
    return JSON.parse(this.pollText()) as Effect;
  }

  /** The next command as its JSON text, every digit kept. */
  pollText(): string {
    return call(() => this.handleOfWasm.poll());
  }

  /** Everything that a waiting model call holds, the messages too. */
  request(id: bigint | number): { request: Request; messages: Message[] } {
    return JSON.parse(call(() => this.handleOfWasm.request(BigInt(id)))) as { request: Request; messages: Message[] };
  }

  /** A child's configuration within what its parent allows. */
  confine(id: bigint | number, config: Config | string): string {
    const text = typeof config === 'string' ? config : json(config);
    return call(() => this.handleOfWasm.confine(BigInt(id), text));
  }

  /** The transcript, from a message on. */
  transcript(from: bigint | number = 0): Message[] {
    return JSON.parse(call(() => this.handleOfWasm.transcript(BigInt(from)))) as Message[];
  }

  /** Figures: record, time, tokens, money, marks. */
  status(): Status {
    return JSON.parse(call(() => this.handleOfWasm.status())) as Status;
  }

  /** Record 0. */
  started(): Started {
    return JSON.parse(call(() => this.handleOfWasm.started())) as Started;
  }

  /** The state as text, to be kept beside the journal as a cache. */
  snapshot(): string {
    return call(() => this.handleOfWasm.snapshot());
  }

  /** Gives the memory back; otherwise the garbage collector does, some time. */
  free(): void {
    this.handleOfWasm.free();
  }
}

/** Begins a run. */
export const createRun = Run.create;

/** Every effect of a journal as JSON text, one a line, as `poll` had given them. */
export const replayEffects = (journal: string | Uint8Array): string => call(() => wasm.replay_effects(bytes(journal)));

/** What a journal holds, and where to cut a torn tail. */
export const inspectJournal = (journal: string | Uint8Array): JournalReport =>
  JSON.parse(call(() => wasm.journal_inspect(bytes(journal)))) as JournalReport;
