// The turns of a run with what each took: one pass over its events.

import { type Ending, type Numbered, type Outcome, type Usage, told } from './wire.ts';

/** A tool call within a turn. */
export interface TurnCall {
  call: number;
  tool: string;
  outcome: Outcome | null;
  began: number;
  millis: number | null;
  /** Whether somebody was asked, and what they said. */
  asked: 'no' | 'open' | 'yes' | 'refused';
}

/** One model call with what followed from it. */
export interface Turn {
  group: number;
  turn: number;
  call: number;
  model: string;
  began: number;
  ended: number | null;
  /** The event at which it began, counted from 0: where the slider goes. */
  event: number;
  record: number;
  usage: Usage;
  cost: number | null;
  stop: string | null;
  failure: string | null;
  calls: TurnCall[];
  rulings: { guard: string; rejected: boolean; reason: string; call: number }[];
}

/** A prompt and how it ended. */
export interface Group {
  group: number;
  began: number;
  ended: number | null;
  ending: Ending | null;
  spent: number;
}

export interface Timeline {
  turns: Turn[];
  groups: Group[];
  began: number;
  ended: number;
}

/** How many turns had begun before an event, counted from 0. Turns stand in the order of their events. */
export function turnsBefore(turns: readonly Turn[], event: number): number {
  let [low, high] = [0, turns.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((turns[middle] as Turn).event < event) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** What the turns until each of them cost together: the first is before all. */
export function costs(turns: readonly Turn[]): number[] {
  const sums = [0];
  for (const turn of turns) sums.push((sums[sums.length - 1] ?? 0) + (turn.cost ?? 0));
  return sums;
}

/** How many of the turns until each of them have no known price. */
export function unpriced(turns: readonly Turn[]): number[] {
  const sums = [0];
  for (const turn of turns) sums.push((sums[sums.length - 1] ?? 0) + (turn.stop !== null && turn.cost === null ? 1 : 0));
  return sums;
}

/** Bars on a line of so many places; those that would lie on one another are one. */
export interface Bar {
  x: number;
  width: number;
  what: string;
}

/** Puts spans of time into bars. A long run has more of them than a screen has places, and nobody could tell them apart. */
export function bars(spans: readonly { began: number; millis: number; what: string }[], line: Timeline, places: number): Bar[] {
  const scale = places / Math.max(1, line.ended - line.began);
  const found: (Bar & { count: number })[] = [];
  for (const { began, millis, what } of spans) {
    const x = (began - line.began) * scale;
    const end = x + Math.max(NARROWEST, millis * scale);
    const last = found[found.length - 1];
    if (last !== undefined && x < last.x + last.width && x - last.x < 1) {
      last.width = Math.max(last.width, end - last.x);
      last.count += 1;
    } else found.push({ x, width: end - x, what, count: 1 });
  }
  return found.map(({ x, width, what, count }) => ({ x, width, what: count === 1 ? what : `${what} and ${count - 1} more` }));
}

/** So wide is a bar at least, or nobody would see it. */
const NARROWEST = 1.5;

/** Reads the turns out of a run's events. */
export function timeline(events: readonly Numbered[]): Timeline {
  const fold = new Fold();
  events.forEach((numbered, place) => fold.take(numbered, place));
  const began = events[0]?.at ?? 0;
  return { turns: fold.turns, groups: fold.groups, began, ended: events[events.length - 1]?.at ?? began };
}

class Fold {
  readonly turns: Turn[] = [];
  readonly groups: Group[] = [];
  readonly #models = new Map<number, Turn>();
  readonly #calls = new Map<number, { turn: Turn; call: TurnCall }>();

  take(numbered: Numbered, place: number): void {
    const event = told(numbered.event);
    const { at } = numbered;
    if (event === null) return;
    switch (event.name) {
      case 'group_started':
        this.groups.push({ group: event.is.group, began: at, ended: null, ending: null, spent: 0 });
        break;
      case 'group_ended': {
        const group = this.groups[this.groups.length - 1];
        if (group !== undefined) [group.ended, group.ending, group.spent] = [at, event.is.ending, event.is.spent];
        break;
      }
      case 'model_called': {
        const { call, turn, model } = event.is;
        const group = this.groups[this.groups.length - 1]?.group ?? 0;
        const began: Turn = {
          group, turn, call, model, began: at, ended: null, event: place, record: numbered.id.record,
          usage: {}, cost: null, stop: null, failure: null, calls: [], rulings: [],
        };
        this.turns.push(began);
        this.#models.set(call, began);
        break;
      }
      case 'model_replied': {
        const turn = this.#models.get(event.is.call);
        const { usage, cost, stop } = event.is;
        if (turn !== undefined) Object.assign(turn, { usage, cost, stop, ended: at });
        break;
      }
      case 'model_failed': {
        const turn = this.#models.get(event.is.call);
        if (turn !== undefined) [turn.failure, turn.ended] = [event.is.message, at];
        break;
      }
      case 'call_proposed': {
        const turn = this.turns[this.turns.length - 1];
        if (turn === undefined) break;
        const call: TurnCall = { call: event.is.call, tool: event.is.tool, outcome: null, began: at, millis: null, asked: 'no' };
        turn.calls.push(call);
        this.#calls.set(call.call, { turn, call });
        break;
      }
      case 'approval_asked':
        this.#call(event.is.call, (call) => (call.asked = 'open'));
        break;
      case 'approval_given':
        this.#call(event.is.call, (call) => (call.asked = event.is.allowed ? 'yes' : 'refused'));
        break;
      case 'call_started':
        this.#call(event.is.call, (call) => (call.began = at));
        break;
      case 'call_finished':
        this.#call(event.is.call, (call) => ([call.outcome, call.millis] = [event.is.outcome, event.is.millis]));
        break;
      case 'ruled': {
        const { guard, rejected, reason, call } = event.is;
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
