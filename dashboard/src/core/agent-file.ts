// Edits an agent file key by key. Everything else in the file, comments too, stays unchanged.

import type { AgentView } from './wire.ts';

const NANO = 1_000_000_000;

/** The fields of an agent's form. */
export interface AgentDraft {
  about: string;
  prompt: string;
  mode: string;
  model: string;
  /** One per line. */
  grants: string;
  /** Null means all tools. */
  tools: string[] | null;
  limits: Record<AgentLimit, string>;
}

export type AgentLimit = 'turns' | 'tokens' | 'time' | 'spend' | 'depth';

/** The form's content for an agent. */
export function draftOf(of: Pick<AgentView, 'description' | 'prompt' | 'mode' | 'model' | 'grants' | 'tools' | 'limits'>): AgentDraft {
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

/** The form's content for a new agent. */
export function newAgentDraft(): AgentDraft {
  return { about: '', prompt: 'You are …', mode: '', model: '', grants: '', tools: null, limits: { turns: '', tokens: '', time: '', spend: '', depth: '' } };
}

/** The content of a new agent file. */
export function newAgentFile(name: string): string {
  return `---\nname: ${name}\ndescription: \ntools: "*"\n---\nYou are …\n`;
}

/** The text with a key of its head replaced by these lines, or removed if they are null. */
export function withKey(text: string, key: string, lines: readonly string[] | null): string {
  const parts = split(text);
  const { from, to } = span(parts.head, key);
  const head = [...parts.head.slice(0, from), ...(lines ?? []), ...parts.head.slice(to)];
  return joined(head, parts.body);
}

/** The text with a new prompt. */
export function withPrompt(text: string, prompt: string): string {
  return joined(split(text).head, prompt.endsWith('\n') ? prompt : `${prompt}\n`);
}

/** The lines of a key with a string value. */
export function textLines(key: string, value: string): string[] {
  return [`${key}: ${quoted(value)}`];
}

/** The lines of a key with a list value. */
export function listLines(key: string, values: readonly string[]): string[] {
  return values.length === 0 ? [`${key}: []`] : [`${key}:`, ...values.map((value) => `  - ${quoted(value)}`)];
}

/** The lines of a key with a map value. Empty values are left out; null if all are empty. */
export function mapLines(key: string, values: Record<string, string>): string[] | null {
  const lines = Object.entries(values).filter((entry) => entry[1] !== '').map(([name, value]) => `  ${name}: ${value}`);
  return lines.length === 0 ? null : [`${key}:`, ...lines];
}

function quoted(value: string): string {
  // Plain words need no quotes, and most grants and names are plain.
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

/** The lines of a key: its own line, and the indented lines and list items below it. A new key goes to the end. */
function span(head: readonly string[], key: string): { from: number; to: number } {
  const from = head.findIndex((line) => line.startsWith(`${key}:`));
  if (from === -1) return { from: head.length, to: head.length };
  let to = from + 1;
  while (to < head.length && /^(?:\s|-\s)/.test(head[to] ?? '') && (head[to] ?? '').trim() !== '') to += 1;
  return { from, to };
}
