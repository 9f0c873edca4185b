// Reads the tables of docs/coverage.md, and finds the tests that they name.

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The head of every table of claims. */
const HEAD = ['claim', 'in Holm', 'test or reason'];

/** What a row can say about Holm. */
export const ANSWERS = ['yes', 'differs', 'no'];

/** Folders of the root with tests. Every other file is below `crates/`. */
const OUTSIDE_CRATES = ['dashboard/', 'guests/', 'packages/', 'scripts/'];

/** The rows of all tables of claims, each with its section. */
export function coverageRows(page) {
  const rows = [];
  let section = '';
  let inClaims = false;
  for (const line of page.split('\n')) {
    if (line.startsWith('## ')) section = line.slice(3);
    if (!line.startsWith('|')) {
      inClaims = false;
      continue;
    }
    const cells = line.split('|').slice(1, -1).map((cell) => cell.trim());
    if (cells.join() === HEAD.join()) inClaims = true;
    else if (inClaims && !/^-+$/.test(cells[0])) rows.push({ section, claim: cells[0], answer: cells[1], evidence: cells.slice(2).join('|') });
  }
  return rows;
}

/** The tests that a cell names as `FILE::NAME`. */
export function namedTests(cell) {
  return [...cell.matchAll(/`([^`]+?)::([^`]+)`/g)].map(([, file, name]) => ({ file, name }));
}

/** What is wrong with a row, or null. Whether its tests exist is another question. */
export function rowProblem({ answer, evidence }) {
  if (!ANSWERS.includes(answer)) return `"${answer}" is not one of ${ANSWERS.join(', ')}`;
  const checked = namedTests(evidence).length > 0 || /`(?:scripts\/|make )[^`]+`/.test(evidence);
  if (answer === 'yes') return checked || /no test yet|not tested/i.test(evidence) ? null : 'it names no test and does not say that there is none';
  const words = evidence.replaceAll(/`[^`]*`|[,\s]/g, '');
  return words === '' ? 'it gives no reason' : null;
}

/** Finds tests in the source files below a folder. */
export class TestFinder {
  #root;
  #texts = new Map();

  constructor(root) {
    this.#root = root;
  }

  /** What is wrong with a named test, or null. */
  problem({ file, name }) {
    const path = OUTSIDE_CRATES.some((folder) => file.startsWith(folder)) ? file : `crates/${file}`;
    const text = this.#text(path);
    if (text === null) return `there is no file ${path}`;
    return isTestIn(path, text, name) ? null : `${path} has no test ${name}`;
  }

  #text(path) {
    if (!this.#texts.has(path)) {
      const full = join(this.#root, path);
      this.#texts.set(path, existsSync(full) ? readFileSync(full, 'utf8') : null);
    }
    return this.#texts.get(path);
  }
}

function isTestIn(path, text, name) {
  const escaped = name.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
  if (path.endsWith('.rs')) {
    // A test attribute, then other attributes and comments, then the function.
    return new RegExp(`#\\[(?:\\w+::)*test\\b[^\\]]*\\]\\s*(?:(?:#\\[[^\\n]*\\]|//[^\\n]*)\\s*)*(?:async )?fn ${escaped}\\(`).test(text);
  }
  return new RegExp(`\\b(?:test|it)\\(\\s*(['"\`])${escaped}\\1`).test(text.replaceAll("\\'", "'"));
}
