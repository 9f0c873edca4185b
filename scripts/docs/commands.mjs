// Finds the commands in the documentation, and says what the built program does not know of them.

import { spawnSync } from 'node:child_process';

import { Marked } from 'marked';

/** Commands whose words after `--` are options of `holm run`. */
const PASS_ON_TO_RUN = ['serve', 'acp', 'mcp-server'];

/** Lines of a block, with continued lines joined. Prose after three spaces and comments are not part of a command. */
function commandLines(text) {
  return text.replaceAll(/\\\n\s*/g, ' ').split('\n').map((line) => line.replace(/\s{3,}\S.*$/, (rest, at) => (at === 0 ? rest : '')).trim());
}

/** Code blocks without a language, and those of shells. */
const SHELL = ['', undefined, 'sh', 'text', 'bash'];

/** Code in the tokens: blocks in one of these languages by line, and code in sentences. */
export function codeOf(tokens, languages = SHELL) {
  const found = [];
  new Marked().walkTokens(tokens, (token) => {
    if (token.type === 'code' && languages.includes(token.lang)) {
      // A here-document is a file, not a command.
      found.push(...commandLines(token.text.replaceAll(/<<'?(\w+)'?\n[^]*?\n\1\b/g, '')));
    } else if (token.type === 'codespan') {
      found.push(plain(token.text));
    }
  });
  return found;
}

const plain = (text) => text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&quot;', '"').replaceAll('&#39;', "'").replaceAll('&amp;', '&');

/** Code in sentences. */
export function spansOf(tokens) {
  const found = [];
  new Marked().walkTokens(tokens, (token) => {
    if (token.type === 'codespan') found.push(plain(token.text));
  });
  return found;
}

/** The words of a shell command up to its end: a pipe, a redirection, a comment. */
export function wordsOf(line) {
  const words = [];
  let rest = line.trim();
  while (rest !== '') {
    const match = /^(?:"(?:[^"\\]|\\.)*"|'[^']*'|\\.|[^\s"'|;&>#\\]|(?<=\S)#)+/.exec(rest);
    if (match === null) break;
    words.push(match[0].replaceAll(/^["']|["']$/g, ''));
    rest = rest.slice(match[0].length).trimStart();
  }
  return words;
}

/** The `holm` commands in a line of code: behind a prompt, variables or a pipe. */
export function holmCommands(line) {
  const found = [];
  for (const part of line.replace(/^\$ /, '').split(/\s\|\s|&&|;\s/)) {
    const words = wordsOf(part.trim());
    while (words.length > 0 && /^[A-Z_]+=/.test(words[0])) words.shift();
    if (words[0] === 'holm') found.push(words.slice(1));
  }
  return found;
}

/** What the built program says of its commands, asked once for each. */
export class CommandHelp {
  #program;
  #known = new Map();

  constructor(program) {
    this.#program = program;
  }

  /** The subcommands and flags of a command. */
  of(path) {
    const key = path.join(' ');
    if (!this.#known.has(key)) {
      const print = (flag) => spawnSync(this.#program, [...path, flag], { encoding: 'utf8', env: { PATH: process.env.PATH, HOME: '/nonexistent' } });
      // Commands with many flags show all of them only there.
      const all = print('--help-all');
      const done = all.status === 0 ? all : print('--help');
      if (done.status !== 0) throw new Error(`${this.#program} ${key} --help: ${done.error ?? done.stderr}`);
      const listed = /^Commands:\n((?: .*\n)+)/m.exec(done.stdout)?.[1] ?? '';
      const commands = [...listed.matchAll(/^ {2}([a-z][\w-]*)(?: |$)/gm)].map((match) => match[1]);
      const flags = [...done.stdout.matchAll(/^ +(?:(-\w), )?(--[\w-]+)/gm)].flatMap((match) => [match[1], match[2]]);
      // The values that an argument beside the commands may have.
      const values = new Set([...done.stdout.matchAll(/^ +- ([a-z][\w-]*): /gm)].map((match) => match[1]));
      this.#known.set(key, { commands, values, flags: new Set([...flags.filter(Boolean), '-h', '--help', '--help-all', '-V', '--version']) });
    }
    return this.#known.get(key);
  }

  /** The flags of all commands, at any depth. */
  allFlags(path = []) {
    const { commands, flags } = this.of(path);
    const below = commands.filter((name) => name !== 'help').flatMap((name) => [...this.allFlags([...path, name])]);
    return new Set([...flags, ...below]);
  }

  /** What is wrong with a command, or nothing. */
  problem(words) {
    const path = [];
    for (let at = 0; at < words.length; at += 1) {
      const word = words[at];
      const { commands, flags, values } = this.of(path);
      if (word === '--') return PASS_ON_TO_RUN.includes(path[0]) ? this.#problemOfFlags(['run'], words.slice(at + 1)) : null;
      if (word.startsWith('-') && word !== '-') {
        const name = word.split('=')[0];
        if (/^--?[a-zA-Z][\w-]*$/.test(name) && !flags.has(name)) return `\`holm ${path.join(' ')}\` has no flag ${name}`;
      } else if (commands.includes(word)) {
        path.push(word);
      } else if (commands.length > 0 && !values.has(word) && /^[a-z][a-z-]*$/.test(word) && (at === 0 || !words[at - 1].startsWith('-'))) {
        return `\`holm ${path.join(' ')}\` has no command ${word}`;
      }
    }
    return null;
  }

  #problemOfFlags(path, words) {
    const wrong = words.find((word) => /^--[a-z][\w-]*/.test(word) && !this.of(path).flags.has(word.split('=')[0]));
    return wrong === undefined ? null : `\`holm ${path.join(' ')}\` has no flag ${wrong}`;
  }
}
