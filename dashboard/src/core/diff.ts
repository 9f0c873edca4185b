// Diffs as lines: from the old and new text of an edit call, or from a patch.

import { asObject, parseJson } from './json.ts';

export interface DiffLine {
  kind: 'same' | 'added' | 'removed' | 'hunk';
  text: string;
}

export interface FileDiff {
  path: string;
  lines: DiffLine[];
  added: number;
  removed: number;
}

/** Longer sides are not compared line by line; the diff then shows all old lines as removed and all new ones as added. */
const MAX_COMPARED_LINES = 600;
/** Unchanged lines around a change. */
const CONTEXT_LINES = 3;

/** The diff of two texts, by their longest common subsequence of lines. */
export function diffLines(before: string, after: string): DiffLine[] {
  // A final newline does not start another line. If only one side has it, that is a visible change.
  const whole = [before, after].every((text) => text === '' || text.endsWith('\n'));
  const split = (text: string): string[] => (text === '' ? [] : (whole ? text.slice(0, -1) : text).split('\n'));
  const [old, fresh] = [split(before), split(after)];
  let head = 0;
  while (head < old.length && head < fresh.length && old[head] === fresh[head]) head += 1;
  let tail = 0;
  while (tail < old.length - head && tail < fresh.length - head && old[old.length - 1 - tail] === fresh[fresh.length - 1 - tail]) tail += 1;
  const same = (lines: string[]): DiffLine[] => lines.map((text) => ({ kind: 'same', text }));
  return [
    ...same(old.slice(Math.max(0, head - CONTEXT_LINES), head)),
    ...middle(old.slice(head, old.length - tail), fresh.slice(head, fresh.length - tail)),
    ...same(old.slice(old.length - tail, old.length - tail + CONTEXT_LINES)),
  ];
}

function middle(old: string[], fresh: string[]): DiffLine[] {
  const removed = (text: string): DiffLine => ({ kind: 'removed', text });
  const added = (text: string): DiffLine => ({ kind: 'added', text });
  if (old.length > MAX_COMPARED_LINES || fresh.length > MAX_COMPARED_LINES) return [...old.map(removed), ...fresh.map(added)];
  const width = fresh.length + 1;
  const common = new Uint16Array((old.length + 1) * width);
  const at = (row: number, column: number): number => common[row * width + column] ?? 0;
  for (let row = old.length - 1; row >= 0; row -= 1) {
    for (let column = fresh.length - 1; column >= 0; column -= 1) {
      common[row * width + column] =
        old[row] === fresh[column] ? at(row + 1, column + 1) + 1 : Math.max(at(row + 1, column), at(row, column + 1));
    }
  }
  const lines: DiffLine[] = [];
  let [row, column] = [0, 0];
  while (row < old.length || column < fresh.length) {
    if (row < old.length && column < fresh.length && old[row] === fresh[column]) {
      lines.push({ kind: 'same', text: old[row] ?? '' });
      row += 1;
      column += 1;
    } else if (column >= fresh.length || (row < old.length && at(row + 1, column) >= at(row, column + 1))) {
      lines.push(removed(old[row] ?? ''));
      row += 1;
    } else {
      lines.push(added(fresh[column] ?? ''));
      column += 1;
    }
  }
  return lines;
}

/** The files of a unified diff; empty if the text is not a patch. */
export function readPatch(text: string): FileDiff[] {
  if (!/^(?:diff --git |--- |\*\*\* |@@ )/m.test(text)) return [];
  const files: FileDiff[] = [];
  let lines: DiffLine[] | null = null;
  for (const line of text.split('\n')) {
    const named = /^\+\+\+ (?:b\/)?(.+?)(?:\t.*)?$/.exec(line);
    if (named !== null) {
      lines = [];
      files.push({ path: named[1] ?? '', lines, added: 0, removed: 0 });
    } else if (lines === null || line.startsWith('--- ') || line.startsWith('diff --git ') || line.startsWith('index ')) {
      continue;
    } else if (line.startsWith('@@')) lines.push({ kind: 'hunk', text: line });
    else if (line.startsWith('+')) lines.push({ kind: 'added', text: line.slice(1) });
    else if (line.startsWith('-')) lines.push({ kind: 'removed', text: line.slice(1) });
    else if (line.startsWith(' ')) lines.push({ kind: 'same', text: line.slice(1) });
  }
  return files.filter((file) => file.lines.length > 0).map(counted);
}

/** The diff in a call's arguments: a path with an old and a new text, or a patch; empty for other calls. */
export function diffOfCall(given: string): FileDiff[] {
  const object = asObject(parseJson(given));
  if (object === null) return [];
  const text = (...names: string[]): string | null => {
    for (const name of names) if (typeof object[name] === 'string') return object[name];
    return null;
  };
  const patch = text('patch', 'diff');
  if (patch !== null) return readPatch(patch);
  const path = text('path', 'file_path', 'file');
  if (path === null) return [];
  const content = text('content');
  if (content !== null) return [counted({ path, lines: diffLines('', content), added: 0, removed: 0 })];
  const edits = Array.isArray(object['edits']) ? object['edits'].map(asObject) : [object];
  const lines = edits.flatMap((edit) => {
    const before = edit?.['old_string'] ?? edit?.['old'] ?? edit?.['old_text'] ?? edit?.['find'];
    const after = edit?.['new_string'] ?? edit?.['new'] ?? edit?.['new_text'] ?? edit?.['replace'];
    return typeof before === 'string' && typeof after === 'string' ? diffLines(before, after) : [];
  });
  return lines.length === 0 ? [] : [counted({ path, lines, added: 0, removed: 0 })];
}

function counted(file: FileDiff): FileDiff {
  const count = (kind: DiffLine['kind']): number => file.lines.filter((line) => line.kind === kind).length;
  return { ...file, added: count('added'), removed: count('removed') };
}
