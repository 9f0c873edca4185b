// Connects to a session's events: over a WebSocket, or over server-sent events if WebSockets are blocked. Both carry the same
// frames with the same cursors, so a page can change from one to the other between two frames.

import { SseParser } from '../core/sse.ts';
import type { Connector, ConnectionListener, ConnectionEnd } from '../core/session-watcher.ts';
import type { Frame } from '../core/wire.ts';
import { type Api, ApiError } from './api.ts';

/** Connects to a session. After the first WebSocket that does not open, all further connections are streams. */
export function sessionConnector(api: Api, id: string): Connector {
  let transport: 'socket' | 'stream' = 'socket';
  return (cursor, listener) => {
    if (transport === 'stream') return openStream(api, id, cursor, listener);
    return openSocket(api, id, cursor, listener, () => {
      transport = 'stream';
    });
  };
}

function openSocket(api: Api, id: string, cursor: string, listener: ConnectionListener, blocked: () => void): () => void {
  let socket: WebSocket;
  try {
    socket = api.socket(id, cursor);
  } catch {
    // A browser without WebSockets throws at once. The listener hears of it after this call, as of any other end.
    blocked();
    queueMicrotask(() => listener.ended({ kind: 'broke' }));
    return () => undefined;
  }
  let opened = false;
  let end: ConnectionEnd = { kind: 'broke' };
  socket.onopen = () => {
    opened = true;
    listener.opened();
  };
  socket.onmessage = (message: MessageEvent<unknown>) => {
    const frame = socketFrame(String(message.data));
    if (frame === null) return;
    if (frame.type === 'lagged') end = { kind: 'lagged' };
    listener.frame(frame);
  };
  socket.onclose = () => {
    // A browser does not say why a WebSocket did not open; the status of the stream does.
    if (!opened) blocked();
    listener.ended(end);
  };
  return () => {
    socket.onopen = socket.onmessage = socket.onclose = null;
    socket.close();
  };
}

function openStream(api: Api, id: string, cursor: string, listener: ConnectionListener): () => void {
  const abort = new AbortController();
  void readStream(api, id, cursor, listener, abort.signal).then((end) => {
    if (!abort.signal.aborted) listener.ended(end);
  });
  return () => abort.abort();
}

async function readStream(api: Api, id: string, cursor: string, listener: ConnectionListener, signal: AbortSignal): Promise<ConnectionEnd> {
  try {
    const response = await api.events(id, cursor, signal);
    if (response.body === null) return { kind: 'broke' };
    listener.opened();
    const parser = new SseParser();
    const chunks = response.body.pipeThrough(new TextDecoderStream()).getReader();
    for (;;) {
      const { done, value } = await chunks.read();
      if (done) return { kind: 'broke' };
      for (const sent of parser.feed(value)) {
        const frame = streamFrame(sent.name, sent.id, sent.data);
        if (frame === null) continue;
        listener.frame(frame);
        if (frame.type === 'lagged') return { kind: 'lagged' };
      }
    }
  } catch (error) {
    const final = error instanceof ApiError && error.status >= 400 && error.status < 500 && error.status !== 429;
    return final ? { kind: 'refused', message: error.message } : { kind: 'broke' };
  }
}

/** A frame of a WebSocket: `{"type", "id", "data"}`. */
function socketFrame(text: string): Frame | null {
  try {
    const { type, id, data } = JSON.parse(text) as { type: string; id: string; data: unknown };
    return knownFrame(type, id, data);
  } catch {
    return null;
  }
}

function streamFrame(type: string, id: string, data: string): Frame | null {
  try {
    return knownFrame(type, id, JSON.parse(data));
  } catch {
    return null;
  }
}

const TYPES = new Set(['event', 'delta', 'progress', 'question', 'question_settled', 'note', 'lagged', 'closed']);

function knownFrame(type: string, id: string, data: unknown): Frame | null {
  return TYPES.has(type) ? ({ type, id, data } as Frame) : null;
}
