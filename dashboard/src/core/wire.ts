// What the server says, as types. Written after the server's own documents (`/api/openapi.json`) and the kernel's events;
// what is not known here is ignored, so that a newer server does not break an older page.

/** Who one is. */
export interface Me {
  user: string;
  role: Role;
  token: number;
  /** The sessions that the token may be used with; none where all. */
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

/** Words that were found. */
export interface Hit {
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

/** Whose a part is. Only one's own can be changed. */
export type Owner = 'holm' | 'user' | 'project';

export interface AgentView {
  name: string;
  description: string;
  owner: Owner;
  model: string | null;
  /** None is all of them. */
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

/** What came of a trial. */
export interface Tried {
  outcome: string;
  said: string;
  millis: number;
}

/** A call that a session made of a tool. */
export interface CallView {
  session: string;
  record: number;
  at: number;
  arguments: string;
  outcome: Outcome | null;
  millis: number;
  bytes: number;
}

export interface Reloaded {
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

export interface BackupView {
  name: string;
  at: number;
  files: number;
  bytes: number;
  /** Files and folders of workspaces that could not be read; an older server does not say. */
  left_out?: number;
}

export interface FolderView {
  path: string;
  entries: { name: string; kind: 'file' | 'folder' | 'other'; bytes: number; modified: number }[];
  cut: boolean;
}

// --- jobs and sites --------------------------------------------------------------------------------------------------

export type When = { cron: { pattern: string; zone: string } } | { once: { at: number } } | 'asked';

/** What a job is to do. What is left out is the careful choice. */
export interface JobSpec {
  when: When;
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

export interface Tally {
  calls: number;
  failed: number;
  tokens: Usage;
  cost: number;
  unpriced: number;
  millis: number;
  bytes: number;
}

export interface UsageView {
  lines: { name: string; tally: Tally }[];
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

export interface MadeToken {
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

/** What a call may use, from a record of the journal on. */
export interface Use {
  record: number;
  call: number;
  tool: string;
  /** Whether somebody is asked, or the call runs with it. */
  step: 'asked' | 'run';
  needs: string[];
  missing: string[];
  /** What an agent holds that the call starts. */
  hands_on: string[];
  reasons: string[];
}

// --- questions -------------------------------------------------------------------------------------------------------

export interface Approval {
  tool: string;
  arguments: string;
  command: string | null;
  /** Whose call it is, where it is not the session's own: the helper, below those that asked for it. */
  helper?: string | null;
  level: string;
  needs: string[];
  missing: string[];
  /** What of that can never be granted. */
  never_granted: string[];
  /** The grants that a sub-agent would hold; empty for other tools. */
  hands_on: string[];
  /** Whether untrusted or private content has entered the run. */
  marks: { untrusted: boolean; private: boolean };
  reasons: string[];
  /** What an answer for the session would cover, in words; none where no answer lasts. */
  always: string | null;
  prefix: string | null;
  digest: string;
}

export interface WordsWanted {
  text: string;
  choices: string[];
}

export interface FormWanted {
  server: string;
  message: string;
  schema: unknown;
  url: string | null;
}

export type Question = { approval: Approval } | { words: WordsWanted } | { form: FormWanted };

export interface Posed {
  id: number;
  question: Question;
}

export type Answer =
  | 'once'
  | 'session'
  | 'prefix'
  | 'never'
  | 'decline'
  | { no: { reason: string } }
  | { words: string }
  | { form: Record<string, unknown> };

// --- what a run says -------------------------------------------------------------------------------------------------

export interface Usage {
  input?: number;
  output?: number;
  cached?: number;
  cache_write?: number;
  reasoning?: number;
  /** Tokens that no provider reported. */
  estimated?: number;
}

export interface EventId {
  record: number;
  index: number;
}

export interface Numbered {
  id: EventId;
  at: number;
  event: KernelEvent;
}

export type Outcome = 'succeeded' | 'failed' | 'refused' | 'unknown' | 'stopped';

export type Source = { base64: string } | { url: string } | { reference: string };

export interface Media {
  media_type: string;
  source: Source;
  name?: string;
}

export type Block =
  | { text: string }
  | { thinking: { text?: string } }
  | { tool_call: { id: string; name: string; arguments: string } }
  | { tool_result: { call: string; tool: string; text: string; outcome?: Outcome; parts?: Block[] } }
  | { image: Media }
  | { file: Media }
  | { custom: { kind: string; payload: unknown } };

export type MessageRole = 'system' | 'user' | 'assistant' | 'tool' | 'custom';

export interface Message {
  id: number;
  role: MessageRole;
  blocks: Block[];
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

/** Each event's name and what comes with it. */
export interface Events {
  run_started: { name: string };
  run_resumed: { host: string };
  group_started: { group: number };
  message_added: { message: Message };
  queued: { queue: 'steering' | 'follow_up'; waiting: number };
  narrowed: { mark_rule: string };
  queue_dropped: { queue: 'steering' | 'follow_up'; prompts: { blocks: Block[] }[] };
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

export type EventName = keyof Events;

/** An event as it is written: `{name: content}`, or the bare name where there is no content (`grants_changed`). */
export type KernelEvent = { [Name in EventName]: { [Key in Name]: Events[Name] } }[EventName] | string;

/** An event's name and content, so that code can branch on the name. */
export type Told = { [Name in EventName]: { name: Name; is: Events[Name] } }[EventName];

/** Takes an event apart; none for one that this page does not know. */
export function told(event: KernelEvent): Told | null {
  if (typeof event === 'string') return null;
  const [entry] = Object.entries(event);
  return entry === undefined ? null : ({ name: entry[0], is: entry[1] } as Told);
}

/** The event's name, whether it is known or not. */
export function nameOf(event: KernelEvent): string {
  return typeof event === 'string' ? event : (Object.keys(event)[0] ?? '');
}

// --- frames ----------------------------------------------------------------------------------------------------------

export type DeltaKind = 'text' | 'thinking' | 'tool_call' | 'tool_arguments';

export interface Delta {
  call: number;
  kind: DeltaKind;
  index?: number;
  offset: number;
  text: string;
}

export interface Progress {
  call: number;
  text: string;
  done: number | null;
  total: number | null;
}

/** One piece of what there is to see. `id` is the place after it; `began` is this page's own: a connection was opened. */
export type Frame =
  | { type: 'event'; id: string; data: Numbered }
  | { type: 'delta'; id: string; data: Delta }
  | { type: 'progress'; id: string; data: Progress }
  | { type: 'question'; id: string; data: Posed }
  | { type: 'question_settled'; id: string; data: { id: number } }
  | { type: 'note'; id: string; data: { text: string } }
  | { type: 'lagged'; id: string; data: object }
  | { type: 'closed'; id: string; data: object }
  | { type: 'began'; id: string; data: object };
