// The server's routes, each as a function. Tokens go into headers and nowhere else.

import type {
  AgentCard, AgentView, Answer, AuditEntry, BackupView, CallView, FolderView, Health, Hit, JobList, JobRun, JobSpec, JobView, MadeToken, Me,
  ModelCard, NewSession, NewSite, Numbered, Posed, Reloaded, Role, ServerTest, ServerView, Session, SessionPage, SettingsView,
  SiteView, SkillCard, SkillView, TokenView, ToolCard, ToolView, Tried, UsageBy, UsageView, Use,
} from '../core/wire.ts';

/** Something was not done. */
export class ApiError extends Error {
  readonly status: number;
  readonly code: string;
  /** After how many seconds it may be tried again. */
  readonly retryAfter: number | null;

  constructor(status: number, code: string, message: string, retryAfter: number | null = null) {
    super(message);
    this.name = 'ApiError';
    this.status = status;
    this.code = code;
    this.retryAfter = retryAfter;
  }
}

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

/** What goes along with a request. */
interface More {
  signal?: AbortSignal;
  headers?: Record<string, string>;
}

/** A file of the workspace, and what to send along to change it. */
export interface FileFound {
  blob: Blob;
  etag: string | null;
}

/** Everything that can be asked of a server with a token. */
export class Api {
  readonly #base: URL;
  readonly #token: string;
  readonly #unauthorized: () => void;

  /** `base` is the folder that the page came from; `unauthorized` is told when the token is worth nothing any more. */
  constructor(base: URL, token: string, unauthorized: () => void = () => undefined) {
    this.#base = base;
    this.#token = token;
    this.#unauthorized = unauthorized;
  }

  me = (): Promise<Me> => this.#json('GET', 'api/me');
  health = (): Promise<Health> => this.#json('GET', 'health');
  agents = (): Promise<AgentCard[]> => this.#json('GET', 'api/agents');
  tools = (): Promise<ToolCard[]> => this.#json('GET', 'api/tools');
  skills = (): Promise<SkillCard[]> => this.#json('GET', 'api/skills');
  models = (): Promise<ModelCard[]> => this.#json('GET', 'api/models');
  backups = (): Promise<BackupView[]> => this.#json('GET', 'api/backups');
  backUp = (name: string): Promise<BackupView> => this.#json('POST', 'api/backups', { name });
  settings = (): Promise<SettingsView> => this.#json('GET', 'api/settings');

  agent = (name: string): Promise<AgentView> => this.#json('GET', part('agents', name));
  checkAgent = (text: string): Promise<AgentView> => this.#json('POST', 'api/check-agent', { text });
  /** Keeps an agent in place of the one that was read; without one, as a new one. */
  keepAgent = (name: string, text: string, etag: string | null): Promise<AgentView> =>
    this.#json('PUT', part('agents', name), { text }, { headers: precondition(etag) });
  removeAgent = (name: string): Promise<void> => this.#done('DELETE', part('agents', name));

  tool = (name: string): Promise<ToolView> => this.#json('GET', part('tools', name));
  tryTool = (name: string, given: Record<string, unknown>, grants: string[]): Promise<Tried> =>
    this.#json('POST', `${part('tools', name)}/try`, { arguments: given, grants });
  calls = (name: string): Promise<CallView[]> => this.#json('GET', `${part('tools', name)}/calls`);
  reloadTools = (): Promise<Reloaded> => this.#json('POST', 'api/reload-tools');
  skill = (name: string): Promise<SkillView> => this.#json('GET', part('skills', name));

  servers = (): Promise<ServerView[]> => this.#json('GET', 'api/mcp-servers');
  addServer = (name: string, entry: object): Promise<void> => this.#done('POST', 'api/mcp-servers', { name, entry });
  testServer = (name: string): Promise<ServerTest> => this.#json('POST', `${part('mcp-servers', name)}/test`);
  removeServer = (name: string): Promise<void> => this.#done('DELETE', part('mcp-servers', name));

  jobs = (): Promise<JobList> => this.#json('GET', 'api/jobs');
  makeJob = (id: string, spec: JobSpec): Promise<{ job: JobView; key: string }> => this.#json('POST', 'api/jobs', { id, spec });
  changeJob = (id: string, spec: JobSpec): Promise<JobView> => this.#json('POST', `${part('jobs', id)}/spec`, spec);
  switchJob = (id: string, to: 'enable' | 'disable'): Promise<JobView> => this.#json('POST', `${part('jobs', id)}/${to}`);
  runJob = (id: string): Promise<{ run: string }> => this.#json('POST', `${part('jobs', id)}/run`);
  stopJob = (id: string): Promise<void> => this.#done('POST', `${part('jobs', id)}/stop`);
  removeJob = (id: string): Promise<void> => this.#done('DELETE', part('jobs', id));
  jobRuns = (id: string): Promise<JobRun[]> => this.#json('GET', `${part('jobs', id)}/runs`);

  sites = (): Promise<SiteView[]> => this.#json('GET', 'api/sites');
  publish = (site: NewSite): Promise<SiteView> => this.#json('POST', 'api/sites', site);
  takeBack = (name: string): Promise<void> => this.#done('DELETE', part('sites', name));

  removeKey = (provider: string): Promise<void> => this.#done('DELETE', part('keys', provider));
  keys = (): Promise<string[]> => this.#json('GET', 'api/keys');
  keepKey = (provider: string, key: string): Promise<void> => this.#done('POST', 'api/keys', { provider, key });

  sessions = (after: string | null, limit = 50): Promise<SessionPage> =>
    this.#json('GET', `api/sessions?${query({ after, limit: String(limit) })}`);
  session = (id: string): Promise<Session> => this.#json('GET', at(id));
  create = (fresh: NewSession): Promise<Session> => this.#json('POST', 'api/sessions', fresh);
  rename = (id: string, title: string | null): Promise<Session> => this.#json('POST', at(id, 'title'), { title });
  fork = (id: string, record: number): Promise<Session> => this.#json('POST', at(id, 'fork'), { at: record });
  erase = (id: string): Promise<void> => this.#done('DELETE', at(id));
  replay = (id: string): Promise<Numbered[]> => this.#json('GET', at(id, 'replay'));
  /** What each call of a session needed, was asked about and ran with. */
  uses = (id: string): Promise<Use[]> => this.#json('GET', at(id, 'grants'));
  search = (words: string): Promise<Hit[]> => this.#json('GET', `api/search?${query({ q: words })}`);

  prompt = (id: string, text: string): Promise<void> => this.#done('POST', at(id, 'prompt'), { text });
  steer = (id: string, text: string): Promise<void> => this.#done('POST', at(id, 'steer'), { text });
  followUp = (id: string, text: string): Promise<void> => this.#done('POST', at(id, 'follow-up'), { text });
  cancel = (id: string, reason?: string): Promise<void> => this.#done('POST', at(id, 'cancel'), { reason });
  questions = (id: string): Promise<Posed[]> => this.#json('GET', at(id, 'questions'));
  answer = (id: string, question: number, answer: Answer): Promise<void> =>
    this.#done('POST', at(id, 'questions'), { question, answer });

  usage = (by: UsageBy, session: string | null = null): Promise<UsageView> =>
    this.#json('GET', `api/usage?${query({ by, session })}`);

  tokens = (): Promise<TokenView[]> => this.#json('GET', 'api/tokens');
  issue = (user: string, role: Role, sessions: string[] | null): Promise<MadeToken> =>
    this.#json('POST', 'api/tokens', { user, role, sessions });
  revoke = (id: number): Promise<void> => this.#done('DELETE', `api/tokens/${id}`);
  budget = (user: string, nanoUsd: number | null): Promise<void> =>
    this.#done('POST', `api/users/${encodeURIComponent(user)}/budget`, { nano_usd: nanoUsd });

  /** The audit log, the latest entry last. */
  async audit(): Promise<AuditEntry[]> {
    const answer = await this.#ask('GET', 'api/audit');
    const lines = (await answer.text()).split('\n').filter((line) => line.trim() !== '');
    return lines.map((line) => JSON.parse(line) as AuditEntry);
  }

  folder = (path: string): Promise<FolderView> => this.#json('GET', `api/folders?${query({ path })}`);
  makeFolder = (path: string): Promise<void> => this.#done('POST', 'api/folders', { path });
  moveFile = (from: string, to: string): Promise<void> => this.#done('POST', 'api/files/rename', { from, to });

  /** A file of the workspace. */
  async file(path: string): Promise<FileFound> {
    const answer = await this.#ask('GET', `api/files?${query({ path })}`);
    return { blob: await answer.blob(), etag: answer.headers.get('etag') };
  }

  /** Writes a file in place of the one that was read; without one, as a new one. Gives what to send along the next time. */
  async writeFile(path: string, content: Blob, etag: string | null): Promise<string | null> {
    const answer = await this.#ask('PUT', `api/files?${query({ path })}`, content, { headers: precondition(etag) });
    return answer.headers.get('etag');
  }

  removeFile = (path: string, etag: string | null): Promise<void> =>
    this.#done('DELETE', `api/files?${query({ path })}`, undefined, etag === null ? {} : { headers: precondition(etag) });

  /** A session as a file. */
  async export(id: string, format: 'jsonl' | 'markdown'): Promise<Blob> {
    return (await this.#ask('GET', `${at(id, 'export')}?${query({ format })}`)).blob();
  }

  /** Opens the stream of a session's events. */
  events(id: string, after: string, signal: AbortSignal): Promise<Response> {
    return this.#ask('GET', `${at(id, 'events')}?${query({ after })}`, undefined, { signal });
  }

  /** Opens a socket to a session's events. A browser sets no headers on one, so the token goes as a protocol. */
  socket(id: string, after: string): WebSocket {
    const url = new URL(`${at(id, 'socket')}?${query({ after })}`, this.#base);
    url.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:';
    return new WebSocket(url, ['holm', `holm.bearer.${this.#token}`]);
  }

  async #json<T>(method: Method, path: string, body?: unknown, more: More = {}): Promise<T> {
    return (await (await this.#ask(method, path, body, more)).json()) as T;
  }

  async #done(method: Method, path: string, body?: unknown, more: More = {}): Promise<void> {
    await this.#ask(method, path, body, more);
  }

  async #ask(method: Method, path: string, body?: unknown, more: More = {}): Promise<Response> {
    const headers: Record<string, string> = { authorization: `Bearer ${this.#token}`, ...more.headers };
    if (body !== undefined) headers['content-type'] = body instanceof Blob ? 'application/octet-stream' : 'application/json';
    let answer: Response;
    try {
      answer = await fetch(new URL(path, this.#base), {
        method,
        headers,
        body: body === undefined ? null : body instanceof Blob ? body : JSON.stringify(body),
        signal: more.signal ?? null,
        cache: 'no-store',
        credentials: 'omit',
        redirect: 'error',
        referrerPolicy: 'no-referrer',
      });
    } catch (error) {
      if (error instanceof DOMException && error.name === 'AbortError') throw error;
      throw new ApiError(0, 'unreachable', 'the server does not answer; is it running?');
    }
    if (answer.ok) return answer;
    if (answer.status === 401) this.#unauthorized();
    throw await refusal(answer);
  }
}

async function refusal(answer: Response): Promise<ApiError> {
  const after = Number(answer.headers.get('retry-after') ?? Number.NaN);
  const retry = Number.isFinite(after) ? after : null;
  try {
    const { error } = (await answer.json()) as { error: { code: string; message: string } };
    return new ApiError(answer.status, error.code, error.message, retry);
  } catch {
    return new ApiError(answer.status, 'failed', `the server answered with status ${answer.status}`, retry);
  }
}

function at(id: string, what?: string): string {
  const session = `api/sessions/${encodeURIComponent(id)}`;
  return what === undefined ? session : `${session}/${what}`;
}

function part(kind: string, name: string): string {
  return `api/${kind}/${encodeURIComponent(name)}`;
}

/** What must be there for a write to happen: what was read, or nothing. */
function precondition(etag: string | null): Record<string, string> {
  return etag === null ? { 'if-none-match': '*' } : { 'if-match': etag };
}

function query(values: Record<string, string | null>): string {
  const given = Object.entries(values).filter((entry): entry is [string, string] => entry[1] !== null && entry[1] !== '');
  return new URLSearchParams(given).toString();
}
