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

/** Record 0: everything that decides how a run behaves. */
export interface Started {
  /** The run's own id, unique among all runs; idempotency keys are derived from it. */
  run: string;
  /** Which decision rules the run follows. */
  semantics: number;
  /** The version of the program that started the run; for people, never for decisions. */
  version?: string;
  /** Source of all jitter and of every envelope's seal. */
  seed: number;
  /** The run's configuration. */
  config: Config;
}

/** How one run behaves. */
export interface Config {
  /** Who this agent is, for logs and for people. */
  name?: string;
  /** The system prompt. */
  system?: string;
  /** Where the instructions in the system prompt come from, with the hash of their text; for people, never for decisions. */
  system_source?: string;
  /** The models: the first is used, the others are fallbacks in order. */
  models: ModelInfo[];
  /** Which of them the run climbs when its work is not good enough; none keeps to fallbacks. */
  ladder?: Ladder | null;
  /** The tools, in the order in which the model sees them. */
  tools?: ToolDeclaration[];
  /** How calls are written in a reply. */
  protocol?: Protocol;
  /** Product vocabulary. */
  policy?: ProtocolPolicy;
  /** Bounds of every kind. */
  limits?: Limits;
  /** When and how a failed model call is tried again. */
  retry?: RetryPolicy;
  /** How the transcript is fitted into the model's window. */
  context?: ContextPolicy;
  /** What the run may do. */
  grants?: string[];
  /** What the run may never do, whatever was granted: tools by name, and what calls need. A call that needs a whole folder is denied only where all of it is; its tool is told the denials and asks about each file (`ToolRequest::denials`(crate::ToolRequest)). */
  denials?: string[];
  /** The absolute path of the folder that relative paths start from. With it, grants and denials of relative paths also hold for a path in this folder that a call spells out from the root. */
  workspace?: string | null;
  /** What is asked. */
  mode?: Mode;
  /** Who answers when something is asked. */
  approvals?: Approvals;
  /** What had already entered the run when it began (a child inherits its parent's marks). */
  marks?: Marks;
  /** What the marks lead to. */
  mark_rule?: MarkRule;
  /** Whether the calls of a batch may overlap. */
  batch?: BatchOrder;
  /** Where the host's hooks want to be heard. */
  consult?: ConsultPoint[];
  /** How far above the root run this one stands; a child's depth is its parent's plus one. */
  depth?: number;
  /** What becomes of children in the background when the run would end by itself. */
  children_at_end?: ChildrenAtEnd;
}

/** What becomes of children in the background when their run would end by itself. A run that is cancelled, fails or reaches a limit stops them always. */
export type ChildrenAtEnd =
  /** The run waits for them, and the model hears every result. */
  | 'wait'
  /** They are stopped, and the run ends. */
  | 'stop';

/** Who answers a question about a call. */
export type Approvals =
  /** A person or a hook is asked about what the mode does not allow by itself. */
  | 'ask'
  /** As `Ask`, and hooks are also asked about what the mode allows; they can only narrow it. */
  | 'ask_always'
  /** Nobody is there: what would be asked is denied. */
  | 'deny';

/** Whether the calls of one reply may run at the same time. */
export type BatchOrder =
  /** Those that only look may; one that may change something runs after the calls before it and before those after it. */
  | 'parallel'
  /** One after the other, always. */
  | 'sequential';

/** What has entered the run and cannot be taken out again. */
export interface Marks {
  /** Content from outside: web pages, mail, results of servers that nobody vouches for. */
  untrusted?: boolean;
  /** Secrets or private data. */
  private?: boolean;
}

/** What follows from a mark. */
export type MarkRule =
  /** Once a mark is set, egress and writes that no grant names are asked, in every mode. */
  | 'ask_after_any'
  /** The same, but only once both marks are set. */
  | 'ask_after_both'
  /** Marks are kept and shown, and change nothing. */
  | 'show_only';

/** The planner's figures. */
export interface ContextPolicy {
  /** The window to plan for when the model's own is not known, in tokens. */
  default_window?: number;
  /** Planning starts at this share of the window, in thousandths. */
  trigger_milli?: number;
  /** Planning stops at this share, in thousandths; the gap keeps the prefix stable between two plans. */
  target_milli?: number;
  /** Turns at the end that are never touched. */
  keep_turns?: number;
  /** Messages in view at the most; none leaves it to the tokens. */
  max_messages?: number | null;
  /** Whether and how the oldest part is summed up. */
  summary?: SummaryPolicy;
}

/** Whether a model is asked to sum up what leaves the window. */
export type SummaryPolicy =
  /** It is not: old results are elided and old turns leave the window. */
  | 'never'
  /** It is, with this instruction (none uses the built-in one). */
  | {
      ask: {
        /** What the model is told. */
        instruction?: string | null;
      };
    };

/** Which models a run climbs, and when. */
export interface Ladder {
  /** What kind of task the run is about. */
  kind?: string;
  /** Names of configured models, the weakest first; empty means all of them in their order. A name that no configured model has is passed over. */
  rungs?: string[];
  /** The rung to begin on, from 0; beyond the last means the last. */
  start?: number;
  /** Why it begins there, for people. */
  why?: string;
  /** When it steps up. */
  step_up?: StepUp;
  /** What the model on the last rung is told before the run fails; empty tells it nothing. */
  hint?: string;
}

/** When a run steps up. */
export interface StepUp {
  /** What a guard's rejection leads to. */
  rejection?: OnRejection;
  /** After so many turns in a row in which no call was valid; 0 means never. */
  invalid_turns?: number;
}

/** What a guard's rejection leads to. */
export type OnRejection =
  /** The model may correct itself once; if that does not help, the next one takes over. */
  | 'after_correction'
  /** The next model takes over at once. */
  | 'at_once'
  /** Nothing: the run ends as it would without a ladder. */
  | 'never';

/** A bound that has to be lifted on purpose. */
export type Bound =
  /** At most this many. */
  | { at_most: number }
  /** No bound, by name. */
  | 'unbounded';

/** What one run may use. */
export interface Limits {
  /** Model turns, per group. In the last one no tool can be called, so that there is an answer. */
  turns?: Bound;
  /** Turns before the cap at which the model is told to wrap up; 0 tells it nothing. */
  grace_turns?: number;
  /** Tool calls that one reply may make; the rest is refused, and said so. */
  calls_per_turn?: Bound;
  /** Input and output tokens, per run. */
  tokens?: Bound;
  /** Wall clock in milliseconds, per group. */
  wall_ms?: Bound;
  /** Money, per run. */
  budget?: Budget;
  /** What to do when a reply hits its output cap. */
  max_tokens?: MaxTokensRecovery;
  /** Characters of one tool result that reach the model, unless the tool says otherwise. */
  result_chars?: number;
  /** How long one tool call may take, unless the tool says otherwise. */
  tool_ms?: number;
  /** Children that may stand below one another. */
  depth?: number;
}

/** How much money a run may spend. */
export interface Budget {
  /** The hard limit; none means no bound in money. */
  usd?: number | null;
}

/** What happens when a reply is cut by its output cap. */
export interface MaxTokensRecovery {
  /** How often it is tried per turn. */
  attempts?: number;
  /** Whether the cap may grow (doubling) up to this; none keeps it and asks the model to resume. */
  ceiling?: number | null;
}

/** A model as the kernel needs to know it. */
export interface ModelInfo {
  /** `provider/model`, the name used everywhere. */
  name: string;
  /** How its tokenizer tends to count. */
  family?: Family;
  /** The context window in tokens; what the user declared wins over any catalogue. */
  window?: number | null;
  /** The output cap to ask for; none leaves it to the provider. */
  max_output?: number | null;
  /** The price; none means unknown, which is never taken for free. */
  price?: Price | null;
  /** Sampling temperature in thousandths. */
  temperature_milli?: number | null;
}

/** Families of tokenizers, for estimates before the provider has counted. */
export type Family =
  /** `OpenAI`'s vocabularies. */
  | 'open_ai'
  /** Anthropic's vocabularies, which count more. */
  | 'anthropic'
  /** Google's vocabularies. */
  | 'gemini'
  /** Llama, Qwen, Mistral and other open ones. */
  | 'open'
  /** Anything else: estimated with care. */
  | 'other';

/** Prices in nano-dollars per million tokens. */
export interface Price {
  /** Prompt tokens. */
  input?: number;
  /** Generated tokens. */
  output?: number;
  /** Prompt tokens read from the cache; none means as `input`. */
  cached?: number | null;
  /** Prompt tokens written to the cache; none means as `input`. */
  cache_write?: number | null;
}

/** How a model writes its calls. */
export type Protocol =
  /** The provider's own tool calls. */
  | 'native'
  /** JSON in the text: `{"tool":…}` or `{"skill":…}`, an answer otherwise. */
  | 'text';

/** A product's words. The default is generic and names no tool. */
export interface ProtocolPolicy {
  /** Tools whose success votes to end the run. */
  terminal_tools?: string[];
  /** Whether a native run must end by a terminal tool; a plain answer is then reminded once. */
  plain_answer?: PlainAnswer;
  /** Other names for tools and arguments. */
  aliases?: Alias[];
  /** What a model is told when it asks for a tool that is hidden from it; the key is the tool's name. */
  hidden?: Record<string, HiddenToolNote>;
  /** How planning prose without an action is recognised and answered. */
  inconclusive?: Inconclusive;
  /** What a native reply means that announces an action and takes none. */
  announcements?: Announcements;
  /** What a model is told when the turns run out; `{left}` is replaced. */
  wrap_up?: string | null;
  /** What a model is told when its reply was cut; none uses the built-in sentence. */
  resume?: string | null;
}

/** Whether plain text ends a run. */
export type PlainAnswer =
  /** It does. */
  | 'ends'
  /** The model is reminded once with this text; the next plain answer ends the run. */
  | { remind_once: string };

/** A tool's other name, with other names of its arguments. */
export interface Alias {
  /** The name a model may write. */
  name: string;
  /** The tool that is meant. */
  tool: string;
  /** Argument names: what a model may write → what is meant. `list.name` is a name in the objects of the argument `list`. */
  arguments?: Record<string, string>;
}

/** What is said of a hidden tool. */
export interface HiddenToolNote {
  /** The text the model gets as the result. */
  message: string;
}

/** Recognises prose that announces an action and takes none. */
export interface Inconclusive {
  /** Lower-case phrases that announce. */
  phrases?: string[];
  /** Text of this many bytes or more is an answer, whatever it says. */
  shorter_than?: number;
  /** What the model is told; it gets one chance. */
  correction?: string;
}

/** What a native reply means whose last sentence announces an action ("Let me read the file.") and which makes no call. */
export type Announcements =
  /** It is the answer, as every text without a call. */
  | 'answers'
  /** The model gets the correction of `Inconclusive` once. If it announces again, the ladder steps up; where nothing is left to do, the text is the answer. */
  | 'corrected';

/** What a host narrows; what is none stays as the run has it. */
export interface Narrowing {
  /** What the marks lead to: the stricter of this rule and the run's own. */
  mark_rule?: MarkRule | null;
  /** What has entered the run, as the host knows: a run from elsewhere is untrusted content. */
  marks?: Marks;
  /** Bounds that hold beside the run's own; the budget has a fact of its own. */
  limits?: Limits | null;
  /** How often and how soon a failed model call may be tried again at most. */
  retry?: RetryPolicy | null;
  /** The other names of tools that the run may keep; those that are not here go. */
  aliases?: Alias[] | null;
  /** Whether the run's own workspace is dropped: one from elsewhere could make relative grants mean other folders. */
  drops_workspace?: boolean;
}

/** Back-off between tries of one model call. */
export interface RetryPolicy {
  /** Tries per model, the first included. */
  attempts?: number;
  /** The first pause in milliseconds; it doubles. */
  base_ms?: number;
  /** No pause is longer, except one that the provider asks for. */
  cap_ms?: number;
  /** The longest pause that a provider may ask for; beyond it the next model is tried, or the run fails. */
  patience_ms?: number;
  /** Up to this many thousandths of a pause are taken off at random (from the seed). */
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
  /** How much a call can change. Has no default: what is not said cannot be taken for harmless. */
  level: Level;
  /** What a call needs, as templates over its arguments. Empty means that a call uses nothing which a grant could give or withhold (no file, no address, no program): then the level alone decides whether it may run. */
  needs?: string[];
  /** What runs it. */
  kind?: ToolKind;
  /** Whether it may run again after a crash. */
  repeat?: Repeat;
  /** Whether it may overlap with others. */
  pace?: Pace;
  /** Whether its results count when a batch decides to end the run. */
  vote?: Vote;
  /** What its output brings into the run, and what leaves through it. */
  yields?: Yields;
  /** Whether empty output is a fair result. */
  empty?: EmptyOutput;
  /** Whether an output that reads like an error message may be data (a file, a log, a search hit). */
  error_text?: ErrorText;
  /** What an implausible result leads to. */
  severity?: Severity;
  /** What must hold of every result. */
  postconditions?: Postcondition[];
  /** How much of a result the model sees, in characters; none means the run's limit. */
  result_limit?: number | null;
  /** How long one call may take, in milliseconds; none means the run's limit. */
  timeout_ms?: number | null;
  /** How much of it one turn group may use. */
  quota?: Quota;
  /** Whether repeating it is its purpose. */
  exemption?: Exemption;
  /** Whether its failure stops the other calls of its batch. */
  aborts_siblings?: boolean;
  /** Whether a call may be answered at once while its child works on; only agents have children. */
  background?: Background;
}

/** What runs a tool. */
export type ToolKind =
  /** The host runs it: `Effect::RunTool`(crate::Effect::RunTool). */
  | 'host'
  /** Another run does: `Effect::Spawn`(crate::Effect::Spawn). */
  | {
      agent: {
        /** What the child asks for; it gets what the parent holds of it. */
        grants?: string[];
        /** What is set aside from the parent's budget for one child; zero is all that is left. */
        reserve?: number;
        /** The tokens that are set aside for one child, where its parent has a limit; zero is all that are left. */
        tokens?: number;
      };
    }
  /** A contract skill that the model itself carries out and the guards check. */
  | {
      skill: {
        /** What goes in, what must come out, and what it must be grounded in. */
        contract: Contract;
      };
    }
  /** The kernel does: it changes the run's mode. */
  | { plan: PlanRole }
  /** The kernel answers: how the children in the background stand, what came of one, and that one is stopped. */
  | 'children';

/** Whether a call waits for its child. */
export type Background =
  /** It does. */
  | 'never'
  /** It does not where this argument of the call is `true`. */
  | {
      asked: {
        /** The argument's name. */
        argument: string;
      };
    }
  /** It never does. */
  | 'always';

/** Whether a call may run twice. */
export type Repeat =
  /** Twice is wrong: an unanswered call is settled as *outcome unknown*. */
  | 'once'
  /** Twice is the same as once. */
  | 'idempotent';

/** Whether a tool that only looks may overlap with the other calls of its reply. One that changes something never does. */
export type Pace =
  /** It may. */
  | 'shared'
  /** It runs after the calls before it and before those after it. */
  | 'exclusive';

/** Whether a tool has a say in ending the run. */
export type Vote =
  /** Its result votes. */
  | 'counts'
  /** It only advises. */
  | 'advisory';

/** What passes through a tool. */
export interface Yields {
  /** Its output comes from outside. */
  untrusted?: boolean;
  /** Its output may hold secrets or private data. */
  private?: boolean;
  /** A call sends data out. */
  egress?: boolean;
}

/** How much of one tool a turn group may use; none means no bound of its own. */
export interface Quota {
  /** Calls. */
  calls?: number | null;
  /** Milliseconds, all calls together. */
  millis?: number | null;
  /** Bytes of output, all calls together. */
  bytes?: number | null;
}

/** Whether the loop detector looks at a tool. */
export type Exemption =
  /** It does. */
  | 'none'
  /** Polling: the same call with the same result is what it is for. */
  | 'polling';

/** What a tool does about plan mode. */
export type PlanRole =
  /** Narrows the run to looking, for the calls after it. Nobody is asked. */
  | 'enter'
  /** Asks a person whether the plan may be carried out. A yes restores the mode from before, and no wider one. */
  | 'exit';

/** A place in the loop where hooks may be asked. */
export type ConsultPoint =
  /** Before a model call: change what this one request shows. */
  | 'context'
  /** Before a model call: which tools are on offer. */
  | 'tools'
  /** Before a model call: which of the configured models. */
  | 'model'
  /** After a tool: change its result before it is believed. */
  | 'after_tool'
  /** At a natural stop: is there more to do? */
  | 'stop'
  /** A plain answer arrived where the protocol could not decide by data. */
  | 'plain_answer';

/** A question to the hooks. */
export interface Consultation {
  /** Names the question; the answer carries it. */
  call: number;
  /** What is asked. */
  question: Question;
}

/** What is asked of the hooks. */
export type Question =
  /** See `ConsultPoint::Context`; the messages are read from the run. */
  | 'context'
  /** See `ConsultPoint::Tools`. */
  | {
      tools: {
        /** What is on offer now. */
        offered: string[];
      };
    }
  /** See `ConsultPoint::Model`. */
  | {
      model: {
        /** The name of the model that would be used. */
        current: string;
      };
    }
  /** See `ConsultPoint::AfterTool`. */
  | {
      after_tool: {
        /** The tool call. */
        tool_call: number;
        /** The tool's name. */
        tool: string;
        /** What it gave back. */
        output: ToolOutput;
      };
    }
  /** See `ConsultPoint::Stop`. */
  | 'stop'
  /** See `ConsultPoint::PlainAnswer`. */
  | {
      plain_answer: {
        /** The text. */
        text: string;
      };
    };

/** What the hooks answer. An answer that does not fit its question counts as `Answer::Nothing`, except at the tool gate, which fails closed. */
export type Answer =
  /** Nothing to say. */
  | 'nothing'
  /** Changes to this one request. */
  | { patch: Patch[] }
  /** Only these tools; several gates' answers are intersected by the host or listed here one set each. */
  | { tools: string[][] }
  /** Use this model; ignored if it is not configured. */
  | { model: string }
  /** The result is this instead. */
  | { output: ToolOutput }
  /** Go on with this. */
  | { continue: Prompt }
  /** The hook failed; gates close, everything else goes on. */
  | {
      failed: {
        /** Why. */
        reason: string;
      };
    };

/** A change to one request; the transcript keeps what was said. */
export type Patch =
  /** Leave a message out. A message that a call or its result needs is not left out alone. */
  | { hide: number }
  /** Show other content in its place. */
  | {
      replace: {
        /** Which message. */
        id: number;
        /** What to show. */
        blocks: Block[];
      };
    }
  /** Add a user message at the end. */
  | { append: Block[] };

/** One request to a model. Content is shared, not copied. */
export interface Request {
  /** What it is for. */
  purpose: Purpose;
  /** Which model. */
  model: ModelInfo;
  /** The system prompt. */
  system: string;
  /** The messages: read them with `Run::messages`(crate::Run::messages). */
  messages: Messages;
  /** The tools on offer. */
  tools: Offer;
  /** The output cap. */
  max_output: number | null;
  /** The reply must be JSON of this schema. */
  format: Json | null;
}

/** What a request is for. */
export type Purpose =
  /** The conversation goes on. */
  | 'turn'
  /** The last turn that is allowed: the model answers, and may call no tool. */
  | 'answer'
  /** A contract skill is carried out. */
  | 'skill'
  /** The oldest part of the transcript is summed up. */
  | 'summary';

/** Which messages a request holds. */
export type Messages =
  /** The run's view: the first `count` messages. While `epoch` stays the same the view only grows, so a codec keeps the bytes of what it has encoded and appends. */
  | {
      view: {
        /** Changes whenever the view changes other than by growing. */
        epoch: number;
        /** How many. */
        count: number;
      };
    }
  /** These, made for this request. */
  | { own: Message[] };

/** The tools on offer, in a stable order. */
export interface Offer {
  /** Changes whenever the list changes. */
  epoch: number;
  /** The declarations. */
  tools: ToolDeclaration[];
}

/** One tool call that may run. */
export interface ToolRequest {
  /** The tool. */
  tool: string;
  /** Valid arguments in canonical JSON. */
  arguments: string;
  /** The same for the same call of the same run; reaches the tool. */
  key: string;
  /** What the call was allowed to use. */
  needs: ({ request: string } | { grant: string })[];
  /** What no call of the run may do, for a tool that finds out while it works what it would touch. */
  denials: string[];
  /** When it is stopped. */
  deadline: number;
  /** Whether it ran before and its answer was lost. */
  again: boolean;
}

/** One child run. */
export interface SpawnRequest {
  /** The agent tool. */
  tool: string;
  /** Valid arguments in canonical JSON. */
  arguments: string;
  /** As in `ToolRequest::key`. */
  key: string;
  /** What the child holds: never more than its parent. */
  grants: string[];
  /** What the child may never do. */
  denials: string[];
  /** The folder that relative paths of the parent start from. */
  workspace: string | null;
  /** The parent's mode; the child's is this or stricter. */
  mode: Mode;
  /** Who answers when the parent's calls are asked about. */
  approvals: Approvals;
  /** What the parent's marks lead to. */
  mark_rule: MarkRule;
  /** What it may spend; already set aside. */
  budget: number | null;
  /** The tokens that it may use; already set aside. */
  tokens: number | null;
  /** What had entered its parent. */
  marks: Marks;
  /** Its depth. */
  depth: number;
  /** The depth at which no further child may stand. */
  deepest: number;
  /** The child to go on with, when it had been started before a crash. */
  resume: string | null;
}

/** A call that somebody must rule on, with everything a person needs to see. Text is free of terminal escapes. */
export interface Proposal {
  /** Names the question; the verdict carries it. A call that is asked about again, after a rewrite or a withdrawal, is asked about under a new name, so that no answer counts for what was not shown. */
  call: number;
  /** The tool call in question. */
  tool_call: number;
  /** The tool. */
  tool: string;
  /** The arguments in canonical JSON, control characters made visible. */
  arguments: string;
  /** How much the call can change. */
  level: Level;
  /** What it needs, one a line. */
  needs: string[];
  /** What of that nobody has granted. */
  missing: string[];
  /** What an agent would hold, one a line; empty for other tools. */
  hands_on?: string[];
  /** Why it is asked. */
  reasons: AskReason[];
  /** What has entered the run. */
  marks: Marks;
  /** SHA-256 over tool and canonical arguments, in hex: what is approved is what runs. */
  digest: string;
}

/** Why a call is asked about. */
export type AskReason =
  /** The mode asks at this level. */
  | 'level'
  /** Something it needs was not granted. */
  | 'missing_grant'
  /** It sends data out after a mark was set. */
  | 'egress_after_mark'
  /** It writes where no grant says so after a mark was set. */
  | 'write_after_mark'
  /** Hooks want to see every call. */
  | 'hook_wants'
  /** It would leave plan mode. Only a person may say yes to that: whoever answers by rules says no. */
  | 'leaves_plan';

/** One check that the host carries out. */
export interface CheckRequest {
  /** The tool call whose result is checked. */
  tool_call: number;
  /** What to check the whole result for. */
  check: Check;
}

/** What the kernel cannot check by itself: a program must run, or the whole of a spilled result must be read. */
export type Check =
  /** Whether the whole result is plausible: `holm_guards::plausibility::judge`. */
  | { plausibility: Expectation }
  /** A declared postcondition: run its program, or compile it alone and evaluate it on the whole result. */
  | { postcondition: Postcondition };

/** How a turn group ended. The transcript up to here is complete and in the run. */
export type Ending =
  /** The model answered, or the tools voted that it is done. */
  | {
      answered: {
        /** The answer; empty when tools ended the run without words. */
        text: string;
      };
    }
  /** The model or its provider declined. */
  | {
      refused: {
        /** What was said, if anything. */
        reason: string;
      };
    }
  /** A result could not be believed, and the one correction did not help. */
  | {
      rejected: {
        /** What was rejected. */
        what: string;
        /** Why. */
        reason: string;
      };
    }
  /** The same calls with the same results, again and again. */
  | {
      looping: {
        /** The tool called last. */
        tool: string;
        /** How often. */
        times: number;
      };
    }
  /** The money is spent. */
  | {
      over_budget: {
        /** What was spent. */
        spent: number;
        /** What was allowed. */
        limit: number;
      };
    }
  /** Another limit is reached. */
  | {
      over_limit: {
        /** Which. */
        limit: Limit;
        /** How much was used. */
        used: number;
        /** How much was allowed. */
        allowed: number;
      };
    }
  /** Somebody stopped it. */
  | {
      cancelled: {
        /** Why. */
        reason: string;
      };
    }
  /** It cannot go on. */
  | {
      failed: {
        /** The class of the last failure. */
        class: FailureClass;
        /** What happened. */
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
  /** Its number. */
  id: EventId;
  /** When the record that caused it was handled. */
  at: number;
  /** What happened. */
  event: Event;
}

/** What happened. */
export type Event =
  /** The run exists. */
  | {
      run_started: {
        /** The agent's name. */
        name: string;
      };
    }
  /** A host took over. */
  | {
      run_resumed: {
        /** Which. */
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
        /** The message. */
        message: Message;
      };
    }
  /** A message waits: steering or a follow-up. */
  | {
      queued: {
        /** Where it waits. */
        queue: Queue;
        /** How many wait there now. */
        waiting: number;
      };
    }
  /** A cancel dropped what waited in a line; a host can offer it back. */
  | {
      queue_dropped: {
        /** Where it waited. */
        queue: Queue;
        /** What was dropped, oldest first. */
        prompts: Prompt[];
      };
    }
  /** A model is being called. */
  | {
      model_called: {
        /** The call, which the deltas carry. */
        call: number;
        /** The turn within the group, from 1. */
        turn: number;
        /** The model's name. */
        model: string;
        /** Messages in the request. */
        messages: number;
        /** Estimated tokens of the request. */
        tokens: number;
      };
    }
  /** A reply arrived. */
  | {
      model_replied: {
        /** Which call. */
        call: number;
        /** What it took. */
        usage: Usage;
        /** What it cost; none when the price is unknown. */
        cost: number | null;
        /** Why it ended. */
        stop: StopReason;
        /** Which model answered, if the provider said so. */
        model?: string | null;
      };
    }
  /** A model call failed. */
  | {
      model_failed: {
        /** Which call. */
        call: number;
        /** How. */
        class: FailureClass;
        /** What was said. */
        message: string;
        /** What happens next. */
        next: NextTry;
      };
    }
  /** The work of one model was not good enough; the next of the ladder goes on. */
  | {
      stepped_up: {
        /** The model that fell short. */
        from: string;
        /** The model that goes on. */
        to: string;
        /** In what way it fell short. */
        cause: StepCause;
        /** What was said of it. */
        reason: string;
      };
    }
  /** The last model of the ladder fell short too. It was given the ladder's hint, once. */
  | {
      ladder_exhausted: {
        /** The model. */
        model: string;
        /** In what way it fell short. */
        cause: StepCause;
        /** What was said of it. */
        reason: string;
      };
    }
  /** The text streamed so far for this call does not count. */
  | {
      withdrawn: {
        /** Which call. */
        call: number;
      };
    }
  /** A reply was cut by its cap and is tried again. */
  | {
      output_cap_raised: {
        /** Which try. */
        attempt: number;
        /** The cap that was too small. */
        from: number | null;
        /** The cap now. */
        to: number | null;
      };
    }
  /** A call was proposed; arguments are valid. */
  | {
      call_proposed: {
        /** Its id. */
        call: number;
        /** The tool. */
        tool: string;
        /** The arguments in canonical JSON. */
        arguments: string;
        /** What was mended in them. */
        fixes?: string[];
      };
    }
  /** A person or hook is asked. */
  | {
      approval_asked: {
        /** Which call. */
        call: number;
      };
    }
  /** A person or hook answered. */
  | {
      approval_given: {
        /** Which call. */
        call: number;
        /** Whether it may run. */
        allowed: boolean;
        /** Why not. */
        reason?: string;
      };
    }
  /** A call was written down and runs. */
  | {
      call_started: {
        /** Which. */
        call: number;
      };
    }
  /** A call ended. */
  | {
      call_finished: {
        /** Which. */
        call: number;
        /** The provider's id of the call. */
        id: string;
        /** What it came to. */
        outcome: Outcome;
        /** Bytes of output. */
        bytes: number;
        /** Milliseconds since it was dispatched. */
        millis: number;
        /** For rendering. */
        metadata?: Json | null;
      };
    }
  /** A guard ruled on a result. */
  | {
      ruled: {
        /** Which call. */
        call: number;
        /** Which guard. */
        guard: string;
        /** Whether the result was refused (else it was a warning). */
        rejected: boolean;
        /** Why. */
        reason: string;
      };
    }
  /** A child run began. */
  | {
      child_started: {
        /** The call. */
        call: number;
        /** The child. */
        child: string;
      };
    }
  /** A child in the background has come to its end; its result waits to be heard. Its call ended when it began. */
  | {
      child_finished: {
        /** The call. */
        call: number;
        /** What it came to. */
        outcome: Outcome;
        /** Bytes of output. */
        bytes: number;
        /** Milliseconds since it was asked for. */
        millis: number;
      };
    }
  /** The loop detector spoke. */
  | {
      loop_seen: {
        /** The tool. */
        tool: string;
        /** How often. */
        times: number;
      };
    }
  /** Something entered the run. */
  | {
      marked: {
        /** The marks now. */
        marks: Marks;
      };
    }
  /** The view of the transcript was made smaller; the transcript itself is whole. */
  | {
      context_planned: {
        /** What was done. */
        step: PlanStep;
        /** Estimated tokens before. */
        before: number;
        /** Estimated tokens after. */
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
  /** A tool was registered whose declaration cannot be held to in full. */
  | {
      tool_flawed: {
        /** Which. */
        tool: string;
        /** Whether it can be used all the same; if not, the model is not offered it. */
        usable: boolean;
        /** What is wrong: for example a schema keyword that is not enforced. */
        problems: string[];
      };
    }
  /** The mode changed. */
  | {
      mode_changed: {
        /** The mode now. */
        mode: Mode;
      };
    }
  /** The grants changed. */
  | 'grants_changed'
  /** The budget changed. */
  | {
      budget_changed: {
        /** The budget now. */
        limit: number | null;
      };
    }
  /** The host narrowed the configuration. */
  | {
      narrowed: {
        /** What marks lead to now. */
        mark_rule: MarkRule;
      };
    }
  /** A limit is near, and the model was told to wrap up. */
  | {
      limit_near: {
        /** Which. */
        limit: Limit;
        /** How much is left. */
        left: number;
      };
    }
  /** A hook failed; what it guards is closed, the rest goes on. */
  | {
      hook_failed: {
        /** Why. */
        reason: string;
      };
    }
  /** A fact came too late or twice and changed nothing. */
  | {
      ignored: {
        /** What it was about. */
        call: number | null;
      };
    }
  /** The turn group is over; always the last event of a group. */
  | {
      group_ended: {
        /** How. */
        ending: Ending;
        /** The last message of the transcript. */
        last: number | null;
        /** Tokens of the whole run. */
        usage: Usage;
        /** Money of the whole run. */
        spent: number;
      };
    };

/** A waiting line. */
export type Queue =
  /** Enters before the next model call. */
  | 'steering'
  /** Enters at a natural stop. */
  | 'follow_up';

/** What follows a failed model call. */
export type NextTry =
  /** The same model at this time. */
  | {
      retry: {
        /** When. */
        at: number;
      };
    }
  /** The next model of the list. */
  | {
      fallback: {
        /** Its name. */
        model: string;
      };
    }
  /** The same model with a smaller view. */
  | 'compact'
  /** Nothing: the group ends. */
  | 'give_up';

/** In what way a model fell short. */
export type StepCause =
  /** A guard rejected what came of its work, and the correction did not help. */
  | 'rejected'
  /** Its calls were invalid, turn after turn. */
  | 'invalid_calls'
  /** It announced an action twice and took none. */
  | 'inconclusive';

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
  /** Large results of the last turns lost their middle, because nothing else was left to go. */
  | 'clipped';

/** Names one event: the record that caused it and its place among that record's events. */
export interface EventId {
  /** The record whose handling emitted the event. */
  record: number;
  /** 0 for the first event of that record. */
  index: number;
}

/** One fact. */
export type Input =
  /** The run began; record 0 and nowhere else. */
  | { started: Started }
  /** A host took the run over, after a crash or a hand-over. */
  | {
      resumed: {
        /** Which host, for people. */
        host: string;
      };
    }
  /** A person asked for something; begins a new turn group. */
  | { prompted: Prompt }
  /** A person spoke while the run works; enters before the next model call. */
  | { steered: Prompt }
  /** Something to do once the run would stop by itself. */
  | { followed_up: Prompt }
  /** A model call ended. */
  | {
      model_finished: {
        /** Which. */
        call: number;
        /** How. */
        result: ModelResult;
      };
    }
  /** A hook or a person ruled on a proposed call. */
  | {
      judged: {
        /** Which. */
        call: number;
        /** How. */
        verdict: Verdict;
      };
    }
  /** A hook answered. */
  | {
      consulted: {
        /** Which consultation. */
        call: number;
        /** What it said. */
        answer: Answer;
      };
    }
  /** A call was written down as about to run; after this it may have happened. */
  | {
      dispatched: {
        /** Which. */
        call: number;
      };
    }
  /** A tool ended. */
  | {
      tool_finished: {
        /** Which call. */
        call: number;
        /** What came of it. */
        result: ToolOutput;
      };
    }
  /** An executable postcondition was run. */
  | {
      checked: {
        /** Which check. */
        call: number;
        /** What it found. */
        ruling: CheckRuling;
      };
    }
  /** A child run began. */
  | {
      child_started: {
        /** The call that asked for it. */
        call: number;
        /** The child's id in the host's store. */
        child: string;
      };
    }
  /** A child run ended. */
  | {
      child_finished: {
        /** The call that asked for it. */
        call: number;
        /** What came of it. */
        result: ChildResult;
      };
    }
  /** A summary was made, or was not. */
  | {
      summarised: {
        /** Which request. */
        call: number;
        /** The reply, or the failure. */
        result: ModelResult;
      };
    }
  /** The tools are others now; running calls finish as they began. */
  | { tools_changed: ToolDeclaration[] }
  /** The mode is another now. */
  | { mode_changed: Mode }
  /** The grants are others now; leases end by this too. */
  | { grants_changed: string[] }
  /** The budget is another now. */
  | { budget_changed: Budget }
  /** A host that took the run over narrowed its configuration; nothing in it makes the run laxer. */
  | { narrowed: Narrowing }
  /** Somebody wants it to stop; what waits to be said is dropped. */
  | {
      cancelled: {
        /** Why, for people. */
        reason?: string;
      };
    }
  /** Time went by; answers an armed deadline. */
  | 'time_passed';

/** What a person says. */
export interface Prompt {
  /** The content. */
  blocks: Block[];
  /** What the content brings into the run. */
  marks?: Marks;
}

/** How a model call ended. */
export type ModelResult =
  /** A whole reply. */
  | { replied: Reply }
  /** The call was stopped on request; what had arrived by then. */
  | { aborted: Reply }
  /** It failed. */
  | { failed: Failure };

/** A whole reply. */
export interface Reply {
  /** The content, in order. */
  blocks: Block[];
  /** What it took. */
  usage?: Usage;
  /** Why it ended. */
  stop?: StopReason;
  /** Which model answered, if the provider said so. */
  model?: string | null;
}

/** A failed model call, sorted by what can be done about it. */
export interface Failure {
  /** The class, which decides. */
  class: FailureClass;
  /** What happened, for people; secrets removed by the host. */
  message?: string;
  /** How long the provider asks to wait, in milliseconds. */
  retry_after_ms?: number | null;
  /** What was used all the same. */
  usage?: Usage;
}

/** What kind of failure it was. */
export type FailureClass =
  /** Too many requests; wait and try again. */
  | 'rate_limited'
  /** The provider is overloaded; try again, soon another model. */
  | 'overloaded'
  /** The provider failed. */
  | 'server'
  /** The network failed. */
  | 'network'
  /** The stream ended before the provider said so. */
  | 'truncated'
  /** The reply held nothing. */
  | 'empty'
  /** The conversation is longer than the window. */
  | 'context_overflow'
  /** The key is missing, wrong or not allowed. */
  | 'auth'
  /** The account has no credit or quota left. */
  | 'quota'
  /** The request was wrong; trying again cannot help. */
  | 'bad_request'
  /** The provider's filter refused. */
  | 'content_filter'
  /** The host stopped again and again while the same work was under way. */
  | 'host_crash';

/** A ruling on a proposed call; it can only narrow what the kernel would have allowed or asked. */
export type Verdict =
  /** Run it. */
  | {
      allow: {
        /** Grants that the person gave with the answer, for the rest of the run or until a time. */
        grants?: string[];
        /** When those grants end; none means with the run. */
        until?: number | null;
      };
    }
  /** Do not run it. */
  | {
      deny: {
        /** Why; the model is told. */
        reason: string;
      };
    }
  /** Run it with other arguments; they are validated and judged again. */
  | {
      rewrite: {
        /** The new arguments, as JSON text. */
        arguments: string;
      };
    };

/** What a tool gave back. The host bounds it, takes out known secrets and spills what is large. */
export interface ToolOutput {
  /** What the call came to. */
  outcome?: Outcome;
  /** The text; for a spilled result its head and tail are in `spill` and this is empty. */
  text?: string;
  /** Pictures and files. */
  parts?: Block[];
  /** Where the whole text is, when it was too large to carry. */
  spill?: Spill | null;
  /** Whether the tool votes to end the run. */
  terminate?: boolean;
  /** For rendering; never sent to a model. */
  metadata?: Json | null;
  /** What its content brings into the run beyond what the tool declares. */
  marks?: Marks;
}

/** A result that was too large to carry: its ends, its measure and where it lies. */
export interface Spill {
  /** The beginning. */
  head: string;
  /** The end. */
  tail: string;
  /** Length of the whole in bytes. */
  bytes: number;
  /** SHA-256 of the whole, in hex. */
  sha256: string;
  /** How the model asks for more. */
  reference: string;
}

/** What an executable check found. */
export type CheckRuling =
  /** The result holds. */
  | 'passed'
  /** It does not. */
  | {
      failed: {
        /** Why; the model is told. */
        reason: string;
      };
    }
  /** The check itself could not be run; the result is not believed. */
  | {
      broken: {
        /** Why. */
        reason: string;
      };
    };

/** What came of a child run. */
export interface ChildResult {
  /** What the child answered, or why it did not. */
  output: ToolOutput;
  /** What it spent, out of what was set aside for it. */
  spent?: number;
  /** What it used. */
  usage?: Usage;
  /** What had entered it. */
  marks?: Marks;
}

/** How far a journal reaches. Small enough to be kept somewhere else, where it proves that nothing was cut off or rewritten. */
export interface Head {
  /** The last record. */
  seq: number;
  /** Its chain value, which stands for everything up to it. */
  chain: string;
}

/** Who speaks. */
export type Role =
  /** The operator's standing orders that arrive in mid-run; the system prompt itself is config. */
  | 'system'
  /** The person, or the kernel in the person's place (corrections, wrap-up notes): see `Message::author`. */
  | 'user'
  /** The model. */
  | 'assistant'
  /** Results of tool calls. */
  | 'tool'
  /** An application's own record; never sent to a model. */
  | 'custom';

/** One message of the transcript. */
export interface Message {
  /** Unique within the run. */
  id: number;
  /** Who speaks. */
  role: Role;
  /** What is said, in order. */
  blocks: Block[];
  /** Who wrote it. */
  author?: Author;
}

/** Who wrote a message. */
export type Author =
  /** Whoever speaks in this role. */
  | 'speaker'
  /** The kernel itself. */
  | 'kernel';

/** One piece of a message. */
export type Block =
  /** Plain text. */
  | { text: string }
  /** A model's reasoning, with what its provider wants to see again. */
  | { thinking: Thinking }
  /** A request to run a tool. */
  | { tool_call: ToolCall }
  /** What a tool gave back, sealed for the model. */
  | { tool_result: ToolResult }
  /** A picture. */
  | { image: Media }
  /** A document, sound or any other file. */
  | { file: Media }
  /** An application's own content; codecs leave it out. */
  | { custom: Custom };

/** Reasoning text and the opaque payload that must be echoed to the same provider. */
export interface Thinking {
  /** What may be shown to a person; empty when the provider keeps it to itself. */
  text?: string;
  /** Signature, encrypted item or similar, kept to the letter. */
  replay?: Json | null;
}

/** A model's wish to run a tool. */
export interface ToolCall {
  /** The provider's id for the call; unique within the run after the kernel has seen it. */
  id: string;
  /** The tool's name as the model wrote it (after alias repair). */
  name: string;
  /** The arguments exactly as the model wrote them. */
  arguments: string;
  /** What the provider wants to see again beside this call (a thought signature). */
  replay?: Json | null;
}

/** What a tool call came to. */
export type Outcome =
  /** It ran and did what it says. */
  | 'succeeded'
  /** It ran and failed. */
  | 'failed'
  /** It was not run: invalid, denied, over a limit, repeated in a loop. */
  | 'refused'
  /** It ran or not; nobody can tell (the host died in between). */
  | 'unknown'
  /** It was stopped on request or by its deadline. */
  | 'stopped';

/** The answer to a tool call, as the model reads it. */
export interface ToolResult {
  /** The `id` of the call that is answered. */
  call: string;
  /** The tool's name. */
  tool: string;
  /** The output inside its envelope; safe to send as it is. */
  text: string;
  /** What the call came to. */
  outcome?: Outcome;
  /** Pictures and files that the tool returned. */
  parts?: Block[];
}

/** A picture or file. */
export interface Media {
  /** For example `image/png`. */
  media_type: string;
  /** Where the bytes are. */
  source: Source;
  /** A file name to show. */
  name?: string | null;
}

/** Where the bytes of a media block are. */
export type Source =
  /** Here, in base64. */
  | { base64: string }
  /** On the web; the provider fetches it. */
  | { url: string }
  /** In the host's blob store; the host puts the bytes in when it encodes. */
  | { reference: string };

/** An application's own payload. */
export interface Custom {
  /** The application's name for what it is. */
  kind: string;
  /** Anything. */
  payload: Json;
}

/** Tokens as the provider reported them, or by estimate where it reported none. */
export interface Usage {
  /** All prompt tokens. */
  input?: number;
  /** All generated tokens. */
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
  /** The model declined. */
  | 'refusal'
  /** The provider's filter cut the reply. */
  | 'content_filter'
  /** Something this version has no word for. */
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
  /** What the model is told when the promise is broken; without it, what was found. */
  message?: string | null;
}

/** What an output must be like. */
export type Rule =
  /** The whole output is one JSON value that this schema allows. */
  | { schema: Json }
  /** A regular expression (in JavaScript's syntax, unanchored, matched in linear time) that must match somewhere, or nowhere. */
  | {
      pattern: {
        /** The expression. */
        regex: string;
        /** Which of the two. */
        must?: Must;
      };
    }
  /** Rules about lines. Lines of white space only are not counted and not matched. */
  | {
      lines: {
        /** At least so many. */
        min?: number | null;
        /** At most so many. */
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
        /** At least so many. */
        min?: number | null;
        /** At most so many. */
        max?: number | null;
      };
    }
  /** A program that gets the output and must succeed. It is never run here: the caller turns it into an effect, and the host's answer comes back as a fact. */
  | {
      executable: {
        /** The program, under the names of the host. */
        command: string;
        /** Its arguments. */
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
  /** The result is used, and the doubt is shown beside it. */
  | { warn: Reason }
  /** The result must not be believed. */
  | { reject: Reason };

/** How much a failed check weighs. A tool's declaration chooses it. */
export type Severity =
  /** Say so and go on. */
  | 'warn'
  /** Refuse the result. The default: a doubt that was not weighed fails closed. */
  | 'reject';

/** Whose rules decide. */
export type Rules =
  /** Holm's own. */
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
  /** JSON pointer to the source text in the input, if values must stand in one. */
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
        /** The member's name. */
        field: string;
        /** The cases by their names, which are in lower case. */
        cases: Record<string, Case>;
      };
    };

/** One kind of output. */
export interface Case {
  /** What the model is told to do. */
  instructions: string;
  /** JSON Schema of the output. */
  output: Json;
  /** JSON pointers to the output values that must stand in the source text; `*` is every element or member. All strings and numbers below a pointer are checked. A pointer that leads nowhere checks nothing: whether a member is required is the schema's business. */
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
  /** Whether several calls may stand in one reply. */
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
  /** In one body. */
  | 'whole';

/** Whether the model must call a tool. */
export type ToolChoice =
  /** It decides. */
  | 'auto'
  /** It may not. */
  | 'none'
  /** It must call one. */
  | 'required'
  /** It must call this one. */
  | { tool: string };

/** Whether one reply may hold several tool calls. */
export type Parallel =
  /** As the provider likes it. */
  | 'unsaid'
  /** It may. */
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
  /** A little. */
  | 'low'
  /** Some. */
  | 'medium'
  /** Much. */
  | 'high';

/** Whether cache breakpoints are set. */
export type Caching =
  /** They are. */
  | 'on'
  /** They are not. */
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
  /** The journal's end. */
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

/** A `Delta` in its serde form. */
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
