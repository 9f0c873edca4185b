// What an approval card shows first: the command, or the change as a diff. Every argument that the diff or the command does not
// contain is listed beside it, so that nothing of the call is hidden.

import { type DiffLine, type FileDiff, diffOfCall } from './diff.ts';
import { asObject, parseJson, pretty } from './json.ts';
import type { Approval } from './wire.ts';

export interface ApprovalSummary {
  /** What the call does: `Edit`, `Write`, `Run` or, for other tools, `Allow`. */
  verb: string;
  /** The file or the tool. */
  target: string;
  change: FileDiff | null;
  command: string | null;
  /** All arguments as JSON, if there is neither a change nor a command. */
  exact: string | null;
  /** The arguments that are not part of the change or the command. */
  others: readonly { name: string; value: string }[];
}

/** The arguments that a command consists of. */
const COMMAND_ARGUMENTS = new Set(['command', 'script']);
const WRITE_ARGUMENTS = new Set(['path', 'content']);
const EDIT_ARGUMENTS = new Set(['path', 'old', 'new']);
const EDITS_ARGUMENTS = new Set(['path', 'edits']);
const ONE_EDIT_ARGUMENTS = new Set(['old', 'new']);

/** The part of an approval to show first. */
export function summarize({ tool, arguments: given, command, change: file }: Pick<Approval, 'tool' | 'arguments' | 'command' | 'change'>): ApprovalSummary {
  const object = asObject(parseJson(given)) ?? {};
  if (command !== null) {
    return { verb: 'Run', target: tool, change: null, command, exact: null, others: except(object, COMMAND_ARGUMENTS) };
  }
  const others = outsideOfDiff(tool, object);
  const change = others === null ? null : (diffOfCall(given)[0] ?? null);
  if (others === null || change === null) return { verb: 'Allow', target: tool, change: null, command: null, exact: pretty(given), others: [] };
  const shown = (verb: string, diff: FileDiff): ApprovalSummary => ({ verb, target: change.path, change: diff, command: null, exact: null, others });
  if (tool !== 'write') return shown('Edit', change);
  if (file === 'new') return shown('Write the new file', change);
  if (file && 'replaced' in file) return shown('Replace', { ...file.replaced, path: change.path, lines: file.replaced.lines.map(diffLine) });
  if (!file) return shown('Write', change);
  const size: DiffLine = { kind: 'hunk', text: `the file as it is has ${file.uncompared.size} bytes and is not shown` };
  return shown('Replace', { ...change, lines: [size, ...change.lines] });
}

/** A line of the server's difference: a mark, a blank and the text. */
function diffLine(line: string): DiffLine {
  const text = line.slice(2);
  if (line.startsWith('+ ')) return { kind: 'added', text };
  if (line.startsWith('- ')) return { kind: 'removed', text };
  return line.startsWith('@@') ? { kind: 'hunk', text: line } : { kind: 'same', text };
}

/**
 * The arguments that a diff would not show; null if a diff does not show the call. Only Holm's own tools count: a tool of another
 * name may do anything with the same arguments.
 */
function outsideOfDiff(tool: string, object: Record<string, unknown>): ApprovalSummary['others'] | null {
  const isText = (...names: string[]): boolean => names.every((name) => typeof object[name] === 'string');
  if (tool === 'write' && isText('path', 'content')) return except(object, WRITE_ARGUMENTS);
  if (tool !== 'edit' || !isText('path')) return null;
  if (object['edits'] === undefined || object['edits'] === null) return isText('old', 'new') ? except(object, EDIT_ARGUMENTS) : null;
  const edits = Array.isArray(object['edits']) ? object['edits'].map(asObject) : [null];
  if (edits.some((edit) => typeof edit?.['old'] !== 'string' || typeof edit['new'] !== 'string')) return null;
  return [...except(object, EDITS_ARGUMENTS), ...edits.flatMap((edit, at) => except(edit ?? {}, ONE_EDIT_ARGUMENTS, `edit ${at + 1}: `))];
}

function except(object: Record<string, unknown>, shown: ReadonlySet<string>, prefix = ''): { name: string; value: string }[] {
  const hidden = Object.entries(object).filter(([name, value]) => !shown.has(name) && value !== null);
  return hidden.map(([name, value]) => ({ name: `${prefix}${name}`, value: typeof value === 'string' ? value : JSON.stringify(value) }));
}

/** The reason that the model is told if the user gives none. */
export const NO_REASON = 'the user gave no reason';
