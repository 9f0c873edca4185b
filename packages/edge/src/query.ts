// `POST /`: one prompt of a run. The past may come with the request, and is then a stranger's word: it decides what was said, and
// nothing about what may be done.

import { HolmError, Run, runAgent, type Agent, type AgentEvent, type AgentOptions, type Journal, type Tool } from 'holm';
import type { Config, Input } from 'holm/kernel';
import { addressOf, extractTool, fetchUrl, McpServer, nameBeside, renamedNote } from 'holm/web';
import { sealOf } from './access.js';
import type { Query } from './ask.js';
import type { Host } from './host.js';
import { Conflict, Keep, type Writer } from './keep.js';
import { modelsOf } from './models.js';
import { outcomeOf, TIMEOUT, type Guarded, type Outcome } from './outcome.js';
import { Refusal } from './refusal.js';
import type { Settings } from './settings.js';

/** Who watches. */
export type Emit = (event: AgentEvent) => void;

/** Model calls that one turn may take, retries and skills included; a forged journal could ask for more. */
const CALLS_PER_TURN = 4;

/** Answers a question. */
export async function answerQuery(host: Host, query: Query, emit: Emit, stop: AbortSignal): Promise<Outcome> {
  const { settings } = host;
  const record = await RunRecord.open(host, query);
  const signal = AbortSignal.any([stop, AbortSignal.timeout(settings.wallMs)]);
  const own = ownTools(host);
  const agent = runAgent({
    ...(record.past ? continuation(settings, query, record.text, record.past) : beginning(settings, query, record.run)),
    tools: [...own, ...(await mcpTools(settings, own, signal))],
    journal: record,
    secrets: secretsOf(settings),
  });
  try {
    const { ending, guarded } = await watch(agent, settings, emit, signal);
    await record.close();
    const { status, body } = outcomeOf(ending, guarded);
    const journal = query.home === 'store' ? {} : { journal: record.text, seal: await sealOf(settings, record.text) };
    return { status, body: { ...body, host: 'edge', model: query.model, run: record.run, ...journal } };
  } finally {
    // An isolate lives longer than a request, and nobody says when its memory is looked through.
    agent.run?.free();
  }
}

/** What is known of a run that goes on. */
interface Past {
  run: string;
  models: string[];
  idle: boolean;
}

/** Folds a journal that a stranger may have written. */
function known(journal: string): Past {
  try {
    const run = Run.replay(journal);
    const started = run.started();
    const past = { run: started.run, models: (started.config as Config).models.map(({ name }) => name), idle: run.status().idle };
    run.free();
    return past;
  } catch (error) {
    if (error instanceof HolmError && error.kind !== 'internal') throw new Refusal(400, `this journal cannot be gone on with: ${error.message}`);
    throw error;
  }
}

type Begun = Pick<AgentOptions, 'model' | 'prompt' | 'config' | 'system' | 'id' | 'resume' | 'before'>;

function beginning(settings: Settings, { model, query }: Query, id: string): Begun {
  const { turns, wallMs, mode, system } = settings;
  const limits = { turns: { at_most: turns }, wall_ms: { at_most: wallMs } };
  return {
    id,
    model: modelsOf(settings, model),
    prompt: query,
    ...(system === undefined ? {} : { system }),
    // Nobody can be asked here, and nothing private is read here: pages of strangers alone do not close the granted addresses.
    config: { name: 'edge', grants: grantsOf(settings), mode, limits, mark_rule: 'ask_after_both' },
  };
}

function continuation(settings: Settings, { model, query }: Query, resume: string, past: Past): Begun {
  const before: Input[] = [{ grants_changed: grantsOf(settings) }, { mode_changed: settings.mode }];
  const models = modelsOf(settings, model, past.models);
  // A run that was left at work finishes that first, and then hears what is asked.
  if (!past.idle) return { model: models, resume, before: [...before, { followed_up: { blocks: [{ text: query }] } }] };
  return { model: models, resume, before, prompt: query };
}

/** Everything that a run here may do. */
const grantsOf = ({ grants, mcp }: Settings): string[] => [...grants, ...mcp.map(({ url }) => `fetch:${addressOf(url)}`)];

const ownTools = ({ settings, resolve, connect }: Host): Tool[] => [
  fetchUrl({ policy: { grants: settings.grants }, resolve, connect }),
  extractTool(),
];

/** Tools of the servers that are named; what this host has itself keeps its name. */
async function mcpTools({ mcp, mode }: Settings, own: Tool[], signal: AbortSignal): Promise<Tool[]> {
  const told = (note: string) => console.error(note);
  const all = await Promise.all(
    mcp.map(async ({ name, url }) => {
      try {
        const server = await McpServer.connect({ name, url, policy: { grants: [`fetch:${addressOf(url)}`] }, told }, signal);
        return await server.tools(signal);
      } catch (error) {
        // The words may hold the server's address, and that a key.
        console.error(`the MCP server '${name}': ${error instanceof Error ? error.message : String(error)}`);
        throw new Refusal(500, `the MCP server '${name}' cannot be used`);
      }
    }),
  );
  const { tools, renamed } = nameBeside(own, all.flat());
  for (const one of renamed) told(renamedNote(one));
  return mode === 'full' ? tools : tools.map(unheard);
}

/** Nobody can be asked here, so what would have to be asked about is not run, whatever a journal says of it. */
const unheard = (tool: Tool): Tool => ({ ...tool, run: () => Promise.reject(new Error('nobody can be asked here; HOLM_MODE=full allows it')) });

function secretsOf({ endpoint, access }: Settings): Record<string, string> {
  return {
    ...(endpoint.key ? { llm: endpoint.key } : {}),
    ...(endpoint.aws ? { aws: endpoint.aws.secretAccessKey } : {}),
    ...(access.kind === 'token' ? { token: access.token } : {}),
  };
}

/** Sees a run to its end, and holds it to this host's bounds where its journal says otherwise. */
export async function watch(agent: Agent, settings: Settings, emit: Emit, signal: AbortSignal) {
  const reason = () => (signal.reason instanceof DOMException && signal.reason.name === 'TimeoutError' ? TIMEOUT : 'the client went away');
  const cancel = () => agent.cancel(reason());
  if (signal.aborted) cancel();
  signal.addEventListener('abort', cancel, { once: true });
  let guarded: Guarded = 'n/a';
  let calls = 0;
  for await (const event of agent) {
    emit(event);
    if (event.type !== 'event') continue;
    const { event: what } = event;
    if (typeof what === 'string') continue;
    if ('call_finished' in what && what.call_finished.outcome === 'succeeded' && guarded === 'n/a') guarded = 'accept';
    if ('ruled' in what) guarded = what.ruled.rejected ? 'reject' : guarded;
    if ('model_called' in what) calls += 1;
    if (calls > settings.turns * CALLS_PER_TURN) agent.cancel('more model calls than one request may make');
  }
  signal.removeEventListener('abort', cancel);
  const ending = await agent.ending;
  return { ending, guarded: 'answered' in ending && guarded === 'reject' ? ('accept' as const) : guarded };
}

/** The journal of one request: the whole text, and the store's copy where one is kept. */
class RunRecord implements Journal {
  text: string;
  readonly run: string;
  /** What is known of a run that goes on; none of a new one. */
  readonly past: Past | undefined;
  readonly #kept: Writer | undefined;

  private constructor(text: string, run: string, past: Past | undefined, kept: Writer | undefined) {
    this.text = text;
    this.run = run;
    this.past = past;
    this.#kept = kept;
  }

  static async open({ keep }: Host, { past, home }: Query): Promise<RunRecord> {
    if (past.kind === 'none') {
      const run = crypto.randomUUID();
      return new RunRecord('', run, undefined, home === 'store' ? (await keep?.open(run))?.writer : undefined);
    }
    if (past.kind === 'journal') return RunRecord.#brought(past.text, home === 'store' ? keep : undefined);
    const kept = await keep?.open(past.run);
    if (!kept || kept.text === '') throw new Refusal(404, `there is no run '${past.run}'`);
    return new RunRecord(kept.text, past.run, known(kept.text), kept.writer);
  }

  /** A journal that came from elsewhere; one that is to stay here is put down whole, and never over another one. */
  static async #brought(text: string, keep: Keep | undefined): Promise<RunRecord> {
    const past = known(text);
    if (!keep) return new RunRecord(text, past.run, past, undefined);
    // Its name becomes a key of the store.
    if (!Keep.isName(past.run)) throw new Refusal(400, "this journal's run has a name that cannot be kept");
    const { text: there, writer } = await keep.open(past.run);
    if (there !== '') throw new Conflict();
    await writer.append(text, { sync: true });
    return new RunRecord(text, past.run, past, writer);
  }

  async append(line: string, how: { sync: boolean }): Promise<void> {
    this.text += line;
    await this.#kept?.append(line, how);
  }

  async close(): Promise<void> {
    await this.#kept?.flush();
  }
}

