// Highlights code: keywords, strings, numbers and comments of common languages. The tokens together are always exactly the
// code.

export type TokenKind = 'plain' | 'keyword' | 'string' | 'number' | 'comment';

export interface CodeToken {
  kind: TokenKind;
  text: string;
}

/** Longer code is not highlighted, because that would slow the page down. */
const MAX_LENGTH = 100_000;

const KEYWORDS: Record<string, string> = {
  c: 'auto break case char class const continue default delete do double else enum extern false float for goto if inline int long namespace new nullptr operator private protected public return short signed sizeof static struct switch template this throw true try typedef typename union unsigned using virtual void volatile while',
  go: 'break case chan const continue default defer else fallthrough false for func go goto if import interface map nil package range return select struct switch true type var',
  js: 'as async await break case catch class const continue debugger default delete do else enum export extends false finally for from function if implements import in instanceof interface let new null of private protected public readonly return static super switch this throw true try type typeof undefined var void while yield',
  py: 'and as assert async await break class continue def del elif else except False finally for from global if import in is lambda None nonlocal not or pass raise return True try while with yield match case',
  rs: 'as async await break const continue crate dyn else enum extern false fn for if impl in let loop match mod move mut pub ref return self Self static struct super trait true type unsafe use where while',
  sh: 'case do done elif else esac export fi for function if in local return then until while',
  sql: 'select from where insert into values update set delete create table index view drop alter add join left right inner outer on group by order having limit offset union all distinct as and or not null is in exists between like primary key foreign references default',
};

const ALIASES: Record<string, keyof typeof KEYWORDS> = {
  bash: 'sh', shell: 'sh', zsh: 'sh', console: 'sh', python: 'py', rust: 'rs', javascript: 'js', typescript: 'js', ts: 'js',
  tsx: 'js', jsx: 'js', vue: 'js', json: 'js', java: 'c', cpp: 'c', 'c++': 'c', h: 'c', cs: 'c', golang: 'go',
};

const STRINGS = `"(?:[^"\\\\\\n]|\\\\.)*"|'(?:[^'\\\\\\n]|\\\\.)*'|\`(?:[^\`\\\\]|\\\\.)*\``;

/** The tokens of the code. In an unknown language there are no keywords. */
export function highlight(code: string, language: string): CodeToken[] {
  if (code.length > MAX_LENGTH || language === '' || language === 'text') return [{ kind: 'plain', text: code }];
  const name = language.toLowerCase();
  const family = ALIASES[name] ?? name;
  const keywords = new Set((KEYWORDS[family] ?? '').split(' '));
  const pattern = new RegExp(`(${commentPattern(family)})|(${STRINGS})|(\\b\\d[\\w.]*)|([A-Za-z_$][\\w$]*)`, 'g');
  const tokens: CodeToken[] = [];
  let done = 0;
  for (const match of code.matchAll(pattern)) {
    const kind = kindOf(match, keywords, family);
    if (kind === 'plain') continue;
    if (match.index > done) tokens.push({ kind: 'plain', text: code.slice(done, match.index) });
    tokens.push({ kind, text: match[0] });
    done = match.index + match[0].length;
  }
  if (done < code.length) tokens.push({ kind: 'plain', text: code.slice(done) });
  return tokens;
}

function commentPattern(family: string): string {
  if (['py', 'sh', 'toml', 'yaml', 'yml', 'ruby', 'rb', 'make', 'makefile', 'dockerfile'].includes(family)) return '#[^\\n]*';
  if (family === 'sql' || family === 'lua') return '--[^\\n]*';
  return '\\/\\/[^\\n]*|\\/\\*(?:[^*]|\\*(?!\\/))*(?:\\*\\/)?';
}

function kindOf(match: RegExpMatchArray, keywords: ReadonlySet<string>, family: string): TokenKind {
  if (match[1] !== undefined) return 'comment';
  if (match[2] !== undefined) return 'string';
  if (match[3] !== undefined) return 'number';
  const word = family === 'sql' ? match[0].toLowerCase() : match[0];
  return keywords.has(word) ? 'keyword' : 'plain';
}
