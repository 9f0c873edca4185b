// What every host is asked to do: the vectors, and the replay of journals. It imports nothing, so it runs anywhere.

/** Calls by the names of vectors.json, on the raw exports: strings in, strings out. */
function calls(wasm) {
  const own = (thing, work) => {
    try {
      return work(thing);
    } finally {
      thing.free();
    }
  };
  return {
    plausibility: (...args) => wasm.plausibility(...args),
    validate: (schema, value) => own(new wasm.Schema(schema), (made) => made.validate(value)),
    repair: (schema, text) => own(new wasm.Schema(schema), (made) => made.repair(text)),
    postconditions: (declared, outcome, output) =>
      own(new wasm.Postconditions(declared), (made) => made.evaluate(outcome, output)),
    extract: (input, reply) => own(new wasm.Skill(wasm.extract_contract()), (made) => made.check(input, reply)),
    check_tool_result: (...args) => wasm.check_tool_result(...args),
    check_skill_reply: (...args) => wasm.check_skill_reply(...args),
    run_agent_step: (...args) => wasm.run_agent_step(...args),
    contains: (...args) => String(wasm.grants_contain(...args)),
    admits: (...args) => String(wasm.grants_admit(...args)),
    meet: (...args) => wasm.grants_meet(...args),
    decide: (...args) => wasm.policy_decide(...args),
    reach: (...args) => wasm.policy_reach(...args) ?? '',
    class: (...args) => wasm.address_class(...args),
  };
}

/** The vectors that do not hold. */
export function failures(wasm, vectors) {
  const table = calls(wasm);
  return vectors.flatMap(({ call, args, expect }) => {
    let found;
    try {
      found = table[call](...args);
    } catch (thrown) {
      found = String(thrown);
    }
    return found === expect ? [] : [`${call} ${JSON.stringify(args)}: ${found}`];
  });
}

const hex = (bytes) => [...new Uint8Array(bytes)].map((byte) => byte.toString(16).padStart(2, '0')).join('');

/** Replays one journal, and feeds its facts again as strings: both must give the bytes that are there. */
async function replay(wasm, journal) {
  let effects;
  try {
    effects = wasm.replay_effects(journal);
  } catch (thrown) {
    return { fault: JSON.parse(thrown) };
  }
  const sha256 = hex(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(effects)));
  const lines = effects.split('\n').length - 1;
  const again = handled(wasm, new TextDecoder('utf-8', { ignoreBOM: true }).decode(journal));
  if (again !== effects) return { refolded: 'differs' };
  return { effects: { sha256, lines } };
}

/** The effects of a run that is told the facts of a journal one by one; the lines must be those of the journal. */
function handled(wasm, journal) {
  const [first, ...rest] = journal.split('\n').slice(0, -1);
  const part = (line) => line.slice(line.indexOf('"input":') + '"input":'.length, -1);
  const time = (line) => BigInt(/"at":(\d+)/.exec(line)[1]);
  const started = part(first);
  // The seed may be larger than any number of JavaScript, so it is taken from the text.
  const seed = BigInt(/"seed":(\d+)/.exec(started)[1]);
  const config = started.slice(started.indexOf('"config":') + '"config":'.length, -2);
  const run = wasm.Run.start(JSON.parse(started).started.run, seed, config, time(first));
  let effects = '';
  const drain = () => {
    for (;;) {
      const effect = run.poll();
      effects += `${effect}\n`;
      if (effect.startsWith('{"wait":')) return;
    }
  };
  if (run.opening() !== `${first}\n`) return 'another opening';
  drain();
  for (const line of rest) {
    if (run.handle(time(line), part(line)) !== `${line}\n`) return 'another line';
    drain();
  }
  run.free();
  return effects;
}

const fromBase64 = (text) => Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));

/** Everything at once: `{vectors, journals: {name: base64}, mutants: [name]}` in, what was found out. */
export async function examine(wasm, { vectors = [], journals = {}, mutants = [] }) {
  const found = { failures: failures(wasm, vectors), replays: {}, mutants: {} };
  for (const [name, text] of Object.entries(journals)) found.replays[name] = await replay(wasm, fromBase64(text));
  for (const name of mutants) {
    found.mutants[name] = wasm.mutate(name) ? failures(wasm, vectors).length : 'unknown';
    wasm.mutate('');
  }
  return found;
}
