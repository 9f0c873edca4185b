// Renders a Markdown tree. Text never becomes HTML: each block becomes an element by name, and its content becomes text
// nodes. External images load only after the user asks for them.

import { type VNode, type VNodeChild, computed, defineComponent, h } from 'vue';

import { type Inline, type MarkdownBlock, parseMarkdown } from '../core/markdown.ts';
import { destination, isSite } from '../core/urls.ts';
import CodeBlock from './CodeBlock.vue';
import RemoteImage from './RemoteImage.vue';

export default defineComponent({
  name: 'MarkdownView',
  props: { text: { type: String, required: true } },
  setup(props) {
    const tree = computed(() => parseMarkdown(props.text));
    return () => h('div', { class: 'md' }, withHeadings(tree.value));
  },
});

/** The page's own heading is above these. */
const FIRST_LEVEL = 2;

/** Draws blocks with headings that skip no level, as screen readers expect, whatever levels the text has. */
function withHeadings(blocks: MarkdownBlock[]): VNode[] {
  const open: number[] = [];
  return blocks.map((block) => {
    if (block.kind !== 'heading') return piece(block);
    while ((open.at(-1) ?? 0) >= block.level) open.pop();
    open.push(block.level);
    return h(`h${Math.min(6, FIRST_LEVEL + open.length - 1)}`, block.of.map(inline));
  });
}

function piece(of: MarkdownBlock): VNode {
  switch (of.kind) {
    case 'paragraph':
      return h('p', of.of.map(inline));
    case 'heading':
      // Inside of a quote or a list there is no order of headings.
      return h('p', h('strong', of.of.map(inline)));
    case 'code':
      return h(CodeBlock, { code: of.text, language: of.language });
    case 'quote':
      return h('blockquote', of.of.map(piece));
    case 'list':
      return h(of.ordered ? 'ol' : 'ul', of.ordered ? { start: of.start } : {}, of.items.map((item) => h('li', [task(item.done), ...tight(item.blocks)])));
    case 'table':
      return table(of);
    case 'rule':
      return h('hr');
  }
}

/** A list item with one paragraph needs no paragraph element. */
function tight(blocks: MarkdownBlock[]): VNodeChild[] {
  const [first, ...rest] = blocks;
  return first?.kind === 'paragraph' ? [...first.of.map(inline), ...rest.map(piece)] : blocks.map(piece);
}

function task(done: boolean | null): VNodeChild {
  return done === null ? null : h('span', { role: 'img', 'aria-label': done ? 'done' : 'to do' }, done ? '☑ ' : '☐ ');
}

function table(of: Extract<MarkdownBlock, { kind: 'table' }>): VNode {
  const cell = (tag: string, row: Inline[][]): VNode[] =>
    row.map((content, column) => h(tag, { style: { textAlign: of.aligns[column] ?? 'left' } }, content.map(inline)));
  return h('div', { class: 'scroll', tabindex: 0 }, [
    h('table', [h('thead', h('tr', cell('th', of.head))), h('tbody', of.rows.map((row) => h('tr', cell('td', row))))]),
  ]);
}

function inline(of: Inline): VNodeChild {
  switch (of.kind) {
    case 'text':
      return of.text;
    case 'code':
      return h('code', of.text);
    case 'strong':
    case 'em':
    case 'del':
      return h(of.kind, of.of.map(inline));
    case 'link':
      return link(of.href, of.of.map(inline));
    case 'picture':
      // A mail address is not an image.
      return of.href === null || !isSite(of.href) ? `[image: ${of.alt}]` : h(RemoteImage, { href: of.href, name: of.alt });
    case 'break':
      return h('br');
  }
}

function link(href: string, of: VNodeChild[]): VNode {
  return h('a', { href, target: '_blank', rel: 'noopener noreferrer nofollow', title: `opens ${destination(href)}` }, of);
}
