// From frames to what is drawn. One pure function: the same frames give the same transcript, whatever the pieces in which
// they come; a frame that comes twice changes nothing. The chat and the run view are both drawn from it.

import { byteLength, skipBytes } from './bytes.ts';
import { START, isLater, moved } from './cursor.ts';
import { open } from './envelope.ts';
import { isSameJson } from './json.ts';
import {
  type Block,
  type Delta,
  type Ending,
  type EventId,
  type Events,
  type Frame,
  type Message,
  type Numbered,
  type Outcome,
  type Posed,
  type Progress,
  type Told,
  type Usage,
  told,
} from './wire.ts';
import { noticeOf } from './notices.ts';

/** How a tool call stands. */
export type Stage = 'said' | 'proposed' | 'asked' | 'allowed' | 'denied' | 'running' | 'ended';

/** A guard's word about a result. */
export interface Ruling {
  guard: string;
  rejected: boolean;
  reason: string;
}

/** What every item has: the record that caused it, and when. */
interface Placed {
  record: number;
  at: number;
}

export interface MessageItem extends Placed {
  kind: 'message';
  message: Message;
  /** For a prompt: the last record of the past before it, where a fork that asks something else begins; none for others. */
  before: number | null;
}

export interface CallItem extends Placed {
  kind: 'call';
  /** The kernel's number; none for a call that was said and never proposed. */
  call: number | null;
  /** The provider's id. */
  id: string | null;
  tool: string;
  arguments: string;
  fixes: readonly string[];
  stage: Stage;
  reason: string;
  rulings: readonly Ruling[];
  outcome: Outcome | null;
  bytes: number | null;
  millis: number | null;
  metadata: unknown;
  result: string | null;
  parts: readonly Block[];
  progress: Progress | null;
  child: string | null;
}

export interface NoticeItem extends Placed {
  kind: 'notice';
  tone: 'plain' | 'warning' | 'error';
  text: string;
}

export interface EndingItem extends Placed {
  kind: 'ending';
  ending: Ending;
  usage: Usage;
  spent: number;
  /** Replies until here whose price is not known. */
  unpriced: number;
}

export type Item = MessageItem | CallItem | NoticeItem | EndingItem;

/** A reply that is arriving. */
export interface Arriving {
  call: number;
  text: Stretch;
  thinking: Stretch;
  calls: readonly ArrivingCall[];
  /** All of it has come; the message that holds it is next. */
  whole: boolean;
}

/** A text that grows, counted in bytes. */
export interface Stretch {
  text: string;
  /** Where the text ends, in all that there is of its kind. */
  end: number;
  /** Something before or within it was not kept. */
  gap: boolean;
}

export interface ArrivingCall {
  index: number;
  name: string;
  arguments: Stretch;
}

/** Everything that is drawn of a session. */
export interface Transcript {
  /** Where to ask from. */
  place: string;
  /** The last event that was seen. */
  last: EventId | null;
  at: number;
  agent: string;
  items: readonly Item[];
  /** Where the items of tool calls are, by the kernel's number. */
  calls: ReadonlyMap<number, number>;
  /** Where the calls of the last reply begin among the items. */
  batch: number;
  reply: Arriving | null;
  /** The newest model call whose reply has come or never will: pieces of it, and of older ones, are late. */
  done: number;
  working: boolean;
  group: number;
  /** The record that began the group, until its prompt is there. */
  opening: number | null;
  turn: number;
  model: string;
  mode: string;
  marks: { untrusted: boolean; private: boolean };
  steering: number;
  followUps: number;
  usage: Usage;
  spent: number;
  /** Replies whose price is not known. */
  unpriced: number;
  questions: readonly Posed[];
  notes: readonly string[];
}

/** Notes that are kept: what Holm says to people in passing. */
const MOST_NOTES = 50;

/** Nothing has happened yet. */
export const EMPTY: Transcript = {
  place: START,
  last: null,
  at: 0,
  agent: '',
  items: [],
  calls: new Map(),
  batch: 0,
  reply: null,
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
  usage: {},
  spent: 0,
  unpriced: 0,
  questions: [],
  notes: [],
};

/** The transcript after some frames. The one before is left as it is. */
export function reduce(before: Transcript, frames: readonly Frame[]): Transcript {
  if (frames.length === 0) return before;
  const draft = new Draft(before);
  for (const frame of frames) draft.take(frame);
  return draft.finish();
}

/** The transcript after some events of a journal. */
export function reduceEvents(before: Transcript, events: readonly Numbered[]): Transcript {
  return reduce(
    before,
    events.map((data) => ({ type: 'event', id: `${data.id.record}.${data.id.index}`, data })),
  );
}

/** A transcript that is being changed. Items are replaced and never changed, so those of the one before stay as they are. */
class Draft {
  readonly #now: Transcript;
  readonly #items: Item[];
  readonly #calls: Map<number, number>;

  constructor(before: Transcript) {
    this.#now = { ...before };
    this.#items = [...before.items];
    this.#calls = new Map(before.calls);
  }

  finish(): Transcript {
    return { ...this.#now, items: this.#items, calls: this.#calls };
  }

  take(frame: Frame): void {
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
        now.notes = [...now.notes, frame.data.text].slice(-MOST_NOTES);
        break;
      case 'began':
        // Whatever is still open is asked again on every connection, and its number may have been given anew.
        now.questions = [];
        break;
      case 'lagged':
      case 'closed':
        break;
    }
    now.place = moved(now.place, frame);
  }

  #event(numbered: Numbered): void {
    const now = this.#now;
    now.last = numbered.id;
    now.at = numbered.at;
    const event = told(numbered.event);
    const placed: Placed = { record: numbered.id.record, at: numbered.at };
    const notice = noticeOf(numbered.event);
    if (notice !== null) this.#items.push({ kind: 'notice', ...placed, ...notice });
    if (event !== null && !this.#ofCall(event, placed)) this.#ofRun(event, placed);
  }

  /** What is said of tool calls; whether it was that. */
  #ofCall(event: Told, placed: Placed): boolean {
    switch (event.name) {
      case 'call_proposed':
        this.#proposed(event.is, placed);
        return true;
      case 'approval_asked':
        this.#editCall(event.is.call, (item) => ({ ...item, stage: 'asked' }));
        return true;
      case 'approval_given': {
        const { allowed, reason } = event.is;
        const stage = allowed ? 'allowed' : 'denied';
        this.#editCall(event.is.call, (item) => ({ ...item, stage, reason: reason ?? '' }));
        return true;
      }
      case 'call_started':
        this.#editCall(event.is.call, (item) => ({ ...item, stage: 'running' }));
        return true;
      case 'call_finished':
        this.#finished(event.is);
        return true;
      case 'ruled': {
        const { guard, rejected, reason } = event.is;
        this.#editCall(event.is.call, (item) => ({ ...item, rulings: [...item.rulings, { guard, rejected, reason }] }));
        return true;
      }
      case 'child_started':
        this.#editCall(event.is.call, (item) => ({ ...item, child: event.is.child }));
        return true;
      case 'child_finished': {
        const { outcome, bytes, millis } = event.is;
        this.#editCall(event.is.call, (item) => ({ ...item, outcome, bytes, millis }));
        return true;
      }
      default:
        return false;
    }
  }

  #ofRun(event: Told, placed: Placed): void {
    const now = this.#now;
    switch (event.name) {
      case 'run_started':
        now.agent = event.is.name;
        break;
      case 'group_started':
        now.working = true;
        now.group = event.is.group;
        now.opening = placed.record;
        break;
      case 'message_added':
        this.#message(event.is.message, placed);
        break;
      case 'queued':
        if (event.is.queue === 'steering') now.steering = event.is.waiting;
        else now.followUps = event.is.waiting;
        break;
      case 'queue_dropped':
        if (event.is.queue === 'steering') now.steering = 0;
        else now.followUps = 0;
        break;
      case 'model_called':
        now.working = true;
        now.turn = event.is.turn;
        now.model = event.is.model;
        // What was waiting has entered by now.
        now.steering = 0;
        now.reply = arriving(event.is.call);
        break;
      case 'model_replied':
        this.#over(event.is.call);
        if (now.reply !== null) now.reply = { ...now.reply, whole: true };
        if (event.is.cost === null) now.unpriced += 1;
        break;
      case 'model_failed':
        this.#over(event.is.call);
        break;
      case 'withdrawn':
        this.#over(event.is.call);
        now.reply = null;
        break;
      case 'marked':
        now.marks = event.is.marks;
        break;
      case 'mode_changed':
        now.mode = event.is.mode;
        break;
      case 'group_ended':
        this.#ended(event.is, placed);
        break;
      default:
        break;
    }
  }

  #over(call: number): void {
    this.#now.done = Math.max(this.#now.done, call);
  }

  #ended(is: Events['group_ended'], placed: Placed): void {
    const now = this.#now;
    now.working = false;
    now.reply = null;
    now.followUps = 0;
    now.steering = 0;
    now.usage = is.usage;
    now.spent = is.spent;
    this.#items.push({ kind: 'ending', ...placed, ending: is.ending, usage: is.usage, spent: is.spent, unpriced: now.unpriced });
  }

  #message(message: Message, placed: Placed): void {
    if (message.role === 'tool') {
      for (const block of message.blocks) if ('tool_result' in block) this.#result(block.tool_result, placed);
      return;
    }
    const { opening } = this.#now;
    const isPrompt = opening !== null && message.role === 'user' && message.author !== 'kernel';
    this.#items.push({ kind: 'message', ...placed, message, before: isPrompt ? opening - 1 : null });
    if (isPrompt) this.#now.opening = null;
    if (message.role !== 'assistant') return;
    this.#now.reply = null;
    this.#now.batch = this.#items.length;
    for (const block of message.blocks) {
      if ('tool_call' in block) {
        const { id, name, arguments: given } = block.tool_call;
        this.#add({ ...newCall(placed), id, tool: name, arguments: given });
      }
    }
  }

  /** A proposal names no provider's id, so it is found by its tool and what it was given, then by its tool alone. */
  #proposed(is: Events['call_proposed'], placed: Placed): void {
    const open = (item: Item): item is CallItem =>
      item.kind === 'call' && item.call === null && item.outcome === null && item.tool === is.tool;
    let found = this.#find((item) => open(item) && isSameJson(item.arguments, is.arguments));
    if (found === -1) found = this.#find(open);
    if (found === -1) found = this.#add({ ...newCall(placed), tool: is.tool });
    const { call, arguments: given, fixes } = is;
    this.#calls.set(call, found);
    this.#edit(found, (item) => ({ ...item, call, arguments: given, fixes: fixes ?? [], stage: 'proposed' }));
  }

  #finished(is: Events['call_finished']): void {
    this.#rebind(is.call, is.id);
    const { outcome, bytes, millis, metadata } = is;
    const last = { outcome, bytes, millis, metadata: metadata ?? null, id: is.id, progress: null };
    this.#editCall(is.call, (item) => ({ ...item, ...last, stage: item.stage === 'denied' ? 'denied' : 'ended' }));
  }

  /** Two calls of one tool may have been taken for one another; the end says which was which. */
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

  #result(result: { call: string; tool: string; text: string; outcome?: Outcome; parts?: Block[] }, placed: Placed): void {
    const waits = (item: Item): boolean => item.kind === 'call' && item.id === result.call && item.result === null;
    let found = this.#find(waits);
    if (found === -1) found = this.#add({ ...newCall(placed), id: result.call, tool: result.tool });
    const text = open(result.text);
    const parts = result.parts ?? [];
    this.#edit(found, (item) => ({
      ...item,
      result: text,
      parts,
      outcome: item.outcome ?? result.outcome ?? 'succeeded',
      stage: item.stage === 'denied' ? 'denied' : 'ended',
    }));
  }

  #delta(delta: Delta): void {
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

  #put(at: number, item: Item): void {
    this.#items[at] = item;
  }

  #add(item: CallItem): number {
    return this.#items.push(item) - 1;
  }

  /** Looks among the calls of the last reply, then among all that came before, the latest first. */
  #find(fits: (item: Item) => boolean): number {
    const { batch } = this.#now;
    for (let at = batch; at < this.#items.length; at += 1) if (fits(this.#items[at] as Item)) return at;
    for (let at = Math.min(batch, this.#items.length) - 1; at >= 0; at -= 1) if (fits(this.#items[at] as Item)) return at;
    return -1;
  }
}

function newCall(placed: Placed): CallItem {
  return {
    kind: 'call',
    ...placed,
    call: null,
    id: null,
    tool: '',
    arguments: '',
    fixes: [],
    stage: 'said',
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

function arriving(call: number): Arriving {
  return { call, text: NOTHING, thinking: NOTHING, calls: [], whole: false };
}

const NOTHING: Stretch = { text: '', end: 0, gap: false };

/** Adds what is new of a piece. What was seen is counted in bytes, so a piece that comes twice, or in part, adds nothing twice. */
function grown(stretch: Stretch, piece: { offset: number; text: string }): Stretch {
  const end = piece.offset + byteLength(piece.text);
  if (end <= stretch.end) return stretch;
  const fresh = piece.offset < stretch.end ? skipBytes(piece.text, stretch.end - piece.offset) : piece.text;
  return { text: stretch.text + fresh, end, gap: stretch.gap || piece.offset > stretch.end };
}

function withCall(
  calls: readonly ArrivingCall[],
  index: number,
  change: (call: ArrivingCall) => ArrivingCall,
): readonly ArrivingCall[] {
  const known = calls.find((call) => call.index === index);
  if (known !== undefined) return calls.map((call) => (call === known ? change(call) : call));
  return [...calls, change({ index, name: '', arguments: NOTHING })].sort((one, other) => one.index - other.index);
}
