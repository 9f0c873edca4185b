const DEFAULTS = {
  timeout: 5000,
  transport: fetch,
  sleep: (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds)),
};

const NUMBERS = ["timeout"];

// Returns the options with all defaults. An invalid option is a TypeError.
export function readOptions(options) {
  const all = { ...DEFAULTS, ...options };
  if (typeof all.base !== "string") throw new TypeError("base must be a string");
  for (const name of NUMBERS) {
    if (!Number.isInteger(all[name]) || all[name] < 0) throw new TypeError(`${name} must be a whole number, at least 0`);
  }
  return all;
}
