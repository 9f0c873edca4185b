// The types of the server's API. Written by `scripts/make-client-types`; do not edit.

/** The limits of an agent. Values that are not set have the defaults. */
export interface AgentBounds {
  /** Maximum depth of nested helpers. */
  depth?: number | null;
  /** Maximum cost per run, in billionths of a US dollar. */
  spend_nano_usd?: number | null;
  /** Maximum time per task, in milliseconds. */
  time_ms?: number | null;
  /** Maximum number of tokens per run. */
  tokens?: number | null;
  /** Maximum number of model turns per task. */
  turns?: number | null;
}

/** An agent that can be started. */
export interface AgentCard {
  description: string;
  /** Its name, also as a model of `/v1`. */
  name: string;
}

/** The text of an agent file. */
export interface AgentText {
  /** A head between two `---` lines (name, description, model, tools, grants, mode, limits), then the prompt. */
  text: string;
}

/** An agent with all details. */
export interface AgentView {
  description: string;
  /** The value to send as `if-match` to change it; not set if it cannot be changed here. */
  etag?: string | null;
  /** The grants it runs with, such as `read:src/**`. */
  grants: string[];
  limits: AgentBounds;
  /** The agents that it manages. */
  manages: string[];
  /** Its permission mode; the caller's if not set. */
  mode?: string | null;
  /** Its model; the caller's if not set. */
  model?: string | null;
  name: string;
  /** Its owner. Only the user's own agents can be changed here. */
  owner: Owner;
  /** The system prompt that its model gets. */
  prompt: string;
  /** Remarks for its author. */
  remarks: string[];
  /** The text of its file; not set if it has no file. */
  text?: string | null;
  /** Its tools; all tools if not set. */
  tools?: string[] | null;
}

/** For an approval: deny the call, with a reason. */
export interface AnsweredNoContent {
  /** The reason, which the model sees. */
  reason?: string;
}

/** For an approval: deny the call, with a reason. */
export interface AnsweredNo {
  /** For an approval: deny the call, with a reason. */
  no: AnsweredNoContent;
}

/** For the model: this text. */
export interface AnsweredWords {
  /** For the model: this text. */
  words: string;
}

/** For a server: these values; empty for a page. */
export interface AnsweredForm {
  /** For a server: these values; empty for a page. */
  form: Record<string, unknown>;
}

/** An answer to a question. */
export type Answered = 'once' | 'session' | 'prefix' | 'family' | AnsweredNo | 'never' | AnsweredWords | AnsweredForm | 'decline';

/** What to do if a call needs approval. */
export type Approval = 'deny' | 'park' | 'notify';

/** A backup of all data. */
export interface BackupView {
  /** When it was created, in milliseconds since 1970. */
  at: number;
  bytes: number;
  /** How many files it contains. */
  files: number;
  /** Number of workspace files and folders that could not be read and are not in the backup. */
  left_out: number;
  name: string;
}

/** A job that cannot be read. */
export interface BrokenView {
  id: string;
  /** Why it cannot be read. */
  reason: string;
}

/** A call of a tool. */
export interface CallView {
  /** Its arguments, as JSON. */
  arguments: string;
  /** When it happened, in milliseconds since 1970. */
  at: number;
  /** Size of its output, in bytes. */
  bytes: number;
  /** How long it took, in milliseconds. */
  millis: number;
  /** Its outcome; not set if it has not ended. */
  outcome?: string | null;
  /** The journal record where the call ended, or where it was proposed if it has not ended. */
  record: number;
  /** The session of the call. */
  session: string;
}

/** What started a run. */
export type Cause = 'schedule' | 'person' | 'hook';

/** Whether signed messages may start a job. */
export type Door = 'closed' | 'open';

/** An attempt at a case. */
export interface EvaluationAttempt {
  /** The first turn for which the recording no longer applies; not set if it applies to the end. */
  applies_until?: number | null;
  /** The number of the attempt, from 1. */
  attempt: number;
  case: string;
  /** Its cost in billionths of a US dollar, as far as prices are known. */
  cost_nano_usd: number;
  /** The differences from the recording, by turn. */
  differences: TurnDifference[];
  /** The checks that failed. */
  failures: FailedCheck[];
  /** The model, or `replay`. */
  model: string;
  /** How long it took, in seconds. */
  seconds: number;
  /** The session of the attempt; not set if it has none. */
  session?: string | null;
  /** Input and output tokens together. */
  tokens: number;
  turns: number;
  /** The verdict: `passed`, `changed`, `failed` or `error`. `changed` has passed too. */
  verdict: string;
}

/** A comparison of two evaluations. */
export interface EvaluationComparison {
  /** The comparison, as `holm eval compare --json` prints it. */
  comparison: Record<string, unknown>;
  first: string;
  /** Whether the second evaluation is worse, as for `holm eval compare --gate`. */
  is_worse: boolean;
  second: string;
}

/** The evaluations on this machine. */
export interface EvaluationList {
  /** The evaluations, latest first. */
  evaluations: EvaluationSummary[];
  /** Number of older evaluations that are not listed. */
  left_out: number;
}

/** An evaluation, without its attempts. */
export interface EvaluationSummary {
  /** How many attempts were made. */
  attempts: number;
  /** How many cases it has. */
  cases: number;
  /** Cost of all attempts in billionths of a US dollar, as far as prices are known. */
  cost_nano_usd: number;
  /** Upper end of that interval. */
  high: number;
  /** Lower end of the interval of 95 % confidence of the pass rate. */
  low: number;
  /** The models that answered; `replay` stands for recorded replies. */
  models: string[];
  name: string;
  /** Number of attempts that passed. */
  passed: number;
  /** Why its results cannot be read; not set if they can. */
  problem?: string | null;
  /** When its last result was written, in milliseconds since 1970; 0 if it cannot be read. */
  updated: number;
}

/** An evaluation with its attempts. */
export interface EvaluationView {
  /** The attempts, by case, model and number. */
  attempts: EvaluationAttempt[];
  /** Number of attempts that are not shown, because there are too many. */
  left_out: number;
  summary: EvaluationSummary;
}

/** A check that failed. */
export interface FailedCheck {
  /** What the check looked at. */
  check: string;
  /** Why the check failed. */
  why: string;
}

/** What agents may do in a folder without asking. */
export type FolderLevel = 'ask' | 'look' | 'edit' | 'jail';

/** A level, and what it means. */
export interface FolderLevelCard {
  level: FolderLevel;
  /** What it means, for people. */
  meaning: string;
}

/** What agents may do in the folder of the server without asking. */
export interface FolderTrustView {
  /** The folder that the level was chosen for: this one, or one above it. */
  chosen_for?: string | null;
  /** The folder in which the server was started. */
  folder: string;
  level?: FolderLevel | null;
  /** All levels, from the one that allows least to the one that allows most. */
  levels: FolderLevelCard[];
  /** What applies to new sessions in the folder, for people. */
  meaning: string;
}

/** The contents of a folder. */
export interface FolderView {
  /** Whether there are more entries. */
  cut: boolean;
  /** Its entries, sorted by name, without those that are hidden from tools. */
  entries: ItemView[];
  /** Its path, relative to the workspace. */
  path: string;
}

/** Where to fork a session. */
export interface ForkAt {
  /** The last record that both sessions share. */
  at: number;
  /** The name of the new session; generated if not set. */
  id?: string | null;
}

/** The state of the server. */
export interface Health {
  /** Number of open sessions. */
  sessions: number;
  /** `ok` as long as the server answers. */
  status: string;
  /** The version of Holm. */
  version: string;
}

/** The session that accepted a request. */
export interface Heard {
  /** The name of the session. */
  session: string;
  /** The state of the session after the request. */
  state: string;
}

/** The result of a message. */
export interface HookHeard {
  /** Whether this message started the run; false if an earlier copy of it did. */
  new: boolean;
  /** The run that the message started. */
  run: string;
}

/** An entry of a folder. */
export interface ItemView {
  /** Its size in bytes; 0 if it is not a file. */
  bytes: number;
  kind: KindView;
  /** When it was last written, in milliseconds since 1970. */
  modified: number;
  name: string;
}

/** The jobs, with those that cannot be read. */
export interface JobList {
  /** The jobs that cannot be read. */
  broken: BrokenView[];
  /** The jobs, sorted by name. */
  jobs: JobView[];
}

/** Whether a job still runs. */
export type JobStatus = 'on' | 'off' | 'done';

/** A job with its state. */
export interface JobView {
  /** Number of failed runs in a row. */
  failures: number;
  id: string;
  last_skip?: Skip | null;
  /** When it was created, in milliseconds since 1970. */
  made: number;
  /** When it is due next; not set if it is disabled or never due again. */
  next?: number | null;
  /** Total number of skipped times. */
  skipped: number;
  spec: Spec;
  /** Whether it is on, off, or has nothing left to do. */
  status: JobStatus;
  /** Whether it is enabled. */
  switch: Switch;
  /** Why the last message about it was not delivered. */
  untold?: string | null;
  webhook?: WebhookView | null;
}

/** The kind of an entry. */
export type KindView = 'file' | 'folder' | 'other';

/** A newly created job. */
export interface MadeJob {
  job: JobView;
  /** The key that signs its messages. It is shown only once. */
  key: string;
}

/** The new key of a job. */
export interface MadeKey {
  /** The key. It is shown only once. */
  key: string;
  /** How many seconds the old key stays valid. */
  old_for_s: number;
}

/** A newly created token. */
export interface MadeToken {
  /** Information about the token. */
  card: TokenView;
  /** The token. It is shown only once. */
  token: string;
}

/** The user of a token. */
export interface Me {
  /** What the token allows. */
  role: Role;
  /** The sessions that the token can be used with; all sessions of the user if not set. */
  sessions?: string[] | null;
  /** The number of the token, as in `/api/tokens`. */
  token: number;
  user: string;
}

/** Run each of them, up to a limit; the latest ones are chosen. */
export interface MisfireAllContent {
  /** The largest number of missed runs that run later. */
  most: number;
}

/** Run each of them, up to a limit; the latest ones are chosen. */
export interface MisfireAll {
  /** Run each of them, up to a limit; the latest ones are chosen. */
  all: MisfireAllContent;
}

/** What to do about runs missed while no server could run them. */
export type Misfire = 'skip' | 'once' | MisfireAll;

/** A model that can be requested. */
export interface ModelCard {
  name: string;
}

/** An agent, in the format of OpenAI's model list. */
export interface ModelEntry {
  /** Always 0, because the time is unknown. */
  created: number;
  /** The agent's name, to send as `model`. */
  id: string;
  /** Always `model`, as clients expect. */
  object: string;
  /** Always `holm`, as clients expect. */
  owned_by: string;
}

/** The agents, in the format of OpenAI's model list. */
export interface Models {
  data: ModelEntry[];
  /** Always `list`, as clients expect. */
  object: string;
}

/** A file or folder to rename. */
export interface Move {
  /** The current path, relative to the workspace. */
  from: string;
  /** The new path, which must not exist yet. */
  to: string;
}

/** A backup to create. */
export interface NewBackup {
  /** Its name, which must be new. */
  name: string;
}

/** The budget of all sessions of a user together. */
export interface NewBudget {
  /** The budget in billionths of a US dollar; unlimited if not set. */
  nano_usd?: number | null;
}

/** A folder to create. */
export interface NewFolder {
  /** Its path, relative to the workspace. The parent folder must exist. */
  path: string;
}

/** A level to choose for the folder of the server. */
export interface NewFolderLevel {
  level: FolderLevel;
}

/** A job to create. */
export interface NewJob {
  id: string;
  spec: Spec;
}

/** A request for a new key of a job. */
export interface NewKey {
  /** How many seconds the old key stays valid; one day by default. */
  old_for_s?: number | null;
}

/** An MCP server to add. */
export interface NewServer {
  /** How to reach it, in the format of `mcpServers`: `{"command", "args", "env"}` or `{"url", "headers"}`, with `grants` and `network`. It is never returned. */
  entry: Record<string, unknown>;
  /** Its name; the names of its tools start with it. */
  name: string;
}

/** A session to create. */
export interface NewSession {
  /** The agent; the default one if not set. */
  agent?: string | null;
  /** Its name; generated if not set. */
  id?: string | null;
  /** The model; the agent's own if not set. */
  model?: string | null;
  /** A prompt to run at once. */
  prompt?: string | null;
}

/** A folder to publish. */
export interface NewSite {
  /** The folder, relative to your workspace. */
  folder: string;
  name: string;
  /** The password for visitors; if not set, everyone who can reach the site can see it. */
  password?: string | null;
  /** Where to publish it: `{"listen": "127.0.0.1:8080"}` or `{"host": "docs.localhost"}`. */
  place: SitePlace;
}

/** A token to create. */
export interface NewToken {
  /** What the token allows. */
  role: Role;
  /** The sessions that the token can be used with; all sessions of the user if not set. */
  sessions?: string[] | null;
  /** The user; a new name creates a new user. */
  user: string;
}

/** Why a job was disabled. */
export type OffReason = 'person' | 'failing';

export interface OutcomeAnsweredContent {
  /** The beginning of the answer. */
  text: string;
}

export interface OutcomeAnswered {
  answered: OutcomeAnsweredContent;
}

/** It failed, but another attempt may succeed. */
export interface OutcomeFailedContent {
  reason: string;
}

/** It failed, but another attempt may succeed. */
export interface OutcomeFailed {
  /** It failed, but another attempt may succeed. */
  failed: OutcomeFailedContent;
}

/** It failed, and another attempt would fail too: the model declined, the budget is used up, or the agent does not exist. */
export interface OutcomeRefusedContent {
  reason: string;
}

/** It failed, and another attempt would fail too: the model declined, the budget is used up, or the agent does not exist. */
export interface OutcomeRefused {
  /** It failed, and another attempt would fail too: the model declined, the budget is used up, or the agent does not exist. */
  refused: OutcomeRefusedContent;
}

/** It was stopped before it ended. */
export interface OutcomeStoppedContent {
  /** Why it was stopped. */
  why: Stopped;
}

/** It was stopped before it ended. */
export interface OutcomeStopped {
  /** It was stopped before it ended. */
  stopped: OutcomeStoppedContent;
}

/** The outcome of an attempt. */
export type Outcome = OutcomeAnswered | OutcomeFailed | OutcomeRefused | 'timed_out' | 'lost' | OutcomeStopped;

/** What to do if a job is due while it is still running. */
export type Overlap = 'skip' | 'queue' | 'replace';

/** The owner of an agent, a skill or a server. */
export type Owner = 'holm' | 'user' | 'project';

/** Waiting for its turn or for the next attempt. */
export interface PhaseWaitingContent {
  /** The earliest time at which it can start. */
  not_before: number;
}

/** Waiting for its turn or for the next attempt. */
export interface PhaseWaiting {
  /** Waiting for its turn or for the next attempt. */
  waiting: PhaseWaitingContent;
}

/** An attempt is running. */
export interface PhaseWorkingContent {
  /** When the question that is open now was asked. */
  asked?: number | null;
  /** Milliseconds spent waiting for a user's answer; they do not count towards the timeout. */
  held_ms?: number;
  /** When the attempt started. */
  since: number;
}

/** An attempt is running. */
export interface PhaseWorking {
  /** An attempt is running. */
  working: PhaseWorkingContent;
}

/** The run has ended. */
export interface PhaseEndedContent {
  at: number;
  outcome: Outcome;
}

/** The run has ended. */
export interface PhaseEnded {
  /** The run has ended. */
  ended: PhaseEndedContent;
}

/** The phase of a run. */
export type Phase = PhaseWaiting | PhaseWorking | PhaseEnded;

/** A question with its number. */
export interface Posed {
  /** The number that an answer has to name. */
  id: QuestionId;
  question: Question;
}

/** The answer to a probe. */
export interface ProbeResult {
  /** `ok`, `stopping`, or `no_store` if the sessions cannot be read. */
  status: string;
}

/** The body of every error response. */
export interface Problem {
  error: ProblemDetail;
}

/** An error, for programs and for people. */
export interface ProblemDetail {
  /** A code for programs. */
  code: string;
  /** A message for people. */
  message: string;
}

/** A provider key to store. */
export interface ProviderKey {
  /** The key. It is never returned. */
  key: string;
  /** The name of the provider in the catalogue. */
  provider: string;
}

/** Whether a call may run. */
export interface QuestionApprovalContent {
  /** What the answer `session` would cover, in words; not set if no lasting answer is possible, and `session` is then rejected. */
  always?: string | null;
  /** Its arguments, as canonical JSON with control characters made visible. */
  arguments: string;
  /** The number of the call. The calls of one reply may be asked about in any order. */
  call?: number;
  /** What a whole-file write does to the file as it is: `"new"`, `{"replaced": {"added": …, "removed": …, "lines": […]}}` or `{"uncompared": {"size": …}}`; not set for other calls. */
  change?: Record<string, unknown> | null;
  /** For shells: the command as a user would type it. */
  command?: string | null;
  /** SHA-256 of the tool and its arguments: only the approved call can run. */
  digest: string;
  /** What the answer `family` would cover, in words and as grants; not set if there is no such answer. */
  family?: string | null;
  /** The grants that a sub-agent would hold; empty for other tools. */
  hands_on?: string[];
  /** The helper that makes the call, below the helpers that started it; not set if the session itself makes the call. */
  helper?: string | null;
  /** How much the call can change. */
  level: string;
  /** Whether untrusted or private content has entered the run. */
  marks?: Record<string, unknown>;
  /** The needs that are not granted. */
  missing: string[];
  /** What the call needs. */
  needs: string[];
  /** The needs that can never be granted. */
  never_granted?: string[];
  /** What the answer `prefix` would cover, in words; not set if no prefix is safe to remember. */
  prefix?: string | null;
  /** Why approval is needed. */
  reasons: string[];
  tool: string;
  /** Why approval is needed, as sentences for the user. */
  why?: string[];
}

/** Whether a call may run. */
export interface QuestionApproval {
  /** Whether a call may run. */
  approval: QuestionApprovalContent;
}

/** A question from the model. */
export interface QuestionWordsContent {
  /** Suggested answers; the user may give any other. */
  choices: string[];
  text: string;
}

/** A question from the model. */
export interface QuestionWords {
  /** A question from the model. */
  words: QuestionWordsContent;
}

/** A question from an MCP server. Its text is not trustworthy. */
export interface QuestionFormContent {
  /** The text that the server wrote. */
  message: string;
  /** The fields, as a JSON Schema; not set if the user should visit a page. */
  schema?: Record<string, unknown> | null;
  /** The name of the server. */
  server: string;
  /** The page, which users open themselves. */
  url?: string | null;
}

/** A question from an MCP server. Its text is not trustworthy. */
export interface QuestionForm {
  /** A question from an MCP server. Its text is not trustworthy. */
  form: QuestionFormContent;
}

/** A question for a user. */
export type Question = QuestionApproval | QuestionWords | QuestionForm;

/** Identifies a question within its session. */
export type QuestionId = number;

/** The result of reloading the tools. */
export interface Reloaded {
  /** What cannot be used, and why. */
  problems: string[];
  /** How many tools can be used now. */
  tools: number;
}

/** An answer to a question. */
export interface Reply {
  answer: Answered;
  /** For an approval: the `digest` that was shown. An answer for a different call is rejected. */
  digest?: string | null;
  /** The number of the question. */
  question: QuestionId;
}

/** How often to retry a failed run. The delay doubles each time. */
export interface Retry {
  /** Seconds before the first retry. */
  first_s?: number;
  /** Maximum number of retries. */
  most?: number;
}

/** What a token allows. Each role includes the ones before it. */
export type Role = 'viewer' | 'operator' | 'admin';

/** One run of a job. Each attempt is a session of its own. */
export interface Run {
  cause: Cause;
  /** When it was due. */
  due: number;
  /** The beginning of the message that started it; not part of the list of runs. */
  message?: string | null;
  phase: Phase;
  /** The key of the run: a scheduled time, a user's request, or a message. */
  slot: string;
  /** Its attempts, oldest first. */
  tries?: Try[];
}

/** The settings of the server. */
export interface ServerSettings {
  /** The path prefix of everything served. */
  base: string;
  /** Maximum size of a request body, in bytes. */
  body_bytes: number;
  /** Additional host names that requests may use. */
  hosts: string[];
  /** The address that the server listens on. */
  listen: string;
  /** Additional origins whose pages may send requests. */
  origins: string[];
  /** Maximum number of requests per minute for each token. */
  requests_per_minute: number;
  /** Maximum number of concurrent runs. */
  runs: number;
  /** Maximum number of concurrent runs per user. */
  runs_per_user: number;
  /** Maximum number of open sessions. */
  sessions: number;
  /** Whether the server has its own certificate. */
  tls: boolean;
  /** The version of Holm. */
  version: string;
}

/** The state of an MCP server. */
export type ServerState = 'ready' | 'silent' | 'untrusted' | 'flawed';

/** The result of testing an MCP server. */
export interface ServerTest {
  /** The names of tools that changed since they were confirmed; they are left out. */
  changed: string[];
  /** What is wrong with other tools. */
  problems: string[];
  /** The tools that it offers now. */
  tools: ToolCard[];
  /** The protocol version that it uses. */
  version: string;
}

/** An MCP server, without its command line or address, which may contain secrets. */
export interface ServerView {
  name: string;
  owner: Owner;
  /** Why it cannot be used, or only in part. */
  problems: string[];
  state: ServerState;
  /** The names of its tools. */
  tools: string[];
}

/** A page of the list. */
export interface SessionPage {
  /** The value of `after` for the next page; not set on the last page. */
  next?: string | null;
  /** The sessions, latest first. */
  sessions: SessionView[];
}

/** A session, without its messages. */
export interface SessionView {
  /** When it was created, in milliseconds since 1970. */
  created: number;
  /** How it last ended, if it is open and has ended. */
  ending?: Record<string, unknown> | null;
  id: string;
  /** The model that it started with. */
  model: string;
  /** Number of open questions. */
  questions: number;
  /** Number of records in its journal. */
  records: number;
  /** Its state: `closed`, `idle`, `waiting` or `working`. */
  state: string;
  tags: string[];
  /** The title that a user gave it, or the beginning of its first prompt. */
  title: string;
  /** When its journal was last written. */
  updated: number;
}

/** A setting in effect. */
export interface SettingView {
  /** Its key in `holm.toml`. */
  key: string;
  /** Where it was set. */
  origin: string;
  value: unknown;
}

/** The settings of the server and of agents. */
export interface SettingsView {
  /** The settings in effect for agents, and where each comes from. */
  agents: SettingView[];
  /** The settings of the server. */
  server: ServerSettings;
}

/** At its own address. */
export interface SitePlaceListen {
  /** At its own address. */
  listen: string;
}

/** Under its own host name, at the address that all such sites share. */
export interface SitePlaceHost {
  /** Under its own host name, at the address that all such sites share. */
  host: string;
}

/** Where a site is served. Each place is an origin of its own. */
export type SitePlace = SitePlaceListen | SitePlaceHost;

/** A folder that is published as a site. */
export interface SiteView {
  /** The address where it is served now; not set if it is not served. */
  address?: string | null;
  /** The folder, relative to the workspace. */
  folder: string;
  /** Whether visitors need a password. */
  locked: boolean;
  name: string;
  /** Where it is published. */
  place: SitePlace;
  /** The user whose workspace contains the folder. */
  user: string;
}

/** A skill that an agent can read. */
export interface SkillCard {
  description: string;
  name: string;
}

/** A skill with all details. */
export interface SkillView {
  /** The names of its arguments. */
  args: string[];
  description: string;
  name: string;
  owner: Owner;
  /** The instructions that a model reads. */
  text: string;
  /** When a model should use it. */
  when_to_use?: string | null;
}

/** Scheduled times that were skipped. */
export interface Skip {
  /** How many were skipped. */
  count: number;
  /** The last of them. */
  due: number;
  /** Why they were skipped. */
  why: SkipReason;
}

/** Why a scheduled time was skipped. */
export type SkipReason = 'missed' | 'overlap' | 'full' | 'too_often' | 'backing_off';

/** What a job does, when it runs, and how it is limited. */
export interface Spec {
  /** A description for people. */
  about?: string;
  /** The agent; the default one if not set. */
  agent?: string | null;
  /** What to do if a call needs approval. */
  approval?: Approval;
  /** Maximum cost of each attempt, in billionths of a US dollar. */
  budget?: number | null;
  /** Whether signed messages may start the job. */
  hook?: Door;
  /** What to do about runs missed while no server could run them. */
  misfire?: Misfire;
  /** The model; the agent's own if not set. */
  model?: string | null;
  /** An `https` address to notify about failures and questions. */
  notify?: string | null;
  /** The job is disabled after this many failed runs in a row. */
  off_after?: number;
  /** What to do if the job is due while it is still running. */
  overlap?: Overlap;
  /** Maximum number of starts per hour, including retries. */
  per_hour?: number;
  /** The prompt that each run begins with. */
  prompt: string;
  /** How often to retry. */
  retry?: Retry;
  /** Timeout for each attempt, in seconds; time spent waiting for a user's answer does not count. */
  timeout_s?: number;
  when: When;
}

/** A run that was requested by a user. */
export interface Started {
  /** The key of the run, as in the list of runs. */
  run: string;
}

/** A request to stop a session. */
export interface Stop {
  /** The reason, which the journal records. */
  reason?: string | null;
}

/** Why a run was stopped. */
export type Stopped = 'replaced' | 'off' | 'person';

/** It does not run until a user enables it. */
export interface SwitchOffContent {
  /** When it was disabled. */
  at: number;
  /** Why it was disabled. */
  why: OffReason;
}

/** It does not run until a user enables it. */
export interface SwitchOff {
  /** It does not run until a user enables it. */
  off: SwitchOffContent;
}

/** Whether a job is enabled. */
export type Switch = 'on' | SwitchOff;

/** The title of a session. */
export interface Title {
  /** The title; the beginning of the first prompt if not set. */
  title?: string | null;
}

/** A token, without the token itself. */
export interface TokenView {
  /** The number by which it is revoked. */
  id: number;
  /** What the token allows. */
  role: Role;
  /** The sessions that the token can be used with; all sessions of the user if not set. */
  sessions?: string[] | null;
  user: string;
}

/** A tool of an agent. */
export interface ToolCard {
  description: string;
  /** How much a call can change: `none`, `read-only`, `write` or `execute`. */
  level: string;
  name: string;
  /** Where it comes from. */
  origin: string;
}

/** A tool with all details. */
export interface ToolView {
  description: string;
  /** Keywords for finding it. */
  keywords: string[];
  /** How much a call can change: `none`, `read-only`, `write` or `execute`. */
  level: string;
  /** Limits of one call in the sandbox, such as `mem:256MiB`; empty if the tool does not run in the sandbox. */
  limits: string[];
  name: string;
  /** What a call needs, as templates over its arguments. */
  needs: string[];
  /** Where it comes from. */
  origin: string;
  /** Problems with its source. */
  problems: string[];
  /** The JSON Schema of its arguments. */
  schema: Record<string, unknown>;
  /** Timeout of a call, in milliseconds; the run's if not set. */
  timeout_ms?: number | null;
}

/** A call to try. */
export interface Trial {
  /** The arguments, checked against the tool's schema. */
  arguments?: Record<string, unknown>;
  /** What the call may do, such as `read:src/**`. It runs without further approval, and nothing else is allowed. */
  grants?: string[];
}

/** The result of a trial call. */
export interface Tried {
  /** How long it took, in milliseconds. */
  millis: number;
  /** The kernel's name of the outcome: `succeeded`, `failed`, `refused`, …. */
  outcome: string;
  /** The output that a model would see. */
  said: string;
}

/** One attempt of a run. */
export interface Try {
  began: number;
  ended?: number | null;
  outcome?: Outcome | null;
  /** The session of the attempt, with all its messages and calls. */
  session: string;
  /** Its cost, in billionths of a US dollar. */
  spent?: number;
}

/** A difference between the recording of a case and its replay. */
export interface TurnDifference {
  /** Whether it fails the attempt. */
  fails: boolean;
  /** What differs: `prompt`, `tool`, `decision`, `call`, `result` or `answer`. */
  kind: string;
  /** The turn, from 1; 0 stands for the start of the session. */
  turn: number;
  /** The difference, for people. */
  what: string;
}

/** Tokens used and their cost. */
export interface UsageView {
  /** The budget of all sessions together; unlimited if not set. */
  budget_nano_usd?: number | null;
  /** Number of tokens that no provider reported; they and their cost are estimates. */
  estimated_tokens: number;
  /** One total for each model, session, tool, day or agent. */
  lines: Record<string, unknown>[];
  /** Total cost in billionths of a US dollar, as far as prices are known. */
  spent_nano_usd: number;
  /** Number of calls without a known price. They are not free: their cost is missing from the total. */
  unpriced: number;
}

/** What a call may use, starting at a record of the journal. */
export interface Use {
  /** The number of the call in the events. */
  call: number;
  /** What an agent holds that the call starts. */
  hands_on: string[];
  /** The needs that were not granted when the user was asked. */
  missing: string[];
  /** What the call needs, as grants; once it runs, what it runs with. */
  needs: string[];
  /** Why the user is asked. */
  reasons: string[];
  /** The journal record of the decision. */
  record: number;
  /** Whether the user is asked, or the call runs. */
  step: UseStep;
  tool: string;
}

/** The state of a call. */
export type UseStep = 'asked' | 'run';

/** How signed messages start a job. */
export interface WebhookView {
  /** A shell command that sends a signed message; `$KEY` is the key of the job. */
  command: string;
  /** The address for signed messages. */
  url: string;
}

/** Whenever the pattern matches the clock of a time zone. */
export interface WhenCronContent {
  /** Minute, hour, day, month and day of the week, optionally preceded by second. */
  pattern: string;
  /** The time zone, by its IANA name. */
  zone?: string;
}

/** Whenever the pattern matches the clock of a time zone. */
export interface WhenCron {
  /** Whenever the pattern matches the clock of a time zone. */
  cron: WhenCronContent;
}

/** At one time, and never again. */
export interface WhenOnceContent {
  /** The time, in milliseconds since 1970. */
  at: number;
}

/** At one time, and never again. */
export interface WhenOnce {
  /** At one time, and never again. */
  once: WhenOnceContent;
}

/** When a job runs. */
export type When = WhenCron | WhenOnce | 'asked';

/** A text for a session. */
export interface Words {
  text: string;
}

/** What each route takes, and what it answers with. */
export interface Routes {
  /** Lists the agents that can be started, the default one first. */
  'GET /api/agents': {
    path: Record<never, never>;
    query: Record<never, never>;
    body: undefined;
    answer: AgentCard[];
  };
  /** Deletes one of your own agents. */
  'DELETE /api/agents/{id}': {
    path: { id: string };
    query: Record<never, never>;
    body: undefined;
    answer: undefined;
  };
  /** Shows one agent with its file. */
  'GET /api/agents/{id}': {
    path: { id: string };
    query: Record<never, never>;
    body: undefined;
    answer: AgentView;
  };
  /** Saves one of your own agents. */
  'PUT /api/agents/{id}': {
    path: { id: string };
    query: Record<never, never>;
    body: AgentText;
    answer: AgentView;
  };
  /** Returns the audit log, one entry per line. */
  'GET /api/audit': {
    path: Record<never, never>;
    query: Record<never, never>;
    body: undefined;
    answer: string;
  };
  /** Lists the backups of this server. */
  'GET /api/backups': {
    path: Record<never, never>;
    query: Record<never, never>;
    body: undefined;
    answer: BackupView[];
  };
  /** Backs up all data. */
  'POST /api/backups': {
    path: Record<never, never>;
    query: Record<never, never>;
    body: NewBackup;
    answer: BackupView;
  };
  /** Checks the text of an agent file without saving it. */
  'POST /api/check-agent': {
    path: Record<never, never>;
    query: Record<never, never>;
    body: AgentText;
    answer: AgentView;
  };
  /** Compares two evaluations. */
  'GET /api/compare-evaluations': {
    path: Record<never, never>;
    query: { first: string; second: string };
    body: undefined;
    answer: EvaluationComparison;
  };
  /** Lists the evaluations on this machine. */
  'GET /api/evaluations': {
    path: Record<never, never>;
    query: Record<never, never>;
    body: undefined;
    answer: EvaluationList;
  };
  /** Shows an evaluation with its attempts. */
  'GET /api/evaluations/{id}': {
    path: { id: string };
    query: Record<never, never>;
    body: undefined;
    answer: EvaluationView;
  };
  /** Lists what each call of an attempt's session needed, what needed approval, and what it ran with. */
  'GET /api/evaluations/{id}/sessions/{session}/grants': {
    path: { id: string; session: string };
    query: Record<never, never>;
    body: undefined;
    answer: Use[];
  };
  /** Replays all events of an attempt's session. */
  'GET /api/evaluations/{id}/sessions/{session}/replay': {
    path: { id: string; session: string };
    query: Record<never, never>;
    body: undefined;
    answer: Record<string, unknown>[];
  };
  /** Deletes a file or an empty folder. */
  'DELETE /api/files': {
    path: Record<never, never>;
    query: { path: string };
    body: undefined;
    answer: undefined;
  };
  /** Reads a file of the workspace. */
  'GET /api/files': {
    path: Record<never, never>;
    query: { path: string };
    body: undefined;
    answer: string;
  };
  /** Writes a whole file. */
  'PUT /api/files': {
    path: Record<never, never>;
    query: { path: string };
    body: undefined;
    answer: undefined;
  };
  /** Renames a file or a folder. */
  'POST /api/files/rename': {
    path: Record<never, never>;
    query: Record<never, never>;
    body: Move;
    answer: undefined;
  };
  /** Lists the contents of a folder in the workspace. */
  'GET /api/folders': {
    path: Record<never, never>;
    query: { path?: string };
    body: undefined;
    answer: FolderView;
  };
  /** Creates a folder in the workspace. */
  'POST /api/folders': {
    path: Record<never, never>;
    query: Record<never, never>;
    body: NewFolder;
    answer: undefined;
  };
  /** Lists all jobs, with those that cannot be read. */
  'GET /api/jobs': {
    path: Record<never, never>;
    query: Record<never, never>;
    body: undefined;
    answer: JobList;
  };
  /** Creates a job and its key. */
  'POST /api/jobs': {
    path: Record<never, never>;
    query: Record<never, never>;
    body: NewJob;
    answer: MadeJob;
  };
  /** Deletes a job. The sessions of its runs stay. */
  'DELETE /api/jobs/{id}': {
    path: { id: string };
    query: Record<never, never>;
    body: undefined;
    answer: undefined;
  };
  /** Shows one job with its state. */
  'GET /api/jobs/{id}': {
    path: { id: string };
    query: Record<never, never>;
    body: undefined;
    answer: JobView;
  };
  /** Changes parts of the specification of a job. */
  'PATCH /api/jobs/{id}': {
    path: { id: string };
    query: Record<never, never>;
    body: Record<string, unknown>;
    answer: JobView;
  };
  /** Disables a job: it does not run until it is enabled. */
  'POST /api/jobs/{id}/disable': {
    path: { id: string };
    query: Record<never, never>;
    body: undefined;
    answer: JobView;
  };
  /** Enables a job that was disabled. */
  'POST /api/jobs/{id}/enable': {
    path: { id: string };
    query: Record<never, never>;
    body: undefined;
    answer: JobView;
  };
  /** Creates a new key for a job. It is shown only once. */
  'POST /api/jobs/{id}/key': {
    path: { id: string };
    query: Record<never, never>;
    body: NewKey;
    answer: MadeKey;
  };
  /** Runs a job now. */
  'POST /api/jobs/{id}/run': {
    path: { id: string };
    query: Record<never, never>;
    body: undefined;
    answer: Started;
  };
  /** Lists the latest runs of a job. */
  'GET /api/jobs/{id}/runs': {
    path: { id: string };
    query: { limit?: number };
    body: undefined;
    answer: Run[];
  };
  /** Replaces the specification of a job. */
  'POST /api/jobs/{id}/spec': {
    path: { id: string };
    query: Record<never, never>;
    body: Spec;
    answer: JobView;
  };
  /** Stops the runs of a job that are in progress. */
  'POST /api/jobs/{id}/stop': {
    path: { id: string };
    query: Record<never, never>;
    body: undefined;
    answer: undefined;
  };
  /** Lists the providers that have a key. The keys themselves are never returned. */
  'GET /api/keys': {
    path: Record<never, never>;
    query: Record<never, never>;
    body: undefined;
    answer: string[];
  };
  /** Stores the key of a provider, and replaces an existing one. */
  'POST /api/keys': {
    path: Record<never, never>;
    query: Record<never, never>;
    body: ProviderKey;
    answer: undefined;
  };
  /** Deletes the key of a provider. */
  'DELETE /api/keys/{id}': {
    path: { id: string };
    query: Record<never, never>;
    body: undefined;
    answer: undefined;
  };
  /** Lists MCP servers and their states. */
  'GET /api/mcp-servers': {
    path: Record<never, never>;
    query: Record<never, never>;
    body: undefined;
    answer: ServerView[];
  };
  /** Adds an MCP server. */
  'POST /api/mcp-servers': {
    path: Record<never, never>;
    query: Record<never, never>;
    body: NewServer;
    answer: undefined;
  };
  /** Removes an MCP server. */
  'DELETE /api/mcp-servers/{id}': {
    path: { id: string };
    query: Record<never, never>;
    body: undefined;
    answer: undefined;
  };
  /** Connects to an MCP server and lists what it offers. */
  'POST /api/mcp-servers/{id}/test': {
    path: { id: string };
    query: Record<never, never>;
    body: undefined;
    answer: ServerTest;
  };
  /** Shows the user and the role of the token. */
  'GET /api/me': {
    path: Record<never, never>;
    query: Record<never, never>;
    body: undefined;
    answer: Me;
  };
  /** Lists the models that can be requested by name. */
  'GET /api/models': {
    path: Record<never, never>;
    query: Record<never, never>;
    body: undefined;
    answer: ModelCard[];
  };
  /** Reloads all tools and lists the problems. */
  'POST /api/reload-tools': {
    path: Record<never, never>;
    query: Record<never, never>;
    body: undefined;
    answer: Reloaded;
  };
  /** Searches the messages of sessions. */
  'GET /api/search': {
    path: Record<never, never>;
    query: { q: string };
    body: undefined;
    answer: Record<string, unknown>[];
  };
  /** Lists sessions, one page at a time. */
  'GET /api/sessions': {
    path: Record<never, never>;
    query: { tag?: string; after?: string; limit?: number };
    body: undefined;
    answer: SessionPage;
  };
  /** Creates a session, and runs a prompt if one is given. */
  'POST /api/sessions': {
    path: Record<never, never>;
    query: Record<never, never>;
    body: NewSession;
    answer: SessionView;
  };
  /** Erases a session permanently. */
  'DELETE /api/sessions/{id}': {
    path: { id: string };
    query: Record<never, never>;
    body: undefined;
    answer: undefined;
  };
  /** Shows one session, without its messages. */
  'GET /api/sessions/{id}': {
    path: { id: string };
    query: Record<never, never>;
    body: undefined;
    answer: SessionView;
  };
  /** Stops the current work of a session. */
  'POST /api/sessions/{id}/cancel': {
    path: { id: string };
    query: Record<never, never>;
    body: Stop;
    answer: Heard;
  };
  /** Streams a session as server-sent events. */
  'GET /api/sessions/{id}/events': {
    path: { id: string };
    query: { after?: string };
    body: undefined;
    answer: string;
  };
  /** Exports a session as a journal or as Markdown. */
  'GET /api/sessions/{id}/export': {
    path: { id: string };
    query: { format?: string };
    body: undefined;
    answer: string;
  };
  /** Sends a text that is added when the session would otherwise stop. */
  'POST /api/sessions/{id}/follow-up': {
    path: { id: string };
    query: Record<never, never>;
    body: Words;
    answer: Heard;
  };
  /** Starts a new session with the history of another one. */
  'POST /api/sessions/{id}/fork': {
    path: { id: string };
    query: Record<never, never>;
    body: ForkAt;
    answer: SessionView;
  };
  /** Lists what each call of a session needed, what needed approval, and what it ran with. */
  'GET /api/sessions/{id}/grants': {
    path: { id: string };
    query: Record<never, never>;
    body: undefined;
    answer: Use[];
  };
  /** Sends a prompt to a session. */
  'POST /api/sessions/{id}/prompt': {
    path: { id: string };
    query: Record<never, never>;
    body: Words;
    answer: Heard;
  };
  /** Lists the open questions of a session. */
  'GET /api/sessions/{id}/questions': {
    path: { id: string };
    query: Record<never, never>;
    body: undefined;
    answer: Posed[];
  };
  /** Answers a question. Only the first answer counts. */
  'POST /api/sessions/{id}/questions': {
    path: { id: string };
    query: Record<never, never>;
    body: Reply;
    answer: undefined;
  };
  /** Replays all events of a session. */
  'GET /api/sessions/{id}/replay': {
    path: { id: string };
    query: Record<never, never>;
    body: undefined;
    answer: Record<string, unknown>[];
  };
  /** Streams a session over a WebSocket. */
  'GET /api/sessions/{id}/socket': {
    path: { id: string };
    query: { after?: string };
    body: undefined;
    answer: undefined;
  };
  /** Sends a text that is added before the next model call. */
  'POST /api/sessions/{id}/steer': {
    path: { id: string };
    query: Record<never, never>;
    body: Words;
    answer: Heard;
  };
  /** Sets the title of a session. */
  'POST /api/sessions/{id}/title': {
    path: { id: string };
    query: Record<never, never>;
    body: Title;
    answer: SessionView;
  };
  /** Shows the settings of the server and of agents. */
  'GET /api/settings': {
    path: Record<never, never>;
    query: Record<never, never>;
    body: undefined;
    answer: SettingsView;
  };
  /** Lists the sites of all users. */
  'GET /api/sites': {
    path: Record<never, never>;
    query: Record<never, never>;
    body: undefined;
    answer: SiteView[];
  };
  /** Publishes a folder of your workspace. */
  'POST /api/sites': {
    path: Record<never, never>;
    query: Record<never, never>;
    body: NewSite;
    answer: SiteView;
  };
  /** Unpublishes a site; its folder stays. */
  'DELETE /api/sites/{id}': {
    path: { id: string };
    query: Record<never, never>;
    body: undefined;
    answer: undefined;
  };
  /** Lists the skills of the user. */
  'GET /api/skills': {
    path: Record<never, never>;
    query: Record<never, never>;
    body: undefined;
    answer: SkillCard[];
  };
  /** Shows one skill with its text. */
  'GET /api/skills/{id}': {
    path: { id: string };
    query: Record<never, never>;
    body: undefined;
    answer: SkillView;
  };
  /** Lists the tokens of all users. */
  'GET /api/tokens': {
    path: Record<never, never>;
    query: Record<never, never>;
    body: undefined;
    answer: TokenView[];
  };
  /** Creates a token for a user. */
  'POST /api/tokens': {
    path: Record<never, never>;
    query: Record<never, never>;
    body: NewToken;
    answer: MadeToken;
  };
  /** Revokes a token and closes its connections. */
  'DELETE /api/tokens/{id}': {
    path: { id: number };
    query: Record<never, never>;
    body: undefined;
    answer: undefined;
  };
  /** Lists the tools of the default agent. */
  'GET /api/tools': {
    path: Record<never, never>;
    query: Record<never, never>;
    body: undefined;
    answer: ToolCard[];
  };
  /** Shows one tool with its schema. */
  'GET /api/tools/{id}': {
    path: { id: string };
    query: Record<never, never>;
    body: undefined;
    answer: ToolView;
  };
  /** Lists the latest calls of a tool, latest first. */
  'GET /api/tools/{id}/calls': {
    path: { id: string };
    query: { limit?: number };
    body: undefined;
    answer: CallView[];
  };
  /** Runs a tool once, under the same rules as in a session. */
  'POST /api/tools/{id}/try': {
    path: { id: string };
    query: Record<never, never>;
    body: Trial;
    answer: Tried;
  };
  /** Shows what agents may do in the folder of the server without asking. */
  'GET /api/trust': {
    path: Record<never, never>;
    query: Record<never, never>;
    body: undefined;
    answer: FolderTrustView;
  };
  /** Changes what agents may do in the folder of the server without asking. */
  'PUT /api/trust': {
    path: Record<never, never>;
    query: Record<never, never>;
    body: NewFolderLevel;
    answer: FolderTrustView;
  };
  /** Shows usage and cost. */
  'GET /api/usage': {
    path: Record<never, never>;
    query: { by?: string; session?: string };
    body: undefined;
    answer: UsageView;
  };
  /** Sets the budget of all sessions of a user together. */
  'POST /api/users/{user}/budget': {
    path: { user: string };
    query: Record<never, never>;
    body: NewBudget;
    answer: undefined;
  };
  /** Reports that the server is running. */
  'GET /health': {
    path: Record<never, never>;
    query: Record<never, never>;
    body: undefined;
    answer: Health;
  };
  /** Reports that the process answers. Needs no token. */
  'GET /health/live': {
    path: Record<never, never>;
    query: Record<never, never>;
    body: undefined;
    answer: ProbeResult;
  };
  /** Reports whether the server accepts work: it is not stopping, and it can read its sessions. Needs no token. */
  'GET /health/ready': {
    path: Record<never, never>;
    query: Record<never, never>;
    body: undefined;
    answer: ProbeResult;
  };
  /** Starts a job by a signed message. */
  'POST /hooks/{user}/{job}': {
    path: { user: string; job: string };
    query: Record<never, never>;
    body: string;
    answer: HookHeard;
  };
  /** Returns the server's metrics in Prometheus' text format. */
  'GET /metrics': {
    path: Record<never, never>;
    query: Record<never, never>;
    body: undefined;
    answer: string;
  };
  /** Answers a chat. The formats are those of OpenAI's Chat Completions. */
  'POST /v1/chat/completions': {
    path: Record<never, never>;
    query: Record<never, never>;
    body: Record<string, unknown>;
    answer: Record<string, unknown>;
  };
  /** Lists the agents as models. */
  'GET /v1/models': {
    path: Record<never, never>;
    query: Record<never, never>;
    body: undefined;
    answer: Models;
  };
  /** Shows one agent as a model. */
  'GET /v1/models/{id}': {
    path: { id: string };
    query: Record<never, never>;
    body: undefined;
    answer: ModelEntry;
  };
  /** Answers a request in the format of OpenAI's Responses. */
  'POST /v1/responses': {
    path: Record<never, never>;
    query: Record<never, never>;
    body: Record<string, unknown>;
    answer: Record<string, unknown>;
  };
}
