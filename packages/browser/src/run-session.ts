// Drives one run at a time: starts it, resumes it after a reload or from another host's journal, and stops it. The page shows its
// events and decides nothing.

import { Run, runAgent, type Agent, type AgentEvent, type AgentOptions, type BlobStore, type Tool } from 'holm';
import type { Config, Input, Message, Proposal, Verdict } from 'holm/kernel';
import type { Engine } from './engines/engine';
import type { RunStore } from './run-store';

/** The parts of the page that a run uses. */
export interface SessionParts {
  store: RunStore;
  engine: Engine;
  tools: Tool[];
  /** Where large results go; without it they stay in the journal. */
  results: BlobStore | undefined;
  grants: string[];
  /** Asks the user. */
  judge(proposal: Proposal, signal: AbortSignal): Promise<Verdict>;
  /** Shows an event. */
  show(event: AgentEvent): void;
}

/** Turns per prompt: a small model that needs more is looping. */
const TURNS = 8;

const SYSTEM = 'You are a helpful assistant in a web page.';

/** Another tab drives the run. */
export class OtherTabError extends Error {
  override readonly name = 'OtherTabError';

  constructor() {
    super('this run is open in another tab; close that tab first');
  }
}

/** The run of this page. */
export class RunSession {
  readonly #parts: SessionParts;
  #run: string | undefined;
  #agent: Agent | undefined;

  constructor(parts: SessionParts, run?: string) {
    this.#parts = parts;
    this.#run = run;
  }

  /** The id of the run; undefined before its first prompt. */
  get run(): string | undefined {
    return this.#run;
  }

  /** Sends a prompt to the run. */
  async prompt(text: string): Promise<void> {
    const journal = this.#run === undefined ? '' : await this.#parts.store.journal(this.#run);
    if (this.#run === undefined || journal === '') return this.#start(text);
    await this.#continue(this.#run, journal, text);
  }

  /** Resumes the run if it was working. */
  async resume(): Promise<void> {
    if (this.#run === undefined) return;
    const journal = await this.#parts.store.journal(this.#run);
    if (journal === '' || Run.replay(journal).status().idle) return;
    await this.#continue(this.#run, journal, undefined);
  }

  /** The messages so far. */
  async transcript(): Promise<Message[]> {
    const journal = this.#run === undefined ? '' : await this.#parts.store.journal(this.#run);
    return journal === '' ? [] : Run.replay(journal).transcript();
  }

  /** Stops the run. */
  stop(): void {
    this.#agent?.cancel('stopped by the user');
  }

  async #start(prompt: string): Promise<void> {
    const { engine, grants, tools } = this.#parts;
    const run = crypto.randomUUID();
    this.#run = run;
    await this.#drive(run, {
      id: run,
      model: engine.named(engine.model),
      tools,
      system: SYSTEM,
      prompt,
      config: { name: 'browser', grants, limits: { turns: { at_most: TURNS } }, batch: 'sequential' },
    });
  }

  /** The journal determines the conversation; this page determines grants, mode and tools. */
  async #continue(run: string, journal: string, prompt: string | undefined): Promise<void> {
    const { engine, grants, tools } = this.#parts;
    const past = Run.replay(journal);
    const names = (past.started().config as Config).models.map(({ name }) => name);
    const before: Input[] = [{ grants_changed: grants }, { mode_changed: 'default' }];
    const busy = prompt !== undefined && !past.status().idle;
    if (busy) before.push({ followed_up: { blocks: [{ text: prompt }] } });
    await this.#drive(run, {
      model: names.map((name) => engine.named(name)),
      tools,
      resume: journal,
      before,
      ...(prompt === undefined || busy ? {} : { prompt }),
    });
  }

  /** Drives the run to its end. It takes a lock, because a second tab that wrote the same journal would corrupt it. */
  async #drive(run: string, options: AgentOptions): Promise<void> {
    const { store, engine, results, judge, show } = this.#parts;
    await navigator.locks.request(`holm-run-${run}`, { ifAvailable: true }, async (lock) => {
      if (!lock) throw new OtherTabError();
      this.#agent = runAgent({ ...options, journal: store.writer(run, engine.id), blobs: results, hooks: { judge } });
      for await (const event of this.#agent) show(event);
      this.#agent = undefined;
    });
  }
}
