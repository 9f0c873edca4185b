// One turn of a run after the other, by the kernel in WASM: what every host is measured with. Nothing here belongs to one host.

const CONFIG = {
  models: [{ name: 'double/bench', window: 100_000_000 }],
  system: 'You are measured.',
  limits: { turns: 'unbounded' },
  tools: [
    {
      name: 'look',
      description: 'Looks.',
      level: 'read-only',
      schema: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
    },
  ],
};

/** What is done in each turn beside the kernel's own work. */
export const WAYS = {
  /** The request that follows is encoded, as a host does that sends it: what the native example measures. */
  encoded: { encode: true },
  /** The kernel alone. */
  bare: {},
  /** The whole state written and read as JSON after every step: what crosses twice where the host carries the state. It is slow. */
  carried: { each: (run) => JSON.stringify(JSON.parse(run.snapshot())), runs: 3 },
};

/** A run that goes on for as many turns as it is told to. */
export class Turns {
  #run;
  #codec;
  #model;
  #turn = 0;

  constructor({ Run, Codec }, { encode = false } = WAYS.encoded) {
    this.#run = Run.create({ id: 'bench', seed: 7, config: CONFIG, now: 0 }).run;
    this.#codec = encode ? new Codec('openai_chat') : undefined;
    this.#run.handle(1, { prompted: { blocks: [{ text: 'Go.' }] } });
    this.#model = this.#drain().model;
  }

  /** So many turns: a reply with a call, its dispatch, its result. `each` is done after every step. */
  advance(count, each) {
    for (const end = this.#turn + count; this.#turn < end; this.#turn += 1) {
      const turn = this.#turn;
      const path = `src/${turn}.rs`;
      const call = { id: `c${turn}`, name: 'look', arguments: JSON.stringify({ path }) };
      const replied = { replied: { blocks: [{ tool_call: call }] } };
      const { tool } = this.#step({ model_finished: { call: this.#model, result: replied } }, each);
      this.#step({ dispatched: { call: tool } }, each);
      const result = { text: `file ${path} holds ${turn} lines of text` };
      this.#model = this.#step({ tool_finished: { call: tool, result } }, each).model;
    }
  }

  free() {
    this.#run.free();
  }

  #step(input, each) {
    this.#run.handle(this.#turn, input);
    const found = this.#drain();
    each?.(this.#run);
    return found;
  }

  #drain() {
    let model;
    let tool;
    for (;;) {
      const effect = this.#run.poll();
      if ('wait' in effect) return { model, tool };
      if (effect.call_model) {
        model = effect.call_model.call;
        this.#codec?.request(this.#run, model, { baseUrl: 'http://localhost/v1', key: 'k', now: 0 });
      } else if (effect.run_tool) tool = effect.run_tool.call;
    }
  }
}

/**
 * Milliseconds that the plan's window of turns takes on a host with a clock, again and again, for each way and each number of turns
 * before it: `[{ way, turns, samples }]`.
 */
export function measure(holm, plan, clock) {
  // The engine compiles hot code again while it runs; that is over after some thousand steps.
  for (let warm = 0; warm < plan.warm; warm += 1) once(holm, WAYS.encoded, 1000, plan.window, clock);
  return plan.turns.flatMap((turns) =>
    plan.ways.map((way) => ({
      way,
      turns,
      samples: Array.from({ length: Math.min(plan.runs, WAYS[way].runs ?? plan.runs) }, () => once(holm, WAYS[way], turns, plan.window, clock)),
    })),
  );
}

function once(holm, way, turns, window, clock) {
  const told = new Turns(holm, way);
  told.advance(turns);
  const begun = clock();
  told.advance(window, way.each);
  const spent = clock() - begun;
  told.free();
  return spent;
}
