// Listening to a session over connections that break.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { byteLength, skipBytes } from '../src/core/bytes.ts';
import { EMPTY, reduce } from '../src/core/transcript.ts';
import { type Frame, type Numbered, told } from '../src/core/wire.ts';
import { type Connect, type Connection, type Ear, Watcher } from '../src/core/watcher.ts';
import { dice, frame, journal } from './help.ts';

const REPLY = 'Ich tue es ✓ — gleich. 🚀';

/**
 * A server with one session whose reply arrives in small pieces. It answers as the real one does: what follows the
 * place that was asked from, pieces by their bytes, and a connection that breaks wherever the dice say.
 */
class Served {
  readonly told: Numbered[] = [];
  reply = '';
  /** The model call that is answered. */
  call = 0;
  readonly ears = new Set<() => void>();

  readonly connect: Connect = (place, ear) => {
    let [event = '-', within = ''] = place.split('/');
    let seen = Number(within.split('.')[1] ?? 0);
    const tell = (): void => {
      const index = this.told.findIndex((numbered) => `${numbered.id.record}.${numbered.id.index}` === event);
      for (const numbered of this.told.slice(index + 1)) {
        event = `${numbered.id.record}.${numbered.id.index}`;
        if ('model_replied' in (numbered.event as object)) seen = 0;
        ear.frame(frame(numbered));
      }
      const bytes = byteLength(this.reply);
      if (seen < bytes) {
        const offset = seen;
        seen = bytes;
        ear.frame({ type: 'delta', id: `${event}/${this.call}.${bytes}`, data: { call: this.call, kind: 'text', offset, text: skipBytes(this.reply, offset) } });
      }
    };
    ear.opened();
    this.ears.add(tell);
    tell();
    return () => this.ears.delete(tell);
  };

  ring(): void {
    for (const tell of [...this.ears]) tell();
  }
}

test('over connections that break, everything is heard once and in order', () => {
  for (let seed = 1; seed <= 200; seed += 1) {
    const roll = dice(seed);
    const served = new Served();
    const due: (() => void)[] = [];
    const open = new Set<Ear>();
    const heard: Frame[] = [];
    let now = EMPTY;
    let best = '';
    const watcher = new Watcher({
      connect: (place, ear) => {
        open.add(ear);
        const hangUp = served.connect(place, ear);
        return () => {
          open.delete(ear);
          hangUp();
        };
      },
      later: (_, call) => {
        due.push(call);
        return () => undefined;
      },
      hear: (one) => {
        heard.push(one);
        now = reduce(now, [one]);
        if (now.reply !== null) best = now.reply.text.text;
      },
    });
    watcher.start();
    const upset = (): void => {
      if (roll(3) === 0) for (const ear of [...open]) ear.ended(roll(4) === 0 ? { kind: 'lagged' } : { kind: 'broke' });
      if (roll(2) === 0) due.splice(0).forEach((call) => call());
      served.ring();
    };
    for (const numbered of journal()) {
      const event = told(numbered.event);
      if (event?.name === 'model_replied') {
        served.call = event.is.call;
        for (const letter of REPLY) {
          served.reply += letter;
          upset();
        }
        due.splice(0).forEach((call) => call());
        served.ring();
        assert.equal(best, REPLY, `seed ${seed}`);
        served.reply = '';
      }
      served.told.push(numbered);
      upset();
    }
    due.splice(0).forEach((call) => call());
    served.ring();
    const ids = heard.filter((one) => one.type === 'event').map((one) => one.id);
    assert.deepEqual(ids, journal().map((numbered) => `${numbered.id.record}.${numbered.id.index}`), `seed ${seed}`);
    assert.deepEqual(now.items, reduce(EMPTY, journal().map(frame)).items, `seed ${seed}`);
    watcher.stop();
  }
});

test('waits grow, end with the first frame, and have a bound', () => {
  const waits: number[] = [];
  let ear: Ear | null = null;
  let next: () => void = () => undefined;
  const watcher = new Watcher({
    connect: (_, given) => {
      ear = given;
      return () => undefined;
    },
    later: (millis, call) => {
      waits.push(millis);
      next = call;
      return () => undefined;
    },
    hear: () => undefined,
    chance: () => 1,
  });
  const fail = (): void => {
    (ear as Ear | null)?.ended({ kind: 'broke' });
    next();
  };
  watcher.start();
  for (let at = 0; at < 9; at += 1) fail();
  assert.deepEqual(waits, [250, 500, 1_000, 2_000, 4_000, 8_000, 15_000, 15_000, 15_000]);
  (ear as Ear | null)?.frame({ type: 'note', id: '1.0', data: { text: 'x' } });
  fail();
  assert.equal(waits.at(-1), 250);
  assert.equal(watcher.place, '1.0');
});

test('whoever is refused does not come again, and whoever stops hears nothing more', () => {
  const states: Connection[] = [];
  const heard: Frame[] = [];
  const ears: Ear[] = [];
  const make = (): Watcher =>
    new Watcher({
      connect: (_, ear) => {
        ears.push(ear);
        return () => undefined;
      },
      later: () => () => undefined,
      hear: (frame) => heard.push(frame),
      changed: (state) => states.push(state),
    });
  const refused = make();
  refused.start();
  ears[0]?.ended({ kind: 'refused', message: 'there is no such session' });
  refused.hurry();
  assert.equal(ears.length, 1);
  assert.deepEqual(states.at(-1), { state: 'refused', message: 'there is no such session' });
  const stopped = make();
  stopped.start();
  stopped.stop();
  ears[1]?.opened();
  ears[1]?.frame({ type: 'note', id: '1.0', data: { text: 'x' } });
  ears[1]?.ended({ kind: 'broke' });
  assert.deepEqual(heard, []);
  assert.deepEqual(states.at(-1), { state: 'stopped' });
});
