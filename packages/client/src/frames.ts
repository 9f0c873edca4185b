// What a session sends while it works, and what it comes to. This module does no I/O: `session.ts` reads the connection.

import type { Answered, Question, QuestionApprovalContent } from './api-types.js';
import type { Ending, Event, Numbered } from './event-types.js';

/** The cursor before the first event of a session. */
export const BEGINNING = '-';

/** A piece of a reply that is arriving. The event `message_added` has the whole reply. */
export interface DeltaFrame {
  kind: 'delta';
  cursor: string;
  delta: 'text' | 'thinking' | 'tool_call' | 'tool_arguments';
  text: string;
  /** The number of the model call. */
  call: number;
  /** Where the piece begins within the text of its kind, in bytes. */
  offset: number;
}

/** An event of the journal. */
export interface EventFrame {
  kind: 'event';
  cursor: string;
  /** What happened, such as `call_proposed` or `group_ended`. */
  name: EventName;
  event: Event;
  record: number;
  index: number;
  /** Milliseconds since 1970. */
  at: number;
}

/** How far a tool is. It is not kept. */
export interface ProgressFrame {
  kind: 'progress';
  cursor: string;
  call: number;
  text: string;
  done: number | null;
  total: number | null;
}

/** A note from Holm for people. It is not kept. */
export interface NoteFrame {
  kind: 'note';
  cursor: string;
  text: string;
}

/** A person, or this program, is asked. The call waits for the answer. */
export interface QuestionFrame {
  kind: 'question';
  cursor: string;
  id: number;
  question: Question;
}

/** A question is no longer open. */
export interface SettledFrame {
  kind: 'settled';
  cursor: string;
  id: number;
}

/** The work is over. It is the last frame of a stream. */
export interface EndedFrame {
  kind: 'ended';
  cursor: string;
  result: Result;
}

export type Frame = DeltaFrame | EventFrame | ProgressFrame | NoteFrame | QuestionFrame | SettledFrame | EndedFrame;

type NamesOf<T> = T extends string ? T : T extends object ? keyof T : never;

/** The names of events. */
export type EventName = NamesOf<Event>;

/** The content of an event with this name. */
export type EventData<N extends EventName> = Event extends infer E ? (E extends Record<N, infer D> ? D : never) : never;

/** How work ends. */
export type EndingName = NamesOf<Ending>;

/** What the work came to. */
export interface Result {
  session: string;
  /** The answer. It is empty if `ending` is not `answered`. */
  text: string;
  ending: EndingName;
  /** Why there is no answer, in words. */
  reason: string;
  /** Money of the whole session, in billionths of a US dollar. */
  spentNanoUsd: number;
}

/** The result of a question for a value. */
export interface ValueResult<T> {
  session: string;
  text: string;
  value: T;
}

/** A call that waits for approval. */
export type Approval = Omit<QuestionApprovalContent, 'arguments'> & { arguments: Record<string, unknown> };

/** Denies a call, with a reason that the model reads. */
export interface Deny {
  deny: string;
}

/** The answer to an approval. `true` allows this call once, `false` denies it; words such as `session` say more. */
export type Decision = boolean | Deny | Exclude<Extract<Answered, string>, 'decline'>;

/** The content of the event of a frame, if the frame has an event with this name. */
export function eventData<N extends EventName>(frame: Frame, name: N): EventData<N> | undefined {
  if (frame.kind !== 'event' || frame.name !== name || typeof frame.event === 'string') return undefined;
  return (frame.event as Record<string, unknown>)[name] as EventData<N> | undefined;
}

/** The call that a question is about, if it is an approval. */
export function approvalOf(question: Question): Approval | undefined {
  if (!('approval' in question)) return undefined;
  return { ...question.approval, arguments: parsed(question.approval.arguments) };
}

/** The server's form of a decision. */
export function answerOf(decision: Decision): Answered {
  if (decision === true) return 'once';
  if (decision === false) return { no: { reason: 'the program that drives this session said no' } };
  return typeof decision === 'string' ? decision : { no: { reason: decision.deny } };
}

/** Reads the event `group_ended`. */
export function resultOf(session: string, ended: EventData<'group_ended'>): Result {
  const [ending, data] = Object.entries(ended.ending)[0] as [EndingName, Record<string, unknown>];
  const isAnswer = ending === 'answered';
  const why = data.reason ?? data.message ?? Object.entries(data).map(([name, value]) => `${name} ${value}`).join(', ');
  return {
    session,
    text: isAnswer ? String(data.text) : '',
    ending,
    reason: isAnswer ? '' : String(why),
    spentNanoUsd: ended.spent,
  };
}

/** Makes a frame from the server's name and content; `undefined` for kinds that only concern the connection. */
export function frameOf(kind: string, cursor: string, data: any): Frame | undefined {
  switch (kind) {
    case 'event':
      return eventFrame(cursor, data);
    case 'delta':
      return { kind, cursor, delta: data.kind, text: data.text, call: data.call, offset: data.offset };
    case 'progress':
      return { kind, cursor, call: data.call, text: data.text, done: data.done ?? null, total: data.total ?? null };
    case 'note':
      return { kind, cursor, text: data.text };
    case 'question':
      return { kind, cursor, id: data.id, question: data.question };
    case 'question_settled':
      return { kind: 'settled', cursor, id: data.id };
    default:
      return undefined;
  }
}

export function eventFrame(cursor: string, { id, at, event }: Numbered): EventFrame {
  const name = (typeof event === 'string' ? event : Object.keys(event)[0]) as EventName;
  return { kind: 'event', cursor, name, event, record: id.record, index: id.index, at };
}

/** The arguments of a call. Text that is not a JSON object is kept under `raw`. */
function parsed(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : { raw: value };
  } catch {
    return { raw: text };
  }
}

/** Reads server-sent events from pieces of text. */
export class SseParser {
  #rest = '';
  #name = '';
  #id = '';
  #data: string[] = [];

  /** Takes the next piece; gives the events that it completes. */
  feed(piece: string): { name: string; id: string; data: string }[] {
    const lines = (this.#rest + piece).split('\n');
    this.#rest = lines.pop() ?? '';
    const events = [];
    for (const line of lines) {
      if (line === '') {
        if (this.#data.length > 0) events.push({ name: this.#name, id: this.#id, data: this.#data.join('\n') });
        [this.#name, this.#data] = ['', []];
        continue;
      }
      const colon = line.indexOf(':');
      const [field, value] = colon < 0 ? [line, ''] : [line.slice(0, colon), line.slice(colon + 1).replace(/^ /, '')];
      if (field === 'event') this.#name = value;
      else if (field === 'data') this.#data.push(value);
      else if (field === 'id') this.#id = value;
    }
    return events;
  }
}

/** Finds the text of a reply that arrived in no piece. The server sends none once the reply is complete. */
export class ReplyText {
  #call: number | undefined;
  #end = 0;

  /** Takes the next frame; gives the text that belongs before it. */
  missing(frame: Frame): DeltaFrame | undefined {
    if (frame.kind === 'delta' && frame.delta === 'text' && frame.call === this.#call) {
      this.#end = frame.offset + new TextEncoder().encode(frame.text).length;
    }
    const called = eventData(frame, 'model_called');
    if (called) [this.#call, this.#end] = [called.call, 0];
    const added = eventData(frame, 'message_added');
    const call = this.#call;
    if (added?.message.role !== 'assistant' || call === undefined) return undefined;
    this.#call = undefined;
    const texts = (added.message.blocks ?? []).map((block) => (typeof block === 'object' && 'text' in block ? block.text : ''));
    const text = new TextDecoder().decode(new TextEncoder().encode(texts.join('')).slice(this.#end));
    return text === '' ? undefined : { kind: 'delta', cursor: frame.cursor, delta: 'text', text, call, offset: this.#end };
  }
}
