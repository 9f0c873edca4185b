// Changes as lines: from a text before and after, as edit tools are given them, or from a patch that somebody wrote.

import { asObject, parsed } from './json.ts';

export interface DiffLine {
  kind: 'same' | 'added' | 'removed' | 'place';
  text: string;
}

export interface FileDiff {
  path: string;
  lines: DiffLine[];
  added: number;
  removed: number;
}

/** Lines of either side that are compared one by one; larger changes are shown as all removed and all added. */
const MOST_LINES = 600;
/** Unchanged lines that are shown around a change. */
const AROUND = 3;

/** The lines that differ between two texts, by their longest common lines. */
export function diffLines(before: string, after: string): DiffLine[] {
  // What ends a last line is no line after it; where only one side has it, that is a change to be seen.
  const whole = [before, after].every((text) => text === '' || text.endsWith('\n'));
  const split = (text: string): string[] => (text === '' ? [] : (whole ? text.slice(0, -1) : text).split('\n'));
  const [old, fresh] = [split(before), split(after)];
  let head = 0;
  while (head < old.length && head < fresh.length && old[head] === fresh[head]) head += 1;
  let tail = 0;
  while (tail < old.length - head && tail < fresh.length - head && old[old.length - 1 - tail] === fresh[fresh.length - 1 - tail]) tail += 1;
  const same = (lines: string[]): DiffLine[] => lines.map((text) => ({ kind: 'same', text }));
  return [
    ...same(old.slice(Math.max(0, head - AROUND), head)),
    ...middle(old.slice(head, old.length - tail), fresh.slice(head, fresh.length - tail)),
    ...same(old.slice(old.length - tail, old.length - tail + AROUND)),
  ];
}

function middle(old: string[], fresh: string[]): DiffLine[] {
  const removed = (text: string): DiffLine => ({ kind: 'removed', text });
  const added = (text: string): DiffLine => ({ kind: 'added', text });
  if (old.length > MOST_LINES || fresh.length > MOST_LINES) return [...old.map(removed), ...fresh.map(added)];
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

/** The files of a patch in the usual form; none where the text is no patch. */
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
    } else if (line.startsWith('@@')) lines.push({ kind: 'place', text: line });
    else if (line.startsWith('+')) lines.push({ kind: 'added', text: line.slice(1) });
    else if (line.startsWith('-')) lines.push({ kind: 'removed', text: line.slice(1) });
    else if (line.startsWith(' ')) lines.push({ kind: 'same', text: line.slice(1) });
  }
  return files.filter((file) => file.lines.length > 0).map(counted);
}

/** The change that a call's arguments describe: a path with a text before and after, or a patch; none for other calls. */
export function diffOfCall(given: string): FileDiff[] {
  const object = asObject(parsed(given));
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
