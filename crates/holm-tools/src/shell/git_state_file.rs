//! Files inside a git folder that commands may write and that git obeys at the user's next call:
//! the index, and the state of a rebase, a cherry-pick or `git am` that is under way.
//!
//! It judges bytes and opens no file; `new_repository.rs` reads and disables files. The lists name
//! what is known to run nothing, and everything else counts as dangerous.
//!
//! Indexes are read in `root/git/index.rs`. `git_watch.rs` checks the files while a command runs.

use std::path::Path;

use crate::root::git::{GitConfig, GitConfigEntry, IndexSafety, MAX_INDEX_BYTES, ObjectFormat, check_index};

/// The largest state of an operation that is read.
const MAX_STATE_BYTES: u64 = 1024 * 1024;
/// The steps of a rebase, without those that run a command.
const STEPS: &[&str] = &[
    "pick",
    "p",
    "revert",
    "edit",
    "e",
    "reword",
    "r",
    "fixup",
    "f",
    "squash",
    "s",
    "drop",
    "d",
    "noop",
    "break",
    "b",
    "label",
    "l",
    "reset",
    "t",
    "merge",
    "m",
    "update-ref",
    "u",
];
/// The merge strategies of git itself. Another name would start a program `git-merge-NAME`.
const STRATEGIES: &[&str] = &["ort", "recursive", "resolve", "octopus", "ours", "subtree"];
/// Options of `git cherry-pick` and `git revert`.
const OPTIONS: &[&str] = &[
    "no-commit",
    "edit",
    "allow-empty",
    "allow-empty-message",
    "drop-redundant-commits",
    "keep-redundant-commits",
    "signoff",
    "record-origin",
    "allow-ff",
    "mainline",
    "gpg-sign",
    "allow-rerere-auto",
    "default-msg-cleanup",
    "strategy",
    "strategy-option",
];

/// How git uses such a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum GitStateFile {
    /// The paths that git writes into the work tree.
    Index,
    /// The steps of a rebase or a cherry-pick.
    Steps,
    /// The name of a merge strategy.
    Strategy,
    /// Settings of a cherry-pick or a revert.
    Options,
    /// Options for a command of git.
    Words,
}

impl GitStateFile {
    /// The kind of a file by its path relative to the git folder.
    pub(super) fn of(inside: &Path) -> Option<Self> {
        Some(match inside.to_str()? {
            "index" => Self::Index,
            "sequencer/opts" => Self::Options,
            "sequencer/todo" | "rebase-merge/git-rebase-todo" => Self::Steps,
            "rebase-merge/strategy" | "rebase-apply/strategy" => Self::Strategy,
            "rebase-merge/strategy_opts"
            | "rebase-merge/gpg_sign_opt"
            | "rebase-apply/strategy_opts"
            | "rebase-apply/gpg_sign_opt"
            | "rebase-apply/apply-opt" => Self::Words,
            // A split index keeps most of its paths here.
            name if name.starts_with("sharedindex.") && !name.contains('/') => Self::Index,
            _ => return None,
        })
    }

    /// The size above which a file is disabled without reading it.
    pub(super) fn max_bytes(self) -> u64 {
        match self {
            Self::Index => 8 * MAX_INDEX_BYTES,
            Self::Steps | Self::Strategy | Self::Options | Self::Words => MAX_STATE_BYTES,
        }
    }

    /// Why git must not obey these bytes. `before` is what the file held before the command: a
    /// command may continue an operation that the user began.
    pub(super) fn danger(self, bytes: &[u8], before: &[u8], format: ObjectFormat) -> Option<String> {
        if self == Self::Index {
            return match check_index(bytes, format) {
                IndexSafety::Safe => None,
                IndexSafety::ForeignPath(path) => {
                    Some(format!("it names {path}; `git reset` makes a new one"))
                }
                IndexSafety::Unreadable => Some("it is damaged; `git reset` makes a new one".into()),
            };
        }
        if bytes == before {
            return None;
        }
        let text = String::from_utf8_lossy(bytes);
        let (is_safe, danger) = match self {
            Self::Index => return None,
            Self::Steps => {
                let before = String::from_utf8_lossy(before);
                let known: Vec<&str> = before.split('\n').collect();
                let is_safe = text.split('\n').all(|line| is_plain_step(line) || known.contains(&line));
                (is_safe, "it runs commands")
            }
            Self::Strategy => (STRATEGIES.contains(&text.trim()), "it names a program"),
            Self::Options => (are_plain_options(&GitConfig::parse(bytes)), "it holds unknown options"),
            Self::Words => (is_plain_text(&text), "it holds more than options"),
        };
        (!is_safe).then(|| danger.into())
    }
}

impl GitStateFile {
    /// As [`danger`](Self::danger), for files that are not an index.
    pub(super) fn danger_of_steps(self, bytes: &[u8], before: &[u8]) -> Option<String> {
        if self == Self::Index { None } else { self.danger(bytes, before, ObjectFormat::Sha1) }
    }
}

/// Whether a line of steps runs no command. Comments begin with no letter.
fn is_plain_step(line: &str) -> bool {
    let line = line.trim_start_matches([' ', '\t']);
    let word = line.split([' ', '\t', '\r']).next().unwrap_or_default();
    !word.starts_with(|letter: char| letter.is_alphabetic()) || STEPS.contains(&word)
}

fn are_plain_options(config: &GitConfig) -> bool {
    let is_plain = |entry: &GitConfigEntry| {
        let value = entry.value.as_deref().unwrap_or_default();
        let is_known = entry.section == "options" && OPTIONS.contains(&entry.key.as_str());
        let is_strategy = entry.key != "strategy" || STRATEGIES.contains(&value);
        is_known && entry.subsection.is_none() && is_strategy && is_plain_text(value)
    };
    config.is_whole && config.entries.iter().all(is_plain)
}

/// Whether a shell would find nothing to run in a text: older versions of git evaluate it.
fn is_plain_text(text: &str) -> bool {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || " -_=.,%@+:/~'\"".contains(letter);
    text.trim_end_matches('\n').chars().all(is_plain) && !text.contains("unsafe")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn danger(path: &str, text: &str, before: &str) -> Option<String> {
        let kind = GitStateFile::of(Path::new(path)).unwrap();
        kind.danger(text.as_bytes(), before.as_bytes(), ObjectFormat::Sha1)
    }

    #[test]
    fn steps_options_and_strategies_of_git_are_safe_and_commands_are_not() {
        let todo = "rebase-merge/git-rebase-todo";
        for text in ["", "# exec x\npick 1234 exec\nx-ray", "p 1 a\nfixup -C 2 b\n\nlabel onto\n; note\n"] {
            assert_eq!(danger(todo, text.trim_end_matches("x-ray"), ""), None, "{text}");
        }
        for text in ["exec touch f\n", "pick 1 a\n\t x\ttouch f", "x\rtouch f", "unknown 1"] {
            assert!(danger(todo, text, "").is_some(), "{text}");
            assert!(danger("sequencer/todo", text, "").is_some(), "{text}");
        }
        // The user began it.
        assert_eq!(danger(todo, "exec make test\n", "pick 1 a\nexec make test\n"), None);
        assert!(danger(todo, "exec make evil\n", "exec make test\n").is_some());
        for (path, safe, armed) in [
            ("rebase-merge/strategy", "ort\n", "../evil\n"),
            ("rebase-apply/strategy", "recursive", "evil"),
            ("rebase-merge/strategy_opts", "\"theirs\" \"find-renames=50%\"\n", " \"$(touch f)\""),
            ("rebase-apply/apply-opt", "'-p1' '--whitespace=fix'", "'--unsafe-paths'"),
            (
                "sequencer/opts",
                "[options]\n\tstrategy = ort\n\tsignoff = true\n\tmainline = 1\n",
                "[options]\n\tstrategy = ../evil\n",
            ),
            ("sequencer/opts", "", "[core]\n\tpager = x\n"),
        ] {
            assert_eq!(danger(path, safe, ""), None, "{path}");
            assert!(danger(path, armed, "").is_some(), "{path}");
            assert_eq!(danger(path, armed, armed), None, "{path}: it was the user's");
        }
        assert_eq!(GitStateFile::of(Path::new("logs/HEAD")), None);
        assert_eq!(GitStateFile::of(Path::new("sharedindex.12")), Some(GitStateFile::Index));
    }
}
