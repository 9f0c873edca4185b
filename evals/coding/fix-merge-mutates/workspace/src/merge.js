// Merges options into defaults, at every depth. Arrays and null replace the default as a whole.
// The arguments do not change, and the result shares no object or array with them.
export function merge(defaults, options) {
  const result = defaults;
  for (const [key, value] of Object.entries(options)) {
    if (typeof value === "object" && typeof result[key] === "object") {
      result[key] = merge(result[key], value);
    } else {
      result[key] = value;
    }
  }
  return result;
}
