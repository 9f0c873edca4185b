//! Programs that do only what their name says, and builtins that evaluate their words.
//!
//! A program that is not listed may run code of the workspace, which a model can change. No
//! list of such programs would ever be complete. Programs that run other programs are in
//! the table of `runners`.
//!
//! It runs and decides nothing; `rule.rs` and `mod.rs` ask it. A program belongs in `PLAIN` only if
//! that holds with all its options; one with options that run programs or write files belongs in
//! `SEARCHING`.

use super::embedded_commands::{git_would_run, is_git_run};
use crate::shell::script::{ScriptWord, ShellScript};

/// They do what their name says with all their options, and their words are only texts and files.
/// So the beginning of such a command may be remembered.
const PLAIN: &[&str] = &[
    "b2sum",
    "base64",
    "basename",
    "cat",
    "cksum",
    "cmp",
    "column",
    "comm",
    "cp",
    "cut",
    "date",
    "df",
    "diff",
    "dirname",
    "du",
    "echo",
    "egrep",
    "expr",
    "false",
    "fgrep",
    "fold",
    "grep",
    "head",
    "hexdump",
    "id",
    "join",
    "ls",
    "md5sum",
    "mkdir",
    "mv",
    "nl",
    "nproc",
    "od",
    "paste",
    "printf",
    "pwd",
    "readlink",
    "realpath",
    "rev",
    "rmdir",
    "seq",
    "sha1sum",
    "sha256sum",
    "sha512sum",
    "sleep",
    "stat",
    "strings",
    "tac",
    "tail",
    "touch",
    "tr",
    "true",
    "uname",
    "wc",
    "whoami",
];

/// Their words are only texts and files too, but some of their options run programs or write files.
/// A rule covers more words of theirs and no option that it does not name; a
/// beginning is not offered.
const SEARCHING: &[&str] = &["curl", "file", "find", "jq", "rg", "sort", "tree", "uniq", "wget"];

/// Git commands that run no hook and nothing from the workspace: the git settings
/// there are never writable.
const GIT_READS: &[&str] = &[
    "add",
    "blame",
    "branch",
    "cat-file",
    "describe",
    "diff",
    "grep",
    "log",
    "ls-files",
    "ls-tree",
    "merge-base",
    "reflog",
    "rev-list",
    "rev-parse",
    "shortlog",
    "show",
    "status",
];

/// Git commands that write into the repository and discard no work.
const GIT_RECORDS: &[&str] = &["add", "branch", "commit", "notes", "tag"];

/// Programs beside which a git command opens its folder: they print, or choose a folder.
const GIT_COMPANIONS: &[&str] = &["cat", "cd", "echo", "head", "ls", "printf", "pwd", "tail", "true"];

/// Options with which `git switch` and `git checkout` only make a branch.
const GIT_NEW_BRANCH: &[&str] = &["-b", "-c", "--create", "-q", "--quiet"];

/// Git commands that print, with options that only change what they print.
const GIT_PRINTS: &[&str] = &["diff", "log", "show", "status"];

/// Options of these commands that neither write a file nor run a program.
const GIT_DISPLAY: &[&str] = &[
    "--abbrev-commit",
    "--after",
    "--all",
    "--author",
    "--before",
    "--branch",
    "--cached",
    "--color",
    "--color-words",
    "--committer",
    "--date",
    "--date-order",
    "--decorate",
    "--diff-filter",
    "--first-parent",
    "--follow",
    "--format",
    "--graph",
    "--grep",
    "--ignore-all-space",
    "--ignore-blank-lines",
    "--long",
    "--max-count",
    "--merges",
    "--name-only",
    "--name-status",
    "--no-color",
    "--no-decorate",
    "--no-merges",
    "--no-patch",
    "--no-renames",
    "--numstat",
    "--oneline",
    "--patch",
    "--porcelain",
    "--pretty",
    "--reverse",
    "--short",
    "--shortstat",
    "--since",
    "--skip",
    "--staged",
    "--stat",
    "--summary",
    "--topo-order",
    "--unified",
    "--until",
    "--untracked-files",
    "--word-diff",
    "-M",
    "-b",
    "-i",
    "-n",
    "-p",
    "-s",
    "-u",
    "-uall",
    "-uno",
    "-w",
];

/// Git commands that run what the next word names, or store what is run later.
const GIT_RUNS: &[&str] =
    &["alias", "bisect", "config", "difftool", "filter-branch", "hook", "mergetool", "rebase", "submodule"];

/// Builtins and programs that run nothing themselves, although none of their beginnings is
/// offered as a rule.
const QUIET: &[&str] = &[
    ":", "[", "[[", "cd", "chmod", "declare", "exit", "export", "ln", "rm", "set", "tee", "test", "type",
    "unset",
];

/// Builtins of the shell that evaluate their words, load code or set what later commands do. A
/// subscript in such a word is evaluated too: `read 'a[$(id)]'` runs `id`.
const EVALUATING: &[&str] = &[
    ".",
    "alias",
    "bind",
    "builtin",
    "compgen",
    "complete",
    "compopt",
    "coproc",
    "declare",
    "enable",
    "eval",
    "exec",
    "export",
    "fc",
    "getopts",
    "hash",
    "let",
    "local",
    "mapfile",
    "read",
    "readarray",
    "readonly",
    "set",
    "shopt",
    "source",
    "trap",
    "typeset",
    "unset",
    "wait",
];

/// How many words of a command are worth remembering together. Returns `None` if no beginning
/// of it is safe.
pub(super) fn prefix_length(words: &[&str]) -> Option<usize> {
    let runs = |word: &&str| is_git_run(word.split_once('=').map_or(*word, |(name, _)| name));
    match words {
        [name, ..] if evaluates(words) || !is_known(words) || SEARCHING.contains(name) => None,
        // Its names are commands that delete.
        ["git", "reflog", ..] => None,
        ["git", _, rest @ ..] => (!rest.iter().any(|word| runs(word) || names_output(word))).then_some(2),
        [_, ..] => Some(1),
        [] => None,
    }
}

/// Whether a word is git's option for a file that its output is written to, or begins like it: git
/// accepts the beginning of an option.
fn names_output(word: &str) -> bool {
    word.starts_with("--ou")
}

/// Whether a command does what its name says, and runs nothing from the workspace.
pub(super) fn is_known(words: &[&str]) -> bool {
    match words {
        ["git", command, ..] => GIT_READS.contains(command),
        [name, ..] => PLAIN.contains(name) || SEARCHING.contains(name),
        [] => false,
    }
}

/// Whether a script calls git, plainly written, to record something in the repository around its
/// folder, and nothing that could use the open repository for something else.
pub(in crate::shell) fn records_in_repository(script: &ShellScript) -> bool {
    let mut records = false;
    if script.writes_files() || !script.assignments().is_empty() {
        return false;
    }
    for command in script.commands() {
        let mut words = command.words.iter().map(ScriptWord::value);
        let program = words.next().flatten().and_then(|program| program.rsplit('/').next());
        match program {
            Some("git") => {}
            Some(program) if GIT_COMPANIONS.contains(&program) => continue,
            _ => return false,
        }
        // A message may be anything; what git does stands before it.
        let count = words.len();
        let words: Vec<&str> = words.map_while(|word| word).collect();
        let is_literal = words.len() == count;
        match git_command(&words) {
            Some((name, rest)) if git_would_run(&[&[name], rest].concat(), rest) => return false,
            Some((_, rest)) if rest.iter().any(|word| names_output(word)) => return false,
            Some(("switch" | "checkout", rest)) if is_literal && makes_branch(rest) => records = true,
            Some((name, _)) if GIT_RECORDS.contains(&name) => records = true,
            // A word that is made at run time could be an option that runs something.
            Some((name, _)) if GIT_READS.contains(&name) && is_literal => {}
            _ => return false,
        }
    }
    records
}

/// Whether these words of `git switch` or `git checkout` make a branch and touch no file.
fn makes_branch(words: &[&str]) -> bool {
    let options: Vec<&&str> = words.iter().filter(|word| word.starts_with('-')).collect();
    options.iter().all(|option| GIT_NEW_BRANCH.contains(option))
        && options.iter().any(|option| matches!(**option, "-b" | "-c" | "--create"))
}

/// The command of git behind its general options, with what follows; none where
/// it works in another folder.
fn git_command<'a>(words: &'a [&'a str]) -> Option<(&'a str, &'a [&'a str])> {
    match words {
        ["-C" | "--git-dir" | "--work-tree", ..] | [] => None,
        ["-c", setting, rest @ ..] if setting.starts_with("user.") => git_command(rest),
        ["-c", ..] => None,
        ["--no-pager" | "-P" | "--no-optional-locks", rest @ ..] => git_command(rest),
        // Others say where git finds its programs and its repository.
        [option, ..] if option.starts_with('-') => None,
        [command, rest @ ..] => Some((command, rest)),
    }
}

/// Whether a command may run code of the workspace.
pub(super) fn may_run_workspace(words: &[&str]) -> bool {
    !is_known(words) && !words.first().is_some_and(|name| QUIET.contains(name))
}

/// Whether further plain words after those of a rule are only texts and files, never code.
pub(super) fn takes_texts(words: &[&str]) -> bool {
    match words {
        ["git", command, ..] => !GIT_RUNS.contains(command),
        words => is_known(words),
    }
}

/// Whether a command does what its name says with any words and options.
pub(super) fn is_safe_with_all_options(words: &[&str]) -> bool {
    words.first().is_some_and(|name| PLAIN.contains(name))
}

/// Whether a command has options that only change what it prints.
pub(super) fn has_display_options(words: &[&str]) -> bool {
    matches!(words, ["git", command, ..] if GIT_PRINTS.contains(command))
}

/// Whether an option of a command only changes what the command prints. A value may follow `=`, a
/// number also directly: `-5`, `-n5`, `-U3`.
pub(super) fn only_changes_display(words: &[&str], option: &str) -> bool {
    let is_count = || {
        ["-n", "-U", "-"].iter().any(|start| {
            option
                .strip_prefix(start)
                .is_some_and(|count| !count.is_empty() && count.bytes().all(|byte| byte.is_ascii_digit()))
        })
    };
    has_display_options(words) && (GIT_DISPLAY.contains(&option) || is_count())
}

/// Whether a shell would evaluate words of this command beyond their literal text.
pub(super) fn evaluates(words: &[&str]) -> bool {
    let sets = |word: &&str| word.starts_with("-v") || word.starts_with("-R");
    match words {
        // Only says where a program is.
        ["command", "-v" | "-V", name] => name.contains('['),
        ["command", ..] => true,
        ["printf" | "test" | "[", rest @ ..] => rest.iter().any(sets),
        [name, ..] => EVALUATING.contains(name),
        [] => false,
    }
}
