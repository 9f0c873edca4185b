// Markdown as a tree, never as HTML. The page renders only this tree, so HTML in a model's text stays text. Supported are
// headings, lists, tasks, quotes, tables, fences, rules, emphasis, code, links and images.

import { type Inline, inlines } from './inlines.ts';

export type { Inline } from './inlines.ts';

export type Align = 'left' | 'center' | 'right' | null;

export interface ListItem {
  /** Whether a task is done; null if the item is not a task. */
  done: boolean | null;
  blocks: MarkdownBlock[];
}

/** A block of a Markdown text. */
export type MarkdownBlock =
  | { kind: 'paragraph'; of: Inline[] }
  | { kind: 'heading'; level: number; of: Inline[] }
  | { kind: 'code'; language: string; text: string; open: boolean }
  | { kind: 'quote'; of: MarkdownBlock[] }
  | { kind: 'list'; ordered: boolean; start: number; items: ListItem[] }
  | { kind: 'table'; aligns: Align[]; head: Inline[][]; rows: Inline[][][] }
  | { kind: 'rule' };

/** Quotes and lists nested deeper than this are text. */
const MAX_DEPTH = 12;
/** The most cells of a table row, so that a table cannot hide the page. */
const MAX_CELLS = 64;

type References = ReadonlyMap<string, string>;

const FENCE = /^( {0,3})(`{3,}|~{3,})\s*([^`]*)$/;
const HEADING = /^ {0,3}(#{1,6})(?:\s+(.*?))?(?:\s+#+)?\s*$/;
const RULE = /^ {0,3}(?:(?:-\s*){3,}|(?:\*\s*){3,}|(?:_\s*){3,})$/;
const BULLET = /^( {0,3})([-*+])(\s+|$)/;
const NUMBER = /^( {0,3})(\d{1,9})([.)])(\s+|$)/;
const REFERENCE = /^ {0,3}\[([^\]\\]{1,200})\]:\s*<?(\S{1,2048}?)>?(?:\s+["'(].*["')])?\s*$/;
const DIVIDER = /^\s*\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?\s*$/;

/** Parses any text, in time that grows linearly with its length. */
export function parseMarkdown(text: string): MarkdownBlock[] {
  const lines = text.replaceAll('\r\n', '\n').replaceAll('\r', '\n').split('\n').map((line) => line.replaceAll('\t', '    '));
  return new Blocks(lines, references(lines), 0).read();
}

/** The reference links of the text. */
function references(lines: readonly string[]): References {
  const found = new Map<string, string>();
  for (const line of lines) {
    const match = REFERENCE.exec(line);
    const name = match?.[1]?.trim().toLowerCase();
    if (name !== undefined && match?.[2] !== undefined && !found.has(name)) found.set(name, match[2]);
  }
  return found;
}

class Blocks {
  readonly #lines: readonly string[];
  readonly #references: References;
  readonly #depth: number;
  readonly #out: MarkdownBlock[] = [];
  #at = 0;

  constructor(lines: readonly string[], known: References, depth: number) {
    this.#lines = lines;
    this.#references = known;
    this.#depth = depth;
  }

  read(): MarkdownBlock[] {
    while (this.#at < this.#lines.length) {
      const line = this.#line();
      if (line.trim() === '' || REFERENCE.test(line)) this.#at += 1;
      else if (!(this.#fence(line) || this.#heading(line) || this.#rule(line) || this.#nested(line) || this.#table(line))) {
        this.#paragraph();
      }
    }
    return this.#out;
  }

  #line(): string {
    return this.#lines[this.#at] ?? '';
  }

  #inlines(text: string): Inline[] {
    return inlines(text, this.#references);
  }

  #fence(line: string): boolean {
    const match = FENCE.exec(line);
    if (match === null) return false;
    const [, indent = '', fence = '', info = ''] = match;
    const close = new RegExp(`^ {0,3}${fence[0] === '`' ? '`' : '~'}{${fence.length},}\\s*$`);
    const body: string[] = [];
    let open = true;
    for (this.#at += 1; this.#at < this.#lines.length; this.#at += 1) {
      const next = this.#line();
      if (close.test(next)) {
        open = false;
        this.#at += 1;
        break;
      }
      body.push(next.startsWith(indent) ? next.slice(indent.length) : next.trimStart());
    }
    const language = info.trim().split(/\s+/)[0] ?? '';
    this.#out.push({ kind: 'code', language, text: body.join('\n'), open });
    return true;
  }

  #heading(line: string): boolean {
    const match = HEADING.exec(line);
    if (match === null) return false;
    this.#out.push({ kind: 'heading', level: match[1]?.length ?? 1, of: this.#inlines(match[2] ?? '') });
    this.#at += 1;
    return true;
  }

  #rule(line: string): boolean {
    if (!RULE.test(line)) return false;
    this.#out.push({ kind: 'rule' });
    this.#at += 1;
    return true;
  }

  #nested(line: string): boolean {
    if (this.#depth >= MAX_DEPTH) return false;
    if (/^ {0,3}>/.test(line)) {
      this.#quote();
      return true;
    }
    return BULLET.test(line) || NUMBER.test(line) ? this.#list(line) : false;
  }

  #quote(): void {
    const inner: string[] = [];
    while (this.#at < this.#lines.length && /^ {0,3}>/.test(this.#line())) {
      inner.push(this.#line().replace(/^ {0,3}> ?/, ''));
      this.#at += 1;
    }
    this.#out.push({ kind: 'quote', of: new Blocks(inner, this.#references, this.#depth + 1).read() });
  }

  #list(first: string): boolean {
    const ordered = NUMBER.exec(first);
    const marker = ordered === null ? BULLET : NUMBER;
    const items: ListItem[] = [];
    while (this.#at < this.#lines.length) {
      const match = marker.exec(this.#line());
      if (match === null || (marker === BULLET && RULE.test(this.#line()))) break;
      items.push(this.#item(match[0].length));
    }
    this.#out.push({ kind: 'list', ordered: ordered !== null, start: Number(ordered?.[2] ?? 1), items });
    return items.length > 0;
  }

  /** One list item: its first line, then the indented lines and those that follow without a blank line. */
  #item(width: number): ListItem {
    const inner = [this.#line().slice(width)];
    let gap = false;
    for (this.#at += 1; this.#at < this.#lines.length; this.#at += 1) {
      const line = this.#line();
      const indented = /^ {2,}/.test(line);
      if (line.trim() === '') {
        gap = true;
        inner.push('');
      } else if (indented) {
        const spaces = line.length - line.trimStart().length;
        inner.push(line.slice(Math.min(spaces, width)));
        gap = false;
      } else if (gap || begins(line)) {
        break;
      } else {
        inner.push(line);
      }
    }
    const task = /^\[([ xX])\]\s+/.exec(inner[0] ?? '');
    if (task !== null) inner[0] = (inner[0] ?? '').slice(task[0].length);
    const blocks = new Blocks(inner, this.#references, this.#depth + 1).read();
    return { done: task === null ? null : task[1] !== ' ', blocks };
  }

  #table(line: string): boolean {
    const divider = this.#lines[this.#at + 1];
    if (!line.includes('|') || divider === undefined || !divider.includes('-') || !DIVIDER.test(divider)) return false;
    const head = cells(line);
    const aligns = cells(divider).map(align);
    if (head.length !== aligns.length || head.length > MAX_CELLS) return false;
    const rows: Inline[][][] = [];
    for (this.#at += 2; this.#at < this.#lines.length && this.#line().includes('|'); this.#at += 1) {
      const row = cells(this.#line()).slice(0, head.length);
      while (row.length < head.length) row.push('');
      rows.push(row.map((cell) => this.#inlines(cell)));
    }
    this.#out.push({ kind: 'table', aligns, head: head.map((cell) => this.#inlines(cell)), rows });
    return true;
  }

  #paragraph(): void {
    const text = [this.#line().trimStart()];
    for (this.#at += 1; this.#at < this.#lines.length; this.#at += 1) {
      const line = this.#line();
      if (line.trim() === '' || begins(line)) break;
      text.push(line.trimStart());
    }
    this.#out.push({ kind: 'paragraph', of: this.#inlines(text.join('\n')) });
  }
}

/** Whether a line starts a block even directly after text. */
function begins(line: string): boolean {
  return FENCE.test(line) || HEADING.test(line) || RULE.test(line) || /^ {0,3}>/.test(line) || BULLET.test(line) || NUMBER.test(line);
}

function cells(line: string): string[] {
  const inner = line.trim().replace(/^\|/, '').replace(/\|$/, '');
  return inner.split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll('\\|', '|'));
}

function align(cell: string): Align {
  const [left, right] = [cell.startsWith(':'), cell.endsWith(':')];
  if (left && right) return 'center';
  return right ? 'right' : left ? 'left' : null;
}
