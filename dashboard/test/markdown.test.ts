// Hostile Markdown becomes a tree and nothing else.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { highlight } from '../src/core/highlight.ts';
import { type Inline, type MarkdownBlock, parseMarkdown } from '../src/core/markdown.ts';
import { isPicture, linkTarget, pictureType } from '../src/core/urls.ts';

/** The tree in short, for comparison. */
function short(pieces: MarkdownBlock[]): string {
  return pieces.map(block).join('|');
}

function block(piece: MarkdownBlock): string {
  switch (piece.kind) {
    case 'paragraph':
      return `p(${line(piece.of)})`;
    case 'heading':
      return `h${piece.level}(${line(piece.of)})`;
    case 'code':
      return `code:${piece.language}${piece.open ? '…' : ''}(${piece.text})`;
    case 'quote':
      return `quote(${short(piece.of)})`;
    case 'list':
      return `${piece.ordered ? `ol${piece.start}` : 'ul'}(${piece.items.map((item) => `${item.done === null ? '' : item.done ? '[x]' : '[ ]'}${short(item.blocks)}`).join(',')})`;
    case 'table':
      return `table(${piece.aligns.join(' ')};${piece.head.map(line).join('/')};${piece.rows.map((row) => row.map(line).join('/')).join(';')})`;
    case 'rule':
      return 'rule';
  }
}

function line(of: Inline[]): string {
  return of
    .map((inline) => {
      switch (inline.kind) {
        case 'text':
          return inline.text;
        case 'code':
          return `\`${inline.text}\``;
        case 'strong':
        case 'em':
        case 'del':
          return `${inline.kind}{${line(inline.of)}}`;
        case 'link':
          return `link{${line(inline.of)}→${inline.href}}`;
        case 'picture':
          return `picture{${inline.alt}→${inline.source}}`;
        case 'break':
          return '⏎';
      }
    })
    .join('');
}

const CASES: [string, string][] = [
  ['', ''],
  ['one\ntwo\n\nthree', 'p(one\ntwo)|p(three)'],
  ['# A *b*\n## C ##', 'h1(A em{b})|h2(C)'],
  ['**bold** and _em_ and ~~gone~~ and `x<y`', 'p(strong{bold} and em{em} and del{gone} and `x<y`)'],
  ['snake_case_name and 2 * 3 * 4', 'p(snake_case_name and 2 * 3 * 4)'],
  ['**open', 'p(**open)'],
  ['a \\*b\\* c', 'p(a *b* c)'],
  ['a  \nb', 'p(a⏎b)'],
  ['```rust\nfn a() {}\n```\nafter', 'code:rust(fn a() {})|p(after)'],
  ['```\nnot closed', 'code:…(not closed)'],
  ['- a\n- b\n  - c\n- [x] d\n- [ ] e', 'ul(p(a),p(b)|ul(p(c)),[x]p(d),[ ]p(e))'],
  ['3. a\n4. b', 'ol3(p(a),p(b))'],
  ['> a\n> > b', 'quote(p(a)|quote(p(b)))'],
  ['---', 'rule'],
  ['| a | b |\n|:--|--:|\n| 1 | 2 |\n| x \\| y |', 'table(left right;a/b;1/2;x | y/)'],
  ['[a](https://x.example/y) and <https://z.example/>', 'p(link{a→https://x.example/y} and link{https://z.example/→https://z.example/})'],
  ['see https://x.example/a.', 'p(see link{https://x.example/a→https://x.example/a}.)'],
  ['[a][r] and [r]\n\n[r]: https://x.example/', 'p(link{a→https://x.example/} and link{r→https://x.example/})'],
  ['![p](https://x.example/p.png)', 'p(picture{p→https://x.example/p.png})'],
  ['<script>alert(1)</script> <img src=x onerror=y>', 'p(<script>alert(1)</script> <img src=x onerror=y>)'],
];

test('common Markdown is parsed', () => {
  for (const [text, expected] of CASES) assert.equal(short(parseMarkdown(text)), expected, text);
});

const HOSTILE = [
  'javascript:alert(1)',
  'JaVaScRiPt:alert(1)',
  'java\nscript:alert(1)',
  '\u0001javascript:alert(1)',
  ' javascript:alert(1)',
  'data:text/html,<script>1</script>',
  'vbscript:x',
  'file:///etc/passwd',
  'blob:https://x/1',
  '//evil.example/x',
  '/api/sessions',
  'https://user:pass@evil.example/',
  'https://evil.example/\u202egnp.exe',
  `https://evil.example/${'a'.repeat(3_000)}`,
  'ws://evil.example',
];

test('unsafe URLs are not links', () => {
  for (const address of HOSTILE) {
    assert.equal(linkTarget(address), null, address);
    for (const text of [`[a](${address})`, `[a](<${address}>)`, `[a][r]\n\n[r]: ${address}`, `<${address}>`]) {
      const tree = JSON.stringify(parseMarkdown(text));
      assert.ok(!tree.includes('"link"') || !/"href":"(?!https?:|mailto:)/.test(tree), text);
      assert.ok(!/"href":"[^"]*(?:javascript|vbscript|data|file|blob):/i.test(tree.replaceAll(/"href":"https?:[^"]*"/g, '')), text);
    }
  }
});

test('an image that may run scripts is not shown', () => {
  assert.ok(isPicture('image/png') && isPicture('IMAGE/PNG; x=y'));
  assert.ok(!isPicture('image/svg+xml') && !isPicture('text/html') && !isPicture(''));
  const types = ['a.png', 'b/c.JPG', 'd.webp', 'e.svg', 'png', 'f.txt', ''].map(pictureType);
  assert.deepEqual(types, ['image/png', 'image/jpeg', 'image/webp', null, null, null, null]);
});

test('parsing hostile text takes linear time', () => {
  const size = 40_000;
  const texts = ['[', '![', '**a ', '_a ', '`a ``b ', '> ', '- ', '* ', '[a](', '<https://', '|', '\\', '~~x', '# ', '1. ', '[a]: b\n', '*a_'];
  const began = Date.now();
  for (const text of texts) parseMarkdown(text.repeat(Math.ceil(size / text.length)));
  // Seconds for all of them on a slow machine; what grows with the square of the length takes minutes.
  assert.ok(Date.now() - began < 30_000);
});

test('the tokens of highlighted code are the code', () => {
  const code = 'fn main() { // say\n  let a = "x\\"y"; let b = 12; /* open';
  for (const language of ['rust', 'python', 'sh', 'unknown', '', 'sql']) {
    assert.equal(highlight(code, language).map((piece) => piece.text).join(''), code, language);
  }
  const kinds = highlight(code, 'rust').filter((piece) => piece.kind !== 'plain').map((piece) => `${piece.kind}:${piece.text}`);
  assert.deepEqual(kinds, ['keyword:fn', 'comment:// say', 'keyword:let', 'string:"x\\"y"', 'keyword:let', 'number:12', 'comment:/* open']);
});
