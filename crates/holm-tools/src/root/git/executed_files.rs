//! Finds the files that a command line of git would run. These are programs named by a path, and
//! arguments of programs that are not known to only read or print them. No rule says for every
//! program which word is the script, so several words are candidates.
//!
//! It only splits text into words; whether such a file exists is checked in `named_paths.rs`. It is
//! not the parser for commands of a model: that is `shell/script.rs`, which must be exact, while
//! this one names more files when in doubt.

/// Words after which the program still follows.
const BEFORE_PROGRAM: &[&str] = &[
    "if", "then", "else", "elif", "do", "while", "until", "!", "time", "exec", "command", "builtin", "env",
    "nohup", "nice", "sudo", "doas", "xargs", "eval", "timeout", "setsid", "stdbuf", "{",
];

/// Programs that read, print or move their arguments, and run none of them.
const READERS: &[&str] = &[
    "[", "[[", "basename", "cat", "cd", "chmod", "cmp", "cp", "cut", "date", "diff", "dirname", "echo",
    "egrep", "exit", "export", "false", "fgrep", "git", "grep", "head", "install", "jq", "ln", "local", "ls",
    "mkdir", "mv", "printf", "pwd", "read", "readlink", "realpath", "return", "rg", "rm", "set", "shift",
    "sleep", "sort", "tail", "tee", "test", "touch", "tr", "true", "uniq", "unset", "wc",
];

/// Programs that run the file after `-f`.
const BY_OPTION: &[&str] = &["awk", "gawk", "mawk", "sed", "make", "gmake"];

/// Shells, whose `-c` is followed by a text of commands.
const SHELLS: &[&str] = &["ash", "bash", "busybox", "dash", "fish", "ksh", "sh", "zsh"];

/// Other programs that run the file which they are given; a dot and `source` run it as a shell.
const INTERPRETERS: &[&str] =
    &[".", "source", "bun", "deno", "lua", "node", "perl", "php", "python", "ruby", "tclsh"];

/// The deepest substitution that is read.
const MAX_DEPTH: usize = 16;

/// A word that may name an executed file, as it is written. A value that the shell
/// inserts is a `$`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ExecutableCandidate {
    pub(super) word: String,
    /// It may be the value of an option, so that later words are candidates even if
    /// it names a file.
    pub(super) after_option: bool,
    /// It is the program, or what an interpreter runs: also if there is no such file yet.
    pub(super) is_run: bool,
}

/// What a shell's text runs.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct ExecutedFiles {
    /// The candidates of each command: the first that names a file is run.
    pub(super) commands: Vec<Vec<ExecutableCandidate>>,
    /// The folders that it enters.
    pub(super) folders: Vec<String>,
}

/// The files that a shell's text runs.
pub(super) fn executed(text: &str) -> ExecutedFiles {
    let mut reader = GitCommandReader::default();
    reader.read(text, 0);
    reader.found
}

#[derive(Default)]
struct GitCommandReader {
    words: Vec<String>,
    word: Option<String>,
    /// Commands around the substitution that is being read.
    around: Vec<(Vec<String>, Option<String>, char, bool)>,
    found: ExecutedFiles,
}

impl GitCommandReader {
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

    /// Begins a substitution, which has commands of its own. Its output is part of the
    /// word that contains it.
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
        let mut rest = words.iter().skip_while(is_before);
        let Some(program) = rest.clone().next() else { return };
        // After options of a prefix such as `env -i`, the program is one of the candidates.
        if program.starts_with('-') || program.starts_with(|letter: char| letter.is_ascii_digit()) {
            return self.found.commands.push(candidates(rest, false));
        }
        rest.next();
        let name = program.rsplit('/').next().unwrap_or_default();
        if program.contains('/') {
            let word = program.clone();
            self.found.commands.push(vec![ExecutableCandidate { word, after_option: false, is_run: true }]);
        }
        if matches!(name, "cd" | "pushd") {
            self.found.folders.extend(rest.clone().find(|word| !word.starts_with('-')).cloned());
        }
        // A program of the work tree is protected itself, so its arguments do not matter.
        let is_own = program.contains('/') && !program.starts_with('/');
        if READERS.contains(&name) || is_own {
            return;
        }
        if BY_OPTION.contains(&name) {
            rest.by_ref().find(|word| *word == "-f");
            return self.found.commands.push(candidates(rest.take(1), true));
        }
        let is_text = |word: &&String| SHELLS.contains(&name) && word.starts_with('-') && word.ends_with('c');
        if let Some(text) = words.iter().skip_while(|word| !is_text(word)).nth(1) {
            if depth < MAX_DEPTH {
                let mut inner = Self::default();
                inner.read(text, depth + 1);
                self.found.commands.extend(inner.found.commands);
                self.found.folders.extend(inner.found.folders);
            }
            return;
        }
        self.found.commands.push(candidates(rest, is_interpreter(name)));
    }
}

/// Whether a program runs the file that its first argument names.
fn is_interpreter(name: &str) -> bool {
    let plain = name.trim_end_matches(|letter: char| letter.is_ascii_digit() || letter == '.');
    SHELLS.contains(&name) || INTERPRETERS.contains(&name) || INTERPRETERS.contains(&plain)
}

/// Words that are not options, and values of options. `is_run` says that a program runs the first.
fn candidates<'a>(words: impl Iterator<Item = &'a String>, is_run: bool) -> Vec<ExecutableCandidate> {
    let mut after_option = false;
    let mut found = Vec::new();
    for word in words {
        let is_option = word.starts_with('-');
        let value =
            if is_option { word.split_once('=').map(|(_, value)| value) } else { Some(word.as_str()) };
        let after = after_option || is_option;
        found.extend(value.map(|value| ExecutableCandidate {
            word: value.to_owned(),
            after_option: after,
            is_run,
        }));
        after_option = is_option;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::executed;

    #[test]
    fn what_may_be_run_is_found_and_what_is_only_read_is_not() {
        // Treats words with a slash or a dot as files.
        let check = |text: &str, expect: &[&str]| {
            let is_file = |word: &str| word.contains(['/', '.']) && word != ".";
            let mut found = Vec::new();
            for candidates in executed(text).commands {
                for candidate in candidates.into_iter().filter(|candidate| is_file(&candidate.word)) {
                    found.push(candidate.word);
                    if !candidate.after_option {
                        break;
                    }
                }
            }
            assert_eq!(found, expect, "{text}");
        };
        check("tools/filter.sh %f docs/guide.md", &["tools/filter.sh"]);
        check("cat docs/guide.md", &[]);
        check("cat docs/guide.md | python3 tools/convert.py docs/other.md", &["tools/convert.py"]);
        check("sh run.sh src/main.rs", &["run.sh"]);
        check("bash -o pipefail scripts/x.sh", &["scripts/x.sh"]);
        check("python3 -W error tools/check.py", &["tools/check.py"]);
        check("node -r ./a.js b.js", &["./a.js", "b.js"]);
        check("timeout 10s tools/lint", &["tools/lint"]);
        check("xargs -I {} tools/lint {}", &["tools/lint"]);
        check("find . -exec tools/lint {} +", &["tools/lint"]);
        check("python3.11 t.py", &["t.py"]);
        check("go run tools/l.go", &["tools/l.go"]);
        check("java -jar t.jar", &["t.jar"]);
        check("/usr/bin/python3 tools/x.py", &["/usr/bin/python3", "tools/x.py"]);
        check("ssh --config=keys/cfg host", &["keys/cfg"]);
        check("FOO=a/b exec ./hook \"$@\" > logs/out", &["./hook"]);
        check("\"$(git rev-parse --show-toplevel)/scripts/check\" README.md", &["$/scripts/check"]);
        check("cat \"$(git rev-parse --show-toplevel)/README.md\"", &[]);
        check(". \"${0%/*}/_/husky.sh\"", &["$/_/husky.sh"]);
        check("[ -f lib/a.sh ] && . lib/a.sh || echo lib/b.sh", &["lib/a.sh"]);
        check("if ! tools/lint; then echo 'see docs/lint.md'; fi", &["tools/lint"]);
        check("sh -ec 'tools/a x/y && cat x/z'", &["tools/a"]);
        check("env -i A=b nice -n 5 bin/x", &["bin/x"]);
        check("awk -f tools/t.awk data/x", &["tools/t.awk"]);
        check("x=`tools/name`; echo $x/README.md", &["tools/name"]);
        check("# tools/old\nbin/new", &["bin/new"]);
    }

    #[test]
    fn what_is_surely_run_is_told_from_arguments_and_folders_are_kept() {
        let check = |text: &str, run: &[&str], folders: &[&str]| {
            let found = executed(text);
            let all = found.commands.into_iter().flatten().filter(|candidate| candidate.is_run);
            assert_eq!(all.map(|candidate| candidate.word).collect::<Vec<_>>(), run, "{text}");
            assert_eq!(found.folders, folders, "{text}");
        };
        check("[ -x scripts/a.sh ] && scripts/a.sh", &["scripts/a.sh"], &[]);
        check(". scripts/b.sh; python3.11 c.py", &["scripts/b.sh", "c.py"], &[]);
        check("sphinx-build docs docs/_build", &[], &[]);
        check("cd -P \"$(git rev-parse --show-toplevel)/x\" && ./y", &["./y"], &["$/x"]);
    }
}
