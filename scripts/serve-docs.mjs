// Serves the repository's Markdown as pages, and its other files as text. Only what git knows is given out, on loopback alone.

import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { posix } from 'node:path';

import { markdown } from '../dashboard/.test/src/core/markdown.js';

const port = Number(process.argv[2] ?? 3000);
if (!Number.isInteger(port) || port < 0 || port > 65_535) {
  console.error(`error: ${process.argv[2]} is no port\n  hint: PORT=3001 make serve-docs`);
  process.exit(2);
}
const tracked = execFileSync('git', ['ls-files', '-z'], { maxBuffer: 64 * 1024 * 1024 }).toString().split('\0');
const files = new Set(tracked.filter((file) => file !== ''));
const docs = tracked.filter((file) => /^docs\/[^/]+\.md$/.test(file));
const first = ['README.md', 'CONTRIBUTING.md', 'SECURITY.md', 'CHANGELOG.md'].filter((file) => files.has(file));

const POLICY = "default-src 'none'; style-src 'sha256-HASH'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
const STYLE = `:root { color-scheme: light dark; } body { font: 16px/1.6 system-ui, sans-serif; margin: 0; display: grid; grid-template-columns: 15rem minmax(0, 46rem); gap: 2rem; padding: 1.5rem; }
nav a { display: block; padding: 0.1rem 0; } pre { overflow: auto; padding: 0.8rem; border: 1px solid #8888; border-radius: 0.4rem; } code { font-size: 0.92em; }
table { border-collapse: collapse; display: block; overflow: auto; } th, td { border-bottom: 1px solid #8888; padding: 0.3rem 0.6rem; text-align: left; vertical-align: top; }
@media (max-width: 48rem) { body { display: block; } }`;

const escaped = (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

function inline(of) {
  switch (of.kind) {
    case 'text': return escaped(of.text);
    case 'code': return `<code>${escaped(of.text)}</code>`;
    case 'strong': case 'em': case 'del': return `<${of.kind}>${of.of.map(inline).join('')}</${of.kind}>`;
    case 'link': return `<a href="${escaped(of.href)}">${of.of.map(inline).join('')}</a>`;
    case 'picture': return of.href === null ? escaped(of.alt) : `<a href="${escaped(of.href)}">${escaped(of.alt)}</a>`;
    case 'break': return '<br>';
    default: throw new Error(`no way to draw ${of.kind}`);
  }
}

function block(of) {
  const cells = (tag, row) => row.map((cell) => `<${tag}>${cell.map(inline).join('')}</${tag}>`).join('');
  switch (of.kind) {
    case 'paragraph': return `<p>${of.of.map(inline).join('')}</p>`;
    case 'heading': return `<h${of.level}>${of.of.map(inline).join('')}</h${of.level}>`;
    case 'code': return `<pre><code>${escaped(of.text)}</code></pre>`;
    case 'quote': return `<blockquote>${of.of.map(block).join('')}</blockquote>`;
    case 'list': return `<${of.ordered ? 'ol' : 'ul'}>${of.items.map((item) => `<li>${item.blocks.map(block).join('')}</li>`).join('')}</${of.ordered ? 'ol' : 'ul'}>`;
    case 'table': return `<table><thead><tr>${cells('th', of.head)}</tr></thead><tbody>${of.rows.map((row) => `<tr>${cells('td', row)}</tr>`).join('')}</tbody></table>`;
    case 'rule': return '<hr>';
    default: throw new Error(`no way to draw ${of.kind}`);
  }
}

/** Links of a page to its neighbours, made whole: the reader of Markdown takes whole addresses alone. */
function linked(text, file, host) {
  return text.replaceAll(/\]\((?![a-z]+:)([^)\s]+)\)/g, (whole, target) => {
    const [path, place] = target.split('#');
    const at = path === '' ? file : posix.normalize(posix.join(posix.dirname(file), path));
    return at.startsWith('..') ? whole : `](http://${host}/${at}${place === undefined ? '' : `#${place}`})`;
  });
}

function page(file, host) {
  const menu = [...first, ...docs].map((one) => `<a href="/${one}"${one === file ? ' aria-current="page"' : ''}>${escaped(one.replace(/^docs\/|\.md$/g, ''))}</a>`).join('');
  const body = markdown(linked(readFileSync(file, 'utf8'), file, host)).map(block).join('\n');
  return `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escaped(file)}</title><style>${STYLE}</style><nav aria-label="Pages">${menu}</nav><main>${body}</main></html>`;
}

const policy = POLICY.replace('HASH', createHash('sha256').update(STYLE).digest('base64'));

const server = createServer((request, response) => {
  const own = [`127.0.0.1:${server.address().port}`, `localhost:${server.address().port}`];
  const host = request.headers.host ?? '';
  const answer = (status, type, body) => response.writeHead(status, { 'content-type': `${type}; charset=utf-8`, 'content-security-policy': policy, 'x-content-type-options': 'nosniff' }).end(body);
  if (!own.includes(host)) return answer(421, 'text/plain', 'another name is meant\n');
  const asked = new URL(request.url ?? '/', `http://${host}`).pathname;
  let file;
  try {
    file = asked === '/' ? 'README.md' : decodeURIComponent(asked.slice(1));
  } catch {
    return answer(400, 'text/plain', 'this is no path\n');
  }
  if (!files.has(file)) return answer(404, 'text/plain', `${file} is not in the repository\n`);
  try {
    return file.endsWith('.md') ? answer(200, 'text/html', page(file, host)) : answer(200, 'text/plain', readFileSync(file));
  } catch (error) {
    return answer(500, 'text/plain', `${file} cannot be shown: ${error.message}\n`);
  }
});
server.on('error', (error) => {
  console.error(`error: ${error.message}\n  hint: PORT=3001 make serve-docs`);
  process.exit(1);
});
// Ctrl-C is how it ends, and no failure. Connections that browsers keep open do not hold it up.
for (const signal of ['SIGINT', 'SIGTERM']) {
  process.on(signal, () => {
    server.close(() => process.exit(0));
    server.closeAllConnections();
  });
}
server.listen(port, '127.0.0.1', () => console.log(`the documentation is at http://127.0.0.1:${server.address().port}/ (Ctrl-C ends it)`));
