// Draws the tree of a Markdown text. There is no way from a text to HTML here: each piece becomes an element by name, and
// words become text. Pictures of other places are not fetched before somebody asks for them.

import { type VNode, type VNodeChild, computed, defineComponent, h } from 'vue';

import { type Inline, type Piece, markdown } from '../core/markdown.ts';
import { destination, isSite } from '../core/urls.ts';
import CodeBlock from './CodeBlock.vue';
import RemotePicture from './RemotePicture.vue';

export default defineComponent({
  name: 'MarkdownView',
  props: { text: { type: String, required: true } },
  setup(props) {
    const tree = computed(() => markdown(props.text));
    return () => h('div', { class: 'md' }, tree.value.map(piece));
  },
});

function piece(of: Piece): VNode {
  switch (of.kind) {
    case 'paragraph':
      return h('p', of.of.map(inline));
    case 'heading':
      // The page has headings of its own above these.
      return h(`h${Math.min(6, of.level + 2)}`, of.of.map(inline));
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

/** An item of one paragraph is a line and needs no paragraph. */
function tight(blocks: Piece[]): VNodeChild[] {
  const [first, ...rest] = blocks;
  return first?.kind === 'paragraph' ? [...first.of.map(inline), ...rest.map(piece)] : blocks.map(piece);
}

function task(done: boolean | null): VNodeChild {
  return done === null ? null : h('span', { role: 'img', 'aria-label': done ? 'done' : 'to do' }, done ? '☑ ' : '☐ ');
}

function table(of: Extract<Piece, { kind: 'table' }>): VNode {
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
      // A mail is no picture.
      return of.href === null || !isSite(of.href) ? `[picture: ${of.alt}]` : h(RemotePicture, { href: of.href, name: of.alt });
    case 'break':
      return h('br');
  }
}

function link(href: string, of: VNodeChild[]): VNode {
  return h('a', { href, target: '_blank', rel: 'noopener noreferrer nofollow', title: `leads to ${destination(href)}` }, of);
}
