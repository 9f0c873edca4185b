// One run at a time: begun, gone on with after a reload or from another host's journal, stopped. The page shows what it says; it decides
// nothing.

import { Run, runAgent, type Agent, type AgentEvent, type AgentOptions, type Blobs, type Tool } from 'holm';
import type { Config, Input, Message, Proposal, Verdict } from 'holm/kernel';
import type { Engine } from './engines/engine';
import type { Store } from './store';

/** What a run is given by this page. */
export interface Surroundings {
  store: Store;
  engine: Engine;
  tools: Tool[];
  /** Where large results go; without it they stay in the journal. */
  results: Blobs | undefined;
  grants: string[];
  /** Asks the person. */
  judge(proposal: Proposal, signal: AbortSignal): Promise<Verdict>;
  /** Shows what happens. */
  show(event: AgentEvent): void;
}

/** Model turns for each prompt: a small model that needs more goes in circles. */
const TURNS = 8;

const SYSTEM = 'You are a helpful assistant in a web page.';

/** Somebody else, another tab, drives the run. */
export class Elsewhere extends Error {
  override readonly name = 'Elsewhere';

  constructor() {
    super('another tab goes on with this run');
  }
}

/** A run of this page. */
export class Session {
  readonly #around: Surroundings;
  #run: string | undefined;
  #agent: Agent | undefined;

  constructor(around: Surroundings, run?: string) {
    this.#around = around;
    this.#run = run;
  }

  /** The run's name, once it has one. */
  get run(): string | undefined {
    return this.#run;
  }

  /** Asks the run something. */
  async prompt(text: string): Promise<void> {
    const journal = this.#run === undefined ? '' : await this.#around.store.journal(this.#run);
    if (this.#run === undefined || journal === '') return this.#begin(text);
    await this.#continue(this.#run, journal, text);
  }

  /** Goes on with what was under way; does nothing where nothing was. */
  async goOn(): Promise<void> {
    if (this.#run === undefined) return;
    const journal = await this.#around.store.journal(this.#run);
    if (journal === '' || Run.replay(journal).status().idle) return;
    await this.#continue(this.#run, journal, undefined);
  }

  /** What was said so far. */
  async transcript(): Promise<Message[]> {
    const journal = this.#run === undefined ? '' : await this.#around.store.journal(this.#run);
    return journal === '' ? [] : Run.replay(journal).transcript();
  }

  /** Stops what is under way. */
  stop(): void {
    this.#agent?.cancel('the person stopped it');
  }

  async #begin(prompt: string): Promise<void> {
    const { engine, grants, tools } = this.#around;
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

  /** The past decides what was said; what may be done is this page's to say. */
  async #continue(run: string, journal: string, prompt: string | undefined): Promise<void> {
    const { engine, grants, tools } = this.#around;
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

  /** Sees the run to its end, alone: a second tab that wrote the same journal would spoil it. */
  async #drive(run: string, options: AgentOptions): Promise<void> {
    const { store, engine, results, judge, show } = this.#around;
    await navigator.locks.request(`holm-run-${run}`, { ifAvailable: true }, async (lock) => {
      if (!lock) throw new Elsewhere();
      this.#agent = runAgent({ ...options, journal: store.writer(run, engine.id), blobs: results, hooks: { judge } });
      for await (const event of this.#agent) show(event);
      this.#agent = undefined;
    });
  }
}
