// `POST /`: one prompt of a run. A journal in the request is untrusted: it determines the conversation, but not what the run may do.

import { HolmError, Run, runAgent, type Agent, type AgentEvent, type AgentOptions, type Journal, type Tool } from 'holm';
import type { Config, Input, Level } from 'holm/kernel';
import { addressOf, extractTool, fetchUrl, McpServer, nameBeside, renamedNote } from 'holm/web';
import { sealOf } from './access.js';
import type { QueryRequest } from './request.js';
import type { Host } from './host.js';
import { ConflictError, JournalStore, type JournalWriter } from './journal-store.js';
import { modelsOf } from './models.js';
import { outcomeOf, TIMEOUT, type GuardVerdict, type HttpOutcome } from './outcome.js';
import { HttpError } from './http-error.js';
import type { Settings } from './settings.js';

/** Receives the events of a run. */
export type Emit = (event: AgentEvent) => void;

/** The most model calls per turn, with retries and skills; a forged journal could allow more. */
const CALLS_PER_TURN = 4;

/** Answers a prompt. */
export async function answerQuery(host: Host, query: QueryRequest, emit: Emit, stop: AbortSignal): Promise<HttpOutcome> {
  const { settings } = host;
  const record = await RunRecord.open(host, query);
  const signal = AbortSignal.any([stop, AbortSignal.timeout(settings.wallMs)]);
  const own = ownTools(host);
  const agent = runAgent({
    ...(record.past ? resumeOptions(settings, query, record.text, record.past) : startOptions(settings, query, record.run)),
    tools: [...own, ...(await mcpTools(settings, own, signal))],
    journal: record,
    secrets: secretsOf(settings),
  });
  try {
    const { ending, guarded } = await watch(agent, settings, emit, signal);
    await record.close();
    const { status, body } = outcomeOf(ending, guarded);
    const journal = query.target === 'store' ? {} : { journal: record.text, seal: await sealOf(settings, record.text) };
    return { status, body: { ...body, host: 'edge', model: query.model, run: record.run, ...journal } };
  } finally {
    // An isolate outlives a request, and its garbage collection may come late.
    agent.run?.free();
  }
}

/** The state of a run that is resumed. */
interface RunPast {
  run: string;
  models: string[];
  idle: boolean;
}

/** Replays an untrusted journal. */
function pastOf(journal: string): RunPast {
  try {
    const run = Run.replay(journal);
    const started = run.started();
    const past = { run: started.run, models: (started.config as Config).models.map(({ name }) => name), idle: run.status().idle };
    run.free();
    return past;
  } catch (error) {
    if (error instanceof HolmError && error.kind !== 'internal') throw new HttpError(400, `cannot resume this journal: ${error.message}`);
    throw error;
  }
}

type StartOptions = Pick<AgentOptions, 'model' | 'prompt' | 'config' | 'system' | 'id' | 'resume' | 'before'>;

function startOptions(settings: Settings, { model, query }: QueryRequest, id: string): StartOptions {
  const { turns, wallMs, mode, system } = settings;
  const limits = { turns: { at_most: turns }, wall_ms: { at_most: wallMs } };
  return {
    id,
    model: modelsOf(settings, model),
    prompt: query,
    ...(system === undefined ? {} : { system }),
    // No user can answer questions here, and the run reads nothing private. So untrusted pages alone do not stop tools that only look
    // from using granted addresses. Every other tool is refused after them.
    config: { name: 'edge', grants: grantsOf(settings), mode, limits, mark_rule: 'ask_after_both' },
  };
}

function resumeOptions(settings: Settings, { model, query }: QueryRequest, resume: string, past: RunPast): StartOptions {
  const before: Input[] = [{ grants_changed: grantsOf(settings) }, { mode_changed: settings.mode }];
  const models = modelsOf(settings, model, past.models);
  // A run that was still working finishes first; the new prompt follows.
  if (!past.idle) return { model: models, resume, before: [...before, { followed_up: { blocks: [{ text: query }] } }] };
  return { model: models, resume, before, prompt: query };
}

/** The grants of a run on this host. */
const grantsOf = ({ grants, mcp }: Settings): string[] => [...grants, ...mcp.map(({ url }) => `fetch:${addressOf(url)}`)];

const ownTools = ({ settings, resolve, connect }: Host): Tool[] => [
  fetchUrl({ policy: { grants: settings.grants }, resolve, connect }),
  extractTool(),
];

/** The tools of the configured MCP servers; this host's own tools keep their names. */
async function mcpTools({ mcp, mcpLevels, mode }: Settings, own: Tool[], signal: AbortSignal): Promise<Tool[]> {
  const told = (note: string) => console.error(note);
  const all = await Promise.all(
    mcp.map(async ({ name, url }) => {
      try {
        const server = await McpServer.connect({ name, url, levels: levelsOf(name, mcpLevels), policy: { grants: [`fetch:${addressOf(url)}`] }, told }, signal);
        return await server.tools(signal);
      } catch (error) {
        // The message may contain the server's URL with a key, so it goes only to the log.
        console.error(`MCP server '${name}': ${error instanceof Error ? error.message : String(error)}`);
        throw new HttpError(500, `MCP server '${name}' is not available`);
      }
    }),
  );
  const { tools, renamed } = nameBeside(own, all.flat());
  for (const one of renamed) told(renamedNote(one));
  return mode === 'full' ? tools : tools.map((tool) => (onlyLooks(tool) ? tool : deniedTool(tool)));
}

/** The levels of one server's tools, by the server's own names. */
function levelsOf(server: string, levels: Record<string, Level>): Record<string, Level> {
  const start = `${server}_`;
  const own = Object.entries(levels).filter(([tool]) => tool.startsWith(start));
  return Object.fromEntries(own.map(([tool, level]) => [tool.slice(start.length), level]));
}

const onlyLooks = ({ declaration: { level } }: Tool): boolean => level === 'none' || level === 'read-only';

/** No user can approve calls here, so tools that need approval never run, whatever the journal says. */
const deniedTool = (tool: Tool): Tool => ({ ...tool, run: () => Promise.reject(new Error('this call needs approval, and this host cannot ask; HOLM_MODE=full allows it')) });

function secretsOf({ endpoint, access }: Settings): Record<string, string> {
  return {
    ...(endpoint.key ? { llm: endpoint.key } : {}),
    ...(endpoint.aws ? { aws: endpoint.aws.secretAccessKey } : {}),
    ...(access.kind === 'token' ? { token: access.token } : {}),
  };
}

/** Drives a run to its end within this host's limits, whatever its journal allows. */
export async function watch(agent: Agent, settings: Settings, emit: Emit, signal: AbortSignal) {
  const reason = () => (signal.reason instanceof DOMException && signal.reason.name === 'TimeoutError' ? TIMEOUT : 'the client disconnected');
  const cancel = () => agent.cancel(reason());
  if (signal.aborted) cancel();
  signal.addEventListener('abort', cancel, { once: true });
  let guarded: GuardVerdict = 'n/a';
  let calls = 0;
  for await (const event of agent) {
    emit(event);
    if (event.type !== 'event') continue;
    const { event: what } = event;
    if (typeof what === 'string') continue;
    if ('call_finished' in what && what.call_finished.outcome === 'succeeded' && guarded === 'n/a') guarded = 'accept';
    if ('ruled' in what) guarded = what.ruled.rejected ? 'reject' : guarded;
    if ('model_called' in what) calls += 1;
    if (calls > settings.turns * CALLS_PER_TURN) agent.cancel('too many model calls for one request');
  }
  signal.removeEventListener('abort', cancel);
  const ending = await agent.ending;
  return { ending, guarded: 'answered' in ending && guarded === 'reject' ? ('accept' as const) : guarded };
}

/** The journal of one request: its text, and its copy in the store if there is one. */
class RunRecord implements Journal {
  text: string;
  readonly run: string;
  /** The state of a resumed run; undefined for a new one. */
  readonly past: RunPast | undefined;
  readonly #writer: JournalWriter | undefined;

  private constructor(text: string, run: string, past: RunPast | undefined, writer: JournalWriter | undefined) {
    this.text = text;
    this.run = run;
    this.past = past;
    this.#writer = writer;
  }

  static async open({ keep }: Host, { past, target }: QueryRequest): Promise<RunRecord> {
    if (past.kind === 'none') {
      const run = crypto.randomUUID();
      return new RunRecord('', run, undefined, target === 'store' ? (await keep?.open(run))?.writer : undefined);
    }
    if (past.kind === 'journal') return RunRecord.#fromRequest(past.text, target === 'store' ? keep : undefined);
    const stored = await keep?.open(past.run);
    if (!stored || stored.text === '') throw new HttpError(404, `run '${past.run}' not found`);
    return new RunRecord(stored.text, past.run, pastOf(stored.text), stored.writer);
  }

  /** A journal from the request. If it is to be stored, it is stored whole, and never over another one. */
  static async #fromRequest(text: string, keep: JournalStore | undefined): Promise<RunRecord> {
    const past = pastOf(text);
    if (!keep) return new RunRecord(text, past.run, past, undefined);
    // The name of the run becomes a part of the store's keys.
    if (!JournalStore.isName(past.run)) throw new HttpError(400, "this journal's run name is not valid in the store");
    const { text: there, writer } = await keep.open(past.run);
    if (there !== '') throw new ConflictError();
    await writer.append(text, { sync: true });
    return new RunRecord(text, past.run, past, writer);
  }

  async append(line: string, how: { sync: boolean }): Promise<void> {
    this.text += line;
    await this.#writer?.append(line, how);
  }

  async close(): Promise<void> {
    await this.#writer?.flush();
  }
}

