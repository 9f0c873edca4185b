// Inline Markdown: emphasis, code, links, images. Unsafe links stay text.

import { linkTarget } from './urls.ts';

/** One inline element. */
export type Inline =
  | { kind: 'text'; text: string }
  | { kind: 'code'; text: string }
  | { kind: 'strong' | 'em' | 'del'; of: Inline[] }
  | { kind: 'link'; href: string; of: Inline[] }
  /** An image, which does not load by itself. `href` is null if its address must stay text. */
  | { kind: 'picture'; alt: string; source: string; href: string | null }
  | { kind: 'break' };

/** Emphasis nested deeper than this is text. */
const MAX_DEPTH = 6;

/** The delimiters of emphasis, the longer ones first. */
const MARKS = [
  ['**', 'strong'],
  ['__', 'strong'],
  ['~~', 'del'],
  ['*', 'em'],
  ['_', 'em'],
] as const;

const PLAIN = /[^\\`*_~[\]!<\nhw]+/y;
const BARE = /https?:\/\/[^\s<>"'`()[\]{}]+/y;
const TARGET = /\(\s*<?([^\s()<>]*(?:\([^\s()<>]*\)[^\s()<>]*)*)>?(?:\s+(?:"[^"]*"|'[^']*'))?\s*\)/y;
const ANGLED = /<((?:https?:\/\/|mailto:)[^\s<>]+)>/y;

/** Parses inline Markdown. `known` has the reference links of the document. */
export function inlines(text: string, known: ReadonlyMap<string, string>): Inline[] {
  return new InlineParser(text, known, 0).read();
}

class InlineParser {
  readonly #text: string;
  readonly #known: ReadonlyMap<string, string>;
  readonly #depth: number;
  readonly #out: Inline[] = [];
  /** Delimiters without a closing one in the rest of the text; they are not searched again. */
  readonly #alone = new Set<string>();
  #plain = '';
  #at = 0;

  constructor(text: string, known: ReadonlyMap<string, string>, depth: number) {
    this.#text = text;
    this.#known = known;
    this.#depth = depth;
  }

  read(): Inline[] {
    while (this.#at < this.#text.length) {
      if (!(this.#run() || this.#escape() || this.#code() || this.#bracket() || this.#address() || this.#mark() || this.#end())) {
        this.#plain += this.#text[this.#at];
        this.#at += 1;
      }
    }
    this.#flush();
    return this.#out;
  }

  #run(): boolean {
    const found = this.#match(PLAIN);
    if (found === null) return false;
    this.#plain += found[0];
    this.#at += found[0].length;
    return true;
  }

  #escape(): boolean {
    const next = this.#text[this.#at + 1];
    if (this.#text[this.#at] !== '\\' || next === undefined || !/[!-/:-@[-`{-~]/.test(next)) return false;
    this.#plain += next;
    this.#at += 2;
    return true;
  }

  #code(): boolean {
    if (this.#text[this.#at] !== '`') return false;
    const fence = /^`+/.exec(this.#text.slice(this.#at, this.#at + 64))?.[0] ?? '`';
    const begin = this.#at + fence.length;
    const end = this.#alone.has(fence) ? -1 : this.#text.indexOf(fence, begin);
    if (end === -1) {
      this.#alone.add(fence);
      this.#plain += fence;
      this.#at = begin;
      return true;
    }
    const inner = this.#text.slice(begin, end).replaceAll('\n', ' ');
    const padded = inner.length > 2 && inner.startsWith(' ') && inner.endsWith(' ') && inner.trim() !== '';
    this.#push({ kind: 'code', text: padded ? inner.slice(1, -1) : inner }, end + fence.length);
    return true;
  }

  /** `[text](address)`, `![text](address)`, `[text][name]`, `[name]`. */
  #bracket(): boolean {
    const picture = this.#text.startsWith('![', this.#at);
    if (!picture && this.#text[this.#at] !== '[') return false;
    const begin = this.#at + (picture ? 2 : 1);
    const close = this.#close(begin);
    if (close === -1) return false;
    const words = this.#text.slice(begin, close);
    const [source, end] = this.#source(close + 1, words);
    if (source === null) return false;
    const href = linkTarget(source);
    if (picture) this.#push({ kind: 'picture', alt: words, source, href }, end);
    else if (href === null) this.#words(`${words} (${source})`, end);
    else this.#push({ kind: 'link', href, of: this.#inner(words) }, end);
    return true;
  }

  #close(begin: number): number {
    if (this.#alone.has(']')) return -1;
    let depth = 0;
    for (let at = begin; at < this.#text.length; at += 1) {
      const mark = this.#text[at];
      if (mark === '\\') at += 1;
      else if (mark === '[') depth += 1;
      else if (mark === ']' && depth === 0) return at;
      else if (mark === ']') depth -= 1;
    }
    this.#alone.add(']');
    return -1;
  }

  #source(at: number, words: string): [string | null, number] {
    TARGET.lastIndex = at;
    const direct = TARGET.exec(this.#text);
    if (direct !== null) return [direct[1] ?? '', at + direct[0].length];
    let [name, end] = [words, at];
    if (this.#text[at] === '[') {
      const close = this.#text.indexOf(']', at);
      if (close !== -1) [name, end] = [this.#text.slice(at + 1, close) || words, close + 1];
    }
    return [this.#known.get(name.trim().toLowerCase()) ?? null, end];
  }

  #address(): boolean {
    const angled = this.#match(ANGLED);
    const found = angled?.[1] ?? this.#match(BARE)?.[0].replace(/[.,;:!?]+$/, '');
    if (found === undefined) return false;
    const href = linkTarget(found);
    if (href === null) return false;
    this.#push({ kind: 'link', href, of: [{ kind: 'text', text: found }] }, this.#at + (angled?.[0].length ?? found.length));
    return true;
  }

  #mark(): boolean {
    for (const [mark, kind] of MARKS) {
      if (!this.#text.startsWith(mark, this.#at)) continue;
      const begin = this.#at + mark.length;
      const end = this.#depth < MAX_DEPTH && this.#opens(mark, begin) ? this.#ending(mark, begin) : -1;
      if (end === -1) continue;
      this.#push({ kind, of: this.#inner(this.#text.slice(begin, end)) }, end + mark.length);
      return true;
    }
    return false;
  }

  /** A delimiter opens before a word; `_` inside a word belongs to the word. */
  #opens(mark: string, begin: number): boolean {
    const next = this.#text[begin];
    if (next === undefined || /\s/.test(next)) return false;
    return !mark.startsWith('_') || !/\w/.test(this.#text[begin - mark.length - 1] ?? ' ');
  }

  #ending(mark: string, begin: number): number {
    if (this.#alone.has(mark)) return -1;
    for (let at = this.#text.indexOf(mark, begin + 1); at !== -1; at = this.#text.indexOf(mark, at + 1)) {
      const before = this.#text[at - 1] ?? ' ';
      const after = this.#text[at + mark.length] ?? ' ';
      const longer = mark.length === 1 && (before === mark || after === mark);
      if (/\s/.test(before) || longer || before === '\\') continue;
      if (mark.startsWith('_') && /\w/.test(after)) continue;
      return at;
    }
    this.#alone.add(mark);
    return -1;
  }

  #end(): boolean {
    if (this.#text[this.#at] !== '\n') return false;
    const hard = this.#plain.endsWith('  ') || this.#plain.endsWith('\\');
    if (!hard) return false;
    this.#plain = this.#plain.replace(/(?: +|\\)$/, '');
    this.#push({ kind: 'break' }, this.#at + 1);
    return true;
  }

  #inner(text: string): Inline[] {
    return this.#depth < MAX_DEPTH ? new InlineParser(text, this.#known, this.#depth + 1).read() : [{ kind: 'text', text }];
  }

  #words(text: string, end: number): void {
    this.#plain += text;
    this.#at = end;
  }

  #match(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.#at;
    return pattern.exec(this.#text);
  }

  #push(inline: Inline, end: number): void {
    this.#flush();
    this.#out.push(inline);
    this.#at = end;
  }

  #flush(): void {
    if (this.#plain !== '') this.#out.push({ kind: 'text', text: this.#plain });
    this.#plain = '';
  }
}
