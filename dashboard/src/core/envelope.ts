// Removes the envelope around tool output, which the kernel adds for the model, so that users see only the output. The
// content comes from a tool, so the page shows it only as text.

/** The text inside an envelope, or the whole text if it has none. */
export function openEnvelope(sealed: string): string {
  const inside = /^<tool_output seal="([0-9a-f]{8})">([\s\S]*)<\/tool_output seal="\1">$/.exec(sealed);
  return inside?.[2] ?? sealed;
}
