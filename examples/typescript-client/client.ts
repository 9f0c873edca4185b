// Asks an agent of `holm serve` and shows the answer as it arrives, with every call of a tool. Without a question it watches a
// session that exists, from its beginning.
//
//   node client.js SESSION [QUESTION]

import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { Event } from 'holm';

/** What the server sends. Frames of kinds that are not named here can be ignored. */
type Frame =
  | { kind: 'event'; id: string; data: { event: Event } }
  | { kind: 'delta'; id: string; data: { call: number; kind: string; offset: number; text: string } }
  | { kind: 'other'; id: string };

const server = process.env.HOLM_URL ?? 'http://127.0.0.1:7417';
const token = process.env.HOLM_TOKEN ?? (await readFile(join(homedir(), '.local/share/holm/server/token'), 'utf8')).trim();

async function call(path: string, body?: object): Promise<Response> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const response = await fetch(server + path, body ? { method: 'POST', headers, body: JSON.stringify(body) } : { headers });
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return response;
}

/** The frames of a session that follow a position. `-` is its beginning. */
async function* frames(session: string, after: string): AsyncGenerator<Frame> {
  const { body } = await call(`/api/sessions/${session}/events?after=${encodeURIComponent(after)}`);
  if (!body) return;
  let rest = '';
  for await (const piece of body.pipeThrough(new TextDecoderStream())) {
    const parts = (rest + piece).split('\n\n');
    rest = parts.pop() ?? '';
    for (const part of parts) {
      const fields = new Map(part.split('\n').map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)]));
      const [kind, id, data] = [fields.get('event'), fields.get('id'), fields.get('data')];
      if (kind === undefined || id === undefined || data === undefined) continue;
      yield (kind === 'event' || kind === 'delta' ? { kind, id, data: JSON.parse(data) } : { kind: 'other', id }) as Frame;
    }
  }
}

/** Shows a session until its work has ended. */
async function watch(session: string): Promise<void> {
  let [after, shown] = ['-', ''];
  const show = (text: string) => {
    process.stdout.write(text);
    shown += text;
  };
  for (;;) {
    for await (const frame of frames(session, after)) {
      after = frame.id;
      if (frame.kind === 'delta' && frame.data.kind === 'text') show(frame.data.text);
      // Some events are only a name.
      if (frame.kind !== 'event' || typeof frame.data.event === 'string') continue;
      const { event } = frame.data;
      if ('call_proposed' in event) console.log(`· ${event.call_proposed.tool} ${event.call_proposed.arguments}`);
      if ('message_added' in event && event.message_added.message.role === 'assistant') {
        // The message is whole. What has arrived in pieces is on the screen already.
        const blocks = event.message_added.message.blocks;
        show(blocks.map((block) => ('text' in block ? block.text : '')).join('').slice(shown.length));
        if (shown !== '') console.log();
        shown = '';
      }
      if ('group_ended' in event) return;
    }
    // The server closed the connection, or this client was too slow: go on after the last frame.
  }
}

const [session, question] = process.argv.slice(2);
if (session === undefined) throw new Error('name the session, and a question if it is new');
if (question !== undefined) await call('/api/sessions', { id: session, prompt: question });
await watch(session);
