// The page's controls. A missing one is a defect, so looking it up throws at once.

function find<T extends HTMLElement>(id: string, kind: { new (): T }): T {
  const found = document.getElementById(id);
  if (!(found instanceof kind)) throw new Error(`the page has no #${id}`);
  return found;
}

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

export type Controls = ReturnType<typeof controls>;
