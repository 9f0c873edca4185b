// The types of the server's API (`/api/openapi.json`) and of the kernel's events. The page ignores unknown values, so that a
// newer server does not break an older page.

/** The logged-in user. */
export interface CurrentUser {
  user: string;
  role: Role;
  token: number;
  /** The sessions that the token is limited to; null means all. */
  sessions: string[] | null;
}

export type Role = 'viewer' | 'operator' | 'admin';

export interface Health {
  status: string;
  version: string;
  sessions: number;
}

export type SessionState = 'closed' | 'idle' | 'waiting' | 'working';

export interface Session {
  id: string;
  title: string;
  tags: string[];
  created: number;
  updated: number;
  records: number;
  model: string;
  state: SessionState;
  ending: Ending | null;
  questions: number;
}

export interface SessionPage {
  sessions: Session[];
  next: string | null;
}

export interface NewSession {
  id?: string;
  agent?: string;
  model?: string;
  prompt?: string;
}

export interface SearchHit {
  run: string;
  seq: number;
  at: number;
  kind: string;
  excerpt: string;
}

export interface AgentCard {
  name: string;
  description: string;
}

export interface ToolCard {
  name: string;
  description: string;
  level: string;
  origin: string;
}

export interface SkillCard {
  name: string;
  description: string;
}

export interface ModelCard {
  name: string;
}

/** The owner of an agent, a skill or a server. Users can change only their own. */
export type Owner = 'holm' | 'user' | 'project';

export interface AgentView {
  name: string;
  description: string;
  owner: Owner;
  model: string | null;
  /** Null means all tools. */
  tools: string[] | null;
  grants: string[];
  mode: string | null;
  limits: {
    turns: number | null;
    tokens: number | null;
    time_ms: number | null;
    spend_nano_usd: number | null;
    depth: number | null;
  };
  manages: string[];
  prompt: string;
  text: string | null;
  etag: string | null;
  remarks: string[];
}

export interface ToolView extends ToolCard {
  needs: string[];
  schema: unknown;
  keywords: string[];
  timeout_ms: number | null;
  limits: string[];
  problems: string[];
}

/** The result of trying a tool. */
export interface ToolTrial {
  outcome: string;
  said: string;
  millis: number;
}

/** One call of a tool by a session. */
export interface CallView {
  session: string;
  record: number;
  at: number;
  arguments: string;
  outcome: Outcome | null;
  millis: number;
  bytes: number;
}

export interface ToolReload {
  tools: number;
  problems: string[];
}

export interface SkillView extends SkillCard {
  when_to_use: string | null;
  owner: Owner;
  args: string[];
  text: string;
}

export type ServerState = 'ready' | 'silent' | 'untrusted' | 'flawed';

export interface ServerView {
  name: string;
  state: ServerState;
  owner: Owner;
  tools: string[];
  problems: string[];
}

export interface ServerTest {
  version: string;
  tools: ToolCard[];
  changed: string[];
  problems: string[];
}

export interface SettingsView {
  server: Record<string, string | number | boolean | string[]>;
  agents: { key: string; value: unknown; origin: string }[];
}

/** What agents may do in a folder without asking. */
export type FolderLevel = 'ask' | 'look' | 'edit' | 'jail';

export interface FolderTrustView {
  folder: string;
  /** Null if no level was chosen. */
  level: FolderLevel | null;
  /** The folder that the level was chosen for: this one, or one above it. */
  chosen_for: string | null;
  /** What applies to new sessions. */
  meaning: string;
  levels: { level: FolderLevel; meaning: string }[];
}

export interface BackupView {
  name: string;
  at: number;
  files: number;
  bytes: number;
  /** The number of workspace files and folders that could not be read; missing on older servers. */
  left_out?: number;
}

export interface FolderView {
  path: string;
  entries: { name: string; kind: 'file' | 'folder' | 'other'; bytes: number; modified: number }[];
  cut: boolean;
}

// --- evaluations -----------------------------------------------------------------------------------------------------

export interface EvaluationSummary {
  name: string;
  updated: number;
  models: string[];
  cases: number;
  attempts: number;
  passed: number;
  /** The interval of 95 % confidence of the pass rate. */
  low: number;
  high: number;
  cost_nano_usd: number;
  /** Why its results cannot be read. */
  problem: string | null;
}

export interface EvaluationList {
  evaluations: EvaluationSummary[];
  left_out: number;
}

export type AttemptVerdict = 'passed' | 'changed' | 'failed' | 'error';

export interface TurnDifference {
  /** The turn, from 1; 0 stands for the start of the session. */
  turn: number;
  kind: string;
  what: string;
  fails: boolean;
}

export interface EvaluationAttempt {
  case: string;
  model: string;
  attempt: number;
  verdict: AttemptVerdict;
  failures: { check: string; why: string }[];
  differences: TurnDifference[];
  applies_until: number | null;
  session: string | null;
  turns: number;
  tokens: number;
  cost_nano_usd: number;
  seconds: number;
}

export interface EvaluationView {
  summary: EvaluationSummary;
  attempts: EvaluationAttempt[];
  left_out: number;
}

export interface PassRate {
  passed: number;
  attempts: number;
  interval: [low: number, high: number];
}

export interface AttemptMeans {
  cost_usd: number;
  tokens: number;
  turns: number;
  seconds: number;
}

export interface EvaluationComparison {
  first: string;
  second: string;
  is_worse: boolean;
  comparison: {
    rates: [PassRate, PassRate];
    means: [AttemptMeans, AttemptMeans];
    paired: { pairs: number; lost: number; won: number; difference: number; interval: [low: number, high: number] };
    broken: string[];
    /** The cases that changed between the two evaluations. */
    changed: string[];
    /** The attempts that passed before and not now, as `case (number)`, by the first call that differs. */
    lost_by_call: Record<string, string[]>;
  };
}

// --- jobs and sites --------------------------------------------------------------------------------------------------

export type JobTrigger = { cron: { pattern: string; zone: string } } | { once: { at: number } } | 'asked';

export interface JobSpec {
  when: JobTrigger;
  prompt: string;
  about: string;
  agent: string | null;
  model: string | null;
  timeout_s: number;
  budget: number | null;
  overlap: 'skip' | 'queue' | 'replace';
  misfire: 'skip' | 'once' | { all: { most: number } };
  retry: { most: number; first_s: number };
  approval: 'deny' | 'park' | 'notify';
  per_hour: number;
  off_after: number;
  notify: string | null;
  hook: 'closed' | 'open';
}

export interface JobView {
  id: string;
  spec: JobSpec;
  switch: 'on' | { off: { at: number; why: 'person' | 'failing' } };
  made: number;
  next: number | null;
  failures: number;
  skipped: number;
  last_skip: { due: number; why: string; count: number } | null;
  untold: string | null;
  /** Missing on older servers. */
  status?: 'on' | 'off' | 'done';
  /** Where signed messages start the job, and a command that sends one; missing on older servers. */
  webhook?: { url: string; command: string } | null;
}

export interface JobList {
  jobs: JobView[];
  broken: { id: string; reason: string }[];
}

export type JobOutcome =
  | { answered: { text: string } }
  | { failed: { reason: string } }
  | { refused: { reason: string } }
  | { stopped: { why: string } }
  | 'timed_out'
  | 'lost';

export interface JobRun {
  slot: string;
  due: number;
  cause: 'schedule' | 'person' | 'hook';
  phase:
    | { waiting: { not_before: number } }
    | { working: { since: number; held_ms: number; asked: number | null } }
    | { ended: { at: number; outcome: JobOutcome } };
  tries: { session: string; began: number; ended: number | null; outcome: JobOutcome | null; spent: number }[];
}

export type SitePlace = { listen: string } | { host: string };

export interface SiteView {
  name: string;
  user: string;
  folder: string;
  place: SitePlace;
  address: string | null;
  locked: boolean;
}

export interface NewSite {
  name: string;
  folder: string;
  place: SitePlace;
  password: string | null;
}

export type UsageBy = 'model' | 'session' | 'tool' | 'day' | 'agent';

export interface UsageTally {
  calls: number;
  failed: number;
  tokens: Usage;
  cost: number;
  unpriced: number;
  millis: number;
  bytes: number;
  breaks: CacheBreaks;
}

/** How often a provider's prompt cache did not serve a call as far as it could, by cause. */
export interface CacheBreaks {
  model: number;
  compaction: number;
  mode: number;
  tools: number;
  expiry: number;
  eviction: number;
  /** Tokens that were read again. */
  tokens: number;
}

export interface UsageView {
  lines: { name: string; tally: UsageTally }[];
  spent_nano_usd: number;
  unpriced: number;
  estimated_tokens: number;
  budget_nano_usd: number | null;
}

export interface TokenView {
  id: number;
  user: string;
  role: Role;
  sessions: string[] | null;
}

export interface CreatedToken {
  token: string;
  card: TokenView;
}

export interface AuditEntry {
  at: number;
  user: string | null;
  token: number | null;
  from: string;
  method: string;
  path: string;
  status: number;
}

/** The grants of a call as of a record of the journal. */
export interface GrantUse {
  record: number;
  call: number;
  tool: string;
  /** Whether the call needs approval or runs. */
  step: 'asked' | 'run';
  needs: string[];
  missing: string[];
  /** The grants of the helper that the call starts. */
  hands_on: string[];
  reasons: string[];
}

// --- questions -------------------------------------------------------------------------------------------------------

export interface Approval {
  /** The number of the call in the session; missing on older servers. */
  call?: number;
  tool: string;
  arguments: string;
  command: string | null;
  /** What a whole-file write does to the file as it is; missing for other calls and on older servers. */
  change?: 'new' | { replaced: { added: number; removed: number; lines: string[] } } | { uncompared: { size: number } } | null;
  /** The helper whose call it is, below its callers; null for the session's own call. */
  helper?: string | null;
  level: string;
  needs: string[];
  missing: string[];
  /** The needs that can never be granted. */
  never_granted: string[];
  /** The grants that a helper would get; empty for other tools. */
  hands_on: string[];
  /** Whether the run has read untrusted or private content. */
  marks: { untrusted: boolean; private: boolean };
  reasons: string[];
  /** Why the call needs approval, as sentences of the server; missing on older servers. */
  why?: string[];
  /** What an answer for the session would cover, in words; null if no such answer is possible. */
  always: string | null;
  prefix: string | null;
  /** What an answer for the family of the call would cover, in words; missing on older servers. */
  family?: string | null;
  digest: string;
}

export interface TextQuestion {
  text: string;
  choices: string[];
}

export interface FormQuestion {
  server: string;
  message: string;
  schema: unknown;
  url: string | null;
}

export type Question = { approval: Approval } | { words: TextQuestion } | { form: FormQuestion };

export interface OpenQuestion {
  id: number;
  question: Question;
}

export type Answer =
  | 'once'
  | 'session'
  | 'prefix'
  | 'family'
  | 'never'
  | 'decline'
  | { no: { reason: string } }
  | { words: string }
  | { form: Record<string, unknown> };

// --- events of a run -------------------------------------------------------------------------------------------------

export interface Usage {
  input?: number;
  output?: number;
  cached?: number;
  cache_write?: number;
  reasoning?: number;
  /** Tokens that were estimated because the provider did not report them. */
  estimated?: number;
}

export interface EventId {
  record: number;
  index: number;
}

export interface NumberedEvent {
  id: EventId;
  at: number;
  event: KernelEvent;
}

export type Outcome = 'succeeded' | 'failed' | 'refused' | 'unknown' | 'stopped';

export type MediaSource = { base64: string } | { url: string } | { reference: string };

export interface Media {
  media_type: string;
  source: MediaSource;
  name?: string;
}

export type MessageBlock =
  | { text: string }
  | { thinking: { text?: string } }
  | { tool_call: { id: string; name: string; arguments: string } }
  | { tool_result: { call: string; tool: string; text: string; outcome?: Outcome; parts?: MessageBlock[] } }
  | { image: Media }
  | { file: Media }
  | { custom: { kind: string; payload: unknown } };

export type MessageRole = 'system' | 'user' | 'assistant' | 'tool' | 'custom';

export interface Message {
  id: number;
  role: MessageRole;
  blocks: MessageBlock[];
  author?: 'speaker' | 'kernel';
}

export type Ending =
  | { answered: { text: string } }
  | { refused: { reason: string } }
  | { rejected: { what: string; reason: string } }
  | { looping: { tool: string; times: number } }
  | { over_budget: { spent: number; limit: number } }
  | { over_limit: { limit: string; used: number; allowed: number } }
  | { cancelled: { reason: string } }
  | { failed: { class: string; message: string; attempts: number } };

export type NextTry = { retry: { at: number } } | { fallback: { model: string } } | 'compact' | 'give_up';

/** The events by name, with their content. */
export interface EventContents {
  run_started: { name: string };
  run_resumed: { host: string };
  group_started: { group: number };
  message_added: { message: Message };
  queued: { queue: 'steering' | 'follow_up'; waiting: number };
  narrowed: { mark_rule: string };
  queue_dropped: { queue: 'steering' | 'follow_up'; prompts: { blocks: MessageBlock[] }[] };
  model_called: { call: number; turn: number; model: string; messages: number; tokens: number };
  model_replied: { call: number; usage: Usage; cost: number | null; stop: string; model?: string };
  model_failed: { call: number; class: string; message: string; next: NextTry };
  stepped_up: { from: string; to: string; cause: string; reason: string };
  ladder_exhausted: { model: string; cause: string; reason: string };
  withdrawn: { call: number };
  output_cap_raised: { attempt: number; from: number | null; to: number | null };
  call_proposed: { call: number; tool: string; arguments: string; fixes?: string[] };
  approval_asked: { call: number };
  approval_given: { call: number; allowed: boolean; reason?: string };
  call_started: { call: number };
  call_finished: { call: number; id: string; outcome: Outcome; bytes: number; millis: number; metadata?: unknown };
  ruled: { call: number; guard: string; rejected: boolean; reason: string };
  child_started: { call: number; child: string };
  child_finished: { call: number; outcome: Outcome; bytes: number; millis: number };
  loop_seen: { tool: string; times: number };
  marked: { marks: { untrusted: boolean; private: boolean } };
  context_planned: { step: string; before: number; after: number };
  tools_changed: { tools: number };
  tool_flawed: { tool: string; usable: boolean; problems: string[] };
  mode_changed: { mode: string };
  budget_changed: { limit: number | null };
  limit_near: { limit: string; left: number };
  hook_failed: { reason: string };
  ignored: { call: number | null };
  group_ended: { ending: Ending; last: number | null; usage: Usage; spent: number };
}

export type EventName = keyof EventContents;

/** An event in JSON: `{name: content}`, or only the name if it has no content (`grants_changed`). */
export type KernelEvent = { [Name in EventName]: { [Key in Name]: EventContents[Name] } }[EventName] | string;

/** An event's name and content, for a `switch` on the name. */
export type DecodedEvent = { [Name in EventName]: { name: Name; data: EventContents[Name] } }[EventName];

/** The name and content of an event; null for an event without content. */
export function decodeEvent(event: KernelEvent): DecodedEvent | null {
  if (typeof event === 'string') return null;
  const [entry] = Object.entries(event);
  return entry === undefined ? null : ({ name: entry[0], data: entry[1] } as DecodedEvent);
}

/** The name of any event. */
export function nameOf(event: KernelEvent): string {
  return typeof event === 'string' ? event : (Object.keys(event)[0] ?? '');
}

// --- frames ----------------------------------------------------------------------------------------------------------

export type DeltaKind = 'text' | 'thinking' | 'tool_call' | 'tool_arguments';

export interface ReplyDelta {
  call: number;
  kind: DeltaKind;
  index?: number;
  offset: number;
  text: string;
}

export interface CallProgress {
  call: number;
  text: string;
  done: number | null;
  total: number | null;
}

/** One message of a connection. `id` is the cursor after it. `began` comes from the page itself: a connection opened. */
export type Frame =
  | { type: 'event'; id: string; data: NumberedEvent }
  | { type: 'delta'; id: string; data: ReplyDelta }
  | { type: 'progress'; id: string; data: CallProgress }
  | { type: 'question'; id: string; data: OpenQuestion }
  | { type: 'question_settled'; id: string; data: { id: number } }
  | { type: 'note'; id: string; data: { text: string } }
  | { type: 'lagged'; id: string; data: object }
  | { type: 'closed'; id: string; data: object }
  | { type: 'connected'; id: string; data: object };
