//! The files that a command line of git's would run: programs that are named by a path, and scripts that an interpreter or the
//! shell itself is given. What a command only reads or prints is not among them.

/// Words before which no program stands yet.
const BEFORE_PROGRAM: &[&str] = &[
    "if", "then", "else", "elif", "do", "while", "until", "!", "time", "exec", "command", "builtin", "env",
    "nohup", "nice", "sudo", "doas", "xargs", "eval", "timeout", "setsid", "stdbuf", "{",
];

/// Programs that run the file that they are given first.
const INTERPRETERS: &[&str] = &[
    ".",
    "source",
    "sh",
    "bash",
    "dash",
    "zsh",
    "ksh",
    "ash",
    "fish",
    "busybox",
    "python",
    "python2",
    "python3",
    "perl",
    "ruby",
    "node",
    "nodejs",
    "deno",
    "bun",
    "php",
    "lua",
    "pwsh",
    "tclsh",
    "osascript",
    "Rscript",
    "uv",
];

/// Programs that run the file behind `-f`.
const BY_OPTION: &[&str] = &["awk", "gawk", "mawk", "sed", "make", "gmake"];

/// Words that stand between an interpreter and its file.
const BETWEEN: &[&str] = &["run", "sh", "exec"];

/// The deepest substitution that is looked into.
const MAX_DEPTH: usize = 16;

/// The words of a shell's text that are run as files, as they are written. A value that the shell puts in is a `$`.
pub(super) fn executed(text: &str) -> Vec<String> {
    let mut reader = Reader::default();
    reader.read(text, 0);
    reader.found
}

#[derive(Default)]
struct Reader {
    words: Vec<String>,
    word: Option<String>,
    /// Commands around the substitution that is being read.
    around: Vec<(Vec<String>, Option<String>, char, bool)>,
    found: Vec<String>,
}

impl Reader {
    fn read(&mut self, text: &str, depth: usize) {
        let mut letters = text.chars().peekable();
        let mut is_quoted = false;
        while let Some(letter) = letters.next() {
            match letter {
                '\\' => match letters.next() {
                    Some('\n') | None => {}
                    Some(next) => self.push(next),
                },
                '\'' if !is_quoted => {
                    self.word.get_or_insert_default();
                    letters.by_ref().take_while(|next| *next != '\'').for_each(|next| self.push(next));
                }
                '"' => {
                    self.word.get_or_insert_default();
                    is_quoted = !is_quoted;
                }
                '$' if letters.peek() == Some(&'(') => {
                    letters.next();
                    self.open(')', &mut is_quoted);
                }
                '`' if self.around.last().is_some_and(|frame| frame.2 == '`') => {
                    self.close(depth, &mut is_quoted);
                }
                '`' => self.open('`', &mut is_quoted),
                '$' if letters.peek() == Some(&'{') => {
                    self.push('$');
                    letters.by_ref().take_while(|next| *next != '}').for_each(drop);
                }
                '$' => {
                    self.push('$');
                    while letters.next_if(|next| next.is_alphanumeric() || *next == '_').is_some() {}
                }
                letter if is_quoted => self.push(letter),
                ')' if self.around.last().is_some_and(|frame| frame.2 == ')') => {
                    self.close(depth, &mut is_quoted);
                }
                '#' if self.word.is_none() => {
                    letters.by_ref().take_while(|next| *next != '\n').for_each(drop);
                    self.end_command(depth);
                }
                '<' | '>' => {
                    self.end_word();
                    while letters.next_if(|next| matches!(next, '<' | '>' | '&')).is_some() {}
                    if letters.peek() != Some(&'(') {
                        self.words.push(">".into());
                    }
                }
                ';' | '&' | '|' | '\n' | '(' | ')' => self.end_command(depth),
                letter if letter.is_whitespace() => self.end_word(),
                letter => self.push(letter),
            }
        }
        while !self.around.is_empty() {
            self.close(depth, &mut is_quoted);
        }
        self.end_command(depth);
    }

    fn push(&mut self, letter: char) {
        self.word.get_or_insert_default().push(letter);
    }

    fn end_word(&mut self) {
        self.words.extend(self.word.take());
    }

    /// Begins a substitution, which has commands of its own. What it gives is part of the word that it stands in.
    fn open(&mut self, end: char, is_quoted: &mut bool) {
        let mut word = self.word.take().unwrap_or_default();
        word.push('$');
        self.around.push((std::mem::take(&mut self.words), Some(word), end, std::mem::take(is_quoted)));
    }

    fn close(&mut self, depth: usize, is_quoted: &mut bool) {
        self.end_command(depth);
        if let Some((words, word, _, was_quoted)) = self.around.pop() {
            (self.words, self.word, *is_quoted) = (words, word, was_quoted);
        }
    }

    fn end_command(&mut self, depth: usize) {
        self.end_word();
        let mut words = std::mem::take(&mut self.words).into_iter();
        let mut kept: Vec<String> = Vec::new();
        while let Some(word) = words.next() {
            // Where its output goes to, and its input comes from, is not run.
            if word == ">" { drop(words.next()) } else { kept.push(word) }
        }
        self.look(&kept, depth);
    }

    fn look(&mut self, words: &[String], depth: usize) {
        let is_before = |word: &&String| {
            let is_set = word.split_once('=').is_some_and(|(name, _)| {
                !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
            });
            is_set || BEFORE_PROGRAM.contains(&word.as_str())
        };
        let mut from = words.iter().skip_while(is_before).peekable();
        // Options of what stands before a program, as of `env -i`.
        if words.first().is_some_and(|word| BEFORE_PROGRAM.contains(&word.as_str())) {
            let is_option = |word: &&String| {
                word.starts_with('-') || word.bytes().all(|byte| byte.is_ascii_digit()) || is_before(word)
            };
            while from.next_if(is_option).is_some() {}
        }
        let Some(program) = from.next() else { return };
        if program.contains('/') {
            self.found.push(program.clone());
        }
        let name = program.rsplit('/').next().unwrap_or_default();
        if BY_OPTION.contains(&name) {
            let script = from.skip_while(|word| *word != "-f").nth(1);
            self.found.extend(script.cloned());
        } else if INTERPRETERS.contains(&name) {
            while let Some(word) = from.next() {
                if word == "-c" {
                    if let Some(text) = from.next().filter(|_| depth < MAX_DEPTH) {
                        let mut inner = Self::default();
                        inner.read(text, depth + 1);
                        self.found.extend(inner.found);
                    }
                    return;
                }
                if word.starts_with('-') && word != "-" || BETWEEN.contains(&word.as_str()) {
                    continue;
                }
                self.found.push(word.clone());
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::executed;

    #[test]
    fn only_what_is_run_is_found() {
        let check = |text: &str, expect: &[&str]| assert_eq!(executed(text), expect, "{text}");
        check("tools/filter.sh %f docs/guide.md", &["tools/filter.sh"]);
        check("cat docs/guide.md", &[]);
        check("cat docs/guide.md | python3 -u tools/convert.py docs/other.md", &["tools/convert.py"]);
        check("sh run.sh src/main.rs", &["run.sh"]);
        check("FOO=a/b exec ./hook \"$@\" > logs/out", &["./hook"]);
        check("\"$(git rev-parse --show-toplevel)/scripts/check\" README.md", &["$/scripts/check"]);
        check("cat \"$(git rev-parse --show-toplevel)/README.md\"", &[]);
        check(". \"${0%/*}/_/husky.sh\"", &["$/_/husky.sh"]);
        check("[ -f lib/a.sh ] && . lib/a.sh || echo lib/b.sh", &["lib/a.sh"]);
        check("if ! tools/lint; then echo 'see docs/lint.md'; fi", &["tools/lint"]);
        check("sh -c 'tools/a x/y && cat x/z'", &["tools/a"]);
        check("env -i A=b nice -n 5 bin/x", &["bin/x"]);
        check("awk -f tools/t.awk data/x", &["tools/t.awk"]);
        check("x=`tools/name`; echo $x/README.md", &["tools/name"]);
        check("# tools/old\nbin/new", &["bin/new"]);
    }
}
