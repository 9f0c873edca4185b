// Opens the envelope in which a tool's output reaches the model, so that people see what the tool said. The kernel wrote
// it; what is inside is a tool's, and is shown as text and as nothing else.

const HEAD = '<tool_output name="';

/** What stood in an envelope. */
export interface Opened {
  text: string;
  /** Bytes of the whole output where only a part of it is here. */
  rawBytes: number | null;
}

/** The text inside an envelope; a text without one is itself. */
export function open(sealed: string): Opened {
  const whole = { text: sealed, rawBytes: null };
  if (!sealed.startsWith(HEAD)) return whole;
  const tagEnd = sealed.indexOf('>', HEAD.length);
  if (tagEnd === -1) return whole;
  const tag = sealed.slice(0, tagEnd);
  const seal = / seal="([0-9a-f]{16})"$/.exec(tag);
  if (seal === null) return whole;
  const tail = `</tool_output seal="${seal[1]}">`;
  if (!sealed.endsWith(tail) || sealed.length < tagEnd + 1 + tail.length) return whole;
  const raw = / truncated="true" raw_bytes="(\d+)"/.exec(tag);
  return {
    text: sealed.slice(tagEnd + 1, sealed.length - tail.length),
    rawBytes: raw === null ? null : Number(raw[1]),
  };
}
