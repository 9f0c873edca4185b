// The to-do list of a `todo` call. A model writes the arguments, so the code checks the shape of every value.

import { asObject, parseJson } from './json.ts';

export type TodoProgress = 'pending' | 'in_progress' | 'completed';

export interface TodoItem {
  text: string;
  progress: TodoProgress;
}

/** The most items that are shown; the tool accepts no more. */
const MAX_ITEMS = 50;

/** The list that a call stores; null for other tools and for arguments that are not a list. */
export function todoOfCall(tool: string, text: string): TodoItem[] | null {
  if (tool !== 'todo') return null;
  const items = asObject(parseJson(text))?.['items'];
  if (!Array.isArray(items)) return null;
  const read = items.slice(0, MAX_ITEMS).map(todoItem);
  return read.every((item) => item !== null) ? read : null;
}

/** How far a list is, such as `1 of 3 done; now: build`. */
export function todoSummary(items: readonly TodoItem[]): string {
  const done = items.filter((item) => item.progress === 'completed').length;
  const now = items.find((item) => item.progress === 'in_progress');
  return `${done} of ${items.length} done${now === undefined ? '' : `; now: ${now.text}`}`;
}

function todoItem(given: unknown): TodoItem | null {
  const item = asObject(given);
  const [text, progress] = [item?.['text'], item?.['progress']];
  if (typeof text !== 'string') return null;
  return progress === 'pending' || progress === 'in_progress' || progress === 'completed' ? { text, progress } : null;
}
