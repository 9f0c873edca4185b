// `POST /`: one prompt of a run. The past may come with the request, and is then a stranger's word: it decides what was said, and
// nothing about what may be done.

import { HolmError, Run, runAgent, type Agent, type AgentEvent, type AgentOptions, type Journal, type Tool } from 'holm';
import type { Config, Input } from 'holm/kernel';
import { extractTool, fetchUrl, McpServer } from 'holm/web';
import type { Query } from './ask.js';
import type { Host } from './host.js';
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
  const past = await pastOf(host, query);
  const run = past === '' ? crypto.randomUUID() : known(past).started().run;
  const record = await RunRecord.open(host, query, run, past);
  const signal = AbortSignal.any([stop, AbortSignal.timeout(host.settings.wallMs)]);
  const agent = runAgent({
    ...(past === '' ? beginning(host.settings, query, run) : continuation(host.settings, query, past)),
    tools: [...ownTools(host), ...(await mcpTools(host.settings, signal))],
    journal: record,
    secrets: secretsOf(host.settings),
  });
  const { ending, guarded } = await watch(agent, host.settings, emit, signal);
  await record.close();
  const { status, body } = outcomeOf(ending, guarded);
  const journal = query.home === 'store' ? {} : { journal: record.text };
  return { status, body: { ...body, host: 'edge', model: query.model, run, ...journal } };
}

/** The journal so far; empty for a new run. */
async function pastOf({ keep }: Host, { past }: Query): Promise<string> {
  if (past.kind === 'none') return '';
  if (past.kind === 'journal') return past.text;
  const text = (await keep?.load(past.run)) ?? '';
  if (text === '') throw new Refusal(404, `there is no run '${past.run}'`);
  return text;
}

/** Folds a journal that a stranger may have written. */
function known(journal: string): Run {
  try {
    return Run.replay(journal);
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

function continuation(settings: Settings, { model, query }: Query, past: string): Begun {
  const run = known(past);
  const names = (run.started().config as Config).models.map(({ name }) => name);
  const before: Input[] = [{ grants_changed: grantsOf(settings) }, { mode_changed: settings.mode }];
  const models = modelsOf(settings, model, names);
  // A run that was left at work finishes that first, and then hears what is asked.
  if (!run.status().idle) return { model: models, resume: past, before: [...before, { followed_up: { blocks: [{ text: query }] } }] };
  return { model: models, resume: past, before, prompt: query };
}

/** Everything that a run here may do. */
const grantsOf = ({ grants, mcp }: Settings): string[] => [...grants, ...mcp.map(({ url }) => `fetch:${url}`)];

const ownTools = ({ settings, resolve }: Host): Tool[] => [fetchUrl({ policy: { grants: settings.grants }, resolve }), extractTool()];

async function mcpTools({ mcp }: Settings, signal: AbortSignal): Promise<Tool[]> {
  const tools = await Promise.all(
    mcp.map(async ({ name, url }) => {
      try {
        const server = await McpServer.connect({ name, url, policy: { grants: [`fetch:${url}`] } }, signal);
        return await server.tools(signal);
      } catch (error) {
        throw new Refusal(500, `the MCP server '${name}' cannot be used`, { details: error instanceof Error ? error.message : String(error) });
      }
    }),
  );
  return tools.flat();
}

function secretsOf({ endpoint, access }: Settings): Record<string, string> {
  return { ...(endpoint.key ? { llm: endpoint.key } : {}), ...(access.kind === 'token' ? { token: access.token } : {}) };
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
  readonly #kept: (Journal & { flush(): Promise<void> }) | undefined;

  private constructor(text: string, kept: (Journal & { flush(): Promise<void> }) | undefined) {
    this.text = text;
    this.#kept = kept;
  }

  static async open({ keep }: Host, query: Query, run: string, past: string): Promise<RunRecord> {
    const kept = query.home === 'store' ? await keep?.writer(run) : undefined;
    // A journal that came from elsewhere and is to stay here is put down whole.
    if (kept && query.past.kind === 'journal') await kept.append(past, { sync: true });
    return new RunRecord(past, kept);
  }

  async append(line: string, how: { sync: boolean }): Promise<void> {
    this.text += line;
    await this.#kept?.append(line, how);
  }

  async close(): Promise<void> {
    await this.#kept?.flush();
  }
}

