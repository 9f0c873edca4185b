// Unique names for tools of other parties. A model calls a tool by name, so a server that reuses another tool's name could receive its
// calls.

import type { Tool } from '../tool.js';

/** The longest name that providers accept. */
const MAX_NAME_LENGTH = 64;

/** The names of the kernel's own tools; `OWN_NAMES` of holm-kernel. */
const OWN_NAMES = ['enter_plan', 'exit_plan', 'children', 'tool_search'];

/** A tool that was renamed because its name was taken. */
export interface RenamedTool {
  wanted: string;
  name: string;
}

/**
 * Gives tools of other parties unique names beside the host's own tools, which keep theirs. Of two tools with the same name, regardless of
 * case, the first keeps it and the second becomes `name_2`.
 */
export function nameBeside(own: readonly Tool[], others: readonly Tool[]): { tools: Tool[]; renamed: RenamedTool[] } {
  const kept = new Set([...OWN_NAMES, ...own.map(({ declaration }) => declaration.name)].map(key));
  // A renamed tool must not take the name of any other tool in the list.
  const taken = new Set([...kept, ...others.map(({ declaration }) => key(declaration.name))]);
  const renamed: RenamedTool[] = [];
  const tools = others.map((tool) => {
    const wanted = tool.declaration.name;
    if (!kept.has(key(wanted))) {
      kept.add(key(wanted));
      return tool;
    }
    let number = 2;
    while (taken.has(key(numbered(wanted, number)))) number += 1;
    const name = numbered(wanted, number);
    taken.add(key(name));
    renamed.push({ wanted, name });
    return { ...tool, declaration: { ...tool.declaration, name } };
  });
  return { tools, renamed };
}

/** The note for a renamed tool. */
export const renamedNote = ({ wanted, name }: RenamedTool): string => `tool '${wanted}' was renamed to '${name}', because another tool has its name`;

/** The form of a name for comparisons. */
const key = (name: string): string => name.toLowerCase();

const numbered = (name: string, number: number): string => `${name.slice(0, MAX_NAME_LENGTH - `_${number}`.length)}_${number}`;
