// Parses requests once, into types that cannot be invalid.

import { JournalStore } from './journal-store.js';
import { HttpError } from './http-error.js';
import type { Settings } from './settings.js';
import { isSealed } from './access.js';
import { readText, BodyTooLargeError } from 'holm/web';

/** Where the past of a run comes from. */
export type PastSource = { kind: 'none' } | { kind: 'journal'; text: string } | { kind: 'stored'; run: string };

/** Where the journal goes: into the response, or into the store of this host. */
export type JournalTarget = 'response' | 'store';

export type Delivery = 'whole' | 'stream';

/** The fields of every request. */
interface CommonFields {
  model: string;
  delivery: Delivery;
}

/** A prompt for the agent. */
export interface QueryRequest extends CommonFields {
  query: string;
  past: PastSource;
  target: JournalTarget;
}

/** A request for the skill `extract`. */
export interface ExtractRequest extends CommonFields {
  input: { text: string; target: string };
}

/** The body as an object, with limits on its size and time. */
export async function bodyOf(settings: Settings, request: Request): Promise<{ [name: string]: unknown }> {
  const late = AbortSignal.timeout(settings.wallMs);
  let text: string;
  try {
    text = await readText(request.body, settings.mostBody, late);
  } catch (error) {
    if (error instanceof BodyTooLargeError) throw new HttpError(413, `the body is longer than ${settings.mostBody} bytes`);
    if (late.aborted) throw new HttpError(408, `the body did not arrive within ${settings.wallMs} ms`);
    throw error;
  }
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    throw new HttpError(400, 'Invalid JSON');
  }
  if (body === null || typeof body !== 'object' || Array.isArray(body)) throw new HttpError(400, 'the body must be a JSON object');
  return body as { [name: string]: unknown };
}

/** Parses a prompt. */
export function queryOf(settings: Settings, request: Request, body: { [name: string]: unknown }, keep: JournalStore | undefined): QueryRequest {
  const { query, journal, run, keep: wanted } = body;
  if (typeof query !== 'string' || query.trim() === '') throw new HttpError(400, "Missing 'query' field");
  if (wanted === true && !keep) throw new HttpError(400, 'this host stores no journals');
  const past = pastOf(journal, run, keep);
  const target = past.kind === 'stored' || wanted === true ? 'store' : 'response';
  return { ...commonOf(settings, request, body), query, past, target };
}

/** Whether a request contains a journal without a valid seal of this host. */
export const isForeign = async (settings: Settings, { past }: QueryRequest, body: { [name: string]: unknown }): Promise<boolean> =>
  past.kind === 'journal' && !(await isSealed(settings, past.text, body.seal));

/** Parses a request for the skill. */
export function extractOf(settings: Settings, request: Request, body: { [name: string]: unknown }): ExtractRequest {
  const { text, target } = body;
  if (typeof text !== 'string') throw new HttpError(400, "Missing 'text' field");
  if (typeof target !== 'string') throw new HttpError(400, "Missing 'target' field");
  return { ...commonOf(settings, request, body), input: { text, target } };
}

function commonOf(settings: Settings, request: Request, body: { [name: string]: unknown }): CommonFields {
  const { model = settings.models[0], stream } = body;
  if (typeof model !== 'string' || !settings.models.includes(model)) throw new HttpError(400, `'model' must be one of: ${settings.models.join(' ')}`);
  const wanted = stream === true || (request.headers.get('accept') ?? '').includes('text/event-stream');
  return { model, delivery: wanted ? 'stream' : 'whole' };
}

function pastOf(journal: unknown, run: unknown, keep: JournalStore | undefined): PastSource {
  if (journal !== undefined && run !== undefined) throw new HttpError(400, "send 'journal' or 'run', not both");
  if (journal !== undefined) {
    if (typeof journal !== 'string' || journal === '') throw new HttpError(400, "'journal' must be the text of a journal");
    return { kind: 'journal', text: journal };
  }
  if (run === undefined) return { kind: 'none' };
  if (!keep) throw new HttpError(400, "this host stores no journals; send 'journal' instead of 'run'");
  if (!JournalStore.isName(run)) throw new HttpError(400, "'run' is not a valid run name");
  return { kind: 'stored', run };
}
