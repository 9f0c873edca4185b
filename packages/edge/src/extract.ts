// `POST /skill/extract`: the contract skill alone. The guards must prove the model's reply. After one correction the request fails.

import { extractContract, HolmError, MemoryJournal, runAgent, Skill } from 'holm';
import type { ExtractRequest } from './request.js';
import type { Host } from './host.js';
import { modelsOf } from './models.js';
import { outcomeOf, type HttpOutcome } from './outcome.js';
import { watch, type Emit } from './query.js';

/** The first reply and one correction. */
const MAX_ATTEMPTS = 2;

/** Answers a request for the skill. */
export async function answerExtract(host: Host, { input, model }: ExtractRequest, emit: Emit, stop: AbortSignal): Promise<HttpOutcome> {
  const { settings } = host;
  const about = { host: 'edge', model, skill: 'extract' };
  const failed = (details: string): HttpOutcome => ({ status: 400, body: { error: 'Skill failed', details, ...about, guardrail: 'reject' } });
  const skill = new Skill(extractContract());
  let prompt: string;
  try {
    prompt = skill.prompt(input);
  } catch (error) {
    if (error instanceof HolmError && error.kind !== 'internal') return failed(error.message);
    throw error;
  }
  const signal = AbortSignal.any([stop, AbortSignal.timeout(settings.wallMs)]);
  const journal = new MemoryJournal();
  const limits = { turns: { at_most: settings.turns }, wall_ms: { at_most: settings.wallMs } };
  let why = '';
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
    const past = journal.text === '' ? { config: { name: 'edge', limits } } : { resume: journal.text };
    const agent = runAgent({ ...past, model: modelsOf(settings, model), prompt, journal });
    const { ending, guarded } = await watch(agent, settings, emit, signal).finally(() => agent.run?.free());
    if (!('answered' in ending)) {
      const { status, body } = outcomeOf(ending, guarded);
      return { status, body: { ...body, ...about, journal: journal.text } };
    }
    const checked = skill.check(input, ending.answered.text);
    if ('accepted' in checked) {
      return { status: 200, body: { result: checked.accepted, ...about, guardrail: 'accept', journal: journal.text } };
    }
    why = checked.refused.error;
    prompt = checked.refused.correction;
  }
  const { status, body } = failed(why);
  return { status, body: { ...body, journal: journal.text } };
}
