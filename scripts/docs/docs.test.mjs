// The documentation as a whole: its order, its links, its commands, its figures, its pictures. HOLM_BIN is the built command.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, posix } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import vm from 'node:vm';

import { CommandHelp, codeOf, holmCommands, spansOf } from './commands.mjs';
import { INDEX, buildSite, siteName } from './site.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '../..');

/** The five parts, each with the pages that a reader looks for first, in this order. */
const PARTS = {
  Start: ['install.md', 'tour.md', 'coming-from.md', 'faq.md', 'troubleshooting.md'],
  Use: ['chat.md', 'run.md', 'sessions.md', 'undo.md', 'permissions.md', 'models.md', 'mcp.md', 'skills.md', 'hooks.md', 'settings.md'],
  Build: ['library.md', 'tools.md', 'guests.md', '../packages/holm/README.md', 'browser.md', 'edge.md', 'python.md'],
  'Run for a team': ['server.md', 'dashboard.md', 'jobs.md', 'scaling.md', 'backup.md', 'ci.md'],
  Trust: ['threat-model.md', 'specification.md', '../attacks/README.md', 'stability.md'],
};

/** Words that readers stumble over; a noun says it better: the caller, the user, another process. */
const ODD_WORDS = /\b(?:whoever|somebody|nobody|whatever|those who|that which|it is looked|are others)\b/i;

/** Flags of other programs that pages name. */
const FOREIGN_FLAGS = ['--second', '--no-default-features', '--part', '--unstable-kv', '--full-auto', '--dangerously-skip-permissions', '--yolo'];

/** A picture that is larger slows the front page down. */
const MAX_PICTURE_BYTES = 150 * 1024;

let folder;
let site;
before(() => {
  folder = mkdtempSync(join(tmpdir(), 'holm-docs-'));
  mkdirSync(join(folder, 'doc/holm'), { recursive: true });
  writeFileSync(join(folder, 'doc/holm/index.html'), '<title>holm</title>');
  site = buildSite({ root, out: join(folder, 'site'), api: join(folder, 'doc') });
});
after(() => rmSync(folder, { recursive: true, force: true }));

const read = (path) => readFileSync(join(root, path), 'utf8');
const html = () => readdirSync(join(folder, 'site'), { recursive: true }).filter((path) => path.endsWith('.html') && !path.startsWith('api/'));

test('the index has five parts in order, each with its pages', () => {
  const named = site.parts.map(({ name }) => name);
  assert.deepEqual(named, Object.keys(PARTS));
  for (const { name, pages } of site.parts) {
    const paths = pages.map(({ path }) => path);
    const places = PARTS[name].map((page) => paths.indexOf(posix.normalize(posix.join('docs', page))));
    assert.ok(!places.includes(-1), `${name} lacks ${PARTS[name][places.indexOf(-1)]}`);
    assert.deepEqual(places, [...places].sort((a, b) => a - b), `${name}: ${paths}`);
  }
});

test('every page of docs is in the index once', () => {
  const listed = site.parts.flatMap(({ pages }) => pages.map(({ path }) => path)).filter((path) => path.startsWith('docs/'));
  const pages = readdirSync(join(root, 'docs')).filter((name) => name.endsWith('.md')).map((name) => `docs/${name}`).filter((path) => path !== INDEX);
  assert.deepEqual(listed.sort(), pages.sort());
});

test('every page has a title and is in the search index', () => {
  const indexed = new Set(site.entries.map(({ page }) => page));
  for (const page of site.pages.values()) {
    assert.ok(indexed.has(siteName(page.path)), `${page.path} is not in the search index`);
    assert.notEqual(page.title, page.path, `${page.path} has no title`);
  }
});

test('every link of the built site leads to a page, and every anchor to a heading', () => {
  const anchors = new Map();
  const anchorsOf = (path) => {
    if (!anchors.has(path)) anchors.set(path, new Set([...readFileSync(path, 'utf8').matchAll(/ id="([^"]*)"/g)].map((match) => match[1])));
    return anchors.get(path);
  };
  const broken = [];
  let links = 0;
  for (const page of html()) {
    const body = readFileSync(join(folder, 'site', page), 'utf8').replaceAll(/<pre>[^]*?<\/pre>/g, '');
    for (const [, href] of body.matchAll(/ (?:href|src)="([^"]*)"/g)) {
      if (/^(?:https?|mailto|data):/.test(href)) continue;
      links += 1;
      const [path, anchor = ''] = href.split('#');
      const target = join(folder, 'site', path === '' ? page : posix.join(posix.dirname(page), decodeURIComponent(path)));
      if (!existsSync(target) || !statSync(target).isFile()) broken.push(`${page}: ${href}`);
      else if (anchor !== '' && !anchorsOf(target).has(anchor)) broken.push(`${page}: ${href} (no such heading)`);
    }
  }
  assert.ok(links > 2000, `only ${links} links were found`);
  assert.deepEqual(broken, []);
});

test('the site loads nothing from other hosts', () => {
  for (const page of html()) {
    const body = readFileSync(join(folder, 'site', page), 'utf8');
    const loaded = [...body.matchAll(/<(?:script|img|link|iframe)[^>]* (?:src|href)="([^"]*)"/g)].map((match) => match[1]);
    assert.deepEqual(loaded.filter((address) => /^(?:[a-z]+:)?\/\//.test(address)), [], page);
  }
});

test('the menu leads to the pages of cargo doc if they are there', () => {
  assert.match(readFileSync(join(folder, 'site/docs/chat.html'), 'utf8'), /href="\.\.\/api\/holm\/index\.html"/);
  const alone = join(folder, 'alone');
  buildSite({ root, out: alone });
  assert.ok(!readFileSync(join(alone, 'docs/chat.html'), 'utf8').includes('api/holm'));
});

test('the search finds pages by the words of a question', () => {
  const context = vm.createContext({ window: {} });
  vm.runInContext(readFileSync(join(folder, 'site/search-index.js'), 'utf8'), context);
  vm.runInContext(readFileSync(join(folder, 'site/search.js'), 'utf8'), context);
  const first = (query) => vm.runInContext(`holmSearch(window.holmIndex, ${JSON.stringify(query)}, 5)`, context).map(({ page }) => page);
  assert.ok(first('undo files').includes('docs/undo.html'), first('undo files').join());
  assert.ok(first('restore backup').includes('docs/backup.html'), first('restore backup').join());
  assert.ok(first('coming from claude').includes('docs/coming-from.html'), first('coming from claude').join());
  assert.equal(first('xyzzyplugh').length, 0);
});

test('every holm command in the documentation exists, with its flags', () => {
  const help = new CommandHelp(program());
  const [wrong, seen] = [[], new Set()];
  for (const page of site.pages.values()) {
    // The changelog names commands as they were.
    if (page.path === 'CHANGELOG.md') continue;
    for (const code of codeOf(page.tokens)) {
      for (const words of holmCommands(code)) {
        seen.add(words[0]);
        const problem = help.problem(words);
        if (problem !== null) wrong.push(`${page.path}: holm ${words.join(' ')}: ${problem}`);
      }
    }
  }
  assert.ok(seen.size > 25, `only these were found: ${[...seen]}`);
  assert.deepEqual(wrong, []);
});

test('a wrong command is noticed, wherever it stands', () => {
  const help = new CommandHelp(program());
  const problems = (line) => holmCommands(line).map((words) => help.problem(words));
  assert.deepEqual(problems("$ KEY=a holm run -p 'a | b' --grant 'read:**' | holm extract --text - --target email   # fine"), [null, null]);
  assert.deepEqual(problems('holm serve --listen 127.0.0.1:0 -- --model a/b'), [null]);
  assert.deepEqual(problems('holm mcp add time -- uvx --any-flag'), [null]);
  assert.match(problems('holm runn -p hello')[0], /no command runn/);
  assert.match(problems('holm session lsit')[0], /no command lsit/);
  assert.match(problems('cat a | holm run --grnt read:a')[0], /no flag --grnt/);
  assert.match(problems('holm serve -- --modle a/b')[0], /no flag --modle/);
});

test('every command is explained somewhere', () => {
  const text = [...site.pages.values()].filter(({ path }) => path !== 'CHANGELOG.md').flatMap((page) => codeOf(page.tokens)).join('\n');
  const missing = new CommandHelp(program()).of([]).commands.filter((name) => name !== 'help' && !text.includes(`holm ${name}`));
  assert.deepEqual(missing, []);
});

test('the exit codes on the page about holm run are those of the program', () => {
  const help = execFileSync(program(), ['--help'], { encoding: 'utf8' });
  const own = [...help.slice(help.indexOf('Exit codes:')).matchAll(/^ {2}(\d+) /gm)].map((match) => match[1]);
  const section = read('docs/run.md').split('## Exit codes')[1];
  assert.ok(own.length > 5, help);
  assert.deepEqual([...section.matchAll(/^\| (\d+) \|/gm)].map((match) => match[1]), own);
});

test('every flag in a sentence belongs to a command', () => {
  const help = new CommandHelp(program());
  const flags = help.allFlags();
  const wrong = [];
  for (const page of site.pages.values()) {
    if (!page.path.startsWith('docs/') && page.path !== 'README.md') continue;
    for (const code of spansOf(page.tokens)) {
      const flag = /^(--[a-z][\w-]*)/.exec(code)?.[1];
      if (flag !== undefined && !flags.has(flag) && !FOREIGN_FLAGS.includes(flag)) wrong.push(`${page.path}: ${flag}`);
    }
  }
  assert.deepEqual(wrong, []);
});

test('every make target and script in the documentation exists', () => {
  const targets = new Set([...read('Makefile').matchAll(/^([a-z-]+):/gm)].map((match) => match[1]));
  const wrong = [];
  for (const page of site.pages.values()) {
    if (page.path === 'CHANGELOG.md') continue;
    for (const code of codeOf(page.tokens)) {
      const target = /^(?:\$ )?(?:[A-Z_]+=\S+ )*make ([a-z-]+)(?: |$)/.exec(code)?.[1];
      if (target !== undefined && !targets.has(target)) wrong.push(`${page.path}: make ${target}`);
      const script = /^(?:\$ )?(?:[A-Z_]+=\S+ )*(scripts\/[\w.-]+)/.exec(code)?.[1];
      if (script !== undefined && !existsSync(join(root, script))) wrong.push(`${page.path}: ${script}`);
    }
  }
  assert.deepEqual(wrong, []);
});

test('every Rust type in the documentation exists', () => {
  const sources = execFileSync('git', ['grep', '-hoE', '(struct|enum|trait|type|impl) [A-Za-z_]+', '--', 'crates/*.rs'], { cwd: root, maxBuffer: 64 * 1024 * 1024 });
  const types = new Set(sources.toString().match(/\w+/g));
  const wrong = [];
  for (const page of site.pages.values()) {
    if (!page.path.startsWith('docs/')) continue;
    for (const code of codeOf(page.tokens, ['rust', 'rust,ignore'])) {
      for (const [, name] of code.matchAll(/\b([A-Z]\w*[a-z]\w*)::/g)) {
        if (!types.has(name)) wrong.push(`${page.path}: ${name}`);
      }
    }
  }
  assert.deepEqual(wrong, []);
});

test('the table of providers is the one that the program has', () => {
  const services = JSON.parse(read('crates/holm-wire/data/services.json'));
  const expected = (services.services ?? services).map(({ id, keys }) => `| \`${id}\` | ${keys.map((key) => `\`${key}\``).join(', ')} |`);
  const rows = read('docs/models.md').split('\n').filter((line) => /^\| `[\w-]+` \| `[A-Z]/.test(line));
  assert.deepEqual(rows.sort(), expected.sort());
});

test('the README is short, and each of its figures stands in the page that it links to', () => {
  const readme = read('README.md');
  const lines = readme.trimEnd().split('\n').length;
  assert.ok(lines >= 100 && lines <= 135, `it has ${lines} lines`);
  const why = readme.slice(readme.indexOf('\n## Why Holm'), readme.indexOf('\n## Coming from'));
  const rows = why.split('\n').filter((line) => line.startsWith('|')).slice(2);
  assert.equal(rows.length, 6, rows.join('\n'));
  for (const row of rows) {
    const [, , own, others, how] = row.split('|');
    const links = [...how.matchAll(/\]\(([^)#]+)/g)].map((match) => read(match[1]));
    assert.equal(links.length, 2, `a benchmark and a result: ${row}`);
    for (const [figure] of `${own} ${others}`.matchAll(/\d[\d,.]*\d|\d/g)) {
      assert.ok(links.some((text) => text.includes(figure)), `${figure} of ${row}`);
    }
  }
});

test('no page says nobody, somebody, whoever or whatever', () => {
  const odd = [];
  for (const page of site.pages.values()) {
    if (page.path === 'CHANGELOG.md') continue;
    for (const { heading, text } of page.sections) {
      // Quoted words are those of a program.
      const words = ODD_WORDS.exec(`${heading} ${text.replaceAll(/"[^"]*"/g, '')}`);
      if (words !== null) odd.push(`${page.path}, ${heading}: ${words[0]}`);
    }
  }
  assert.deepEqual(odd, []);
});

test('every picture is shown somewhere and is small', () => {
  const shown = [...site.files];
  for (const name of readdirSync(join(root, 'docs/pictures'))) {
    assert.ok(shown.includes(`docs/pictures/${name}`), `no page shows ${name}`);
    const size = statSync(join(root, 'docs/pictures', name)).size;
    assert.ok(size < MAX_PICTURE_BYTES, `${name} has ${size} bytes`);
  }
});

function program() {
  const path = process.env.HOLM_BIN ?? join(process.env.CARGO_TARGET_DIR ?? join(root, 'target'), 'debug/holm');
  if (!existsSync(path)) throw new Error(`${path} is missing; build it with \`cargo build -p holm-cli --bin holm\`, or set HOLM_BIN`);
  return path;
}
