// Folds frames into the transcript that the chat and the run view show. A pure function: the same frames give the same
// transcript, however they are grouped, and a duplicate frame changes nothing.

import { byteLength, skipBytes } from './bytes.ts';
import { START, advance, isLater } from './cursor.ts';
import { openEnvelope } from './envelope.ts';
import { isSameJson } from './json.ts';
import {
  type MessageBlock,
  type ReplyDelta,
  type Ending,
  type EventId,
  type EventContents,
  type Frame,
  type Message,
  type NumberedEvent,
  type Outcome,
  type OpenQuestion,
  type CallProgress,
  type DecodedEvent,
  decodeEvent,
} from './wire.ts';
import { noticeOf } from './notices.ts';

/** The state of a tool call. */
export type CallStage = 'requested' | 'proposed' | 'asked' | 'allowed' | 'denied' | 'running' | 'ended';

/** A guard's ruling on a result. */
export interface GuardRuling {
  guard: string;
  rejected: boolean;
  reason: string;
}

/** The record that caused an item, and its time. */
interface ItemOrigin {
  record: number;
  at: number;
}

export interface MessageItem extends ItemOrigin {
  kind: 'message';
  message: Message;
  /** For a prompt, the last record before it, from which a fork can start; null for other messages. */
  before: number | null;
}

export interface CallItem extends ItemOrigin {
  kind: 'call';
  /** The kernel's number; null for a call that the model requested and the kernel never proposed. */
  call: number | null;
  /** The provider's id. */
  id: string | null;
  tool: string;
  arguments: string;
  fixes: readonly string[];
  stage: CallStage;
  reason: string;
  rulings: readonly GuardRuling[];
  outcome: Outcome | null;
  bytes: number | null;
  millis: number | null;
  metadata: unknown;
  result: string | null;
  parts: readonly MessageBlock[];
  progress: CallProgress | null;
  child: string | null;
}

export interface NoticeItem extends ItemOrigin {
  kind: 'notice';
  tone: 'plain' | 'warning' | 'error';
  text: string;
  /** How often it happened in a row. */
  times: number;
}

export interface EndingItem extends ItemOrigin {
  kind: 'ending';
  ending: Ending;
  /** The figures of the session up to here. */
  total: Figures;
  /** The figures of this prompt alone. */
  own: Figures;
}

/** A reply that was stopped before it was complete. The journal does not contain it; the page keeps what had arrived. */
export interface StoppedReplyItem extends ItemOrigin {
  kind: 'stopped-reply';
  reply: StoppedReply;
}

export type TranscriptItem = MessageItem | CallItem | NoticeItem | EndingItem | StoppedReplyItem;

/** What a prompt or a session used. */
export interface Figures {
  input: number;
  output: number;
  /** The tokens that were estimated. */
  estimated: number;
  spent: number;
  /** The number of replies without a known price. */
  unpriced: number;
}

/** The text of a stopped reply. */
export interface StoppedReply {
  text: string;
  thinking: string;
}

/** A reply that is arriving. */
export interface ArrivingReply {
  call: number;
  text: ReceivedText;
  thinking: ReceivedText;
  calls: readonly ArrivingReplyCall[];
  /** Whether the reply has arrived completely; its message comes next. */
  whole: boolean;
}

/** A growing text, counted in bytes. */
export interface ReceivedText {
  text: string;
  /** The byte offset of its end. */
  end: number;
  /** Whether a part is missing. */
  gap: boolean;
}

export interface ArrivingReplyCall {
  index: number;
  name: string;
  arguments: ReceivedText;
}

/** Everything that the page shows of a session. */
export interface Transcript {
  /** The cursor after the last frame. */
  cursor: string;
  /** The last event. */
  last: EventId | null;
  at: number;
  agent: string;
  items: readonly TranscriptItem[];
  /** The indexes of the tool calls' items, by the kernel's number. */
  calls: ReadonlyMap<number, number>;
  /** The index of the first call of the last reply. */
  batch: number;
  reply: ArrivingReply | null;
  /** The stopped replies that this page has seen, by model call. */
  stopped: ReadonlyMap<number, StoppedReply>;
  /** The model call that was withdrawn last, until another one starts. */
  withdrawn: number | null;
  /** The newest model call that is finished: later pieces of it, and of older calls, are ignored. */
  done: number;
  working: boolean;
  group: number;
  /** The record that started the turn group, until its prompt arrives. */
  opening: number | null;
  turn: number;
  model: string;
  mode: string;
  marks: { untrusted: boolean; private: boolean };
  steering: number;
  followUps: number;
  spent: number;
  /** The number of replies without a known price. */
  unpriced: number;
  /** The figures at the last ending. */
  figures: Figures;
  questions: readonly OpenQuestion[];
  notes: readonly string[];
}

/** The most notes from the server that are kept. */
const MAX_NOTES = 50;

const NO_FIGURES: Figures = { input: 0, output: 0, estimated: 0, spent: 0, unpriced: 0 };

/** The transcript before the first event. */
export const EMPTY: Transcript = {
  cursor: START,
  last: null,
  at: 0,
  agent: '',
  items: [],
  calls: new Map(),
  batch: 0,
  reply: null,
  stopped: new Map(),
  withdrawn: null,
  done: -1,
  working: false,
  group: 0,
  opening: null,
  turn: 0,
  model: '',
  mode: '',
  marks: { untrusted: false, private: false },
  steering: 0,
  followUps: 0,
  spent: 0,
  unpriced: 0,
  figures: NO_FIGURES,
  questions: [],
  notes: [],
};

/** The transcript after some frames. The given transcript stays unchanged. */
export function reduce(before: Transcript, frames: readonly Frame[]): Transcript {
  if (frames.length === 0) return before;
  const builder = new TranscriptBuilder(before);
  for (const frame of frames) builder.add(frame);
  return builder.finish();
}

/** The transcript after some events of a journal. */
export function reduceEvents(before: Transcript, events: readonly NumberedEvent[]): Transcript {
  return reduce(
    before,
    events.map((data) => ({ type: 'event', id: `${data.id.record}.${data.id.index}`, data })),
  );
}

/** Builds the next transcript. It replaces items and never mutates them, so that earlier transcripts stay valid. */
class TranscriptBuilder {
  readonly #now: Transcript;
  readonly #items: TranscriptItem[];
  readonly #calls: Map<number, number>;

  constructor(before: Transcript) {
    this.#now = { ...before };
    this.#items = [...before.items];
    this.#calls = new Map(before.calls);
  }

  finish(): Transcript {
    return { ...this.#now, items: this.#items, calls: this.#calls };
  }

  add(frame: Frame): void {
    const now = this.#now;
    switch (frame.type) {
      case 'event':
        if (isLater(frame.data.id, now.last)) this.#event(frame.data);
        break;
      case 'delta':
        this.#delta(frame.data);
        break;
      case 'progress':
        this.#editCall(frame.data.call, (item) => ({ ...item, progress: frame.data }));
        break;
      case 'question':
        now.questions = [...now.questions.filter((open) => open.id !== frame.data.id), frame.data];
        break;
      case 'question_settled':
        now.questions = now.questions.filter((open) => open.id !== frame.data.id);
        break;
      case 'note':
        now.notes = [...now.notes, frame.data.text].slice(-MAX_NOTES);
        break;
      case 'connected':
        // The server sends the open questions again on every connection, perhaps with new numbers.
        now.questions = [];
        break;
      case 'lagged':
      case 'closed':
        break;
    }
    now.cursor = advance(now.cursor, frame);
  }

  #event(numbered: NumberedEvent): void {
    const now = this.#now;
    now.last = numbered.id;
    now.at = numbered.at;
    const event = decodeEvent(numbered.event);
    const origin: ItemOrigin = { record: numbered.id.record, at: numbered.at };
    const notice = noticeOf(numbered.event);
    if (notice !== null) this.#notice({ kind: 'notice', ...origin, ...notice, times: 1 });
    if (event !== null && !this.#ofCall(event, origin)) this.#ofRun(event, origin);
  }

  /** Adds a notice; the same one again only counts. */
  #notice(item: NoticeItem): void {
    const last = this.#items.length - 1;
    const before = this.#items[last];
    if (before?.kind === 'notice' && before.text === item.text) this.#put(last, { ...before, times: before.times + 1 });
    else this.#items.push(item);
  }

  /** Handles events of tool calls; returns whether the event was one. */
  #ofCall(event: DecodedEvent, origin: ItemOrigin): boolean {
    switch (event.name) {
      case 'call_proposed':
        this.#proposed(event.data, origin);
        return true;
      case 'approval_asked':
        this.#editCall(event.data.call, (item) => ({ ...item, stage: 'asked' }));
        return true;
      case 'approval_given': {
        const { allowed, reason } = event.data;
        const stage = allowed ? 'allowed' : 'denied';
        this.#editCall(event.data.call, (item) => ({ ...item, stage, reason: reason ?? '' }));
        return true;
      }
      case 'call_started':
        this.#editCall(event.data.call, (item) => ({ ...item, stage: 'running' }));
        return true;
      case 'call_finished':
        this.#finished(event.data);
        return true;
      case 'ruled': {
        const { guard, rejected, reason } = event.data;
        this.#editCall(event.data.call, (item) => ({ ...item, rulings: [...item.rulings, { guard, rejected, reason }] }));
        return true;
      }
      case 'child_started':
        this.#editCall(event.data.call, (item) => ({ ...item, child: event.data.child }));
        return true;
      case 'child_finished': {
        const { outcome, bytes, millis } = event.data;
        this.#editCall(event.data.call, (item) => ({ ...item, outcome, bytes, millis }));
        return true;
      }
      default:
        return false;
    }
  }

  #ofRun(event: DecodedEvent, origin: ItemOrigin): void {
    const now = this.#now;
    switch (event.name) {
      case 'run_started':
        now.agent = event.data.name;
        break;
      case 'group_started':
        now.working = true;
        now.group = event.data.group;
        now.opening = origin.record;
        break;
      case 'message_added':
        this.#message(event.data.message, origin);
        break;
      case 'queued':
        if (event.data.queue === 'steering') now.steering = event.data.waiting;
        else now.followUps = event.data.waiting;
        break;
      case 'queue_dropped':
        if (event.data.queue === 'steering') now.steering = 0;
        else now.followUps = 0;
        break;
      case 'model_called':
        now.working = true;
        now.turn = event.data.turn;
        now.model = event.data.model;
        // The waiting messages are in this model call.
        now.steering = 0;
        now.withdrawn = null;
        now.reply = arriving(event.data.call);
        break;
      case 'model_replied':
        this.#over(event.data.call);
        if (now.reply !== null) now.reply = { ...now.reply, whole: true };
        if (event.data.cost === null) now.unpriced += 1;
        break;
      case 'model_failed':
        this.#over(event.data.call);
        break;
      case 'withdrawn':
        this.#withdrawn(event.data.call);
        break;
      case 'marked':
        now.marks = event.data.marks;
        break;
      case 'mode_changed':
        now.mode = event.data.mode;
        break;
      case 'group_ended':
        this.#ended(event.data, origin);
        break;
      default:
        break;
    }
  }

  #over(call: number): void {
    this.#now.done = Math.max(this.#now.done, call);
  }

  /** Keeps the text that had arrived of a withdrawn reply, in case the run was stopped. */
  #withdrawn(call: number): void {
    const now = this.#now;
    this.#over(call);
    if (now.reply?.call === call) {
      const kept = { text: now.reply.text.text, thinking: now.reply.thinking.text };
      if (kept.text !== '' || kept.thinking !== '') now.stopped = new Map(now.stopped).set(call, kept);
    }
    now.withdrawn = call;
    now.reply = null;
  }

  #ended(is: EventContents['group_ended'], origin: ItemOrigin): void {
    const now = this.#now;
    // A reply that is withdrawn for another reason is generated again.
    const reply = now.withdrawn === null || !('cancelled' in is.ending) ? undefined : now.stopped.get(now.withdrawn);
    if (reply !== undefined) this.#items.push({ kind: 'stopped-reply', ...origin, reply });
    now.withdrawn = null;
    now.working = false;
    now.reply = null;
    now.followUps = 0;
    now.steering = 0;
    now.spent = is.spent;
    const { input = 0, output = 0, estimated = 0 } = is.usage;
    const total: Figures = { input, output, estimated, spent: is.spent, unpriced: now.unpriced };
    this.#items.push({ kind: 'ending', ...origin, ending: is.ending, total, own: difference(total, now.figures) });
    now.figures = total;
  }

  #message(message: Message, origin: ItemOrigin): void {
    if (message.role === 'tool') {
      for (const block of message.blocks) if ('tool_result' in block) this.#result(block.tool_result, origin);
      return;
    }
    const { opening } = this.#now;
    const isPrompt = opening !== null && message.role === 'user' && message.author !== 'kernel';
    this.#items.push({ kind: 'message', ...origin, message, before: isPrompt ? opening - 1 : null });
    if (isPrompt) this.#now.opening = null;
    if (message.role !== 'assistant') return;
    this.#now.reply = null;
    this.#now.batch = this.#items.length;
    for (const block of message.blocks) {
      if ('tool_call' in block) {
        const { id, name, arguments: given } = block.tool_call;
        this.#add({ ...newCall(origin), id, tool: name, arguments: given });
      }
    }
  }

  /** A proposal has no provider id, so its item is found by tool and arguments, then by tool alone. */
  #proposed(is: EventContents['call_proposed'], origin: ItemOrigin): void {
    const open = (item: TranscriptItem): item is CallItem =>
      item.kind === 'call' && item.call === null && item.outcome === null && item.tool === is.tool;
    let found = this.#find((item) => open(item) && isSameJson(item.arguments, is.arguments));
    if (found === -1) found = this.#find(open);
    if (found === -1) found = this.#add({ ...newCall(origin), tool: is.tool });
    const { call, arguments: given, fixes } = is;
    this.#calls.set(call, found);
    this.#edit(found, (item) => ({ ...item, call, arguments: given, fixes: fixes ?? [], stage: 'proposed' }));
  }

  #finished(is: EventContents['call_finished']): void {
    this.#rebind(is.call, is.id);
    const { outcome, bytes, millis, metadata } = is;
    const last = { outcome, bytes, millis, metadata: metadata ?? null, id: is.id, progress: null };
    this.#editCall(is.call, (item) => ({ ...item, ...last, stage: item.stage === 'denied' ? 'denied' : 'ended' }));
  }

  /** Two calls of the same tool may have been confused; the end of a call has its provider id and corrects that. */
  #rebind(call: number, id: string): void {
    const bound = this.#calls.get(call);
    if (bound === undefined) return;
    const item = this.#items[bound];
    if (item?.kind !== 'call' || item.id === null || item.id === id) return;
    const right = this.#find((other) => other.kind === 'call' && other.id === id && other.result === null);
    const other = this.#items[right];
    if (other?.kind !== 'call') return;
    this.#put(bound, { ...other, id: item.id });
    this.#put(right, { ...item, id });
    this.#calls.set(call, right);
    if (other.call !== null) this.#calls.set(other.call, bound);
  }

  #result(result: { call: string; tool: string; text: string; outcome?: Outcome; parts?: MessageBlock[] }, origin: ItemOrigin): void {
    const waits = (item: TranscriptItem): boolean => item.kind === 'call' && item.id === result.call && item.result === null;
    let found = this.#find(waits);
    if (found === -1) found = this.#add({ ...newCall(origin), id: result.call, tool: result.tool });
    const text = openEnvelope(result.text);
    const parts = result.parts ?? [];
    this.#edit(found, (item) => ({
      ...item,
      result: text,
      parts,
      outcome: item.outcome ?? result.outcome ?? 'succeeded',
      stage: item.stage === 'denied' ? 'denied' : 'ended',
    }));
  }

  #delta(delta: ReplyDelta): void {
    const now = this.#now;
    if (delta.call <= now.done) return;
    if (now.reply !== null && now.reply.call > delta.call) return;
    const reply = now.reply?.call === delta.call ? now.reply : arriving(delta.call);
    switch (delta.kind) {
      case 'text':
        now.reply = { ...reply, text: grown(reply.text, delta) };
        break;
      case 'thinking':
        now.reply = { ...reply, thinking: grown(reply.thinking, delta) };
        break;
      case 'tool_call':
        now.reply = { ...reply, calls: withCall(reply.calls, delta.index ?? 0, (call) => ({ ...call, name: delta.text })) };
        break;
      case 'tool_arguments':
        now.reply = {
          ...reply,
          calls: withCall(reply.calls, delta.index ?? 0, (call) => ({ ...call, arguments: grown(call.arguments, delta) })),
        };
        break;
    }
  }

  #editCall(call: number, change: (item: CallItem) => CallItem): void {
    const at = this.#calls.get(call);
    if (at !== undefined) this.#edit(at, change);
  }

  #edit(at: number, change: (item: CallItem) => CallItem): void {
    const item = this.#items[at];
    if (item?.kind === 'call') this.#put(at, change(item));
  }

  #put(at: number, item: TranscriptItem): void {
    this.#items[at] = item;
  }

  #add(item: CallItem): number {
    return this.#items.push(item) - 1;
  }

  /** Searches the calls of the last reply, then all earlier items, the latest first. */
  #find(fits: (item: TranscriptItem) => boolean): number {
    const { batch } = this.#now;
    for (let at = batch; at < this.#items.length; at += 1) if (fits(this.#items[at] as TranscriptItem)) return at;
    for (let at = Math.min(batch, this.#items.length) - 1; at >= 0; at -= 1) if (fits(this.#items[at] as TranscriptItem)) return at;
    return -1;
  }
}

function difference(total: Figures, before: Figures): Figures {
  return {
    input: total.input - before.input,
    output: total.output - before.output,
    estimated: total.estimated - before.estimated,
    spent: total.spent - before.spent,
    unpriced: total.unpriced - before.unpriced,
  };
}

function newCall(origin: ItemOrigin): CallItem {
  return {
    kind: 'call',
    ...origin,
    call: null,
    id: null,
    tool: '',
    arguments: '',
    fixes: [],
    stage: 'requested',
    reason: '',
    rulings: [],
    outcome: null,
    bytes: null,
    millis: null,
    metadata: null,
    result: null,
    parts: [],
    progress: null,
    child: null,
  };
}

function arriving(call: number): ArrivingReply {
  return { call, text: NOTHING, thinking: NOTHING, calls: [], whole: false };
}

const NOTHING: ReceivedText = { text: '', end: 0, gap: false };

/** Appends the new part of a piece. Offsets are in bytes, so a duplicate or overlapping piece adds nothing twice. */
function grown(stretch: ReceivedText, piece: { offset: number; text: string }): ReceivedText {
  const end = piece.offset + byteLength(piece.text);
  if (end <= stretch.end) return stretch;
  const fresh = piece.offset < stretch.end ? skipBytes(piece.text, stretch.end - piece.offset) : piece.text;
  return { text: stretch.text + fresh, end, gap: stretch.gap || piece.offset > stretch.end };
}

function withCall(
  calls: readonly ArrivingReplyCall[],
  index: number,
  change: (call: ArrivingReplyCall) => ArrivingReplyCall,
): readonly ArrivingReplyCall[] {
  const known = calls.find((call) => call.index === index);
  if (known !== undefined) return calls.map((call) => (call === known ? change(call) : call));
  return [...calls, change({ index, name: '', arguments: NOTHING })].sort((one, other) => one.index - other.index);
}
