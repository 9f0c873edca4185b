// Parses server-sent events from chunks of text. The browser's `EventSource` cannot send a token in a header, and a token in
// a URL would appear in logs, so the page parses the stream itself.

export interface ServerSentEvent {
  name: string;
  id: string;
  data: string;
}

/** Parses a stream of server-sent events. */
export class SseParser {
  #rest = '';
  #name = '';
  #id = '';
  #data: string[] = [];
  #first = true;

  /** Takes the next chunk and returns the events that it completes. */
  feed(chunk: string): ServerSentEvent[] {
    let text = this.#rest + chunk;
    if (this.#first && text !== '') {
      this.#first = false;
      if (text.startsWith('\uFEFF')) text = text.slice(1);
    }
    const events: ServerSentEvent[] = [];
    let begin = 0;
    for (;;) {
      const end = lineEnd(text, begin);
      // A carriage return at the very end may be half of a line ending.
      if (end === -1 || (text[end] === '\r' && end === text.length - 1)) break;
      this.#line(text.slice(begin, end), events);
      begin = text[end] === '\r' && text[end + 1] === '\n' ? end + 2 : end + 1;
    }
    this.#rest = text.slice(begin);
    return events;
  }

  #line(line: string, events: ServerSentEvent[]): void {
    if (line === '') {
      if (this.#data.length > 0) {
        events.push({ name: this.#name || 'message', id: this.#id, data: this.#data.join('\n') });
      }
      this.#name = '';
      this.#data = [];
      return;
    }
    if (line.startsWith(':')) return;
    const colon = line.indexOf(':');
    const field = colon === -1 ? line : line.slice(0, colon);
    const raw = colon === -1 ? '' : line.slice(colon + 1);
    const value = raw.startsWith(' ') ? raw.slice(1) : raw;
    if (field === 'event') this.#name = value;
    else if (field === 'data') this.#data.push(value);
    else if (field === 'id' && !value.includes('\0')) this.#id = value;
  }
}

function lineEnd(text: string, from: number): number {
  for (let at = from; at < text.length; at += 1) {
    if (text[at] === '\n' || text[at] === '\r') return at;
  }
  return -1;
}
