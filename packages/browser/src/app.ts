// The page: the chosen engine, the current run and the state of the buttons.

import { inspectJournal, Run, type Tool } from 'holm';
import { addressOf, extractTool, fetchUrl, McpServer } from 'holm/web';
import type { Engine } from './engines/engine';
import { readResult, type ResultStore } from './result-store';
import { RunSession } from './run-session';
import type { Settings } from './settings';
import type { RunStore } from './run-store';
import { noteTools, readDom } from './tools/index';
import type { Controls } from './ui/controls';
import { RunLog } from './ui/run-log';

export class App {
  readonly #controls: Controls;
  readonly #store: RunStore;
  readonly #results: ResultStore | undefined;
  readonly #settings: Settings;
  readonly #engines: Engine[];
  readonly #log: RunLog;
  #session: RunSession | undefined;

  constructor(controls: Controls, store: RunStore, results: ResultStore | undefined, settings: Settings, engines: Engine[]) {
    this.#controls = controls;
    this.#store = store;
    this.#results = results;
    this.#settings = settings;
    this.#engines = engines;
    this.#log = new RunLog(controls.log);
  }

  /** Shows the engines and the latest run, and resumes it if it was working. */
  async start(): Promise<void> {
    const latest = await this.#store.latest();
    await this.#listEngines(latest?.engine);
    this.#listen();
    await this.#open(latest?.run);
    await this.#busy(() => this.#session?.resume());
  }

  async #listEngines(chosen: string | undefined): Promise<void> {
    for (const engine of this.#engines) {
      const why = await engine.unusable();
      const option = new Option(why === undefined ? engine.label : `${engine.label}: ${why}`, engine.id);
      option.disabled = why !== undefined;
      this.#controls.engine.append(option);
    }
    const usable = [...this.#controls.engine.options].filter((option) => !option.disabled);
    const wanted = usable.find((option) => option.value === chosen) ?? usable[0];
    if (wanted) this.#controls.engine.value = wanted.value;
  }

  #listen(): void {
    const { ask, prompt, stop, fresh, save, load, engine } = this.#controls;
    ask.addEventListener('submit', (event) => {
      event.preventDefault();
      const text = prompt.value.trim();
      if (text === '') return;
      prompt.value = '';
      void this.#busy(() => this.#session?.prompt(text));
    });
    stop.addEventListener('click', () => this.#session?.stop());
    fresh.addEventListener('click', () => void this.#busy(() => this.#open(undefined)));
    engine.addEventListener('change', () => void this.#busy(() => this.#open(this.#session?.run)));
    save.addEventListener('click', () => void this.#busy(() => this.#save()));
    load.addEventListener('change', () => void this.#busy(() => this.#load()));
  }

  /** Opens a run, or a new one, with the chosen engine. */
  async #open(run: string | undefined): Promise<void> {
    const engine = this.#engines.find(({ id }) => id === this.#controls.engine.value);
    if (!engine) throw new Error('no model works in this browser');
    const { grants, mcp } = this.#settings;
    this.#session = new RunSession(
      {
        store: this.#store,
        engine: prepared(engine, this.#controls),
        tools: await this.#tools(),
        results: this.#results,
        grants: [...grants, ...mcp.map(({ url }) => `fetch:${addressOf(url)}`)],
        judge: (proposal, signal) => this.#log.ask(proposal, signal),
        show: (event) => this.#log.show(event),
      },
      run,
    );
    this.#log.reset(await this.#session.transcript());
  }

  async #tools(): Promise<Tool[]> {
    const { grants, mcp } = this.#settings;
    const tools = [readDom(() => this.#controls.page), ...noteTools(this.#store), extractTool()];
    if (grants.length > 0) {
      // A page cannot see where a redirect leads, so it follows none. It sends no credentials.
      const init: RequestInit = { credentials: 'omit', referrerPolicy: 'no-referrer', mode: 'cors' };
      tools.push(fetchUrl({ policy: { grants }, redirects: 'refuse', init, maxChars: 4000 }));
    }
    // Only MCP servers return more than a journal holds; without the tool a small model has an easier choice.
    if (mcp.length > 0 && this.#results) tools.push(readResult(this.#results, () => this.#session?.run));
    for (const { name, url } of mcp) {
      try {
        const told = (note: string) => this.#log.problem(`MCP server ${name}: ${note}`);
        const server = await McpServer.connect({ name, url, policy: { grants: [`fetch:${addressOf(url)}`] }, beside: tools, told });
        tools.push(...(await server.tools()));
      } catch (error) {
        this.#log.problem(`MCP server ${name} is not available: ${words(error)}`);
      }
    }
    return tools;
  }

  async #save(): Promise<void> {
    const run = this.#session?.run;
    if (run === undefined) return;
    const url = URL.createObjectURL(new Blob([await this.#store.journal(run)], { type: 'application/jsonl' }));
    const link = document.createElement('a');
    link.href = url;
    link.download = `${run}.jsonl`;
    link.click();
    setTimeout(() => URL.revokeObjectURL(url), 60_000);
  }

  async #load(): Promise<void> {
    const file = this.#controls.load.files?.[0];
    this.#controls.load.value = '';
    if (!file) return;
    const journal = await file.text();
    // Replayed before it is stored, so that an invalid journal is rejected here with the reason.
    const { torn } = inspectJournal(journal);
    if (torn !== null) throw new Error(`the journal is damaged: ${torn}`);
    const { run } = Run.replay(journal).started();
    // The page never rewrites history: a stored journal must be a prefix of the new one.
    if (!journal.startsWith(await this.#store.journal(run))) throw new Error('this run is already stored here, with different or later records');
    await this.#store.replace(run, this.#controls.engine.value, journal);
    await this.#open(run);
    await this.#session?.resume();
  }

  /** Runs one action at a time, and shows its error. */
  async #busy(work: () => Promise<void> | undefined): Promise<void> {
    const { stop, state, ask } = this.#controls;
    const send = ask.querySelector('button');
    for (const button of [send]) if (button) button.disabled = true;
    stop.disabled = false;
    state.value = 'working';
    try {
      await work();
      state.value = 'ready';
    } catch (error) {
      this.#log.problem(words(error));
      state.value = 'failed';
    }
    if (send) send.disabled = false;
    stop.disabled = true;
  }
}

/** An engine that loads its model on first use, with its progress on the page. */
function prepared(engine: Engine, { download }: Controls): Engine {
  const load = () => {
    download.hidden = false;
    return engine
      .prepare(({ loaded, total }) => {
        if (total !== undefined) download.value = loaded / total;
      })
      .finally(() => {
        download.hidden = true;
      });
  };
  return {
    id: engine.id,
    label: engine.label,
    model: engine.model,
    unusable: () => engine.unusable(),
    prepare: () => load(),
    named: (name) => ({ ...engine.named(name), ready: load }),
  };
}

const words = (error: unknown): string => (error instanceof Error ? error.message : String(error));
