// Written from the Rust types by `HOLM_UPDATE=1 cargo test -p holm-wasm --test types`; do not edit.
//
// Whole numbers are `number` here. JSON text that holds larger ones than JavaScript can keep crosses as text:
// see `pollText`, `raw` and `ToolContext.text`.

/** Any JSON value. */
export type Json = null | boolean | number | bigint | string | Json[] | { [name: string]: Json };

/** How much a tool can change. */
export type Level = 'none' | 'read-only' | 'write' | 'execute';

/** What is asked. */
export type Mode = 'plan' | 'default' | 'accept-edits' | 'full';

/** Record 0: everything that determines how a run behaves. */
export interface Started {
  /** The run's own id, unique among all runs; idempotency keys are derived from it. */
  run: string;
  /** Which decision rules the run follows. */
  semantics: number;
  /** The version of the program that started the run; for people, not for decisions. */
  version?: string;
  /** Source of all jitter and of every envelope's seal. */
  seed: number;
  config: Config;
}

/** The configuration of a run. */
export interface Config {
  /** The agent's name, for logs and for people. */
  name?: string;
  system?: string;
  /** Where the instructions in the system prompt come from, with the hash of their text; for people, never for decisions. */
  system_source?: string;
  /** The models: the first is used, the others are fallbacks in order. */
  models: ModelInfo[];
  /** The ladder of models to climb when the work is not good enough; `None` uses only fallbacks. */
  ladder?: Ladder | null;
  /** The tools, in the order in which the model sees them. */
  tools?: ToolDeclaration[];
  /** How calls are written in a reply. */
  protocol?: Protocol;
  /** The product's own vocabulary. */
  policy?: ProtocolPolicy;
  /** The limits of the run. */
  limits?: Limits;
  /** When and how a failed model call is retried. */
  retry?: RetryPolicy;
  /** How the transcript is fitted into the model's window. */
  context?: ContextPolicy;
  /** The grants of the run. */
  grants?: string[];
  /** What the run may never do, regardless of its grants: tools by name, and needs of calls. A call that needs a whole folder is denied only if the denials cover all of it. Otherwise its tool receives the denials and checks each file (`ToolRequest::denials`(crate::ToolRequest)). */
  denials?: string[];
  /** The absolute path of the folder that relative paths start from. With it, grants and denials of relative paths also apply to absolute paths in this folder. */
  workspace?: string | null;
  /** The mode, which decides which calls need approval. */
  mode?: Mode;
  /** How questions about calls are answered. */
  approvals?: Approvals;
  /** The marks that were already set when the run began (a child inherits its parent's marks). */
  marks?: Marks;
  /** The consequences of marks. */
  mark_rule?: MarkRule;
  /** Whether the calls of a batch may overlap. */
  batch?: BatchOrder;
  /** The points at which the host's hooks are asked. */
  consult?: ConsultPoint[];
  /** The depth below the root run; a child's depth is its parent's plus one. */
  depth?: number;
  /** What happens to children in the background at a natural end of the run. */
  children_at_end?: ChildrenAtEnd;
  /** Which tools the model is offered in plan mode. */
  plan_offer?: PlanOffer;
}

/** What happens to children in the background at a natural end of their run. A run that is cancelled, fails or reaches a limit always stops them. */
export type ChildrenAtEnd =
  /** The run waits for them, and the model gets every result. */
  | 'wait'
  /** They are stopped, and the run ends. */
  | 'stop';

/** Which tools a model is offered in plan mode. Calls of tools that plan mode refuses are denied in both cases. */
export type PlanOffer =
  /** The same tools as in every mode. The request keeps its prefix when the mode changes. */
  | 'all'
  /** Only those that can be used. When the mode changes, the others return in their old places. */
  | 'usable';

/** How a question about a call is answered. */
export type Approvals =
  /** A person or a hook is asked about calls that the mode does not allow by itself. */
  | 'ask'
  /** As `Ask`, and hooks are also asked about calls that the mode allows; they can only narrow it. */
  | 'ask_always'
  /** Every question is answered with a denial, because no person is there to ask. */
  | 'deny';

/** Whether the calls of one reply may run at the same time. */
export type BatchOrder =
  /** Read-only calls may. A call that may change something runs after the calls before it and before the calls after it. */
  | 'parallel'
  /** One after the other, always. */
  | 'sequential';

/** Taint marks: the kinds of content that have entered the run. They are never removed. */
export interface Marks {
  /** Content from outside: web pages, mail, results of untrusted servers. */
  untrusted?: boolean;
  /** Secrets or private data. */
  private?: boolean;
}

/** The consequences of marks. */
export type MarkRule =
  /** Once any mark is set, egress and writes that no grant names need approval, in every mode. */
  | 'ask_after_any'
  /** The same for calls that can change something. Calls that only look may send until both marks are set. */
  | 'ask_after_both'
  /** Marks are shown but have no consequences. */
  | 'show_only';

/** Settings of the context planner. */
export interface ContextPolicy {
  /** The window to plan for if the model's own is unknown, in tokens. */
  default_window?: number;
  /** Planning starts at this share of the window, in thousandths. */
  trigger_milli?: number;
  /** Planning stops at this share, in thousandths; the gap keeps the prefix stable between two plans. */
  target_milli?: number;
  /** Turns at the end that are never touched. */
  keep_turns?: number;
  /** The most messages in view; `None` means that only tokens count. */
  max_messages?: number | null;
  /** Whether and how the oldest part is summarised. */
  summary?: SummaryPolicy;
  /** Tokens for the last words of the user that stay in view, and as many for the facts that the note about the rest repeats word for word: calls of tools with a `Retention`(crate::Retention) and the files that were used. Each is at most an eighth of the target. Zero keeps the task and the latest prompt only. */
  verbatim_tokens?: number;
}

/** Whether a model is asked to summarise what leaves the window. */
export type SummaryPolicy =
  /** No summary: old results are elided and old turns leave the window. */
  | 'never'
  /** Ask for a summary with this instruction; `None` uses the built-in one. */
  | {
      ask: {
        /** The instruction for the model. */
        instruction?: string | null;
      };
    };

/** The models of a run from weak to strong, and when to step up. */
export interface Ladder {
  /** The kind of task of the run. */
  kind?: string;
  /** Names of configured models, the weakest first; empty means all of them in their order. Unknown names are skipped. */
  rungs?: string[];
  /** The rung to begin on, counted from 0; larger numbers mean the last rung. */
  start?: number;
  /** Why the run begins there, for people. */
  why?: string;
  /** When it steps up. */
  step_up?: StepUp;
  /** The hint for the model on the last rung before the run fails; empty means no hint. */
  hint?: string;
}

/** When a run steps up. */
export interface StepUp {
  /** The reaction to a guard's rejection. */
  rejection?: OnRejection;
  /** Step up after this many turns in a row without a valid call; 0 means never. */
  invalid_turns?: number;
}

/** The reaction to a guard's rejection. */
export type OnRejection =
  /** The model may correct itself once; if that does not help, the next one takes over. */
  | 'after_correction'
  /** The next model takes over at once. */
  | 'at_once'
  /** No step up: the run ends as it would without a ladder. */
  | 'never';

/** A limit that can only be lifted explicitly. */
export type Bound =
  /** At most this many. */
  | { at_most: number }
  /** No limit, stated explicitly. */
  | 'unbounded';

/** The limits of one run. */
export interface Limits {
  /** Model turns, per group. In the last one no tool can be called, so that there is an answer. */
  turns?: Bound;
  /** The model is told to wrap up this many turns before the limit; 0 means that it is not told. */
  grace_turns?: number;
  /** Tool calls of one reply; the rest is refused, and the model is told. */
  calls_per_turn?: Bound;
  /** Input and output tokens, per run. */
  tokens?: Bound;
  /** Wall clock in milliseconds, per group. */
  wall_ms?: Bound;
  /** The budget in money, per run. */
  budget?: Budget;
  /** What to do when a reply hits its output cap. */
  max_tokens?: MaxTokensRecovery;
  /** Characters of one tool result that reach the model, unless the tool says otherwise. */
  result_chars?: number;
  /** How long one tool call may take, unless the tool says otherwise. */
  tool_ms?: number;
  /** How deep children may be nested. */
  depth?: number;
}

/** How much money a run may spend. */
export interface Budget {
  /** The hard limit; `None` means no limit in money. */
  usd?: number | null;
}

/** What happens when a reply is cut by its output cap. */
export interface MaxTokensRecovery {
  /** The number of attempts per turn. */
  attempts?: number;
  /** The cap doubles up to this; `None` keeps the cap and asks the model to continue. */
  ceiling?: number | null;
}

/** A model's declaration: what the kernel must know. */
export interface ModelInfo {
  /** The name, as `provider/model`. */
  name: string;
  /** The family of its tokenizer, for estimates. */
  family?: Family;
  /** The context window in tokens; a value that the user declared overrides any catalogue. */
  window?: number | null;
  /** The output cap to request; `None` leaves it to the provider. */
  max_output?: number | null;
  /** The price; `None` means unknown, which never counts as free. */
  price?: Price | null;
  /** Sampling temperature in thousandths. */
  temperature_milli?: number | null;
}

/** Families of tokenizers, for estimates before the provider has counted. */
export type Family =
  | 'open_ai'
  /** Anthropic's vocabularies, which count more. */
  | 'anthropic'
  | 'gemini'
  /** Llama, Qwen, Mistral and other open ones. */
  | 'open'
  /** Anything else; estimated with a margin. */
  | 'other';

/** Prices in nano-dollars per million tokens. */
export interface Price {
  /** The price of prompt tokens. */
  input?: number;
  /** The price of generated tokens. */
  output?: number;
  /** Prompt tokens read from the cache; `None` means the price of `input`. */
  cached?: number | null;
  /** Prompt tokens written to the cache; `None` means the price of `input`. */
  cache_write?: number | null;
}

/** How a model writes its calls. */
export type Protocol =
  /** The provider's own tool calls. */
  | 'native'
  /** JSON in the text: `{"tool":…}` or `{"skill":…}`, an answer otherwise. */
  | 'text';

/** A product's vocabulary. The default is generic and names no tool. */
export interface ProtocolPolicy {
  /** Tools whose success votes to end the run. */
  terminal_tools?: string[];
  /** Whether plain text ends a native run, or the model is reminded once to call a terminal tool. */
  plain_answer?: PlainAnswer;
  /** Other names for tools and arguments. */
  aliases?: Alias[];
  /** The notes for a model that calls a hidden tool; the key is the tool's name. */
  hidden?: Record<string, HiddenToolNote>;
  /** How a reply that plans without acting is recognised and answered. */
  inconclusive?: Inconclusive;
  /** The meaning of a native reply that announces an action and takes none. */
  announcements?: Announcements;
  /** The note for the model when the turns run out; `{left}` is replaced. */
  wrap_up?: string | null;
  /** The note for the model when its reply was cut; `None` uses the built-in one. */
  resume?: string | null;
}

/** Whether plain text ends a run. */
export type PlainAnswer =
  /** Plain text ends the run. */
  | 'ends'
  /** The model is reminded once with this text; the next plain answer ends the run. */
  | { remind_once: string };

/** A tool's other name, with other names of its arguments. */
export interface Alias {
  /** The name a model may write. */
  name: string;
  /** The tool that is meant. */
  tool: string;
  /** Argument names: the model's name → the real one. `list.name` is a name in the objects of the argument `list`. */
  arguments?: Record<string, string>;
  /** Arguments whose values differ too; the key is the model's name, as in `arguments`. */
  values?: Record<string, ArgumentDialect>;
}

/** How a model writes the value of an argument, where the tool expects another form. */
export type ArgumentDialect =
  /** The argument changes nothing here and is removed. */
  | 'ignored'
  /** `false` and `null` are removed. Any other value is answered with this text. */
  | { unsupported: string }
  /** From this number up it is milliseconds, and becomes whole seconds, rounded up. */
  | { milliseconds_from: number }
  /** A list of words, a program and its arguments, becomes a script for a shell. */
  | 'argv'
  /** Of several arguments with one meaning, the largest number counts. */
  | 'largest'
  /** The model's word → the real one. */
  | { words: Record<string, string> }
  /** The beginning of the value that the model writes → the real one. It is replaced under the argument's own name too. */
  | { beginnings: Record<string, string> };

/** The note about a hidden tool. */
export interface HiddenToolNote {
  /** The text the model gets as the result. */
  message: string;
}

/** Recognises prose that announces an action and takes none. */
export interface Inconclusive {
  /** Lower-case phrases that announce an action. */
  phrases?: string[];
  /** Text of this many bytes or more is an answer, regardless of its content. */
  shorter_than?: number;
  /** The correction for the model; it gets one chance. */
  correction?: string;
}

/** The meaning of a native reply without a call whose last sentence announces an action ("Let me read the file."). */
export type Announcements =
  /** It is the answer, like every text without a call. */
  | 'answers'
  /** The model gets the correction of `Inconclusive` once. If it announces again, the ladder steps up. If there is no further step, the text is the answer. */
  | 'corrected';

/** Restrictions that a host adds; a field that is `None` leaves the run's own value in place. */
export interface Narrowing {
  /** The rule for marks; the stricter of this one and the run's own applies. */
  mark_rule?: MarkRule | null;
  /** Marks to set: a run from elsewhere is untrusted content. */
  marks?: Marks;
  /** Limits in addition to the run's own; the budget has an input of its own. */
  limits?: Limits | null;
  /** The upper limits for retries of a failed model call. */
  retry?: RetryPolicy | null;
  /** The aliases that the run may keep; all others are removed. */
  aliases?: Alias[] | null;
  /** The host's own prices, by the name of the model. The higher price applies. A model without an entry loses its price, so that no budget covers it. */
  prices?: Record<string, Price> | null;
  /** Whether the run's workspace is dropped: a foreign one could make relative grants mean other folders. */
  drops_workspace?: boolean;
}

/** Back-off between tries of one model call. */
export interface RetryPolicy {
  /** Tries per model, the first included. */
  attempts?: number;
  /** The first pause in milliseconds; it doubles. */
  base_ms?: number;
  /** The longest pause, unless the provider asks for a longer one. */
  cap_ms?: number;
  /** The longest pause that a provider may ask for. If it asks for more, the next model is tried or the run fails. */
  patience_ms?: number;
  /** Up to this many thousandths of a pause are subtracted at random (from the seed). */
  jitter_milli?: number;
}

/** A tool's declaration. */
export interface ToolDeclaration {
  /** The name the model uses. */
  name: string;
  /** What it does, for the model. */
  description?: string;
  /** JSON Schema of its arguments. */
  schema: Json;
  /** How much a call can change. It has no default, so that an undeclared tool never counts as harmless. */
  level: Level;
  /** The needs of a call, as templates over its arguments. Empty means that a call uses nothing that a grant could cover (no file, no address, no program). Then only the level decides whether it may run. */
  needs?: string[];
  /** What carries out its calls. */
  kind?: ToolKind;
  /** Whether it may run again after a crash. */
  repeat?: Repeat;
  /** Whether it may overlap with other calls. */
  pace?: Pace;
  /** Whether its results count when a batch decides to end the run. */
  vote?: Vote;
  /** The marks that its output sets, and whether it sends data out. */
  yields?: Yields;
  /** Whether empty output is a valid result. */
  empty?: EmptyOutput;
  /** Whether an output that reads like an error message may be data (a file, a log, a search hit). */
  error_text?: ErrorText;
  /** What happens with an implausible result. */
  severity?: Severity;
  /** Conditions that every result must meet. */
  postconditions?: Postcondition[];
  /** How much of a result the model sees, in characters; none means the run's limit. */
  result_limit?: number | null;
  /** How long one call may take, in milliseconds; none means the run's limit. */
  timeout_ms?: number | null;
  /** How much of it one turn group may use. */
  quota?: Quota;
  /** Whether the loop detector ignores it, because repeating it is its purpose. */
  exemption?: Exemption;
  /** Whether its failure stops the other calls of its batch. */
  aborts_siblings?: boolean;
  /** Whether a call may be answered at once while its child still works; only agents have children. */
  background?: Background;
  /** Whether a tool that changes things can also be used in plan mode, where it only looks. */
  in_plan?: PlanAccess;
  /** Which of its calls survive a compaction word for word. */
  retention?: Retention;
  /** Whether requests list it. */
  listing?: Listing;
}

/** What carries out a tool's calls. */
export type ToolKind =
  /** The host runs it: `Effect::RunTool`(crate::Effect::RunTool). */
  | 'host'
  /** A child run carries it out: `Effect::Spawn`(crate::Effect::Spawn). */
  | {
      agent: {
        /** The grants that the child asks for; it gets those of them that the parent holds. */
        grants?: string[];
        /** The money reserved from the parent's budget for one child; zero means all that is left. */
        reserve?: number;
        /** The tokens reserved for one child, if its parent has a limit; zero means all that are left. */
        tokens?: number;
      };
    }
  /** A contract skill: the model carries it out, and the guards check it. */
  | {
      skill: {
        /** Its input, its required output, and the sources the output must be grounded in. */
        contract: Contract;
      };
    }
  /** The kernel carries it out: it changes the run's mode. */
  | { plan: PlanRole }
  /** The kernel carries it out: it lists the children in the background, returns a result, or stops a child. */
  | 'children';

/** Whether a call waits for its child. */
export type Background =
  /** The call always waits for its child. */
  | 'never'
  /** The call does not wait if this argument is `true`. */
  | {
      asked: {
        argument: string;
      };
    }
  /** The call never waits for its child. */
  | 'always';

/** Whether a call may safely run twice. */
export type Repeat =
  /** It must not: an unanswered call is settled as *outcome unknown*. */
  | 'once'
  /** It may: running twice has the same effect as running once. */
  | 'idempotent';

/** Whether a read-only tool may overlap with the other calls of its reply. A tool that changes something never does. */
export type Pace =
  /** It may overlap with other calls. */
  | 'shared'
  /** It runs after the calls before it and before those after it. */
  | 'exclusive';

/** Whether a tool's result counts in the vote to end the run. */
export type Vote =
  /** Its result counts as a vote. */
  | 'counts'
  /** Its result does not count as a vote. */
  | 'advisory';

/** The data that enters or leaves through a tool. */
export interface Yields {
  /** Its output comes from outside. */
  untrusted?: boolean;
  /** Its output may hold secrets or private data. */
  private?: boolean;
  /** A call sends data out. */
  egress?: boolean;
}

/** How much of one tool a turn group may use; `None` means no limit. */
export interface Quota {
  /** The number of calls allowed. */
  calls?: number | null;
  /** Milliseconds, all calls together. */
  millis?: number | null;
  /** Bytes of output, all calls together. */
  bytes?: number | null;
}

/** Whether the loop detector looks at a tool. */
export type Exemption =
  /** The loop detector watches it. */
  | 'none'
  /** Polling: repeating the same call with the same result is its purpose. */
  | 'polling';

/** What a tool does with plan mode. */
export type PlanRole =
  /** Narrows the run to looking, for the calls after it, without a question. */
  | 'enter'
  /** Asks a person whether the plan may be carried out. An approval restores the mode from before, and no wider one. */
  | 'exit';

/** What plan mode does with a tool whose level it refuses. */
export type PlanAccess =
  /** Its calls are refused. */
  | 'refused'
  /** Its calls run with `CallAccess::ReadOnly`(crate::CallAccess), and only need what they read and start. The tool enforces that nothing is changed and nothing is sent. */
  | 'read_only';

/** Which calls of a tool survive a compaction word for word, within `ContextPolicy::verbatim_tokens`(crate::ContextPolicy::verbatim_tokens). */
export type Retention =
  /** None: a summary reports them. */
  | 'none'
  /** The last one that succeeded, because each replaces the one before: a list, a plan. */
  | 'latest'
  /** Each one with its result, also one without an answer: a question to the user. */
  | 'each';

/** Whether a model is told of a tool. */
export type Listing =
  /** Requests list it, unless a gate or plan mode leaves it out. */
  | 'offered'
  /** No request lists it. A call of it is checked like any other: for tools whose calls cannot pass now, so that a model does not try them, and one that does gets the reason. */
  | 'unlisted';

/** A point in the loop where hooks may be asked. */
export type ConsultPoint =
  /** Before a model call: change the messages of this one request. */
  | 'context'
  /** Before a model call: restrict the tools on offer. */
  | 'tools'
  /** Before a model call: choose one of the configured models. */
  | 'model'
  /** After a tool: change its result before it is believed. */
  | 'after_tool'
  /** At a natural stop: provide more work, if there is any. */
  | 'stop'
  /** A plain answer arrived, and the policy's data could not decide what it means. */
  | 'plain_answer';

/** A question to the hooks. */
export interface Consultation {
  /** The id of the question; the answer carries it. */
  call: number;
  question: Question;
}

/** The question to the hooks. */
export type Question =
  /** See `ConsultPoint::Context`; the messages are read from the run. */
  | 'context'
  | {
      tools: {
        /** The tools on offer now. */
        offered: string[];
      };
    }
  | {
      model: {
        /** The name of the model that would be used. */
        current: string;
      };
    }
  | {
      after_tool: {
        tool_call: number;
        tool: string;
        output: ToolOutput;
      };
    }
  | 'stop'
  | {
      plain_answer: {
        text: string;
      };
    };

/** The answer of the hooks. An answer that does not fit its question counts as `Answer::Nothing`. The tool gate is the exception: it fails closed. */
export type Answer =
  | 'nothing'
  /** Changes to this one request. */
  | { patch: Patch[] }
  /** Offer only these tools. The host intersects the answers of several gates, or lists one set for each. */
  | { tools: string[][] }
  /** Use this model; ignored if it is not configured. */
  | { model: string }
  /** Replace the result by this one. */
  | { output: ToolOutput }
  /** Continue with this prompt. */
  | { continue: Prompt }
  /** The hook failed. Gates close; everything else continues. */
  | {
      failed: {
        reason: string;
      };
    };

/** A change to one request; the transcript is unchanged. */
export type Patch =
  /** Leave a message out. A message that a call or its result needs is not left out alone. */
  | { hide: number }
  /** Show other content in its place. */
  | {
      replace: {
        id: number;
        blocks: Block[];
      };
    }
  /** Add a user message at the end. */
  | { append: Block[] };

/** One request to a model. Content is shared, not copied. */
export interface Request {
  /** The purpose of the request. */
  purpose: Purpose;
  model: ModelInfo;
  system: string;
  /** The messages: read them with `Run::messages`(crate::Run::messages). */
  messages: Messages;
  /** The tools on offer. */
  tools: Offer;
  /** The most output tokens to generate. */
  max_output: number | null;
  /** The reply must be JSON of this schema. */
  format: Json | null;
}

/** The purpose of a request. */
export type Purpose =
  /** The next turn of the conversation. */
  | 'turn'
  /** The last turn that is allowed: the model answers, and may call no tool. */
  | 'answer'
  /** A contract skill is carried out. */
  | 'skill'
  /** A summary of the oldest part of the transcript. */
  | 'summary';

/** The messages of a request. */
export type Messages =
  /** The run's view: the first `count` messages. While `epoch` is unchanged, the view only grows. So a codec can keep the bytes it has encoded and append to them. */
  | {
      view: {
        /** Changes whenever the view changes other than by growing. */
        epoch: number;
        /** How many messages there are. */
        count: number;
      };
    }
  /** Messages that were made for this request. */
  | { own: Message[] };

/** The tools on offer, in a stable order. */
export interface Offer {
  /** Changes whenever the list changes. */
  epoch: number;
  tools: ToolDeclaration[];
}

/** One tool call that may run. */
export interface ToolRequest {
  tool: string;
  /** Valid arguments in canonical JSON. */
  arguments: string;
  /** The idempotency key: the same for the same call of the same run. The tool receives it. */
  key: string;
  /** The needs that were allowed for this call. */
  needs: ({ request: string } | { grant: string })[];
  /** What no call of the run may do. A tool checks it if it learns only while working what it will touch. */
  denials: string[];
  /** What the run holds and the call need not name: for tools that run programs, empty for others. Without hosts where a call that names one would be asked about. */
  grants: string[];
  /** What the call may do with what it was allowed. */
  access: CallAccess;
  /** When it is stopped. */
  deadline: number;
  /** Whether it ran before and its answer was lost. */
  again: boolean;
}

/** What a call may do with what it was allowed. */
export type CallAccess =
  /** Everything that its needs say. */
  | 'full'
  /** It may read and start programs, change nothing and reach no host: plan mode. Only tools that declare `PlanAccess::ReadOnly`(crate::PlanAccess) get such calls. */
  | 'read_only';

/** A request to start a child run. */
export interface SpawnRequest {
  tool: string;
  /** Valid arguments in canonical JSON. */
  arguments: string;
  /** The idempotency key; see `ToolRequest::key`. */
  key: string;
  /** The grants of the child: never more than its parent's. */
  grants: string[];
  /** What the child may never do. */
  denials: string[];
  /** The folder that relative paths of the parent start from. */
  workspace: string | null;
  /** The parent's mode; the child's is this or stricter. */
  mode: Mode;
  /** How questions about the parent's calls are answered. */
  approvals: Approvals;
  /** The consequences of the parent's marks. */
  mark_rule: MarkRule;
  /** The money it may spend; it is reserved already. */
  budget: number | null;
  /** The tokens it may use; they are reserved already. */
  tokens: number | null;
  /** The marks of its parent. */
  marks: Marks;
  /** The child's depth below the first run. */
  depth: number;
  /** The depth at which no further child is allowed. */
  deepest: number;
  /** The child to resume, if it was started before a crash. */
  resume: string | null;
}

/** A call that a person or a hook must rule on, with everything a person needs to see. The text contains no terminal escapes. */
export interface Proposal {
  /** The id of the question; the verdict carries it. After a rewrite or a withdrawal the call is asked about under a new id, so that an answer never counts for content that was not shown. */
  call: number;
  /** The tool call in question. */
  tool_call: number;
  tool: string;
  /** The arguments in canonical JSON, control characters made visible. */
  arguments: string;
  /** How much the call can change. */
  level: Level;
  /** The needs of the call, one per line. */
  needs: string[];
  /** The needs that no grant covers. */
  missing: string[];
  /** The grants that a child agent would get, one per line; empty for other tools. */
  hands_on?: string[];
  /** The reasons for the question. */
  reasons: AskReason[];
  /** The marks of the run. */
  marks: Marks;
  /** SHA-256 over the tool and the canonical arguments, in hex. It proves that the approved call is the one that runs. */
  digest: string;
}

/** Why a person or a hook is asked about a call. */
export type AskReason =
  /** The mode requires approval at this level. */
  | 'level'
  /** No grant covers one of its needs. */
  | 'missing_grant'
  /** It sends data out after a mark was set. */
  | 'egress_after_mark'
  /** It writes to a place that no grant names, after a mark was set. */
  | 'write_after_mark'
  /** A hook wants to see every call. */
  | 'hook_wants'
  /** The call would leave plan mode. Only a person may allow that; an approver that answers by rules denies it. */
  | 'leaves_plan';

/** One check that the host carries out. */
export interface CheckRequest {
  /** The tool call whose result is checked. */
  tool_call: number;
  /** The check to make on the whole result. */
  check: Check;
}

/** A check that the kernel cannot make: it runs a program, or reads the whole of a spilled result. */
export type Check =
  /** Whether the whole result is plausible: `holm_guards::plausibility::judge`. */
  | { plausibility: Expectation }
  /** A declared postcondition: run its program, or compile it and evaluate it on the whole result. */
  | { postcondition: Postcondition };

/** How a turn group ended. The transcript in the run is complete up to this point. */
export type Ending =
  /** The model answered, or the tools voted to end the run. */
  | {
      answered: {
        /** The answer; empty if tools ended the run without text. */
        text: string;
      };
    }
  /** The model or its provider declined. */
  | {
      refused: {
        /** The model's or provider's explanation, if any. */
        reason: string;
      };
    }
  /** A result was rejected, and the one correction did not help. */
  | {
      rejected: {
        what: string;
        reason: string;
      };
    }
  /** The same calls gave the same results, again and again. `loop_in_words` says it. */
  | {
      looping: {
        /** The tool that was called again and again. Empty for turns that gave nothing new. */
        tool: string;
        /** How many calls, or how many turns. */
        times: number;
      };
    }
  /** The money is spent. */
  | {
      over_budget: {
        spent: number;
        limit: number;
      };
    }
  /** Another limit is reached. */
  | {
      over_limit: {
        limit: Limit;
        /** How much was used. */
        used: number;
        /** How much was allowed. */
        allowed: number;
      };
    }
  /** A person or the host cancelled it. */
  | {
      cancelled: {
        reason: string;
      };
    }
  /** The run cannot continue. */
  | {
      failed: {
        /** The class of the last failure. */
        class: FailureClass;
        message: string;
        /** How often it was tried. */
        attempts: number;
      };
    };

/** Which limit was reached. */
export type Limit =
  /** Model turns of the group. */
  | 'turns'
  /** Tokens of the run. */
  | 'tokens'
  /** Wall clock of the group, in milliseconds. */
  | 'wall_clock'
  /** The output cap of a reply, after every recovery. */
  | 'output_tokens'
  /** The model's window, after every recovery. */
  | 'context_window';

/** An event with its number. */
export interface Numbered {
  id: EventId;
  /** When the record that caused it was handled. */
  at: number;
  event: Event;
}

/** An event of a run. */
export type Event =
  /** The run was created. */
  | {
      run_started: {
        name: string;
      };
    }
  /** A host took over. */
  | {
      run_resumed: {
        /** The host that took over. */
        host: string;
      };
    }
  /** A prompt began a turn group. */
  | {
      group_started: {
        /** 1 for the first prompt. */
        group: number;
      };
    }
  /** A message joined the transcript. */
  | {
      message_added: {
        message: Message;
      };
    }
  /** A prompt was queued: steering or a follow-up. */
  | {
      queued: {
        queue: Queue;
        /** How many wait there now. */
        waiting: number;
      };
    }
  /** A cancel dropped the queued prompts; a host can offer them back. */
  | {
      queue_dropped: {
        queue: Queue;
        /** What was dropped, oldest first. */
        prompts: Prompt[];
      };
    }
  /** A model is being called. */
  | {
      model_called: {
        /** The call; its deltas carry the same id. */
        call: number;
        /** The turn within the group, from 1. */
        turn: number;
        model: string;
        /** Messages in the request. */
        messages: number;
        /** Estimated tokens of the request. */
        tokens: number;
      };
    }
  /** The model's reply arrived. */
  | {
      model_replied: {
        call: number;
        usage: Usage;
        /** The cost; `None` if the price is unknown. */
        cost: number | null;
        stop: StopReason;
        /** Which model answered, if the provider said so. */
        model?: string | null;
      };
    }
  /** A model call failed. */
  | {
      model_failed: {
        call: number;
        class: FailureClass;
        message: string;
        next: NextTry;
      };
    }
  /** The work of one model was not good enough; the next model of the ladder takes over. */
  | {
      stepped_up: {
        /** The model that failed. */
        from: string;
        /** The model that takes over. */
        to: string;
        /** How the model failed. */
        cause: StepCause;
        /** Details of the failure, for people. */
        reason: string;
      };
    }
  /** The last model of the ladder failed too. It was given the ladder's hint once. */
  | {
      ladder_exhausted: {
        model: string;
        /** How the model failed. */
        cause: StepCause;
        /** Details of the failure, for people. */
        reason: string;
      };
    }
  /** The text streamed so far for this call is invalid. */
  | {
      withdrawn: {
        call: number;
      };
    }
  /** A reply was cut by its output cap and is retried. */
  | {
      output_cap_raised: {
        attempt: number;
        /** The cap that was too small. */
        from: number | null;
        /** The output cap from now on. */
        to: number | null;
      };
    }
  /** The model proposed a call with valid arguments. */
  | {
      call_proposed: {
        call: number;
        tool: string;
        /** The arguments in canonical JSON. */
        arguments: string;
        /** Repairs that were made to them. */
        fixes?: string[];
      };
    }
  /** A person or hook is asked. */
  | {
      approval_asked: {
        call: number;
      };
    }
  /** A person or hook answered. */
  | {
      approval_given: {
        call: number;
        /** Whether it may run. */
        allowed: boolean;
        reason?: string;
      };
    }
  /** A call was dispatched and runs. */
  | {
      call_started: {
        call: number;
      };
    }
  /** A tool call ended. */
  | {
      call_finished: {
        call: number;
        /** The provider's id of the call. */
        id: string;
        /** The outcome of the call. */
        outcome: Outcome;
        bytes: number;
        /** Milliseconds since it was dispatched. */
        millis: number;
        /** For rendering; never sent to a model. */
        metadata?: Json | null;
      };
    }
  /** A guard ruled on a result. */
  | {
      ruled: {
        call: number;
        guard: string;
        /** Whether the result was rejected; otherwise this is a warning. */
        rejected: boolean;
        reason: string;
      };
    }
  /** A child run started. */
  | {
      child_started: {
        call: number;
        child: string;
      };
    }
  /** A child in the background has ended, and its result is queued for the model. Its call ended when the child started. */
  | {
      child_finished: {
        call: number;
        /** The outcome of the child. */
        outcome: Outcome;
        bytes: number;
        /** Milliseconds since it was requested. */
        millis: number;
      };
    }
  /** The loop detector found a repetition. */
  | {
      loop_seen: {
        tool: string;
        times: number;
      };
    }
  /** A mark was set. */
  | {
      marked: {
        marks: Marks;
      };
    }
  /** The view of the transcript was made smaller; the transcript itself is complete. */
  | {
      context_planned: {
        step: PlanStep;
        before: number;
        after: number;
      };
    }
  /** The tools on offer changed. */
  | {
      tools_changed: {
        /** How many there are now. */
        tools: number;
      };
    }
  /** A tool was registered whose declaration cannot be enforced in full. */
  | {
      tool_flawed: {
        tool: string;
        /** Whether it can be used anyway; if not, it is not offered to the model. */
        usable: boolean;
        /** The problems: for example a schema keyword that is not enforced. */
        problems: string[];
      };
    }
  | {
      mode_changed: {
        mode: Mode;
      };
    }
  | 'grants_changed'
  | {
      budget_changed: {
        limit: number | null;
      };
    }
  /** The host narrowed the configuration. */
  | {
      narrowed: {
        /** The rule for marks from now on. */
        mark_rule: MarkRule;
      };
    }
  /** A limit is near, and the model was told to wrap up. */
  | {
      limit_near: {
        limit: Limit;
        /** How much is left. */
        left: number;
      };
    }
  /** A hook failed; a guard then closes, everything else continues. */
  | {
      hook_failed: {
        reason: string;
      };
    }
  /** A fact came too late or twice, and changed nothing. */
  | {
      ignored: {
        /** The call that it was about. */
        call: number | null;
      };
    }
  /** The turn group is over; always the last event of a group. */
  | {
      group_ended: {
        ending: Ending;
        /** The last message of the transcript. */
        last: number | null;
        /** Tokens of the whole run. */
        usage: Usage;
        /** Money of the whole run. */
        spent: number;
      };
    };

/** A queue of prompts. */
export type Queue =
  /** Enters before the next model call. */
  | 'steering'
  /** Enters at a natural stop. */
  | 'follow_up';

/** What the kernel does after a failed model call. */
export type NextTry =
  /** Call the same model again later. */
  | {
      retry: {
        /** When the call is retried. */
        at: number;
      };
    }
  /** Call the next model of the list. */
  | {
      fallback: {
        model: string;
      };
    }
  /** Call the same model with a smaller view. */
  | 'compact'
  /** Give up: the group ends. */
  | 'give_up';

/** How a model failed. */
export type StepCause =
  /** A guard rejected a result of its work, and the correction did not help. */
  | 'rejected'
  /** Its calls were invalid, turn after turn. */
  | 'invalid_calls'
  /** It announced an action twice and took none. */
  | 'inconclusive'
  /** It made the same call again and again, to no avail. */
  | 'looping';

/** How the view was made smaller. */
export type PlanStep =
  /** Old results became one line each. */
  | 'elided'
  /** The oldest part became a summary. */
  | 'summarised'
  /** A summary was asked for and not used. */
  | 'summary_discarded'
  /** The oldest turns left the view. */
  | 'dropped'
  /** Large results of the last turns lost their middle, because nothing else could be removed. */
  | 'clipped';

/** The id of an event: the record that caused it, and its position among that record's events. */
export interface EventId {
  /** The record whose handling emitted the event. */
  record: number;
  /** 0 for the first event of that record. */
  index: number;
}

/** One fact that a run learns. */
export type Input =
  /** The run started; always record 0. */
  | { started: Started }
  /** A host took the run over, after a crash or from another host. */
  | {
      resumed: {
        /** The name of the host, for people. */
        host: string;
      };
    }
  /** A person gave a prompt; it starts a new turn group. */
  | { prompted: Prompt }
  /** A person gave a prompt while the run works; it enters before the next model call. */
  | { steered: Prompt }
  /** A prompt for the time when the run would stop by itself. */
  | { followed_up: Prompt }
  /** A model call ended. */
  | {
      model_finished: {
        call: number;
        result: ModelResult;
      };
    }
  /** A hook or a person ruled on a proposed call. */
  | {
      judged: {
        call: number;
        verdict: Verdict;
      };
    }
  | {
      consulted: {
        call: number;
        answer: Answer;
      };
    }
  /** A call was recorded as about to run. From here on it may have happened. */
  | {
      dispatched: {
        call: number;
      };
    }
  | {
      tool_finished: {
        call: number;
        /** The output of the tool. */
        result: ToolOutput;
      };
    }
  /** An executable postcondition was run. */
  | {
      checked: {
        call: number;
        ruling: CheckRuling;
      };
    }
  /** A child run started. */
  | {
      child_started: {
        /** The call that requested it. */
        call: number;
        /** The child's id in the host's store. */
        child: string;
      };
    }
  /** A child run ended. */
  | {
      child_finished: {
        /** The call that requested it. */
        call: number;
        /** The result of the child. */
        result: ChildResult;
      };
    }
  /** A summary was made, or failed. */
  | {
      summarised: {
        call: number;
        /** The reply, or the failure. */
        result: ModelResult;
      };
    }
  /** The tool list changed. Running calls finish with the tools they started with. */
  | { tools_changed: ToolDeclaration[] }
  | { mode_changed: Mode }
  /** The grants changed. This also ends all leases. */
  | { grants_changed: string[] }
  | { budget_changed: Budget }
  /** A host that took the run over narrowed its configuration; nothing in it makes the run laxer. */
  | { narrowed: Narrowing }
  /** A person or the host cancelled the run. Queued prompts are dropped. */
  | {
      cancelled: {
        /** The reason, for people to read. */
        reason?: string;
      };
    }
  /** Time has passed; this answers an armed deadline. */
  | 'time_passed';

/** A person's message to the run. */
export interface Prompt {
  blocks: Block[];
  /** The marks that the content sets. */
  marks?: Marks;
  /** The conversation before the run, oldest message first. It counts only in the first prompt of a run; later the run has its own transcript. */
  past?: PastMessage[];
}

/** A message from before the run, as the sender of the prompt reports it. */
export interface PastMessage {
  role: Role;
  /** The content, in order. A call counts only if a result for it follows. */
  blocks: Block[];
}

/** How a model call ended. */
export type ModelResult =
  /** The model sent a complete reply. */
  | { replied: Reply }
  /** The call was aborted on request; this is what had arrived. */
  | { aborted: Reply }
  | { failed: Failure };

/** A complete reply of a model. */
export interface Reply {
  /** The content, in order. */
  blocks: Block[];
  usage?: Usage;
  stop?: StopReason;
  /** Which model answered, if the provider said so. */
  model?: string | null;
}

/** A failed model call, classified by what can be done about it. */
export interface Failure {
  /** The class; it decides what happens next. */
  class: FailureClass;
  /** A description for people; the host has removed secrets. */
  message?: string;
  /** How long the provider asks to wait, in milliseconds. */
  retry_after_ms?: number | null;
  /** The tokens that were used anyway. */
  usage?: Usage;
}

/** The kind of a failure. */
export type FailureClass =
  /** Too many requests; wait and retry. */
  | 'rate_limited'
  /** The provider is overloaded; retry, and soon try another model. */
  | 'overloaded'
  | 'server'
  | 'network'
  /** The stream ended before the reply was complete. */
  | 'truncated'
  /** The reply was empty. */
  | 'empty'
  /** The conversation is longer than the window. */
  | 'context_overflow'
  /** The key is missing, wrong or not allowed. */
  | 'auth'
  /** The account has no credit or quota left. */
  | 'quota'
  /** The request was invalid; a retry cannot help. */
  | 'bad_request'
  /** The provider's filter refused. */
  | 'content_filter'
  /** The host crashed repeatedly during the same work. */
  | 'host_crash';

/** A ruling on a proposed call. It can only narrow what the kernel would allow or ask. */
export type Verdict =
  | {
      allow: {
        /** Grants that the person gave with the answer, for the rest of the run or until a given time. */
        grants?: string[];
        /** When those grants end; `None` means at the end of the run. */
        until?: number | null;
      };
    }
  /** Do not run it. */
  | {
      deny: {
        /** The reason; the model gets it. */
        reason: string;
      };
    }
  /** Run it with other arguments, which are validated and judged again. */
  | {
      rewrite: {
        /** The new arguments, as JSON text. */
        arguments: string;
      };
    };

/** The output of a tool. The host limits it, removes known secrets, and spills large text. */
export interface ToolOutput {
  /** The outcome of the call. */
  outcome?: Outcome;
  /** The text. For a spilled result it is empty, and `spill` has its head and tail. */
  text?: string;
  parts?: Block[];
  /** Where the whole text is, if it was too large for the journal. */
  spill?: Spill | null;
  /** Whether the tool votes to end the run. */
  terminate?: boolean;
  /** For rendering; never sent to a model. */
  metadata?: Json | null;
  /** The marks that its content sets, beyond those that the tool declares. */
  marks?: Marks;
}

/** A result that was too large for the journal: its two ends, its size and its location. */
export interface Spill {
  /** The beginning of the text. */
  head: string;
  /** The end of the text. */
  tail: string;
  /** Length of the whole in bytes. */
  bytes: number;
  /** SHA-256 of the whole, in hex. */
  sha256: string;
  /** The reference with which the model reads more. */
  reference: string;
}

/** The result of an executable check. */
export type CheckRuling =
  /** The result passed the check. */
  | 'passed'
  /** The result failed the check. */
  | {
      failed: {
        /** The reason; the model gets it. */
        reason: string;
      };
    }
  /** The check itself could not be run; the result is not believed. */
  | {
      broken: {
        reason: string;
      };
    };

/** The result of a child run. */
export interface ChildResult {
  /** The child's answer, or why it did not answer. */
  output: ToolOutput;
  /** What it spent, out of its share. */
  spent?: number;
  usage?: Usage;
  /** The marks of the child. */
  marks?: Marks;
}

/** How far a journal reaches. It is small enough to be stored elsewhere, where it proves that nothing was cut off or rewritten. */
export interface Head {
  /** The number of the last record. */
  seq: number;
  /** Its chain value, which covers everything up to it. */
  chain: string;
}

/** The role of a message's speaker. */
export type Role =
  /** The operator's standing orders that arrive during a run; the system prompt is part of the configuration. */
  | 'system'
  /** The person, or the kernel on the person's behalf (corrections, wrap-up notes): see `Message::author`. */
  | 'user'
  | 'assistant'
  /** Results of tool calls. */
  | 'tool'
  /** An application's own record; never sent to a model. */
  | 'custom';

/** One message of the transcript. */
export interface Message {
  /** Unique within the run. */
  id: number;
  role: Role;
  /** The content, in order. */
  blocks: Block[];
  author?: Author;
}

/** Who wrote a message. */
export type Author =
  /** The speaker that the role names. */
  | 'speaker'
  /** The kernel wrote it itself. */
  | 'kernel';

/** One piece of a message. */
export type Block =
  | { text: string }
  /** A model's reasoning, with the data that its provider requires to be sent back. */
  | { thinking: Thinking }
  /** A request to run a tool. */
  | { tool_call: ToolCall }
  /** The result of a tool, sealed for the model. */
  | { tool_result: ToolResult }
  | { image: Media }
  /** A document, an audio file or any other file. */
  | { file: Media }
  /** Application data; codecs do not send it to providers. */
  | { custom: Custom };

/** Reasoning text and the opaque payload that must be echoed to the same provider. */
export interface Thinking {
  /** The text that may be shown to a person; empty if the provider hides it. */
  text?: string;
  /** A signature, encrypted item or similar, kept unchanged. */
  replay?: Json | null;
}

/** A model's request to run a tool. */
export interface ToolCall {
  /** The provider's id for the call; the kernel makes it unique within the run. */
  id: string;
  /** The tool's name as the model wrote it (after alias repair). */
  name: string;
  /** The arguments exactly as the model wrote them. */
  arguments: string;
  /** Data that the provider requires to be sent back with this call (a thought signature). */
  replay?: Json | null;
}

/** The outcome of a tool call. */
export type Outcome =
  /** It ran and succeeded. */
  | 'succeeded'
  /** It ran and failed. */
  | 'failed'
  /** It was not run: invalid, denied, over a limit, repeated in a loop. */
  | 'refused'
  /** It may or may not have run: the host stopped before the result was recorded. */
  | 'unknown'
  /** It was stopped on request or by its deadline. */
  | 'stopped';

/** The result of a tool call, as the model reads it. */
export interface ToolResult {
  /** The `id` of the call. */
  call: string;
  tool: string;
  /** The output inside its envelope; safe to send as it is. */
  text: string;
  /** The outcome of the call. */
  outcome?: Outcome;
  /** Images and files that the tool returned. */
  parts?: Block[];
}

/** An image or a file. */
export interface Media {
  /** The media type, for example `image/png`. */
  media_type: string;
  /** Where the bytes are. */
  source: Source;
  /** A file name to show. */
  name?: string | null;
}

/** Where the bytes of a media block are. */
export type Source =
  /** In the message itself, as base64. */
  | { base64: string }
  /** On the web; the provider fetches it. */
  | { url: string }
  /** In the host's blob store; the host inserts the bytes when it encodes. */
  | { reference: string };

/** An application's own payload. */
export interface Custom {
  /** The application's name for this kind of content. */
  kind: string;
  /** The content, as any JSON value. */
  payload: Json;
}

/** Token counts as the provider reported them, or estimates if it reported none. */
export interface Usage {
  /** All prompt tokens, cached ones included. */
  input?: number;
  /** All generated tokens, reasoning included. */
  output?: number;
  /** The part of `input` that was read from the provider's cache. */
  cached?: number;
  /** The part of `input` that was written to the provider's cache. */
  cache_write?: number;
  /** The part of `output` that was reasoning. */
  reasoning?: number;
  /** The part of `input` and `output` that no provider reported: Holm estimated it. */
  estimated?: number;
}

/** Why a reply ended, in one vocabulary for every provider. */
export type StopReason =
  /** The model was done. */
  | 'end_turn'
  /** The model waits for tool results. */
  | 'tool_use'
  /** The output cap was reached. */
  | 'max_tokens'
  /** A stop sequence was produced. */
  | 'stop_sequence'
  | 'refusal'
  /** The provider's filter cut the reply. */
  | 'content_filter'
  /** A reason that this version does not know. */
  | 'other';

/** What a plausible result of a tool looks like, declared by the tool. */
export interface Expectation {
  /** Whether no output is an answer. */
  empty?: EmptyOutput;
  /** Whether an output that reads like an error message may be data. */
  error_text?: ErrorText;
  /** What a finding leads to. */
  severity?: Severity;
  /** Whose rules are applied. Those of agent.rs always refuse an empty output and never read for errors, so `EmptyOutput` and `ErrorText` do not apply to them. */
  rules?: Rules;
}

/** Whether a tool may succeed without saying anything. */
export type EmptyOutput =
  /** Silence is success, as for `mkdir` or a search that may find nothing. */
  | 'allowed'
  /** Data was promised, so nothing is not an answer. */
  | 'refused';

/** Whether a tool's output may consist of an error message and still be data. */
export type ErrorText =
  /** The tool shows foreign content (a file, a log, a search hit); an error message in it is the data. */
  | 'allowed'
  /** An output that is nothing but an error message is a failure in disguise. */
  | 'refused';

/** One promise of a tool about its output. */
export interface Postcondition {
  /** What the promise is called in reasons and events. */
  name: string;
  /** What the output must be like. */
  rule: Rule;
  /** What a broken promise leads to. */
  severity?: Severity;
  /** The message for the model when the promise is broken; without it, what was found. */
  message?: string | null;
}

/** What an output must be like. */
export type Rule =
  /** The whole output is one JSON value that this schema allows. */
  | { schema: Json }
  /** A regular expression (in JavaScript's syntax, unanchored, matched in linear time) that must match somewhere, or nowhere. */
  | {
      pattern: {
        regex: string;
        /** Which of the two. */
        must?: Must;
      };
    }
  /** Rules about lines. Lines of white space only are not counted and not matched. */
  | {
      lines: {
        /** The minimum. */
        min?: number | null;
        /** The maximum. */
        max?: number | null;
        /** What every line must match. */
        each?: string | null;
        /** What no line may match. */
        none?: string | null;
      };
    }
  /** Bounds on the length in bytes. */
  | {
      length: {
        /** The minimum. */
        min?: number | null;
        /** The maximum. */
        max?: number | null;
      };
    }
  /** A program that gets the output and must succeed. It is never run here: the caller turns it into an effect, and the host's answer comes back as a fact. */
  | {
      executable: {
        /** The program, under the names of the host. */
        command: string;
        /** The arguments of the program. */
        arguments?: string[];
      };
    };

/** Whether a pattern is demanded or forbidden. */
export type Must =
  /** The output must match. */
  | 'match'
  /** The output must not match. */
  | 'not_match';

/** What one guard, or a whole chain of them, says about a result. */
export type Ruling =
  /** The result may be believed. */
  | 'accept'
  /** The result is used, and the doubt is shown with it. */
  | { warn: Reason }
  /** The result must not be believed. */
  | { reject: Reason };

/** How much a failed check weighs. A tool's declaration chooses it. */
export type Severity =
  /** Report it and continue. */
  | 'warn'
  /** Refuse the result. The default: a doubt that was not weighed fails closed. */
  | 'reject';

/** Whose rules decide about a result. */
export type Rules =
  | 'holm'
  /** Those of agent.rs, to the letter and with its reason texts, for runs in its compatibility mode. */
  | 'agent_rs';

/** Why a guard doubted a result: which guard, and what it saw. */
export interface Reason {
  /** The guard's name, or the name that a tool gave to its postcondition. */
  guard: string;
  /** What is wrong and what to do, as a text for the model and for people. */
  message: string;
}

/** What a skill is given, what it must return, and how the return is proven. */
export interface Contract {
  /** The name by which a model asks for the skill. */
  name: string;
  /** The version of the contract, for people and logs. */
  version: string;
  /** What the skill does, in one sentence. */
  description: string;
  /** JSON Schema of the input. */
  input: Json;
  /** JSON pointer to the source text in the input, if values must occur in one. */
  source?: string | null;
  /** What must come out. */
  cases: Cases;
}

/** Whether every input leads to the same output, or a field of the input chooses. */
export type Cases =
  /** One kind of output. */
  | { one: Case }
  /** A string member of the input names the case, in upper or lower case. */
  | {
      by: {
        field: string;
        /** The cases by their names, which are in lower case. */
        cases: Record<string, Case>;
      };
    };

/** One kind of output. */
export interface Case {
  /** The instructions for the model. */
  instructions: string;
  /** JSON Schema of the output. */
  output: Json;
  /** JSON pointers to the output values that must occur in the source text; `*` is every element or member. All strings and numbers below a pointer are checked. A pointer that leads nowhere checks nothing: whether a member is required is the schema's business. */
  grounded?: string[];
  /** The forms that values must have. */
  formats?: FormatCheck[];
}

/** A demand on the form of some output values. */
export interface FormatCheck {
  /** JSON pointer to the values, as in `Case::grounded`. */
  pointer: string;
  /** What they must be. */
  format: SkillFormat;
}

/** A form that a value may be asked to have. */
export type SkillFormat =
  /** An e-mail address with a domain of at least two labels. */
  | 'email'
  /** A URL with a host, or a host name with at least two labels and perhaps a path. */
  | 'url'
  /** A date: complete (and then in the calendar), partial, or relative. */
  | 'date';

/** Settings of a call that the kernel does not decide. */
export interface WireOptions {
  /** Whether the reply comes in pieces. */
  delivery?: Delivery;
  /** Whether the model must or may not call tools. */
  tool_choice?: ToolChoice;
  /** Whether one reply may contain several calls. */
  parallel?: Parallel;
  /** How much the model may think. */
  reasoning?: Reasoning;
  /** Whether prompt-cache breakpoints are set where the format has them. */
  caching?: Caching;
  /** A name for prompts that begin alike, where the format has a place for it: the provider's cache is found by it. */
  cache_key?: string | null;
  /** Texts at which the model stops. */
  stop?: string[];
  /** Members of the request body that win over the codec's own, as an object. */
  extra?: Json | null;
}

/** How the reply is delivered. */
export type Delivery =
  /** As a stream of pieces. */
  | 'stream'
  /** The reply comes as one body, not as a stream. */
  | 'whole';

/** Whether the model must call a tool. */
export type ToolChoice =
  /** The model decides whether to call tools. */
  | 'auto'
  /** The model may not call tools. */
  | 'none'
  /** It must call one. */
  | 'required'
  /** It must call this one. */
  | { tool: string };

/** Whether one reply may hold several tool calls. */
export type Parallel =
  /** As the provider likes it. */
  | 'unsaid'
  /** The model may call several tools at once. */
  | 'allowed'
  /** One call a reply. */
  | 'forbidden';

/** How much the model may think before it answers. */
export type Reasoning =
  /** As the provider likes it. */
  | 'unsaid'
  /** Not at all, where that can be said. */
  | 'off'
  /** This much, in words. */
  | { effort: Effort }
  /** This many tokens; formats that know only words take the nearest. */
  | { budget: number };

/** Effort in the words that providers share. */
export type Effort =
  | 'low'
  | 'medium'
  | 'high';

/** Whether cache breakpoints are set. */
export type Caching =
  | 'on'
  /** On, and prompts are kept for an hour where the format can say so. Writing to the cache costs more then, so it pays for sessions that pause for longer than five minutes. */
  | 'hour'
  | 'off';

/** The formats, by name. */
export type Format =
  /** `OpenAI` Chat Completions and the many services compatible with it. */
  | 'openai_chat'
  /** `OpenAI` Responses. */
  | 'openai_responses'
  /** Anthropic Messages. */
  | 'anthropic'
  /** Google Gemini. */
  | 'gemini'
  /** Cohere v2 chat. */
  | 'cohere'
  /** Ollama's own API. */
  | 'ollama'
  /** AWS Bedrock Converse. */
  | 'bedrock';

/** An `Effect` in the serde form that `poll` gives out. */
export type Effect =
  | {
      call_model: {
        call: number;
        request: LeanRequest;
      };
    }
  | {
      run_tool: {
        call: number;
        request: ToolRequest;
      };
    }
  | {
      spawn: {
        call: number;
        request: SpawnRequest;
      };
    }
  | { abort: number }
  | { judge: Proposal }
  | { consult: Consultation }
  | {
      check: {
        call: number;
        request: CheckRequest;
      };
    }
  | {
      summarise: {
        call: number;
        request: LeanRequest;
      };
    }
  | { emit: Numbered }
  | { finish: Ending }
  | { wait: number | null };

/** A request by its measures. */
export interface LeanRequest {
  purpose: Purpose;
  model: string;
  /** Changes whenever the view changes other than by growing; none for messages made for this request. */
  epoch: number | null;
  messages: number;
  tools: number;
  tools_epoch: number;
  max_output: number | null;
}

/** Figures of a run. */
export interface Status {
  /** The record that was handled last. */
  seq: number;
  at: number;
  /** The digest of what it caused, as the journal writes it: too large for a number of JavaScript. */
  effects: string;
  usage: Usage;
  spent: number;
  marks: Marks;
  /** Whether the run waits for a prompt. */
  idle: boolean;
  /** How long the transcript is. */
  messages: number;
  /** The last record, which the next one follows. */
  head: Head | null;
}

/** What a journal holds. */
export interface JournalReport {
  /** How many records are sound. */
  records: number;
  /** The last of them. */
  head: Head | null;
  /** Where to cut a torn tail, in bytes. */
  cut_at: number | null;
  /** What is wrong with the tail. */
  torn: string | null;
}

/** One thing that is wrong with a value. */
export interface Violation {
  /** Where, as a JSON pointer. */
  pointer: string;
  /** The keyword that is broken. */
  keyword: string;
  /** The same in words. */
  message: string;
}

/** A `WireDelta` in its serde form. */
export type Delta =
  | {
      text: {
        offset: number;
        text: string;
      };
    }
  | {
      thinking: {
        offset: number;
        text: string;
      };
    }
  | {
      tool_call_started: {
        index: number;
        id: string;
        name: string;
      };
    }
  | {
      tool_arguments: {
        index: number;
        offset: number;
        text: string;
      };
    }
  | { usage: Usage };
