// Builds the documentation site: every page that docs/ and the README lead to, a search index, and the
// files they link to. Links stay relative, so the site works from any folder, and without a server.

import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';

import { Marked } from 'marked';

const HERE = dirname(fileURLToPath(import.meta.url));

/** The page that lists all others by task. */
export const INDEX = 'docs/README.md';

/** Linked files above this size would only slow the site down; the link then leads to the folder. */
const MAX_SOURCE_BYTES = 512 * 1024;

/** Markup that pages may use. Anything else in angle brackets is text, such as `<name>`. */
const ALLOWED_MARKUP = /^<(?:!--|\/?(?:img|p|br|sub|sup|details|summary)\b)/i;

const PICTURE = /\.(?:svg|png|jpe?g|gif|webp)$/i;

const escapeHtml = (text) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

/** The anchor of a heading, as GitHub makes it, so that one link works in both places. */
export function slugOf(text, taken = new Map()) {
  const plain = text.toLowerCase().replaceAll(/<[^>]*>/g, '');
  const slug = plain.replaceAll(/[^\p{L}\p{N}\s_-]/gu, '').trim().replaceAll(/\s/g, '-');
  const count = taken.get(slug) ?? 0;
  taken.set(slug, count + 1);
  return count === 0 ? slug : `${slug}-${count}`;
}

/** Where a file of the repository stands in the site. */
export function siteName(path) {
  if (path.endsWith('.md')) return path.replace(/\.md$/, '.html');
  if (PICTURE.test(path)) return path;
  return `${path}.html`;
}

/** Plain text of tokens, for titles, anchors and the search index. */
function plainText(tokens) {
  return (tokens ?? [])
    .map((token) => {
      if (token.type === 'table') return [...token.header, ...token.rows.flat()].map((cell) => plainText(cell.tokens)).join(' ');
      if (token.type === 'list') return token.items.map((item) => plainText(item.tokens)).join(' ');
      if (token.type === 'html' || token.type === 'space') return ' ';
      if (token.type === 'image') return token.text;
      return token.tokens === undefined ? (token.text ?? '') : plainText(token.tokens);
    })
    .join(separatorOf(tokens));
}

// Blocks are separate words; parts of one line are not.
function separatorOf(tokens) {
  return tokens?.some((token) => ['paragraph', 'code', 'table', 'list', 'heading'].includes(token.type)) ? ' ' : '';
}

/** One Markdown file: its tokens, its title, and its sections with their anchors and words. */
export function readPage(root, path) {
  const marked = new Marked({ gfm: true });
  const tokens = marked.lexer(readFileSync(join(root, path), 'utf8'));
  const taken = new Map();
  const sections = [{ heading: '', anchor: '', text: '' }];
  let title = null;
  for (const token of tokens) {
    if (token.type === 'heading') {
      const heading = plainText(token.tokens);
      token.anchor = slugOf(heading, taken);
      title ??= heading;
      sections.push({ heading, anchor: token.anchor, text: '' });
    } else {
      sections.at(-1).text += ` ${plainText([token])}`;
    }
  }
  const clean = sections.map((section) => ({ ...section, text: section.text.replaceAll(/\s+/g, ' ').trim() }));
  // A page of rustdoc begins with a sentence instead of a heading: its subject is the title.
  const [lead] = tokens.filter((token) => token.type !== 'space');
  if (lead?.type === 'paragraph') title = plainText(lead.tokens).split(':')[0];
  return { path, title: title ?? path, tokens, sections: clean.filter((section) => section.heading !== '' || section.text !== '') };
}

/** A link of a page: the file of the repository that it leads to, or nothing for an address. */
export function targetOf(page, href) {
  if (/^[a-z][a-z+.-]*:|^\/\/|::/i.test(href)) return null;
  const [path, anchor = ''] = href.split('#');
  const target = path === '' ? page : posix.normalize(posix.join(posix.dirname(page), decodeURIComponent(path)));
  return { path: target.replace(/\/$/, ''), anchor };
}

/** Every link and picture of tokens, at any depth. */
function linksOf(tokens) {
  const found = [];
  new Marked().walkTokens(tokens, (token) => {
    if (token.type === 'link' || token.type === 'image') found.push(token);
  });
  return found;
}

/** The parts of the index in order, each with its pages: the menu of every page. */
export function readParts(index) {
  const parts = [];
  for (const token of index.tokens) {
    if (token.type === 'heading' && token.depth === 2) parts.push({ name: plainText(token.tokens), pages: [] });
    else if (parts.length > 0) {
      for (const link of linksOf([token])) {
        const target = targetOf(index.path, link.href);
        if (target !== null) parts.at(-1).pages.push({ ...target, label: plainText(link.tokens) });
      }
    }
  }
  return parts;
}

/** All pages that docs/ and the files at the root lead to. */
function collectPages(root) {
  const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], { cwd: root, maxBuffer: 64 * 1024 * 1024 });
  const known = listed.toString().split('\0').filter((path) => path !== '' && existsSync(join(root, path)));
  const queue = known.filter((path) => /^(?:docs\/)?[^/]+\.md$/.test(path));
  const [pages, files] = [new Map(), new Set()];
  while (queue.length > 0) {
    const path = queue.pop();
    if (pages.has(path)) continue;
    const page = readPage(root, path);
    pages.set(path, page);
    for (const link of linksOf(page.tokens)) {
      const target = targetOf(path, link.href);
      if (target === null || target.path.startsWith('..') || !existsSync(join(root, target.path))) continue;
      const folder = statSync(join(root, target.path)).isDirectory();
      if (folder && existsSync(join(root, target.path, 'README.md'))) queue.push(posix.join(target.path, 'README.md'));
      else if (target.path.endsWith('.md')) queue.push(target.path);
      else files.add(target.path);
    }
  }
  return { pages, files };
}

/** Where a link of a page leads within the site. A target that is missing stays missing, for the test to find. */
function siteLink(root, page, href) {
  const target = targetOf(page, href);
  if (target === null) return href;
  const at = join(root, target.path);
  const folder = existsSync(at) && statSync(at).isDirectory();
  const path = folder && existsSync(join(at, 'README.md')) ? posix.join(target.path, 'README.md') : target.path;
  const relative = path === page ? '' : posix.relative(posix.dirname(siteName(page)), siteName(path));
  return `${relative}${target.anchor === '' ? '' : `#${target.anchor}`}` || '#';
}

function renderBody(root, page) {
  const marked = new Marked({
    gfm: true,
    renderer: {
      heading(token) {
        const text = this.parser.parseInline(token.tokens);
        return `<h${token.depth} id="${token.anchor}"><a class="anchor" href="#${token.anchor}">${text}</a></h${token.depth}>\n`;
      },
      link(token) {
        const text = this.parser.parseInline(token.tokens);
        // Paths of rustdoc, which only `cargo doc` can follow.
        return token.href.includes('::') ? text : `<a href="${escapeHtml(token.href)}">${text}</a>`;
      },
      html(token) {
        return ALLOWED_MARKUP.test(token.text.trim()) ? token.text : escapeHtml(token.text);
      },
    },
  });
  const tokens = structuredClone(page.tokens);
  for (const link of linksOf(tokens)) link.href = siteLink(root, page.path, link.href);
  return marked.parser(tokens);
}

function renderMenu(parts, current, base, api) {
  const items = parts.map((part) => {
    const links = part.pages.map(({ path, anchor, label }) => {
      const here = path === current && anchor === '' ? ' aria-current="page"' : '';
      return `<li><a href="${base}${siteName(path)}${anchor === '' ? '' : `#${anchor}`}"${here}>${escapeHtml(label)}</a></li>`;
    });
    return `<h2>${escapeHtml(part.name)}</h2><ul>${links.join('')}</ul>`;
  });
  const more = api ? `<h2>API</h2><ul><li><a href="${base}api/holm/index.html">cargo doc</a></li></ul>` : '';
  return `${items.join('')}${more}`;
}

function renderPage({ title, path, body, parts, api }) {
  const base = '../'.repeat(path.split('/').length - 1);
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)} · Holm</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${base}site.css">
<a class="skip" href="#content">Skip to the text</a>
<header>
<a class="home" href="${base}index.html">Holm</a>
<form role="search" class="search"><input id="search" type="search" placeholder="Search" aria-label="Search the documentation" autocomplete="off"><ol id="results" hidden></ol></form>
</header>
<nav aria-label="Documentation">${renderMenu(parts, path, base, api)}</nav>
<main id="content">
${body}
</main>
<script>window.holmBase = ${JSON.stringify(base)};</script>
<script src="${base}search-index.js"></script>
<script src="${base}search.js"></script>
</html>
`;
}

/** Builds the site into `out`. `api` is a folder that `cargo doc` wrote; the site then links to it. */
export function buildSite({ root, out, api = null }) {
  const { pages, files } = collectPages(root);
  const index = pages.get(INDEX);
  if (index === undefined) throw new Error(`${INDEX} is missing`);
  const parts = readParts(index);
  rmSync(out, { recursive: true, force: true });
  const write = (path, text) => {
    mkdirSync(dirname(join(out, path)), { recursive: true });
    writeFileSync(join(out, path), text);
  };
  const render = (path, title, body) => renderPage({ title, path, body, parts, api: api !== null });
  for (const page of pages.values()) write(siteName(page.path), render(page.path, page.title, renderBody(root, page)));
  for (const path of files) {
    if (PICTURE.test(path)) write(path, readFileSync(join(root, path)));
    else write(siteName(path), render(path, path, renderSource(root, path)));
  }
  write('index.html', '<!doctype html><meta charset="utf-8"><title>Holm</title><meta http-equiv="refresh" content="0; url=docs/README.html"><a href="docs/README.html">Documentation of Holm</a>\n');
  const entries = [...pages.values()].sort((a, b) => a.path.localeCompare(b.path)).flatMap((page) =>
    page.sections.map((section) => ({ page: siteName(page.path), title: page.title, ...section })),
  );
  write('search-index.js', `window.holmIndex = ${JSON.stringify(entries)};\n`);
  for (const file of ['site.css', 'search.js']) write(file, readFileSync(join(HERE, file)));
  if (api !== null) cpSync(api, join(out, 'api'), { recursive: true });
  return { pages, files, parts, entries };
}

/** A linked file that is not Markdown: its text, or the names in a folder. */
function renderSource(root, path) {
  const at = join(root, path);
  const title = `<h1>${escapeHtml(path)}</h1>`;
  if (statSync(at).isDirectory()) return `${title}<pre>${escapeHtml(readdirSync(at).sort().join('\n'))}</pre>`;
  if (statSync(at).size > MAX_SOURCE_BYTES) return `${title}<p>This file is too large to show here.</p>`;
  return `${title}<pre><code>${escapeHtml(readFileSync(at, 'utf8'))}</code></pre>`;
}
