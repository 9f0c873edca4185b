// A session of a server: prompts, live events, answers. The server keeps everything: a program that was killed opens the
// session by its name again and misses nothing.

import type { Answered, Posed, Question, SessionView } from './api-types.js';
import type { Holm } from './client.js';
import { ApiError, ConnectionLost, RunError } from './errors.js';
import type { Numbered } from './event-types.js';
import {
  type Approval,
  BEGINNING,
  type Decision,
  type EventFrame,
  type Frame,
  type QuestionFrame,
  type Result,
  SseParser,
  type ValueResult,
  answerOf,
  approvalOf,
  ReplyText,
  eventData,
  eventFrame,
  frameOf,
  resultOf,
} from './frames.js';

/** Longer than any record has events: a cursor with it is after the whole record. */
const AFTER_RECORD = 4_294_967_295;

/** How long a lost connection is retried, and the longest pause between two attempts. */
const RECONNECT_MS = 30_000;
const LONGEST_PAUSE_MS = 2_000;

/** The server sends a sign of life every 15 seconds. */
const SILENCE_MS = 45_000;

/** The functions that answer questions. */
export interface Answers {
  /** Decides about a call that needs approval. */
  approve?: ((approval: Approval) => Decision | Promise<Decision>) | undefined;
  /** Answers a question of the model (`words`) or of an MCP server (`form`); `undefined` declines. */
  reply?: ((question: Question) => Reply | Promise<Reply>) | undefined;
  /** Stops watching. The work goes on. */
  signal?: AbortSignal | undefined;
}

export type Reply = string | Record<string, unknown> | undefined;

const DENY_ALL: Answers = {
  approve: () => ({ deny: 'this program answers no questions about calls' }),
  reply: () => undefined,
};

export class Session {
  readonly #holm: Holm;
  readonly #agent: string;

  constructor(
    holm: Holm,
    readonly id: string,
    agent?: string,
  ) {
    this.#holm = holm;
    this.#agent = agent ?? 'holm';
  }

  get #path(): { id: string } {
    return { id: this.id };
  }

  /** The session without its messages. */
  view(): Promise<SessionView> {
    return this.#holm.request('GET /api/sessions/{id}', { path: this.#path });
  }

  /** Adds a text before the next model call of the work under way. */
  async steer(text: string): Promise<void> {
    await this.#holm.request('POST /api/sessions/{id}/steer', { path: this.#path, body: { text } });
  }

  /** Adds a text when the work under way would otherwise end. */
  async followUp(text: string): Promise<void> {
    await this.#holm.request('POST /api/sessions/{id}/follow-up', { path: this.#path, body: { text } });
  }

  /** Stops the work under way. */
  async cancel(reason?: string): Promise<void> {
    await this.#holm.request('POST /api/sessions/{id}/cancel', { path: this.#path, body: { reason: reason ?? null } });
  }

  setTitle(title: string | null): Promise<SessionView> {
    return this.#holm.request('POST /api/sessions/{id}/title', { path: this.#path, body: { title } });
  }

  /** A new session with the history up to and including a record. */
  async fork(at: number, id?: string): Promise<Session> {
    const made = await this.#holm.request('POST /api/sessions/{id}/fork', { path: this.#path, body: { at, id: id ?? null } });
    return new Session(this.#holm, made.id, this.#agent);
  }

  /** The open questions. */
  questions(): Promise<Posed[]> {
    return this.#holm.request('GET /api/sessions/{id}/questions', { path: this.#path });
  }

  /** Answers a question. With the `digest` of an approval the answer counts for that call alone. */
  async answer(question: number, answer: Answered, digest?: string): Promise<void> {
    const body = { question, answer, digest: digest ?? null };
    await this.#holm.request('POST /api/sessions/{id}/questions', { path: this.#path, body });
  }

  /** All events of the session so far, from its journal. */
  async replay(): Promise<EventFrame[]> {
    const found = (await this.#holm.request('GET /api/sessions/{id}/replay', { path: this.#path })) as unknown as Numbered[];
    return found.map((one) => eventFrame(`${one.id.record}.${one.id.index}`, one));
  }

  /** The session as `markdown`, or its journal as `jsonl`. */
  export(format: 'markdown' | 'jsonl' = 'markdown'): Promise<string> {
    return this.#holm.request('GET /api/sessions/{id}/export', { path: this.#path, query: { format } });
  }

  /** Erases the session for good. */
  async delete(): Promise<void> {
    await this.#holm.request('DELETE /api/sessions/{id}', { path: this.#path });
  }

  /**
   * Sends a prompt and waits for the answer. Without `approve`, calls that need approval are denied. Throws `RunError` if the
   * work ends without an answer.
   */
  ask(text: string, answers: Answers = {}): Promise<Result> {
    return answered(this.stream(text, { ...DENY_ALL, ...answers }));
  }

  /**
   * Sends a prompt and gives all frames of the work; the last one is `ended`. Without `approve`, questions stay open: answer
   * them with `answer`, or leave them to a person.
   */
  async *stream(text: string, answers: Answers = {}): AsyncGenerator<Frame> {
    const after = await this.#position();
    await this.#holm.request('POST /api/sessions/{id}/prompt', { path: this.#path, body: { text } });
    yield* this.#work(after, answers);
  }

  /** Waits for the work under way, or gives the result of the last work. For a session that another program began. */
  wait(answers: Answers = {}): Promise<Result> {
    return answered(this.resume({ ...DENY_ALL, ...answers }));
  }

  /** Gives the frames of the work under way from its beginning, or of the last work. */
  async *resume(answers: Answers = {}): AsyncGenerator<Frame> {
    yield* this.#work(await this.#lastWork(), answers);
  }

  /**
   * Asks for a value that matches a JSON Schema. The server checks it, and asks the model again if it does not match. The work
   * stops if this program ends.
   */
  async askValue<T = unknown>(text: string, schema: Record<string, unknown>, answers: Answers = {}): Promise<ValueResult<T>> {
    const after = await this.#position();
    const format = { type: 'json_schema', json_schema: { name: 'answer', schema, strict: true } };
    const body = { model: this.#agent, messages: [{ role: 'user', content: text }], response_format: format };
    const stop = new AbortController();
    const signal = answers.signal ? AbortSignal.any([answers.signal, stop.signal]) : stop.signal;
    const watching = drained(this.#work(after, { ...DENY_ALL, ...answers, signal }));
    // The reply decides; a failed watch counts only while there is none.
    const failed = watching.then(() => new Promise<never>(() => {}));
    const headers = { 'x-holm-session': this.id };
    try {
      const sent = this.#holm.request('POST /v1/chat/completions', { body, headers, signal });
      const reply = (await Promise.race([sent, failed])) as unknown as { choices: { message: { content: string } }[] };
      const said = reply.choices[0]?.message.content ?? '';
      return { session: this.id, text: said, value: JSON.parse(said) as T };
    } finally {
      stop.abort();
      await watching.catch(() => {});
    }
  }

  /**
   * Gives every frame after a cursor, for as long as the server runs; reconnects after a lost connection. `cursor` of a frame is
   * where a later call continues.
   */
  async *watch(after: string = BEGINNING, signal?: AbortSignal): AsyncGenerator<Frame> {
    // By number, as JSON: a server that was started again may use a number for another question.
    const open = new Map<number, string>();
    let [pause, lostAt] = [100, 0];
    for (;;) {
      try {
        for await (const { name, id, data } of this.#connection(after, signal)) {
          [pause, lostAt] = [100, 0];
          after = id || after;
          const frame = frameOf(name, after, JSON.parse(data));
          if (frame?.kind === 'settled') open.delete(frame.id);
          if (frame?.kind === 'question') {
            // An open question comes again with each connection.
            const question = JSON.stringify(frame.question);
            if (open.get(frame.id) === question) continue;
            open.set(frame.id, question);
          }
          if (frame !== undefined) yield frame;
        }
      } catch (error) {
        if (signal?.aborted) return;
        if (!(error instanceof ConnectionLost)) throw error;
        lostAt ||= Date.now();
        if (Date.now() - lostAt > RECONNECT_MS) throw error;
      }
      if (signal?.aborted) return;
      await new Promise((resolve) => setTimeout(resolve, pause));
      pause = Math.min(pause * 2, LONGEST_PAUSE_MS);
    }
  }

  /** The frames of one connection. */
  async *#connection(after: string, signal: AbortSignal | undefined) {
    const [parser, decoder, stop] = [new SseParser(), new TextDecoder(), new AbortController()];
    const any = signal ? AbortSignal.any([signal, stop.signal]) : stop.signal;
    const silence = setTimeout(() => stop.abort(), SILENCE_MS);
    try {
      const options = { path: this.#path, query: { after }, signal: any };
      const response = await this.#holm.send('GET /api/sessions/{id}/events', options);
      for await (const bytes of response.body ?? []) {
        silence.refresh?.();
        yield* parser.feed(decoder.decode(bytes, { stream: true }));
      }
    } catch (error) {
      if (error instanceof ApiError || error instanceof ConnectionLost || signal?.aborted) throw error;
      throw new ConnectionLost(`the connection to ${this.#holm.url} was lost`, { cause: error });
    } finally {
      clearTimeout(silence);
      stop.abort();
    }
  }

  /** The cursor after the last record of the journal. */
  async #position(): Promise<string> {
    const { records } = await this.view();
    return records > 0 ? `${records - 1}.${AFTER_RECORD}` : BEGINNING;
  }

  /** The cursor before the work under way, or before the last work if there is none under way. */
  async #lastWork(): Promise<string> {
    for (let pause = 100; ; pause = Math.min(pause * 2, LONGEST_PAUSE_MS)) {
      const events = (await this.replay()).filter(({ name }) => name === 'group_started' || name === 'group_ended');
      const begun = events.filter(({ name }) => name === 'group_started').at(-1);
      const isOver = events.at(-1)?.name !== 'group_started';
      // A prompt that waits for its turn has no event yet.
      if (!isOver || !['working', 'waiting'].includes((await this.view()).state)) {
        if (begun === undefined) throw new ApiError(409, 'idle', `the session ${this.id} has no work to wait for`);
        return begun.record > 0 ? `${begun.record - 1}.${AFTER_RECORD}` : BEGINNING;
      }
      await new Promise((resolve) => setTimeout(resolve, pause));
    }
  }

  /** The frames of one piece of work. The end of work that began before does not count. */
  async *#work(after: string, answers: Answers): AsyncGenerator<Frame> {
    const stop = new AbortController();
    const signal = answers.signal ? AbortSignal.any([answers.signal, stop.signal]) : stop.signal;
    const text = new ReplyText();
    let [begun, failure] = [false, undefined as { error: unknown } | undefined];
    try {
      for await (const frame of this.watch(after, signal)) {
        const missing = text.missing(frame);
        if (missing) yield missing;
        yield frame;
        if (frame.kind === 'question') {
          this.#settle(frame, answers).catch((error: unknown) => {
            failure = { error };
            stop.abort();
          });
        }
        begun ||= frame.kind === 'event' && frame.name === 'group_started';
        const ended = eventData(frame, 'group_ended');
        if (begun && ended) {
          yield { kind: 'ended', cursor: frame.cursor, result: resultOf(this.id, ended) };
          return;
        }
      }
      if (failure) throw failure.error;
    } finally {
      stop.abort();
    }
  }

  /** Answers a question, if there is a function for it. */
  async #settle(asked: QuestionFrame, { approve, reply }: Answers): Promise<void> {
    const approval = approvalOf(asked.question);
    if (approval) {
      if (this.#holm.allows(approval.tool)) await this.#sendAnswer(asked.id, 'once', approval.digest);
      else if (approve) await this.#sendAnswer(asked.id, answerOf(await approve(approval)), approval.digest);
    } else if (reply) {
      const said = await reply(asked.question);
      const answer = typeof said === 'string' ? { words: said } : { form: said ?? {} };
      await this.#sendAnswer(asked.id, said === undefined ? 'decline' : answer);
    }
  }

  /** Sends an answer, again and again while the server cannot be reached. */
  async #sendAnswer(question: number, answer: Answered, digest?: string): Promise<void> {
    const deadline = Date.now() + RECONNECT_MS;
    for (let pause = 100; ; pause = Math.min(pause * 2, LONGEST_PAUSE_MS)) {
      try {
        return await this.answer(question, answer, digest);
      } catch (error) {
        // Another program or a person was faster, the call was withdrawn, or the server asks under a new number.
        if (error instanceof ApiError && (error.status === 404 || error.status === 409)) return;
        if (!(error instanceof ConnectionLost) || Date.now() > deadline) throw error;
      }
      await new Promise((resolve) => setTimeout(resolve, pause));
    }
  }
}

/** The result of some work. */
async function answered(frames: AsyncGenerator<Frame>): Promise<Result> {
  for await (const frame of frames) {
    if (frame.kind !== 'ended') continue;
    if (frame.result.ending !== 'answered') throw new RunError(frame.result);
    return frame.result;
  }
  throw new ConnectionLost('the stream ended before the work did');
}

async function drained(frames: AsyncGenerator<Frame>): Promise<void> {
  for await (const _ of frames);
}
