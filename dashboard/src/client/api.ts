// The client of the server's API, one method per route. It sends tokens only in headers, never in URLs.

import type {
  AgentCard, AgentView, Answer, AuditEntry, BackupView, CallView, EvaluationComparison, EvaluationList, EvaluationView, FolderLevel, FolderTrustView, FolderView, Health, SearchHit, JobList, JobRun, JobSpec, JobView, CreatedToken, CurrentUser,
  ModelCard, NewSession, NewSite, NumberedEvent, OpenQuestion, ToolReload, Role, ServerTest, ServerView, Session, SessionPage, SettingsView,
  SiteView, SkillCard, SkillView, TokenView, ToolCard, ToolView, ToolTrial, UsageBy, UsageView, GrantUse,
} from '../core/wire.ts';
import { reportStatus } from './outage.ts';

/** A request failed, or the server refused it. */
export class ApiError extends Error {
  readonly status: number;
  readonly code: string;
  /** The number of seconds after which the client may retry. */
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

interface RequestOptions {
  signal?: AbortSignal;
  headers?: Record<string, string>;
}

/** A file of the workspace, and the version to send when changing it. */
export interface WorkspaceFile {
  blob: Blob;
  etag: string | null;
}

/** The server's API for one token. */
export class Api {
  readonly #base: URL;
  readonly #token: string;
  readonly #unauthorized: () => void;

  /** `base` is the folder that the page was loaded from. The client calls `unauthorized` when the token is no longer valid. */
  constructor(base: URL, token: string, unauthorized: () => void = () => undefined) {
    this.#base = base;
    this.#token = token;
    this.#unauthorized = unauthorized;
  }

  me = (): Promise<CurrentUser> => this.#json('GET', 'api/me');
  health = (): Promise<Health> => this.#json('GET', 'health');
  agents = (): Promise<AgentCard[]> => this.#json('GET', 'api/agents');
  tools = (): Promise<ToolCard[]> => this.#json('GET', 'api/tools');
  skills = (): Promise<SkillCard[]> => this.#json('GET', 'api/skills');
  models = (): Promise<ModelCard[]> => this.#json('GET', 'api/models');
  backups = (): Promise<BackupView[]> => this.#json('GET', 'api/backups');
  backUp = (name: string): Promise<BackupView> => this.#json('POST', 'api/backups', { name });
  evaluations = (): Promise<EvaluationList> => this.#json('GET', 'api/evaluations');
  evaluation = (name: string): Promise<EvaluationView> => this.#json('GET', itemPath('evaluations', name));
  compareEvaluations = (first: string, second: string): Promise<EvaluationComparison> =>
    this.#json('GET', `api/compare-evaluations?${query({ first, second })}`);
  /** The events of the session of an attempt. */
  attemptReplay = (evaluation: string, session: string): Promise<NumberedEvent[]> =>
    this.#json('GET', `${itemPath('evaluations', evaluation)}/sessions/${encodeURIComponent(session)}/replay`);
  attemptUses = (evaluation: string, session: string): Promise<GrantUse[]> =>
    this.#json('GET', `${itemPath('evaluations', evaluation)}/sessions/${encodeURIComponent(session)}/grants`);
  settings = (): Promise<SettingsView> => this.#json('GET', 'api/settings');
  folderTrust = (): Promise<FolderTrustView> => this.#json('GET', 'api/trust');
  setFolderLevel = (level: FolderLevel): Promise<FolderTrustView> => this.#json('PUT', 'api/trust', { level });

  agent = (name: string): Promise<AgentView> => this.#json('GET', itemPath('agents', name));
  checkAgent = (text: string): Promise<AgentView> => this.#json('POST', 'api/check-agent', { text });
  /** Replaces the version that was read; without an etag, creates a new agent. */
  saveAgent = (name: string, text: string, etag: string | null): Promise<AgentView> =>
    this.#json('PUT', itemPath('agents', name), { text }, { headers: precondition(etag) });
  removeAgent = (name: string): Promise<void> => this.#done('DELETE', itemPath('agents', name));

  tool = (name: string): Promise<ToolView> => this.#json('GET', itemPath('tools', name));
  tryTool = (name: string, given: Record<string, unknown>, grants: string[]): Promise<ToolTrial> =>
    this.#json('POST', `${itemPath('tools', name)}/try`, { arguments: given, grants });
  calls = (name: string): Promise<CallView[]> => this.#json('GET', `${itemPath('tools', name)}/calls`);
  reloadTools = (): Promise<ToolReload> => this.#json('POST', 'api/reload-tools');
  skill = (name: string): Promise<SkillView> => this.#json('GET', itemPath('skills', name));

  servers = (): Promise<ServerView[]> => this.#json('GET', 'api/mcp-servers');
  addServer = (name: string, entry: object): Promise<void> => this.#done('POST', 'api/mcp-servers', { name, entry });
  testServer = (name: string): Promise<ServerTest> => this.#json('POST', `${itemPath('mcp-servers', name)}/test`);
  removeServer = (name: string): Promise<void> => this.#done('DELETE', itemPath('mcp-servers', name));

  jobs = (): Promise<JobList> => this.#json('GET', 'api/jobs');
  createJob = (id: string, spec: JobSpec): Promise<{ job: JobView; key: string }> => this.#json('POST', 'api/jobs', { id, spec });
  changeJob = (id: string, spec: JobSpec): Promise<JobView> => this.#json('POST', `${itemPath('jobs', id)}/spec`, spec);
  switchJob = (id: string, to: 'enable' | 'disable'): Promise<JobView> => this.#json('POST', `${itemPath('jobs', id)}/${to}`);
  runJob = (id: string): Promise<{ run: string }> => this.#json('POST', `${itemPath('jobs', id)}/run`);
  stopJob = (id: string): Promise<void> => this.#done('POST', `${itemPath('jobs', id)}/stop`);
  removeJob = (id: string): Promise<void> => this.#done('DELETE', itemPath('jobs', id));
  jobRuns = (id: string): Promise<JobRun[]> => this.#json('GET', `${itemPath('jobs', id)}/runs`);

  sites = (): Promise<SiteView[]> => this.#json('GET', 'api/sites');
  publish = (site: NewSite): Promise<SiteView> => this.#json('POST', 'api/sites', site);
  unpublish = (name: string): Promise<void> => this.#done('DELETE', itemPath('sites', name));

  removeKey = (provider: string): Promise<void> => this.#done('DELETE', itemPath('keys', provider));
  keys = (): Promise<string[]> => this.#json('GET', 'api/keys');
  saveKey = (provider: string, key: string): Promise<void> => this.#done('POST', 'api/keys', { provider, key });

  sessions = (after: string | null, limit = 50): Promise<SessionPage> =>
    this.#json('GET', `api/sessions?${query({ after, limit: String(limit) })}`);
  session = (id: string): Promise<Session> => this.#json('GET', sessionPath(id));
  createSession = (session: NewSession): Promise<Session> => this.#json('POST', 'api/sessions', session);
  rename = (id: string, title: string | null): Promise<Session> => this.#json('POST', sessionPath(id, 'title'), { title });
  fork = (id: string, record: number): Promise<Session> => this.#json('POST', sessionPath(id, 'fork'), { at: record });
  erase = (id: string): Promise<void> => this.#done('DELETE', sessionPath(id));
  replay = (id: string): Promise<NumberedEvent[]> => this.#json('GET', sessionPath(id, 'replay'));
  /** The needs, approvals and grants of each call of a session. */
  uses = (id: string): Promise<GrantUse[]> => this.#json('GET', sessionPath(id, 'grants'));
  search = (text: string): Promise<SearchHit[]> => this.#json('GET', `api/search?${query({ q: text })}`);

  prompt = (id: string, text: string): Promise<void> => this.#done('POST', sessionPath(id, 'prompt'), { text });
  steer = (id: string, text: string): Promise<void> => this.#done('POST', sessionPath(id, 'steer'), { text });
  followUp = (id: string, text: string): Promise<void> => this.#done('POST', sessionPath(id, 'follow-up'), { text });
  cancel = (id: string, reason?: string): Promise<void> => this.#done('POST', sessionPath(id, 'cancel'), { reason });
  questions = (id: string): Promise<OpenQuestion[]> => this.#json('GET', sessionPath(id, 'questions'));
  /** `digest` is that of the approval that the user saw: the server rejects an answer for a call that changed since. */
  answer = (id: string, question: number, answer: Answer, digest: string | null): Promise<void> =>
    this.#done('POST', sessionPath(id, 'questions'), { question, answer, ...(digest === null ? {} : { digest }) });

  usage = (by: UsageBy, session: string | null = null): Promise<UsageView> =>
    this.#json('GET', `api/usage?${query({ by, session })}`);

  tokens = (): Promise<TokenView[]> => this.#json('GET', 'api/tokens');
  issue = (user: string, role: Role, sessions: string[] | null): Promise<CreatedToken> =>
    this.#json('POST', 'api/tokens', { user, role, sessions });
  revoke = (id: number): Promise<void> => this.#done('DELETE', `api/tokens/${id}`);
  budget = (user: string, nanoUsd: number | null): Promise<void> =>
    this.#done('POST', `api/users/${encodeURIComponent(user)}/budget`, { nano_usd: nanoUsd });

  /** The audit log, the latest entry last. */
  async audit(): Promise<AuditEntry[]> {
    const response = await this.#request('GET', 'api/audit');
    const lines = (await response.text()).split('\n').filter((line) => line.trim() !== '');
    return lines.map((line) => JSON.parse(line) as AuditEntry);
  }

  folder = (path: string): Promise<FolderView> => this.#json('GET', `api/folders?${query({ path })}`);
  createFolder = (path: string): Promise<void> => this.#done('POST', 'api/folders', { path });
  moveFile = (from: string, to: string): Promise<void> => this.#done('POST', 'api/files/rename', { from, to });

  /** A file of the workspace. */
  async file(path: string): Promise<WorkspaceFile> {
    const response = await this.#request('GET', `api/files?${query({ path })}`);
    return { blob: await response.blob(), etag: response.headers.get('etag') };
  }

  /** Replaces the version that was read; without an etag, creates a new file. Returns the new etag. */
  async writeFile(path: string, content: Blob, etag: string | null): Promise<string | null> {
    const response = await this.#request('PUT', `api/files?${query({ path })}`, content, { headers: precondition(etag) });
    return response.headers.get('etag');
  }

  removeFile = (path: string, etag: string | null): Promise<void> =>
    this.#done('DELETE', `api/files?${query({ path })}`, undefined, etag === null ? {} : { headers: precondition(etag) });

  /** A session as a file. */
  async export(id: string, format: 'jsonl' | 'markdown'): Promise<Blob> {
    return (await this.#request('GET', `${sessionPath(id, 'export')}?${query({ format })}`)).blob();
  }

  /** Opens the stream of a session's events. */
  events(id: string, after: string, signal: AbortSignal): Promise<Response> {
    return this.#request('GET', `${sessionPath(id, 'events')}?${query({ after })}`, undefined, { signal });
  }

  /** Opens a WebSocket to a session's events. Browsers cannot set its headers, so the token is sent as a subprotocol. */
  socket(id: string, after: string): WebSocket {
    const url = new URL(`${sessionPath(id, 'socket')}?${query({ after })}`, this.#base);
    url.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:';
    return new WebSocket(url, ['holm', `holm.bearer.${this.#token}`]);
  }

  async #json<T>(method: Method, path: string, body?: unknown, options: RequestOptions = {}): Promise<T> {
    return (await (await this.#request(method, path, body, options)).json()) as T;
  }

  async #done(method: Method, path: string, body?: unknown, options: RequestOptions = {}): Promise<void> {
    await this.#request(method, path, body, options);
  }

  async #request(method: Method, path: string, body?: unknown, options: RequestOptions = {}): Promise<Response> {
    const headers: Record<string, string> = { authorization: `Bearer ${this.#token}`, ...options.headers };
    if (body !== undefined) headers['content-type'] = body instanceof Blob ? 'application/octet-stream' : 'application/json';
    let response: Response;
    try {
      response = await fetch(new URL(path, this.#base), {
        method,
        headers,
        body: body === undefined ? null : body instanceof Blob ? body : JSON.stringify(body),
        signal: options.signal ?? null,
        cache: 'no-store',
        credentials: 'omit',
        redirect: 'error',
        referrerPolicy: 'no-referrer',
      });
    } catch (error) {
      if (error instanceof DOMException && error.name === 'AbortError') throw error;
      reportStatus(0);
      throw new ApiError(0, 'unreachable', 'cannot reach the server; check that it is running');
    }
    reportStatus(response.status);
    if (response.ok) return response;
    if (response.status === 401) this.#unauthorized();
    throw await errorOf(response);
  }
}

async function errorOf(response: Response): Promise<ApiError> {
  const after = Number(response.headers.get('retry-after') ?? Number.NaN);
  const retry = Number.isFinite(after) ? after : null;
  try {
    const { error } = (await response.json()) as { error: { code: string; message: string } };
    return new ApiError(response.status, error.code, error.message, retry);
  } catch {
    return new ApiError(response.status, 'failed', `the server answered with status ${response.status}`, retry);
  }
}

function sessionPath(id: string, sub?: string): string {
  const session = `api/sessions/${encodeURIComponent(id)}`;
  return sub === undefined ? session : `${session}/${sub}`;
}

function itemPath(kind: string, name: string): string {
  return `api/${kind}/${encodeURIComponent(name)}`;
}

/** A write succeeds only if the server still has the version that was read, or no version at all. */
function precondition(etag: string | null): Record<string, string> {
  return etag === null ? { 'if-none-match': '*' } : { 'if-match': etag };
}

function query(values: Record<string, string | null>): string {
  const given = Object.entries(values).filter((entry): entry is [string, string] => entry[1] !== null && entry[1] !== '');
  return new URLSearchParams(given).toString();
}
