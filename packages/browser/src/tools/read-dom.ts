// Reads the page as text only; the model gets no markup, attributes or scripts.

import { output, tool, type Tool } from 'holm';

/** The most characters that a call returns. */
const MAX_CHARS = 4000;

/** The most elements that a call reads. */
const MAX_ELEMENTS = 200;

/** Elements whose text is not visible on a page. */
const UNREAD = 'script, style, template, noscript';

/** The tool `read_dom` on a part of the page. */
export function readDom(root: () => ParentNode): Tool {
  return tool<{ selector: string }>({
    name: 'read_dom',
    description: 'Reads the text of this page by a CSS selector, such as h2 or p.',
    level: 'read-only',
    yields: { untrusted: true },
    repeat: 'idempotent',
    error_text: 'allowed',
    input: { type: 'object', properties: { selector: { type: 'string' } }, required: ['selector'] },
    run({ selector }) {
      let found: Element[];
      try {
        found = [...root().querySelectorAll(selector)].slice(0, MAX_ELEMENTS);
      } catch {
        return output({ outcome: 'failed', text: `'${selector}' is not a valid CSS selector` });
      }
      const texts = found.filter((element) => !element.closest(UNREAD)).map(textOf);
      if (texts.length === 0) return output({ outcome: 'failed', text: `nothing on the page matches '${selector}'` });
      return texts.join(' | ').slice(0, MAX_CHARS);
    },
  });
}

function textOf(element: Element): string {
  const copy = element.cloneNode(true) as Element;
  for (const unread of copy.querySelectorAll(UNREAD)) unread.remove();
  return (copy.textContent ?? '').replace(/\s+/g, ' ').trim();
}
