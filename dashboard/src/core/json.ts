// JSON that comes from models and tools: read without trust.

/** The value of a JSON text; none where it is none. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** Whether two JSON texts say the same, whatever the order of their keys. */
export function isSameJson(one: string, other: string): boolean {
  if (one === other) return true;
  const [left, right] = [parsed(one), parsed(other)];
  return left !== undefined && right !== undefined && canonical(left) === canonical(right);
}

/** The value as an object; none where it is something else. */
export function asObject(value: unknown): Record<string, unknown> | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : null;
}

/** The value as text to read: JSON is set out in lines, everything else stays. */
export function pretty(text: string): string {
  const value = parsed(text);
  return typeof value === 'object' && value !== null ? JSON.stringify(value, null, 2) : text;
}

function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  const object = asObject(value);
  if (object === null) return JSON.stringify(value);
  const members = Object.keys(object).sort();
  return `{${members.map((name) => `${JSON.stringify(name)}:${canonical(object[name])}`).join(',')}}`;
}
