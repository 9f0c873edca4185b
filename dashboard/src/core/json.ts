// Helpers for untrusted JSON from models and tools.

/** The value of a JSON text; undefined if it is not valid JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** Whether two JSON texts have the same value, regardless of the order of their keys. */
export function isSameJson(one: string, other: string): boolean {
  if (one === other) return true;
  const [left, right] = [parseJson(one), parseJson(other)];
  return left !== undefined && right !== undefined && canonical(left) === canonical(right);
}

/** The value if it is an object, otherwise null. */
export function asObject(value: unknown): Record<string, unknown> | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : null;
}

/** The text with indented JSON; any other text stays unchanged. */
export function pretty(text: string): string {
  const value = parseJson(text);
  return typeof value === 'object' && value !== null ? JSON.stringify(value, null, 2) : text;
}

function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  const object = asObject(value);
  if (object === null) return JSON.stringify(value);
  const members = Object.keys(object).sort();
  return `{${members.map((name) => `${JSON.stringify(name)}:${canonical(object[name])}`).join(',')}}`;
}
