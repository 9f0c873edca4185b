// Names of tools that come from elsewhere. A model calls a tool by its name alone, so whoever could choose a name that another tool has
// would be called in its place.

import type { Tool } from '../tool.js';

/** Providers take no longer names. */
const LONGEST = 64;

/** Names that the kernel keeps for tools of its own; `OWN_NAMES` of holm-kernel. */
const OWN_NAMES = ['enter_plan', 'exit_plan', 'children', 'tool_search'];

/** A tool that is not called what it wanted, because another has that name. */
export interface Renamed {
  wanted: string;
  name: string;
}

/**
 * Names tools of others beside those that a host has itself, which keep theirs. Of two that want one name, in letters of whatever case, the
 * earlier keeps it and the later becomes `name_2`.
 */
export function nameBeside(own: readonly Tool[], others: readonly Tool[]): { tools: Tool[]; renamed: Renamed[] } {
  const kept = new Set([...OWN_NAMES, ...own.map(({ declaration }) => declaration.name)].map(key));
  // A name that somebody wants is given to nobody else, wherever in the list they stand.
  const taken = new Set([...kept, ...others.map(({ declaration }) => key(declaration.name))]);
  const renamed: Renamed[] = [];
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

/** What a person is told of it. */
export const renamedNote = ({ wanted, name }: Renamed): string => `the tool '${wanted}' is called '${name}': another has its name`;

/** A name as it is compared. */
const key = (name: string): string => name.toLowerCase();

const numbered = (name: string, number: number): string => `${name.slice(0, LONGEST - `_${number}`.length)}_${number}`;
