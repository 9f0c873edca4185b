// Opens the envelope in which a tool's output reaches the model, so that people see what the tool said. The kernel wrote
// it; what is inside is a tool's, and is shown as text and as nothing else.

/** The text inside an envelope; a text without one is itself. */
export function open(sealed: string): string {
  const inside = /^<tool_output seal="([0-9a-f]{8})">([\s\S]*)<\/tool_output seal="\1">$/.exec(sealed);
  return inside?.[2] ?? sealed;
}
