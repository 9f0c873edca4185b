// The loop: one fact in, one record appended, its effects performed. Nothing is decided here; what to do next, whether to try
// again and when to stop comes out of the kernel.

import { HolmError } from './error.js';
import { ready } from './load.js';
import { Run } from './kernel.js';
import { Secrets } from './secrets.js';
import { spill, type Blobs } from './spill.js';
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

/** Timers take no more; longer waits are cut into pieces, and a piece that ends early is no harm. */
const LONGEST_TIMER = 2 ** 31 - 1;

/** How long what was stopped may take to say what it had: a model's bill, a tool's last words. */
const LAST_WORDS_MS = 1000;

/** Where records go. The driver waits for each append before anything is done about the record. */
export interface Journal {
  /** Appends a line; with `sync` it must be on the disk, because something that cannot be undone comes next. */
  append(line: string, how: { sync: boolean }): void | Promise<void>;
}

/** Where a host's own code is heard. */
export interface Hooks {
  /** Rules on a call that somebody must see. Without it, what would be asked is denied. */
  judge?(proposal: Proposal, signal: AbortSignal): Verdict | Promise<Verdict>;
  /** Answers at the points that `config.consult` names. */
  consult?(question: Consultation['question'], run: Run): Answer | Promise<Answer>;
  /** Runs an executable postcondition. */
  check?(request: CheckRequest, signal: AbortSignal): CheckRuling | Promise<CheckRuling>;
  /** Runs a child; `confine` narrows a configuration to what the parent allows. */
  spawn?(request: SpawnRequest, child: ChildContext): ChildResult | Promise<ChildResult>;
}

/** What a hook that starts children is given. */
export interface ChildContext {
  confine(config: Config): Config;
  signal: AbortSignal;
}

/** What an agent is made of. */
export interface AgentOptions {
  /** The model, or several: the first is used, the others are fallbacks. */
  model: Model | Model[];
  /** What is asked for; may be left out when a journal is resumed. */
  prompt?: string | Prompt;
  system?: string;
  tools?: Tool[];
  hooks?: Hooks;
  journal?: Journal;
  /** Where results go that are too large for the journal. Without it they stay in the journal. */
  blobs?: Blobs;
  /** Secrets by name. The kernel, the journal and the model see `‹secret:name›`; a tool that needs `secret:name@host` gets the value. */
  secrets?: Record<string, string>;
  /** A journal to go on with. A run that knows other tools is told of these before it goes on, if any are given. */
  resume?: string | Uint8Array;
  /** What a resumed run is told before it goes on: other grants, another mode. */
  before?: Input[];
  /** Everything else that the kernel can be told. */
  config?: Omit<Config, 'models' | 'tools' | 'system'>;
  /** The run's id; a random one by default. */
  id?: string;
  seed?: bigint | number;
  signal?: AbortSignal;
  /** Milliseconds. */
  now?: () => number;
}

/** What a watcher sees. */
export type AgentEvent =
  | ({ type: 'event' } & Numbered)
  | { type: 'delta'; call: number; delta: Delta }
  | { type: 'ending'; ending: Ending };

/** Something that happened. What people say is apart from what work has come to: only the one begins anything when the other has ended. */
interface Fact {
  text: string;
  kind: 'said' | 'stop' | 'work';
}

/** An agent at work. Iterate it, or await `ending`, or both; it starts with the first of the two. */
export class Agent implements AsyncIterable<AgentEvent> {
  readonly #options: AgentOptions;
  readonly #secrets: Secrets;
  readonly #facts: Fact[] = [];
  readonly #under_way = new Map<number, AbortController>();
  #run: Run | undefined;
  #ending: Promise<Ending> | undefined;
  #watcher: Watcher | undefined;
  #wake: (() => void) | undefined;
  #listens = true;

  /** Use `runAgent`. */
  constructor(options: AgentOptions) {
    this.#options = options;
    this.#secrets = new Secrets(options.secrets);
  }

  /** How it ended. Rejects only if the journal cannot be written or read, or for a defect. */
  get ending(): Promise<Ending> {
    this.#ending ??= this.#drive();
    return this.#ending;
  }

  /** The run; none before it has started. */
  get run(): Run | undefined {
    return this.#run;
  }

  [Symbol.asyncIterator](): AsyncIterator<AgentEvent> {
    this.#watcher ??= new Watcher();
    const watcher = this.#watcher;
    this.ending.then(
      (ending) => watcher.end({ type: 'ending', ending }),
      (error: unknown) => watcher.fail(error),
    );
    return watcher;
  }

  /** Says something that enters before the next model call. Said just as the run ends it begins another turn; later it throws. */
  steer(prompt: string | Prompt): void {
    this.tell({ steered: promptOf(prompt) });
  }

  /** Says what to do once the run would stop by itself. */
  followUp(prompt: string | Prompt): void {
    this.tell({ followed_up: promptOf(prompt) });
  }

  /** Stops it. */
  cancel(reason = ''): void {
    this.tell({ cancelled: { reason } });
  }

  /** Tells any other fact that comes from people: another mode, other grants, another budget. */
  tell(input: Input): void {
    const stop = typeof input === 'object' && 'cancelled' in input;
    // What has ended needs no stopping; all else would be lost.
    if (!this.#listens && !stop) throw new Error('nobody drives the run any more; resume it first');
    this.#fact({ text: json(input), kind: stop ? 'stop' : 'said' });
  }

  #fact(fact: Fact): void {
    this.#facts.push(fact);
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
          await this.#lastWords(run, calls);
          last = ending;
        }
        if (last && (ending || run.status().idle)) {
          const late = signal?.aborted ? undefined : this.#late();
          if (late === undefined) return last;
          await this.#take(run, late);
        } else {
          await this.#take(run, await this.#next(until));
        }
      }
    } finally {
      this.#listens = false;
      signal?.removeEventListener('abort', cancel);
      for (const controller of this.#under_way.values()) controller.abort();
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
      for (const fact of [...otherTools(options), ...(options.before ?? [])]) await this.#take(run, json(fact));
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

  /** Handles one fact and appends its record; nothing is done about it yet. */
  async #take(run: Run, fact: string, sync = false): Promise<void> {
    const line = run.handle(this.#now(), this.#secrets.hide(fact));
    await this.#options.journal?.append(line, { sync });
  }

  /** Performs everything that is lined up; gives the ending, if one came, and the time to wait for. */
  async #drain(run: Run, calls: Calls): Promise<{ ending?: Ending; until: number | null }> {
    let ending: Ending | undefined;
    for (;;) {
      const effect = run.poll();
      if ('wait' in effect) return { ending, until: effect.wait };
      if ('finish' in effect) ending = effect.finish;
      else if ('emit' in effect) this.#watcher?.push({ type: 'event', ...effect.emit });
      else await this.#perform(run, calls, effect);
    }
  }

  async #perform(run: Run, calls: Calls, effect: Exclude<Effect, { wait: unknown } | { finish: unknown } | { emit: unknown }>): Promise<void> {
    const { hooks } = this.#options;
    if ('abort' in effect) {
      this.#under_way.get(effect.abort)?.abort();
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
      const denied = { deny: { reason: 'nobody is there to be asked' } };
      this.#begin(proposal.call, async (signal) => {
        const verdict = await settle(() => hooks?.judge?.(proposal, signal), denied, (reason) => ({ deny: { reason } }));
        return json({ judged: { call: proposal.call, verdict } });
      });
    } else if ('consult' in effect) {
      const { call, question } = effect.consult;
      this.#begin(call, async () => {
        const failed = (reason: string) => ({ failed: { reason } });
        const answer = await settle(() => hooks?.consult?.(question, run), failed('this host has no hooks'), failed);
        return json({ consulted: { call, answer } });
      });
    } else if ('check' in effect) {
      const { call, request } = effect.check;
      this.#begin(call, async (signal) => {
        const broken = (reason: string) => ({ broken: { reason } });
        const ruling = await settle(() => hooks?.check?.(request, signal), broken('this host runs no checks'), broken);
        return json({ checked: { call, ruling } });
      });
    } else {
      this.#child(run, effect.spawn.call, effect.spawn.request);
    }
  }

  #model(run: Run, calls: Calls, call: number, name: string, fact: 'model_finished' | 'summarised'): void {
    this.#begin(call, async (signal) => {
      const ask = { run, call, signal, delta: (delta: Delta) => this.#watcher?.push({ type: 'delta', call, delta }) };
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
      // What is put elsewhere is as private as the journal, so it is cleaned as well.
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
        failed('this host starts no child runs'),
        failed,
      );
      return json({ child_finished: { call, result } });
    });
  }

  /** Starts something whose end is one fact. */
  #begin(call: number, work: (signal: AbortSignal) => Promise<string>): void {
    const controller = new AbortController();
    this.#under_way.set(call, controller);
    void work(controller.signal).then((fact) => {
      // A question that was withdrawn may end when a tool already runs under the same number.
      if (this.#under_way.get(call) === controller) this.#under_way.delete(call);
      this.#fact({ text: fact, kind: 'work' });
    });
  }

  /** The next thing that happens: somebody speaks, something ends, or the time has come. */
  async #next(until: number | null): Promise<string> {
    if (this.#facts.length === 0) {
      await new Promise<void>((resolve) => {
        const left = until === null ? undefined : Math.min(Math.max(until - this.#now(), 0), LONGEST_TIMER);
        const timer = left === undefined ? undefined : setTimeout(resolve, left);
        this.#wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
      this.#wake = undefined;
    }
    return this.#facts.shift()?.text ?? '"time_passed"';
  }

  /** What was said when the turn had ended already, which nobody who speaks just then can know. A stop before it was for what has ended. */
  #late(): string | undefined {
    for (let fact = this.#facts.shift(); fact; fact = this.#facts.shift()) if (fact.kind === 'said') return fact.text;
    return undefined;
  }

  /** What work has come to, before anything that people say. */
  #worked(): string | undefined {
    const at = this.#facts.findIndex(({ kind }) => kind === 'work');
    return at < 0 ? undefined : this.#facts.splice(at, 1)[0]?.text;
  }

  /** Hears what the stopped calls still have to say, because a stopped model call has a bill too. */
  async #lastWords(run: Run, calls: Calls): Promise<void> {
    const end = Date.now() + LAST_WORDS_MS;
    for (;;) {
      const fact = this.#worked();
      if (fact === undefined) {
        const left = end - Date.now();
        if (this.#under_way.size === 0 || left <= 0) break;
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
      await this.#take(run, fact);
      await this.#drain(run, calls);
    }
  }
}

/** Starts an agent; it begins to work when it is iterated or its ending is asked for. */
export const runAgent = (options: AgentOptions): Agent => new Agent(options);

/** A journal in memory. */
export class MemoryJournal implements Journal {
  text = '';

  append(line: string): void {
    this.text += line;
  }
}

type Calls = Map<string, (ask: Parameters<ReturnType<Model['open']>>[0]) => Promise<string>>;

/** One watcher; what it has not taken yet waits for it. */
class Watcher implements AsyncIterableIterator<AgentEvent> {
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

  /** Whoever stops watching stops nothing else. */
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

/** What a resumed run is told of its tools; nothing where it knows them already, or where nobody says which there are. */
function otherTools({ resume = '', tools }: AgentOptions): Input[] {
  if (!tools) return [];
  const now = tools.map((tool) => tool.declaration);
  const text = typeof resume === 'string' ? resume : new TextDecoder().decode(resume);
  return json(asWritten(now)) === json(toolsOf(text)) ? [] : [{ tools_changed: now }];
}

/** Declarations as a journal has them, with every default in its place. */
function asWritten(tools: ToolDeclaration[]): unknown {
  const { run } = Run.create({ id: 'none', seed: 0, now: 0, config: json({ models: [{ name: 'none/none' }], tools }) });
  const written = run.started().config.tools;
  run.free();
  return written;
}

/** The tools that a journal's run knows at its end. */
function toolsOf(journal: string): unknown {
  type Line = { input?: { started?: { config?: { tools?: unknown } }; tools_changed?: unknown } };
  let tools: unknown = [];
  for (const line of journal.split('\n')) {
    // A member's name may be written with escapes; a journal of strangers must not hide its tools that way.
    if (!line.includes('"tools') && !line.includes('\\u')) continue;
    const { input } = JSON.parse(line) as Line;
    tools = input?.tools_changed ?? input?.started?.config?.tools ?? tools;
  }
  return tools;
}

/** What a host's own code comes to: its answer, what stands in for none, or what its error is taken for. */
async function settle<T>(work: () => T | Promise<T> | undefined, none: T, failed: (reason: string) => T): Promise<T> {
  try {
    return (await work()) ?? none;
  } catch (error) {
    if (error instanceof HolmError && error.kind === 'internal') throw error;
    return failed(error instanceof Error ? error.message : String(error));
  }
}
