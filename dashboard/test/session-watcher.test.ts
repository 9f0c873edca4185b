// Watching a session over broken connections.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { byteLength, skipBytes } from '../src/core/bytes.ts';
import { EMPTY, reduce } from '../src/core/transcript.ts';
import { type Frame, type NumberedEvent, decodeEvent } from '../src/core/wire.ts';
import { type Connector, type ConnectionState, type ConnectionListener, SessionWatcher } from '../src/core/session-watcher.ts';
import { dice, frame, journal } from './fixtures.ts';

const REPLY = 'Ich tue es ✓ — gleich. 🚀';

/**
 * A server with one session whose reply arrives in small pieces. It answers as the real one does: what follows the
 * cursor of the request, pieces by their bytes, and a connection that breaks wherever the dice say.
 */
class Served {
  readonly events: NumberedEvent[] = [];
  reply = '';
  /** The model call that is answered. */
  call = 0;
  readonly listeners = new Set<() => void>();

  readonly connect: Connector = (cursor, listener) => {
    let [event = '-', within = ''] = cursor.split('/');
    let seen = Number(within.split('.')[1] ?? 0);
    const send = (): void => {
      const index = this.events.findIndex((numbered) => `${numbered.id.record}.${numbered.id.index}` === event);
      for (const numbered of this.events.slice(index + 1)) {
        event = `${numbered.id.record}.${numbered.id.index}`;
        if ('model_replied' in (numbered.event as object)) seen = 0;
        listener.frame(frame(numbered));
      }
      const bytes = byteLength(this.reply);
      if (seen < bytes) {
        const offset = seen;
        seen = bytes;
        listener.frame({ type: 'delta', id: `${event}/${this.call}.${bytes}`, data: { call: this.call, kind: 'text', offset, text: skipBytes(this.reply, offset) } });
      }
    };
    listener.opened();
    this.listeners.add(send);
    send();
    return () => this.listeners.delete(send);
  };

  sendAll(): void {
    for (const send of [...this.listeners]) send();
  }
}

test('over broken connections every frame arrives once and in order', () => {
  for (let seed = 1; seed <= 200; seed += 1) {
    const roll = dice(seed);
    const served = new Served();
    const due: (() => void)[] = [];
    const open = new Set<ConnectionListener>();
    const received: Frame[] = [];
    let now = EMPTY;
    let best = '';
    const watcher = new SessionWatcher({
      connect: (cursor, listener) => {
        open.add(listener);
        const disconnect = served.connect(cursor, listener);
        return () => {
          open.delete(listener);
          disconnect();
        };
      },
      delay: (_, call) => {
        due.push(call);
        return () => undefined;
      },
      receive: (one) => {
        received.push(one);
        now = reduce(now, [one]);
        if (now.reply !== null) best = now.reply.text.text;
      },
    });
    watcher.start();
    const upset = (): void => {
      if (roll(3) === 0) for (const listener of [...open]) listener.ended(roll(4) === 0 ? { kind: 'lagged' } : { kind: 'broke' });
      if (roll(2) === 0) due.splice(0).forEach((call) => call());
      served.sendAll();
    };
    for (const numbered of journal()) {
      const event = decodeEvent(numbered.event);
      if (event?.name === 'model_replied') {
        served.call = event.data.call;
        for (const letter of REPLY) {
          served.reply += letter;
          upset();
        }
        due.splice(0).forEach((call) => call());
        served.sendAll();
        assert.equal(best, REPLY, `seed ${seed}`);
        served.reply = '';
      }
      served.events.push(numbered);
      upset();
    }
    due.splice(0).forEach((call) => call());
    served.sendAll();
    const ids = received.filter((one) => one.type === 'event').map((one) => one.id);
    assert.deepEqual(ids, journal().map((numbered) => `${numbered.id.record}.${numbered.id.index}`), `seed ${seed}`);
    assert.deepEqual(now.items, reduce(EMPTY, journal().map(frame)).items, `seed ${seed}`);
    watcher.stop();
  }
});

test('waits grow up to a limit, and a frame resets them', () => {
  const waits: number[] = [];
  let listener: ConnectionListener | null = null;
  let next: () => void = () => undefined;
  const watcher = new SessionWatcher({
    connect: (_, given) => {
      listener = given;
      return () => undefined;
    },
    delay: (millis, call) => {
      waits.push(millis);
      next = call;
      return () => undefined;
    },
    receive: () => undefined,
    random: () => 1,
  });
  const fail = (): void => {
    (listener as ConnectionListener | null)?.ended({ kind: 'broke' });
    next();
  };
  watcher.start();
  for (let at = 0; at < 9; at += 1) fail();
  assert.deepEqual(waits, [250, 500, 1_000, 2_000, 4_000, 8_000, 15_000, 15_000, 15_000]);
  (listener as ConnectionListener | null)?.frame({ type: 'note', id: '1.0', data: { text: 'x' } });
  fail();
  assert.equal(waits.at(-1), 250);
  assert.equal(watcher.cursor, '1.0');
});

test('a refused watcher does not retry, and a stopped one receives nothing more', () => {
  const states: ConnectionState[] = [];
  const received: Frame[] = [];
  const listeners: ConnectionListener[] = [];
  const make = (): SessionWatcher =>
    new SessionWatcher({
      connect: (_, listener) => {
        listeners.push(listener);
        return () => undefined;
      },
      delay: () => () => undefined,
      receive: (frame) => received.push(frame),
      changed: (state) => states.push(state),
    });
  const refused = make();
  refused.start();
  listeners[0]?.ended({ kind: 'refused', message: 'there is no such session' });
  refused.reconnect();
  assert.equal(listeners.length, 1);
  assert.deepEqual(states.at(-1), { state: 'refused', message: 'there is no such session' });
  const stopped = make();
  stopped.start();
  stopped.stop();
  listeners[1]?.opened();
  listeners[1]?.frame({ type: 'note', id: '1.0', data: { text: 'x' } });
  listeners[1]?.ended({ kind: 'broke' });
  assert.deepEqual(received, []);
  assert.deepEqual(states.at(-1), { state: 'stopped' });
});
