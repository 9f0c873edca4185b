// How a connection to a session's events is made: a WebSocket, and where that is not let through, a stream. Both carry the
// same frames with the same places, so a page may change from one to the other between two frames.

import { SseReader } from '../core/sse.ts';
import type { Connect, Ear, End } from '../core/watcher.ts';
import type { Frame } from '../core/wire.ts';
import { type Api, ApiError } from './api.ts';

/** Connects to a session. The first socket that never opens makes all further connections streams. */
export function lines(api: Api, id: string): Connect {
  let way: 'socket' | 'stream' = 'socket';
  return (place, ear) => {
    if (way === 'stream') return stream(api, id, place, ear);
    return socket(api, id, place, ear, () => {
      way = 'stream';
    });
  };
}

function socket(api: Api, id: string, place: string, ear: Ear, never: () => void): () => void {
  let line: WebSocket;
  try {
    line = api.socket(id, place);
  } catch {
    // A browser that makes no sockets at all says so at once; whoever listens hears of it after this call, as of any end.
    never();
    queueMicrotask(() => ear.ended({ kind: 'broke' }));
    return () => undefined;
  }
  let opened = false;
  let end: End = { kind: 'broke' };
  line.onopen = () => {
    opened = true;
    ear.opened();
  };
  line.onmessage = (message: MessageEvent<unknown>) => {
    const frame = read(String(message.data));
    if (frame === null) return;
    if (frame.type === 'lagged') end = { kind: 'lagged' };
    ear.frame(frame);
  };
  line.onclose = () => {
    // A browser does not say why a socket did not open; the stream's status does.
    if (!opened) never();
    ear.ended(end);
  };
  return () => {
    line.onopen = line.onmessage = line.onclose = null;
    line.close();
  };
}

function stream(api: Api, id: string, place: string, ear: Ear): () => void {
  const abort = new AbortController();
  void follow(api, id, place, ear, abort.signal).then((end) => {
    if (!abort.signal.aborted) ear.ended(end);
  });
  return () => abort.abort();
}

async function follow(api: Api, id: string, place: string, ear: Ear, signal: AbortSignal): Promise<End> {
  try {
    const answer = await api.events(id, place, signal);
    if (answer.body === null) return { kind: 'broke' };
    ear.opened();
    const reader = new SseReader();
    const pieces = answer.body.pipeThrough(new TextDecoderStream()).getReader();
    for (;;) {
      const { done, value } = await pieces.read();
      if (done) return { kind: 'broke' };
      for (const sent of reader.read(value)) {
        const frame = framed(sent.name, sent.id, sent.data);
        if (frame === null) continue;
        ear.frame(frame);
        if (frame.type === 'lagged') return { kind: 'lagged' };
      }
    }
  } catch (error) {
    const final = error instanceof ApiError && error.status >= 400 && error.status < 500 && error.status !== 429;
    return final ? { kind: 'refused', message: error.message } : { kind: 'broke' };
  }
}

/** A frame of a socket: `{"type", "id", "data"}`. */
function read(text: string): Frame | null {
  try {
    const { type, id, data } = JSON.parse(text) as { type: string; id: string; data: unknown };
    return known(type, id, data);
  } catch {
    return null;
  }
}

function framed(type: string, id: string, data: string): Frame | null {
  try {
    return known(type, id, JSON.parse(data));
  } catch {
    return null;
  }
}

const TYPES = new Set(['event', 'delta', 'progress', 'question', 'question_settled', 'note', 'lagged', 'closed']);

function known(type: string, id: string, data: unknown): Frame | null {
  return TYPES.has(type) ? ({ type, id, data } as Frame) : null;
}
