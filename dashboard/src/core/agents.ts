// The file of an agent, changed key by key: what a page does not know of it, remarks and all, stays as it was written.

import type { AgentView } from './wire.ts';

const NANO = 1_000_000_000;

/** The fields of an agent as they are typed. */
export interface Draft {
  about: string;
  prompt: string;
  mode: string;
  model: string;
  /** One a line. */
  grants: string;
  /** None is all of them. */
  tools: string[] | null;
  limits: Record<Limit, string>;
}

export type Limit = 'turns' | 'tokens' | 'time' | 'spend' | 'depth';

/** What the fields show of an agent. */
export function draftOf(of: Pick<AgentView, 'description' | 'prompt' | 'mode' | 'model' | 'grants' | 'tools' | 'limits'>): Draft {
  const { turns, tokens, time_ms: time, spend_nano_usd: spend, depth } = of.limits;
  return {
    about: of.description,
    prompt: of.prompt,
    mode: of.mode ?? '',
    model: of.model ?? '',
    grants: of.grants.join('\n'),
    tools: of.tools === null ? null : [...of.tools],
    limits: {
      turns: turns?.toString() ?? '',
      tokens: tokens?.toString() ?? '',
      time: time === null ? '' : `${time / 1_000}s`,
      spend: spend === null ? '' : `${spend / NANO}usd`,
      depth: depth?.toString() ?? '',
    },
  };
}

/** The fields of the file that a new agent begins with. */
export function newDraft(): Draft {
  return { about: '', prompt: 'You are …', mode: '', model: '', grants: '', tools: null, limits: { turns: '', tokens: '', time: '', spend: '', depth: '' } };
}

/** What stands in a new file. */
export function newAgent(name: string): string {
  return `---\nname: ${name}\ndescription: \ntools: "*"\n---\nYou are …\n`;
}

/** The text with a key of its head said anew; with no lines, without that key. */
export function withKey(text: string, key: string, said: readonly string[] | null): string {
  const parts = split(text);
  const { from, to } = span(parts.head, key);
  const head = [...parts.head.slice(0, from), ...(said ?? []), ...parts.head.slice(to)];
  return joined(head, parts.body);
}

/** The text with another prompt. */
export function withPrompt(text: string, prompt: string): string {
  return joined(split(text).head, prompt.endsWith('\n') ? prompt : `${prompt}\n`);
}

/** The lines of a key with one text. */
export function textLines(key: string, value: string): string[] {
  return [`${key}: ${quoted(value)}`];
}

/** The lines of a key with a list. */
export function listLines(key: string, values: readonly string[]): string[] {
  return values.length === 0 ? [`${key}: []`] : [`${key}:`, ...values.map((value) => `  - ${quoted(value)}`)];
}

/** The lines of keys below a key; values that are empty are left out. None where all are. */
export function mapLines(key: string, values: Record<string, string>): string[] | null {
  const lines = Object.entries(values).filter((entry) => entry[1] !== '').map(([name, value]) => `  ${name}: ${value}`);
  return lines.length === 0 ? null : [`${key}:`, ...lines];
}

function quoted(value: string): string {
  // A plain word needs no quotes, and most grants and names are such words.
  if (/^[A-Za-z0-9_./-][A-Za-z0-9_./:@*-]*$/.test(value)) return value;
  const escaped = value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n').replaceAll('\t', '\\t');
  return `"${escaped}"`;
}

function split(text: string): { head: string[]; body: string } {
  const lines = text.replaceAll('\r\n', '\n').split('\n');
  if (lines[0]?.trimEnd() !== '---') return { head: [], body: text };
  const end = lines.findIndex((line, at) => at > 0 && line.trimEnd() === '---');
  return end === -1 ? { head: lines.slice(1), body: '' } : { head: lines.slice(1, end), body: lines.slice(end + 1).join('\n') };
}

function joined(head: readonly string[], body: string): string {
  return ['---', ...head, '---', body].join('\n');
}

/** The lines of a key: its own, and those below it that are set in or are items. A new key stands at the end. */
function span(head: readonly string[], key: string): { from: number; to: number } {
  const from = head.findIndex((line) => line.startsWith(`${key}:`));
  if (from === -1) return { from: head.length, to: head.length };
  let to = from + 1;
  while (to < head.length && /^(?:\s|-\s)/.test(head[to] ?? '') && (head[to] ?? '').trim() !== '') to += 1;
  return { from, to };
}
