// The types of a session's events. Written by `scripts/make-client-types` from packages/holm/src/types.ts; do not
// edit.

/** Any JSON value. */
export type Json = null | boolean | number | bigint | string | Json[] | { [name: string]: Json };

/** What is asked. */
export type Mode = 'plan' | 'default' | 'accept-edits' | 'full';

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
