// Every host. HOLM_HOSTS=node,deno chooses some.

const NAMES = ['node', 'deno', 'workerd', 'chromium'];

export const hosts = (process.env.HOLM_HOSTS?.split(',') ?? NAMES).map((name) => ({
  name,
  run: async (root, request) => (await import(`./${name}.mjs`)).run(root, request),
}));
