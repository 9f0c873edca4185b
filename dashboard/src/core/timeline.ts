// The turns of a run with their usage, from one pass over its events.

import { type Ending, type NumberedEvent, type Outcome, type Usage, decodeEvent } from './wire.ts';

/** A tool call within a turn. */
export interface TurnCall {
  call: number;
  tool: string;
  outcome: Outcome | null;
  began: number;
  millis: number | null;
  /** Whether the call needed approval, and the answer. */
  asked: 'no' | 'open' | 'yes' | 'refused';
}

/** One model call and the tool calls of its reply. */
export interface Turn {
  group: number;
  turn: number;
  call: number;
  model: string;
  began: number;
  ended: number | null;
  /** The index of its first event: the slider's position. */
  event: number;
  record: number;
  usage: Usage;
  cost: number | null;
  stop: string | null;
  failure: string | null;
  calls: TurnCall[];
  rulings: { guard: string; rejected: boolean; reason: string; call: number }[];
}

/** A prompt and its ending. */
export interface TurnGroup {
  group: number;
  began: number;
  ended: number | null;
  ending: Ending | null;
  spent: number;
}

export interface Timeline {
  turns: Turn[];
  groups: TurnGroup[];
  began: number;
  ended: number;
}

/** The number of turns that began before an event. Turns are in the order of their events. */
export function turnsBefore(turns: readonly Turn[], event: number): number {
  let [low, high] = [0, turns.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((turns[middle] as Turn).event < event) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The running sum of the turns' costs, starting with 0. */
export function costs(turns: readonly Turn[]): number[] {
  const sums = [0];
  for (const turn of turns) sums.push((sums[sums.length - 1] ?? 0) + (turn.cost ?? 0));
  return sums;
}

/** The running number of turns without a known price. */
export function unpriced(turns: readonly Turn[]): number[] {
  const sums = [0];
  for (const turn of turns) sums.push((sums[sums.length - 1] ?? 0) + (turn.stop !== null && turn.cost === null ? 1 : 0));
  return sums;
}

/** A bar of the timeline; overlapping bars are merged. */
export interface Bar {
  x: number;
  width: number;
  what: string;
}

/** Turns time spans into bars. A long run has more spans than a screen has pixels, so close ones are merged. */
export function bars(spans: readonly { began: number; millis: number; what: string }[], line: Timeline, width: number): Bar[] {
  const scale = width / Math.max(1, line.ended - line.began);
  const found: (Bar & { count: number })[] = [];
  for (const { began, millis, what } of spans) {
    const x = (began - line.began) * scale;
    const end = x + Math.max(MIN_BAR_WIDTH, millis * scale);
    const last = found[found.length - 1];
    if (last !== undefined && x < last.x + last.width && x - last.x < 1) {
      last.width = Math.max(last.width, end - last.x);
      last.count += 1;
    } else found.push({ x, width: end - x, what, count: 1 });
  }
  return found.map(({ x, width, what, count }) => ({ x, width, what: count === 1 ? what : `${what} and ${count - 1} more` }));
}

/** The width at which a bar is still visible. */
const MIN_BAR_WIDTH = 1.5;

/** The turns of a run's events. */
export function timeline(events: readonly NumberedEvent[]): Timeline {
  const builder = new TimelineBuilder();
  events.forEach((numbered, index) => builder.add(numbered, index));
  const began = events[0]?.at ?? 0;
  return { turns: builder.turns, groups: builder.groups, began, ended: events[events.length - 1]?.at ?? began };
}

class TimelineBuilder {
  readonly turns: Turn[] = [];
  readonly groups: TurnGroup[] = [];
  readonly #models = new Map<number, Turn>();
  readonly #calls = new Map<number, { turn: Turn; call: TurnCall }>();

  add(numbered: NumberedEvent, index: number): void {
    const event = decodeEvent(numbered.event);
    const { at } = numbered;
    if (event === null) return;
    switch (event.name) {
      case 'group_started':
        this.groups.push({ group: event.data.group, began: at, ended: null, ending: null, spent: 0 });
        break;
      case 'group_ended': {
        const group = this.groups[this.groups.length - 1];
        if (group !== undefined) [group.ended, group.ending, group.spent] = [at, event.data.ending, event.data.spent];
        break;
      }
      case 'model_called': {
        const { call, turn, model } = event.data;
        const group = this.groups[this.groups.length - 1]?.group ?? 0;
        const began: Turn = {
          group, turn, call, model, began: at, ended: null, event: index, record: numbered.id.record,
          usage: {}, cost: null, stop: null, failure: null, calls: [], rulings: [],
        };
        this.turns.push(began);
        this.#models.set(call, began);
        break;
      }
      case 'model_replied': {
        const turn = this.#models.get(event.data.call);
        const { usage, cost, stop } = event.data;
        if (turn !== undefined) Object.assign(turn, { usage, cost, stop, ended: at });
        break;
      }
      case 'model_failed': {
        const turn = this.#models.get(event.data.call);
        if (turn !== undefined) [turn.failure, turn.ended] = [event.data.message, at];
        break;
      }
      case 'call_proposed': {
        const turn = this.turns[this.turns.length - 1];
        if (turn === undefined) break;
        const call: TurnCall = { call: event.data.call, tool: event.data.tool, outcome: null, began: at, millis: null, asked: 'no' };
        turn.calls.push(call);
        this.#calls.set(call.call, { turn, call });
        break;
      }
      case 'approval_asked':
        this.#call(event.data.call, (call) => (call.asked = 'open'));
        break;
      case 'approval_given':
        this.#call(event.data.call, (call) => (call.asked = event.data.allowed ? 'yes' : 'refused'));
        break;
      case 'call_started':
        this.#call(event.data.call, (call) => (call.began = at));
        break;
      case 'call_finished':
        this.#call(event.data.call, (call) => ([call.outcome, call.millis] = [event.data.outcome, event.data.millis]));
        break;
      case 'ruled': {
        const { guard, rejected, reason, call } = event.data;
        this.#calls.get(call)?.turn.rulings.push({ guard, rejected, reason, call });
        break;
      }
      default:
        break;
    }
  }

  #call(call: number, change: (call: TurnCall) => void): void {
    const known = this.#calls.get(call);
    if (known !== undefined) change(known.call);
  }
}
