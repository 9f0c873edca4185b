// Events and frames as a server would send them.

import type { ReplyDelta, EventName, EventContents, Frame, Message, NumberedEvent } from '../src/core/wire.ts';

/** An event with its number. */
export function event<Name extends EventName>(id: string, name: Name, content: EventContents[Name]): NumberedEvent {
  const [record = 0, index = 0] = id.split('.').map(Number);
  return { id: { record, index }, at: record * 1_000, event: { [name]: content } as unknown as NumberedEvent['event'] };
}

/** An event as a frame. */
export function frame(numbered: NumberedEvent): Frame {
  return { type: 'event', id: `${numbered.id.record}.${numbered.id.index}`, data: numbered };
}

/** A piece of a reply as a frame. */
export function delta(call: number, offset: number, text: string, more: Partial<ReplyDelta> = {}): Frame {
  return { type: 'delta', id: `1.0/${call}.${offset}`, data: { call, kind: 'text', offset, text, ...more } };
}

/** The content of a `message_added` event. */
export function said(id: number, role: Message['role'], text: string): { message: Message } {
  return { message: { id, role, blocks: [{ text }] } };
}

/** A sealed result, as the kernel writes it. */
export function sealed(text: string): string {
  return `<tool_output seal="89abcdef">${text}</tool_output seal="89abcdef">`;
}

/** A run with a tool call that was asked about: all events of its journal. */
export function journal(): NumberedEvent[] {
  return [
    event('0.0', 'run_started', { name: 'holm' }),
    event('1.0', 'group_started', { group: 1 }),
    event('1.1', 'message_added', said(1, 'user', 'touch it')),
    event('1.2', 'model_called', { call: 1, turn: 1, model: 'm', messages: 1, tokens: 9 }),
    event('2.0', 'model_replied', { call: 1, usage: { input: 9, output: 4 }, cost: 1_000, stop: 'tool_use' }),
    event('2.1', 'message_added', {
      message: {
        id: 2,
        role: 'assistant',
        blocks: [{ text: 'I will.' }, { tool_call: { id: 'c1', name: 'touch', arguments: '{"b":1,"a":2}' } }],
      },
    }),
    event('2.2', 'call_proposed', { call: 2, tool: 'touch', arguments: '{"a":2,"b":1}' }),
    event('2.3', 'approval_asked', { call: 2 }),
    event('3.0', 'approval_given', { call: 2, allowed: true }),
    event('4.0', 'call_started', { call: 2 }),
    event('5.0', 'call_finished', { call: 2, id: 'c1', outcome: 'succeeded', bytes: 7, millis: 12 }),
    event('5.1', 'ruled', { call: 2, guard: 'plausibility', rejected: false, reason: 'short' }),
    event('5.2', 'message_added', {
      message: { id: 3, role: 'tool', blocks: [{ tool_result: { call: 'c1', tool: 'touch', text: sealed('touched') } }] },
    }),
    event('5.3', 'model_called', { call: 3, turn: 2, model: 'm', messages: 3, tokens: 20 }),
    event('6.0', 'model_replied', { call: 3, usage: { input: 20, output: 2 }, cost: null, stop: 'end_turn' }),
    event('6.1', 'message_added', said(4, 'assistant', 'Done.')),
    event('6.2', 'group_ended', { ending: { answered: { text: 'Done.' } }, last: 4, usage: { input: 29, output: 6 }, spent: 1_000 }),
  ];
}

/** Numbers that look random and are the same each time. */
export function dice(seed: number): (below: number) => number {
  let state = seed >>> 0 || 1;
  return (below) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    state >>>= 0;
    return state % below;
  };
}
