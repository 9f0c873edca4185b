// Converts a run into the UI message stream of chat front ends (AI SDK `useChat`).

import type { Agent, AgentEvent } from './driver.js';
import type { Delta, Ending, Event } from './types.js';

/** One part of a UI message stream. */
export type UiChunk = { type: string; [name: string]: unknown };

/** The parts of one assistant message, from the first event to the ending. */
export async function* uiMessageChunks(events: AsyncIterable<AgentEvent>, messageId?: string): AsyncGenerator<UiChunk> {
  const converter = new ChunkConverter();
  yield { type: 'start', ...(messageId === undefined ? {} : { messageId }) };
  for await (const event of events) {
    if (event.type === 'delta') yield* converter.delta(event.call, event.delta);
    else if (event.type === 'event') yield* converter.event(event.event);
    else yield* converter.ending(event.ending);
  }
}

/** The stream as an HTTP response. */
export function uiMessageResponse(agent: Agent, init: ResponseInit = {}): Response {
  const encoder = new TextEncoder();
  const chunks = uiMessageChunks(agent);
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done, value } = await chunks.next();
        controller.enqueue(encoder.encode(`data: ${done ? '[DONE]' : JSON.stringify(value)}\n\n`));
        if (done) controller.close();
      } catch (error) {
        const part = { type: 'error', errorText: error instanceof Error ? error.message : String(error) };
        controller.enqueue(encoder.encode(`data: ${JSON.stringify(part)}\n\ndata: [DONE]\n\n`));
        controller.close();
      }
    },
    // A client that disconnects no longer needs the answer.
    cancel() {
      agent.cancel('the client disconnected');
    },
  });
  const headers = new Headers(init.headers);
  headers.set('content-type', 'text/event-stream');
  headers.set('cache-control', 'no-cache');
  headers.set('x-vercel-ai-ui-message-stream', 'v1');
  return new Response(body, { ...init, headers });
}

/** Converts events, and remembers the open parts of the stream. */
class ChunkConverter {
  #open: { kind: 'text' | 'reasoning'; id: string } | undefined;
  #count = 0;
  #step: 'none' | 'open' = 'none';
  /** The calls of the streaming reply, by index. */
  #calls = new Map<number, { id: string; name: string }>();
  #announced = new Set<string>();

  *delta(_call: number, delta: Delta): Generator<UiChunk> {
    if ('text' in delta) yield* this.#piece('text', delta.text.text);
    else if ('thinking' in delta) yield* this.#piece('reasoning', delta.thinking.text);
    else if ('tool_call_started' in delta) {
      const { index, id, name } = delta.tool_call_started;
      yield* this.#close();
      this.#calls.set(index, { id, name });
      this.#announced.add(id);
      yield { type: 'tool-input-start', toolCallId: id, toolName: name };
    } else if ('tool_arguments' in delta) {
      const call = this.#calls.get(delta.tool_arguments.index);
      if (call) yield { type: 'tool-input-delta', toolCallId: call.id, inputTextDelta: delta.tool_arguments.text };
    }
  }

  *event(event: Event): Generator<UiChunk> {
    if (event === 'grants_changed') return;
    if ('model_called' in event) {
      yield* this.#endStep();
      this.#step = 'open';
      this.#calls.clear();
      yield { type: 'start-step' };
    } else if ('withdrawn' in event) {
      // The protocol cannot withdraw text, so the next text is a new part.
      yield* this.#close();
    } else if ('message_added' in event) {
      yield* this.#message(event.message_added.message);
    }
  }

  *ending(ending: Ending): Generator<UiChunk> {
    yield* this.#endStep();
    if ('answered' in ending) yield { type: 'finish' };
    else if ('cancelled' in ending) yield { type: 'abort' };
    else {
      yield { type: 'error', errorText: endingText(ending) };
      yield { type: 'finish' };
    }
  }

  *#message(message: { role: string; blocks: readonly object[] }): Generator<UiChunk> {
    for (const block of message.blocks) {
      if (message.role === 'assistant' && 'tool_call' in block) {
        const { id, name, arguments: text } = block.tool_call as { id: string; name: string; arguments: string };
        yield* this.#close();
        if (!this.#announced.has(id)) yield { type: 'tool-input-start', toolCallId: id, toolName: name };
        this.#announced.add(id);
        yield { type: 'tool-input-available', toolCallId: id, toolName: name, input: parseJson(text) };
      } else if ('tool_result' in block) {
        const { call, text, outcome } = block.tool_result as { call: string; text: string; outcome?: string };
        if (outcome === undefined || outcome === 'succeeded') yield { type: 'tool-output-available', toolCallId: call, output: text };
        else yield { type: 'tool-output-error', toolCallId: call, errorText: text };
      }
    }
  }

  *#piece(kind: 'text' | 'reasoning', delta: string): Generator<UiChunk> {
    if (this.#open?.kind !== kind) {
      yield* this.#close();
      this.#count += 1;
      this.#open = { kind, id: `${kind}-${this.#count}` };
      yield { type: `${kind}-start`, id: this.#open.id };
    }
    yield { type: `${kind}-delta`, id: this.#open.id, delta };
  }

  *#close(): Generator<UiChunk> {
    if (!this.#open) return;
    yield { type: `${this.#open.kind}-end`, id: this.#open.id };
    this.#open = undefined;
  }

  *#endStep(): Generator<UiChunk> {
    yield* this.#close();
    if (this.#step === 'open') yield { type: 'finish-step' };
    this.#step = 'none';
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function endingText(ending: Ending): string {
  const [kind, figures] = Object.entries(ending)[0] ?? ['failed', {}];
  const { reason, message } = figures as { reason?: string; message?: string };
  return reason || message || `the run ended: ${kind} ${JSON.stringify(figures)}`;
}
