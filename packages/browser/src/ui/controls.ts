// The page's controls, found once; a page without one of them is a defect that is said at once.

/** The element of this id. */
function find<T extends HTMLElement>(id: string, kind: { new (): T }): T {
  const found = document.getElementById(id);
  if (!(found instanceof kind)) throw new Error(`the page has no #${id}`);
  return found;
}

/** All of them. */
export const controls = () => ({
  page: find('page', HTMLElement),
  log: find('log', HTMLOListElement),
  ask: find('ask', HTMLFormElement),
  prompt: find('prompt', HTMLInputElement),
  stop: find('stop', HTMLButtonElement),
  fresh: find('new', HTMLButtonElement),
  save: find('export', HTMLButtonElement),
  load: find('import', HTMLInputElement),
  engine: find('engine', HTMLSelectElement),
  download: find('download', HTMLProgressElement),
  state: find('state', HTMLOutputElement),
});

/** The controls. */
export type Controls = ReturnType<typeof controls>;
