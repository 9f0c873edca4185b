// Text lengths in UTF-8 bytes, as the server counts them, without copying the text.

/** The number of UTF-8 bytes of a text. */
export function byteLength(text: string): number {
  let bytes = 0;
  for (let at = 0; at < text.length; at += 1) {
    bytes += unitBytes(text, at);
    if (isPair(text, at)) at += 1;
  }
  return bytes;
}

/**
 * The text without its first `bytes` bytes. If that would split a character, the whole character is dropped, because its
 * other half is not valid text.
 */
export function skipBytes(text: string, bytes: number): string {
  let left = bytes;
  let at = 0;
  while (left > 0 && at < text.length) {
    left -= unitBytes(text, at);
    at += isPair(text, at) ? 2 : 1;
  }
  return text.slice(at);
}

function isPair(text: string, at: number): boolean {
  const unit = text.charCodeAt(at);
  if (unit < 0xd800 || unit > 0xdbff) return false;
  const next = text.charCodeAt(at + 1);
  return next >= 0xdc00 && next <= 0xdfff;
}

function unitBytes(text: string, at: number): number {
  const unit = text.charCodeAt(at);
  if (unit < 0x80) return 1;
  if (unit < 0x800) return 2;
  return isPair(text, at) ? 4 : 3;
}
