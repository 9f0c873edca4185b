// JSON text that keeps every digit: big integers stay exact, and raw JSON text stays unchanged.

/** JSON text that is inserted unchanged. */
export class Raw {
  constructor(readonly text: string) {}
}

/** Marks text as raw JSON. */
export const raw = (text: string): Raw => new Raw(text);

/** Like `JSON.stringify`, but big integers and raw text keep every digit. */
export function json(value: unknown): string {
  if (value instanceof Raw) return value.text;
  if (typeof value === 'bigint') return value.toString();
  if (value === null || typeof value !== 'object') return JSON.stringify(value) ?? 'null';
  if (Array.isArray(value)) return `[${value.map(json).join(',')}]`;
  if (typeof (value as { toJSON?: unknown }).toJSON === 'function') return JSON.stringify(value);
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${json(member)}`).join(',')}}`;
}

const encoder = new TextEncoder();

/** The bytes of a text; bytes stay as they are. */
export const bytes = (text: string | Uint8Array): Uint8Array => (typeof text === 'string' ? encoder.encode(text) : text);
