// The driver: it takes one input, appends its record and performs the effects. It decides nothing; the kernel decides what to do next,
// whether to retry and when to stop.

import { HolmError } from './error.js';
import { ready } from './load.js';
import { Run } from './kernel.js';
import { Secrets } from './secrets.js';
import { spill, type BlobStore } from './spill.js';
import { json, raw } from './text.js';
import type { Model } from './model.js';
import type { Tool } from './tool.js';
import type {
  Answer,
  CheckRequest,
  CheckRuling,
  ChildResult,
  Config,
  Consultation,
  Delta,
  Effect,
  Ending,
  Input,
  Numbered,
  Prompt,
  Proposal,
  SpawnRequest,
  ToolDeclaration,
  ToolRequest,
  Verdict,
} from './types.js';

/** The longest timer of JavaScript. Longer waits end early, which is harmless. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** How long stopped calls have to report their results, such as a model's usage or a tool's last output. */
const SHUTDOWN_GRACE_MS = 1000;

/** Stores the records of a run. The driver waits for each append before it acts on the record. */
export interface Journal {
  /** Appends a line. With `sync` it must be on disk before this returns, because the next action cannot be undone. */
  append(line: string, how: { sync: boolean }): void | Promise<void>;
}

/** Callbacks of the host. */
export interface Hooks {
  /** Answers whether a call may run. Without it, calls that need approval are denied. */
  judge?(proposal: Proposal, signal: AbortSignal): Verdict | Promise<Verdict>;
  /** Answers at the points in `config.consult`. */
  consult?(question: Consultation['question'], run: Run): Answer | Promise<Answer>;
  /** Runs an executable postcondition. */
  check?(request: CheckRequest, signal: AbortSignal): CheckRuling | Promise<CheckRuling>;
  /** Runs a child run; `confine` limits a configuration to what the parent allows. */
  spawn?(request: SpawnRequest, child: ChildContext): ChildResult | Promise<ChildResult>;
}

/** The context of the `spawn` hook. */
export interface ChildContext {
  confine(config: Config): Config;
  signal: AbortSignal;
}

export interface AgentOptions {
  /** The model, or several: the first one and its fallbacks. */
  model: Model | Model[];
  /** The prompt; optional when a journal is resumed. */
  prompt?: string | Prompt;
  system?: string;
  tools?: Tool[];
  hooks?: Hooks;
  journal?: Journal;
  /** The store for results that are too large for the journal. Without it they stay in the journal. */
  blobs?: BlobStore;
  /** Secrets by name. The kernel, the journal and the model see `‹secret:name›`. A tool with the need `secret:name@host` gets the value. */
  secrets?: Record<string, string>;
  /** A journal to resume. If `tools` are given and differ from the journal's, the run gets them first. */
  resume?: string | Uint8Array;
  /** Inputs for a resumed run before it continues, such as new grants or a new mode. */
  before?: Input[];
  /** The rest of the kernel's configuration. */
  config?: Omit<Config, 'models' | 'tools' | 'system'>;
  /** The run's id; a random one by default. */
  id?: string;
  seed?: bigint | number;
  signal?: AbortSignal;
  /** The clock, in milliseconds. */
  now?: () => number;
}

export type AgentEvent =
  | ({ type: 'event' } & Numbered)
  | { type: 'delta'; call: number; delta: Delta }
  | { type: 'ending'; ending: Ending };

/** A queued input. Messages of users are separate from results of work, because only a message can start a turn after an ending. */
interface QueuedInput {
  text: string;
  kind: 'message' | 'stop' | 'result';
}

/** A running agent. Iterate over it, await `ending`, or both; it starts with the first of the two. */
export class Agent implements AsyncIterable<AgentEvent> {
  readonly #options: AgentOptions;
  readonly #secrets: Secrets;
  readonly #inputs: QueuedInput[] = [];
  readonly #running = new Map<number, AbortController>();
  #run: Run | undefined;
  #ending: Promise<Ending> | undefined;
  #queue: EventQueue | undefined;
  #wake: (() => void) | undefined;
  #accepts = true;

  /** Use `runAgent`. */
  constructor(options: AgentOptions) {
    this.#options = options;
    this.#secrets = new Secrets(options.secrets);
  }

  /** The ending. Rejects only if the journal cannot be written or read, or for a defect of Holm. */
  get ending(): Promise<Ending> {
    this.#ending ??= this.#drive();
    return this.#ending;
  }

  /** The run; undefined before the start. */
  get run(): Run | undefined {
    return this.#run;
  }

  [Symbol.asyncIterator](): AsyncIterator<AgentEvent> {
    this.#queue ??= new EventQueue();
    const queue = this.#queue;
    this.ending.then(
      (ending) => queue.end({ type: 'ending', ending }),
      (error: unknown) => queue.fail(error),
    );
    return queue;
  }

  /** Adds a message for the next model call. At the moment of an ending it starts another turn; after that it throws. */
  steer(prompt: string | Prompt): void {
    this.tell({ steered: promptOf(prompt) });
  }

  /** Adds a message for after the current work. */
  followUp(prompt: string | Prompt): void {
    this.tell({ followed_up: promptOf(prompt) });
  }

  /** Stops the run. */
  cancel(reason = ''): void {
    this.tell({ cancelled: { reason } });
  }

  /** Gives the run any other input from a user, such as a new mode, new grants or a new budget. */
  tell(input: Input): void {
    const stop = typeof input === 'object' && 'cancelled' in input;
    // A finished run needs no stop; any other input would be lost.
    if (!this.#accepts && !stop) throw new Error('the run has ended; resume it first');
    this.#enqueue({ text: json(input), kind: stop ? 'stop' : 'message' });
  }

  #enqueue(input: QueuedInput): void {
    this.#inputs.push(input);
    this.#wake?.();
  }

  async #drive(): Promise<Ending> {
    const { options, run, calls } = await this.#open();
    const { signal } = options;
    const cancel = () => this.cancel(String(signal?.reason ?? 'stopped'));
    if (signal?.aborted) cancel();
    signal?.addEventListener('abort', cancel, { once: true });
    try {
      if (options.prompt !== undefined) await this.#take(run, json({ prompted: promptOf(options.prompt) }));
      let last: Ending | undefined;
      for (;;) {
        const { ending, until } = await this.#drain(run, calls);
        if (ending) {
          await this.#collectStopped(run, calls);
          last = ending;
        }
        if (last && (ending || run.status().idle)) {
          const late = signal?.aborted ? undefined : this.#lateMessage();
          if (late === undefined) return last;
          await this.#take(run, late);
        } else {
          await this.#take(run, await this.#next(until));
        }
      }
    } finally {
      this.#accepts = false;
      signal?.removeEventListener('abort', cancel);
      for (const controller of this.#running.values()) controller.abort();
    }
  }

  async #open(): Promise<{ options: AgentOptions; run: Run; calls: Calls }> {
    const options = this.#options;
    const models = Array.isArray(options.model) ? options.model : [options.model];
    await Promise.all([ready(), ...models.map((model) => model.ready?.())]);
    const calls = new Map(models.map((model) => [model.name, model.open()]));
    if (options.resume !== undefined) {
      const run = Run.replay(options.resume);
      this.#run = run;
      for (const input of [...changedTools(options), ...(options.before ?? [])]) await this.#take(run, json(input));
      await this.#take(run, json({ resumed: { host: 'javascript' } }));
      return { options, run, calls };
    }
    const { run, line } = Run.create({
      id: options.id ?? crypto.randomUUID(),
      seed: options.seed ?? crypto.getRandomValues(new BigUint64Array(1))[0] ?? 0n,
      config: this.#secrets.hide(json(configOf(options, models))),
      now: this.#now(),
    });
    this.#run = run;
    await options.journal?.append(line, { sync: true });
    return { options, run, calls };
  }

  #now(): number {
    return Math.trunc((this.#options.now ?? Date.now)());
  }

  /** Handles one input and appends its record, without performing effects. */
  async #take(run: Run, input: string, sync = false): Promise<void> {
    const line = run.handle(this.#now(), this.#secrets.hide(input));
    await this.#options.journal?.append(line, { sync });
  }

  /** Performs all pending effects. Returns the ending, if there is one, and the time of the next deadline. */
  async #drain(run: Run, calls: Calls): Promise<{ ending?: Ending; until: number | null }> {
    let ending: Ending | undefined;
    for (;;) {
      const effect = run.poll();
      if ('wait' in effect) return { ending, until: effect.wait };
      if ('finish' in effect) ending = effect.finish;
      else if ('emit' in effect) this.#queue?.push({ type: 'event', ...effect.emit });
      else await this.#perform(run, calls, effect);
    }
  }

  async #perform(run: Run, calls: Calls, effect: Exclude<Effect, { wait: unknown } | { finish: unknown } | { emit: unknown }>): Promise<void> {
    const { hooks } = this.#options;
    if ('abort' in effect) {
      this.#running.get(effect.abort)?.abort();
    } else if ('call_model' in effect) {
      const { call, request } = effect.call_model;
      this.#model(run, calls, call, request.model, 'model_finished');
    } else if ('summarise' in effect) {
      const { call, request } = effect.summarise;
      this.#model(run, calls, call, request.model, 'summarised');
    } else if ('run_tool' in effect) {
      const { call, request } = effect.run_tool;
      await this.#take(run, json({ dispatched: { call } }), true);
      this.#tool(run, call, request);
    } else if ('judge' in effect) {
      const proposal = effect.judge;
      const denied = { deny: { reason: 'this host has no user to ask' } };
      this.#begin(proposal.call, async (signal) => {
        const verdict = await settle(() => hooks?.judge?.(proposal, signal), denied, (reason) => ({ deny: { reason } }));
        return json({ judged: { call: proposal.call, verdict } });
      });
    } else if ('consult' in effect) {
      const { call, question } = effect.consult;
      this.#begin(call, async () => {
        const failed = (reason: string) => ({ failed: { reason } });
        const answer = await settle(() => hooks?.consult?.(question, run), failed('this host has no consult hook'), failed);
        return json({ consulted: { call, answer } });
      });
    } else if ('check' in effect) {
      const { call, request } = effect.check;
      this.#begin(call, async (signal) => {
        const broken = (reason: string) => ({ broken: { reason } });
        const ruling = await settle(() => hooks?.check?.(request, signal), broken('this host has no check hook'), broken);
        return json({ checked: { call, ruling } });
      });
    } else {
      this.#child(run, effect.spawn.call, effect.spawn.request);
    }
  }

  #model(run: Run, calls: Calls, call: number, name: string, fact: 'model_finished' | 'summarised'): void {
    this.#begin(call, async (signal) => {
      const ask = { run, call, signal, delta: (delta: Delta) => this.#queue?.push({ type: 'delta', call, delta }) };
      const result = await settle(
        () => calls.get(name)?.(ask),
        json({ failed: { class: 'bad_request', message: `this host has no model named ${name}` } }),
        (message) => json({ failed: { class: 'server', message } }),
      );
      return json({ [fact]: { call, result: raw(result) } });
    });
  }

  #tool(run: Run, call: number, request: ToolRequest): void {
    const tool = this.#options.tools?.find((tool) => tool.declaration.name === request.tool);
    this.#begin(call, async (signal) => {
      const { key, deadline, again, needs } = request;
      const failed = (text: string) => ({ outcome: 'failed' as const, text });
      const result = await settle(
        () => tool?.run({ call, key, signal, deadline, again, text: this.#secrets.reveal(request.arguments, needs, tool.declaration.needs) }),
        failed(`this host has no tool named ${request.tool}`),
        failed,
      );
      // The blob store is as private as the journal, so secrets are removed here too.
      const clean = result.text === undefined ? result : { ...result, text: this.#secrets.hidePlain(result.text) };
      return json({ tool_finished: { call, result: await spill(clean, () => run.started().run, this.#options.blobs) } });
    });
  }

  #child(run: Run, call: number, request: SpawnRequest): void {
    this.#begin(call, async (signal) => {
      const confine = (config: Config) => JSON.parse(run.confine(call, config)) as Config;
      const failed = (text: string): ChildResult => ({ output: { outcome: 'failed', text } });
      const result = await settle(
        () => this.#options.hooks?.spawn?.(request, { confine, signal }),
        failed('this host has no spawn hook'),
        failed,
      );
      return json({ child_finished: { call, result } });
    });
  }

  /** Starts work whose result is one input. */
  #begin(call: number, work: (signal: AbortSignal) => Promise<string>): void {
    const controller = new AbortController();
    this.#running.set(call, controller);
    void work(controller.signal).then((text) => {
      // A withdrawn question may end while a tool already runs under the same number.
      if (this.#running.get(call) === controller) this.#running.delete(call);
      this.#enqueue({ text, kind: 'result' });
    });
  }

  /** The next input: a message, a result, or the passing of time. */
  async #next(until: number | null): Promise<string> {
    if (this.#inputs.length === 0) {
      await new Promise<void>((resolve) => {
        const left = until === null ? undefined : Math.min(Math.max(until - this.#now(), 0), MAX_TIMER_MS);
        const timer = left === undefined ? undefined : setTimeout(resolve, left);
        this.#wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
      this.#wake = undefined;
    }
    return this.#inputs.shift()?.text ?? '"time_passed"';
  }

  /** A message that arrived just as the turn ended, which its sender could not know. Earlier stops were for the ended turn. */
  #lateMessage(): string | undefined {
    for (let input = this.#inputs.shift(); input; input = this.#inputs.shift()) if (input.kind === 'message') return input.text;
    return undefined;
  }

  /** The next result of work, even if messages came before it. */
  #nextResult(): string | undefined {
    const at = this.#inputs.findIndex(({ kind }) => kind === 'result');
    return at < 0 ? undefined : this.#inputs.splice(at, 1)[0]?.text;
  }

  /** Waits for the results of stopped calls, because a stopped model call costs money too. */
  async #collectStopped(run: Run, calls: Calls): Promise<void> {
    const end = Date.now() + SHUTDOWN_GRACE_MS;
    for (;;) {
      const result = this.#nextResult();
      if (result === undefined) {
        const left = end - Date.now();
        if (this.#running.size === 0 || left <= 0) break;
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, left);
          this.#wake = () => {
            clearTimeout(timer);
            resolve();
          };
        });
        this.#wake = undefined;
        continue;
      }
      await this.#take(run, result);
      await this.#drain(run, calls);
    }
  }
}

/** Creates an agent. It starts when you iterate over it or read its ending. */
export const runAgent = (options: AgentOptions): Agent => new Agent(options);

/** A journal in memory. */
export class MemoryJournal implements Journal {
  text = '';

  append(line: string): void {
    this.text += line;
  }
}

type Calls = Map<string, (ask: Parameters<ReturnType<Model['open']>>[0]) => Promise<string>>;

/** The queue of events for one iterator. */
class EventQueue implements AsyncIterableIterator<AgentEvent> {
  readonly #waiting: AgentEvent[] = [];
  #wake: (() => void) | undefined;
  #state: { kind: 'open' } | { kind: 'ended' } | { kind: 'failed'; error: unknown } = { kind: 'open' };

  push(event: AgentEvent): void {
    if (this.#state.kind !== 'open') return;
    this.#waiting.push(event);
    this.#wake?.();
  }

  end(event: AgentEvent): void {
    this.push(event);
    this.#state = { kind: 'ended' };
    this.#wake?.();
  }

  fail(error: unknown): void {
    this.#state = { kind: 'failed', error };
    this.#wake?.();
  }

  async next(): Promise<IteratorResult<AgentEvent>> {
    for (;;) {
      const event = this.#waiting.shift();
      if (event) return { done: false, value: event };
      if (this.#state.kind === 'failed') throw this.#state.error;
      if (this.#state.kind === 'ended') return { done: true, value: undefined };
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  /** Stops the iteration, not the run. */
  async return(): Promise<IteratorResult<AgentEvent>> {
    this.#state = { kind: 'ended' };
    this.#waiting.length = 0;
    return { done: true, value: undefined };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }
}

const promptOf = (prompt: string | Prompt): Prompt => (typeof prompt === 'string' ? { blocks: [{ text: prompt }] } : prompt);

function configOf(options: AgentOptions, models: Model[]): object {
  const { system, tools = [], hooks, config } = options;
  return {
    approvals: hooks?.judge ? 'ask' : 'deny',
    ...config,
    ...(system === undefined ? {} : { system }),
    models: models.map((model) => ({ ...model.info, name: model.name })),
    tools: tools.map((tool) => tool.declaration),
  };
}

/** The input that gives a resumed run its new tools; none if no tools are given or they are the same. */
function changedTools({ resume = '', tools }: AgentOptions): Input[] {
  if (!tools) return [];
  const now = tools.map((tool) => tool.declaration);
  const text = typeof resume === 'string' ? resume : new TextDecoder().decode(resume);
  return json(normalized(now)) === json(toolsOf(text)) ? [] : [{ tools_changed: now }];
}

/** Declarations in the form of a journal, with all defaults. */
function normalized(tools: ToolDeclaration[]): unknown {
  const { run } = Run.create({ id: 'none', seed: 0, now: 0, config: json({ models: [{ name: 'none/none' }], tools }) });
  const written = run.started().config.tools;
  run.free();
  return written;
}

/** The tools of a journal's run at its end. */
function toolsOf(journal: string): unknown {
  type Line = { input?: { started?: { config?: { tools?: unknown } }; tools_changed?: unknown } };
  let tools: unknown = [];
  for (const line of journal.split('\n')) {
    // A key can contain escapes; an untrusted journal must not hide its tools that way.
    if (!line.includes('"tools') && !line.includes('\\u')) continue;
    const { input } = JSON.parse(line) as Line;
    tools = input?.tools_changed ?? input?.started?.config?.tools ?? tools;
  }
  return tools;
}

/** The result of a host's callback, or a default without a callback, or the value for its error. */
async function settle<T>(work: () => T | Promise<T> | undefined, none: T, failed: (reason: string) => T): Promise<T> {
  try {
    return (await work()) ?? none;
  } catch (error) {
    if (error instanceof HolmError && error.kind === 'internal') throw error;
    return failed(error instanceof Error ? error.message : String(error));
  }
}
