// All changes of files in a session, from its calls that write and edit.

import { type FileDiff, diffOfCall } from './diff.ts';
import type { TranscriptItem } from './transcript.ts';

export interface ChangedFile {
  path: string;
  added: number;
  removed: number;
  /** The changes in the order in which they were made. */
  diffs: readonly FileDiff[];
}

/** The diffs of calls. A chat asks again with every piece of a reply, and items never change. */
const DIFFS = new WeakMap<TranscriptItem, readonly FileDiff[]>();

/** The changed files, sorted by path. Only calls that succeeded count. */
export function changedFiles(items: readonly TranscriptItem[]): ChangedFile[] {
  const files = new Map<string, FileDiff[]>();
  for (const item of items) {
    if (item.kind !== 'call' || item.outcome !== 'succeeded') continue;
    const diffs = DIFFS.get(item) ?? diffOfCall(item.arguments);
    DIFFS.set(item, diffs);
    for (const diff of diffs) files.set(diff.path, [...(files.get(diff.path) ?? []), diff]);
  }
  const sum = (diffs: readonly FileDiff[], of: 'added' | 'removed'): number => diffs.reduce((all, diff) => all + diff[of], 0);
  return [...files]
    .map(([path, diffs]) => ({ path, diffs, added: sum(diffs, 'added'), removed: sum(diffs, 'removed') }))
    .sort((one, other) => (one.path < other.path ? -1 : 1));
}
