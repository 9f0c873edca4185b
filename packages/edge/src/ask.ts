// What a request asks for, parsed once into a form that cannot be wrong.

import { Keep } from './keep.js';
import { Refusal } from './refusal.js';
import type { Settings } from './settings.js';
import { isSealed } from './access.js';
import { readText, TooLarge } from 'holm/web';

/** Where the past of a run comes from. */
export type Past = { kind: 'none' } | { kind: 'journal'; text: string } | { kind: 'kept'; run: string };

/** Where the journal goes: back with the answer, or into the store of this host. */
export type Home = 'answer' | 'store';

/** How the answer is delivered. */
export type Delivery = 'whole' | 'stream';

/** What every route knows. */
interface Common {
  model: string;
  delivery: Delivery;
}

/** A question to the agent. */
export interface Query extends Common {
  query: string;
  past: Past;
  home: Home;
}

/** A wish for the skill. */
export interface Extract extends Common {
  input: { text: string; target: string };
}

/** The body as an object, bounded in size and time before it is read. */
export async function bodyOf(settings: Settings, request: Request): Promise<{ [name: string]: unknown }> {
  const late = AbortSignal.timeout(settings.wallMs);
  let text: string;
  try {
    text = await readText(request.body, settings.mostBody, late);
  } catch (error) {
    if (error instanceof TooLarge) throw new Refusal(413, `the body is longer than ${settings.mostBody} bytes`);
    if (late.aborted) throw new Refusal(408, `the body did not come within ${settings.wallMs} ms`);
    throw error;
  }
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    throw new Refusal(400, 'Invalid JSON');
  }
  if (body === null || typeof body !== 'object' || Array.isArray(body)) throw new Refusal(400, 'the body must be a JSON object');
  return body as { [name: string]: unknown };
}

/** Reads a question. */
export function queryOf(settings: Settings, request: Request, body: { [name: string]: unknown }, keep: Keep | undefined): Query {
  const { query, journal, run, keep: wanted } = body;
  if (typeof query !== 'string' || query.trim() === '') throw new Refusal(400, "Missing 'query' field");
  if (wanted === true && !keep) throw new Refusal(400, 'no journals are kept here');
  const past = pastOf(journal, run, keep);
  const home = past.kind === 'kept' || wanted === true ? 'store' : 'answer';
  return { ...common(settings, request, body), query, past, home };
}

/** Whether a question brings a journal that did not leave this host as it is. */
export const isForeign = async (settings: Settings, { past }: Query, body: { [name: string]: unknown }): Promise<boolean> =>
  past.kind === 'journal' && !(await isSealed(settings, past.text, body.seal));

/** Reads a wish for the skill. */
export function extractOf(settings: Settings, request: Request, body: { [name: string]: unknown }): Extract {
  const { text, target } = body;
  if (typeof text !== 'string') throw new Refusal(400, "Missing 'text' field");
  if (typeof target !== 'string') throw new Refusal(400, "Missing 'target' field");
  return { ...common(settings, request, body), input: { text, target } };
}

function common(settings: Settings, request: Request, body: { [name: string]: unknown }): Common {
  const { model = settings.models[0], stream } = body;
  if (typeof model !== 'string' || !settings.models.includes(model)) throw new Refusal(400, "'model' must be one of LLM_MODEL");
  const wanted = stream === true || (request.headers.get('accept') ?? '').includes('text/event-stream');
  return { model, delivery: wanted ? 'stream' : 'whole' };
}

function pastOf(journal: unknown, run: unknown, keep: Keep | undefined): Past {
  if (journal !== undefined && run !== undefined) throw new Refusal(400, "give 'journal' or 'run', not both");
  if (journal !== undefined) {
    if (typeof journal !== 'string' || journal === '') throw new Refusal(400, "'journal' must be the text of a journal");
    return { kind: 'journal', text: journal };
  }
  if (run === undefined) return { kind: 'none' };
  if (!keep) throw new Refusal(400, "no journals are kept here; send 'journal'");
  if (!Keep.isName(run)) throw new Refusal(400, "'run' is no name of a run");
  return { kind: 'kept', run };
}
