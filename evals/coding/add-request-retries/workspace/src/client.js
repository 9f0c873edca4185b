import { readOptions } from "./options.js";

export function createClient(options) {
  const { base, timeout, transport } = readOptions(options);
  return {
    async get(path) {
      return transport(base + path, { timeout });
    },
  };
}
