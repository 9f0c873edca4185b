//! Finds texts among the words of a command that are commands themselves, although
//! no shell is involved.
//!
//! Only literal text is found. A program's own language can spell anything, and a file can hold
//! anything; the jail decides what those can do.
//!
//! It judges nothing: `deny.rs` and `allow.rs` read the texts as scripts. How a program runs others
//! is in the table of `runners.rs`; git's own options and settings are here.

use super::runners::{self, RunnerKind};

/// A text that may be a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum EmbeddedCommand {
    /// It is run: what cannot be read is unclear.
    Run(String),
    /// It may be run: a text that cannot be parsed is not a command.
    Perhaps(String),
    /// It is expanded: the substitutions in it are run.
    Expanded(String),
}

/// Options of git whose value is run, whichever of its commands takes them.
const GIT_RUNS: &[&str] = &[
    "--access-hook",
    "--browser",
    "--cc-cmd",
    "--commit-filter",
    "--env-filter",
    "--exec",
    "--extcmd",
    "--header-cmd",
    "--index-filter",
    "--msg-filter",
    "--open-files-in-pager",
    "--parent-filter",
    "--receive-pack",
    "--sendmail-cmd",
    "--setup",
    "--smtp-server",
    "--tag-name-filter",
    "--to-cmd",
    "--tree-filter",
    "--upload-pack",
    "-O",
    "-u",
    "-x",
];

/// Settings of git that are run, by the last part of their names.
const GIT_SETTINGS: &[&str] = &[
    "askpass",
    "browser",
    "clean",
    "cmd",
    "command",
    "driver",
    "editor",
    "external",
    "fsmonitor",
    "helper",
    "pager",
    "packobjectshook",
    "process",
    "program",
    "proxycommand",
    "receivepack",
    "smudge",
    "sshcommand",
    "textconv",
    "uploadpack",
];

/// Options whose value is a text for people.
const SAID: &[&str] = &["--author", "--format", "--grep", "--message", "--pretty", "--reason", "--trailer"];

/// Options whose value is a file, a folder or a name, and the programs that have them.
const PLACES: &[(&[&str], &[&str])] = &[
    (
        &["gmake", "make"],
        &["-C", "-f", "-I", "-o", "-W", "--directory", "--file", "--include-dir", "--makefile", "--old-file"],
    ),
    (
        &["cargo"],
        &[
            "-C",
            "-p",
            "--bin",
            "--example",
            "--features",
            "--manifest-path",
            "--package",
            "--target-dir",
            "--test",
        ],
    ),
    (&["npm", "pnpm"], &["-C", "--dir", "--prefix"]),
    (&["yarn"], &["--cwd"]),
    (&["hg"], &["-R", "--cwd", "--repository"]),
];

/// How the languages of such programs begin a command for a shell.
const SHELL_ESCAPES: &[&str] = &[".shell ", ".system ", "platform shell ", "shell ", "\\! "];

/// Variables whose value a program runs; those of git's settings are among them.
const VARIABLES: &[&str] = &[
    "BASH_ENV",
    "BROWSER",
    "ENV",
    "LESSCLOSE",
    "LESSOPEN",
    "MAKEFLAGS",
    "PROMPT_COMMAND",
    "RSYNC_RSH",
    "RUSTC_WRAPPER",
    "SVN_SSH",
    "TAR_OPTIONS",
    "VISUAL",
];

/// Variables that the shell expands each time it prints them, such as before the lines
/// that `set -x` shows.
const PROMPTS: &[&str] = &["PS0", "PS1", "PS2", "PS4"];

/// The texts among the words of a command of this name.
pub(super) fn texts(name: &str, words: &[&str]) -> Vec<EmbeddedCommand> {
    match name {
        "git" => of_git(words),
        "mapfile" | "readarray" | "compgen" | "complete" | "bind" => of_builtin(words),
        _ => runners::ways(name).flat_map(|way| of_way(name, way, words)).collect(),
    }
}

/// The texts that a program runs in one of its ways.
fn of_way(name: &str, way: RunnerKind, words: &[&str]) -> Vec<EmbeddedCommand> {
    match way {
        RunnerKind::Options(options) => of_options(name, options, words),
        RunnerKind::AnyOption => of_any_option(name, words),
        RunnerKind::Words
        | RunnerKind::Behind(_)
        | RunnerKind::Script
        | RunnerKind::Input
        | RunnerKind::Feeds
        | RunnerKind::Variables
        | RunnerKind::Language
        | RunnerKind::Obeys => Vec::new(),
    }
}

/// The commands that a variable would run.
pub(super) fn of_variable(name: &str, value: &str) -> Vec<EmbeddedCommand> {
    if PROMPTS.contains(&name) {
        return vec![EmbeddedCommand::Expanded(value.to_owned())];
    }
    let text = if name.starts_with("BASH_FUNC_") {
        value.trim_start().trim_start_matches("()").to_owned()
    } else {
        value.trim_start_matches('!').to_owned()
    };
    let mut texts =
        vec![if is_run(name) { EmbeddedCommand::Run(text) } else { EmbeddedCommand::Perhaps(text) }];
    if name.starts_with("GIT_CONFIG_") {
        // A plain alias is a command of git; the form with quotes holds several settings.
        texts.push(EmbeddedCommand::Perhaps(format!("git {value}")));
        let settings = value.split('\'').filter(|piece| !piece.trim().is_empty());
        let settings: Vec<&str> = settings.flat_map(|piece| ["-c", piece]).collect();
        texts.extend(of_git(&settings));
        texts.extend(value.split('\'').map(|piece| EmbeddedCommand::Perhaps(format!("git {piece}"))));
    }
    texts
}

/// Whether a program runs what this variable holds.
pub(super) fn is_run(name: &str) -> bool {
    let last = ["PAGER", "EDITOR", "ASKPASS", "SSH_COMMAND", "EXTERNAL_DIFF", "PROXY_COMMAND"];
    let numbered = name.strip_prefix("GIT_CONFIG_");
    let setting = numbered.is_some_and(|rest| rest.starts_with("VALUE_") || rest == "PARAMETERS");
    let known = VARIABLES.contains(&name) || PROMPTS.contains(&name);
    known || setting || name == "GIT_SSH" || last.iter().any(|last| name.ends_with(last))
}

/// Whether words of git that are made at run time could be run by it.
pub(super) fn git_runs(words: &[&str]) -> bool {
    let runs = |word: &&str| matches!(*word, "-c" | "foreach" | "run" | "filter-branch" | "config");
    words.iter().any(runs) || words.iter().any(|word| is_git_run(word.split('=').next().unwrap_or(word)))
}

/// Whether git would run something because of words that the rule does not name: a setting, a value
/// of an option, or what follows `foreach` or `run`.
pub(super) fn git_would_run(words: &[&str], unnamed: &[&str]) -> bool {
    let has = |names: &[&str]| words.iter().any(|word| names.contains(word));
    let starts = |start: &str| unnamed.iter().any(|word| word.starts_with(start));
    let long = |word: &&str| word.starts_with("--") && is_git_run(word.split('=').next().unwrap_or(word));
    let marks = |word: &&str| matches!(*word, "foreach" | "run" | "filter-branch") || word.contains("ext::");
    sets_before_command(words)
        || starts("--config-e")
        || starts("--exec-path")
        || unnamed.iter().any(|word| long(word) || marks(word))
        || (has(&["rebase", "difftool"]) && starts("-x"))
        || (has(&["grep"]) && starts("-O"))
        || (has(&["clone", "fetch", "ls-remote", "pull"]) && starts("-u"))
}

/// Whether a setting comes before git's command; after it, `-c` has other meanings.
fn sets_before_command(words: &[&str]) -> bool {
    let mut words = words.iter();
    while let Some(word) = words.next().filter(|word| word.starts_with('-')) {
        match *word {
            "-C" | "--git-dir" | "--work-tree" | "--namespace" => drop(words.next()),
            option if option.starts_with("-c") => return true,
            _ => {}
        }
    }
    false
}

/// Whether a text names all words of a rule, in their order.
pub(super) fn names(text: &str, rule: &[String]) -> bool {
    let mut rest = text;
    rule.iter().all(|word| match rest.find(word.as_str()) {
        Some(at) => {
            rest = rest.get(at + word.len()..).unwrap_or_default();
            true
        }
        None => false,
    })
}

/// Whether a program with these words runs its input. A word that is made at run time is `None`.
pub(super) fn runs_input(name: &str, words: &[Option<&str>]) -> bool {
    let is_input = |word: &Option<&str>| word.is_none_or(|word| word == "-" || word.contains("dev/"));
    let has_file = |option: &str| {
        words.windows(2).any(|pair| matches!(pair, [Some(flag), file] if *flag == option && is_input(file)))
            || words.iter().flatten().any(|word| *word == format!("{option}-"))
    };
    // A word without a dot or a slash may be the value of an option.
    let is_file = |word: &Option<&str>| {
        word.is_some_and(|word| !word.starts_with('-') && word.contains(['.', '/']) && !word.contains("dev/"))
    };
    match name {
        "awk" | "gawk" | "mawk" | "nawk" | "sed" | "gsed" | "make" | "gmake" => has_file("-f"),
        _ if runners::runs(name, RunnerKind::Obeys) => true,
        _ if runners::is_interpreter(name) => !words.iter().any(is_file),
        _ => false,
    }
}

/// Whether a program's own text names all words of a rule, in a place where it could run them.
pub(super) fn mentions(name: &str, words: &[&str], rule: &[String]) -> bool {
    let program = rule.first().map(String::as_str).unwrap_or_default();
    words.iter().filter(|text| names(text, rule)).any(|text| match name {
        "awk" | "gawk" | "mawk" | "nawk" => text.contains("system") || text.contains('|'),
        "sed" | "gsed" => {
            let flags = text.rsplit(|c: char| c.is_ascii_punctuation()).next().unwrap_or_default();
            text.contains(&format!("e {program}")) || (flags.len() < 6 && flags.contains('e'))
        }
        _ => runners::is_interpreter(name) && !is_file_name(text),
    })
}

/// Whether a word can only be the name of a file, such as `touch.py`. No language calls a program
/// without a blank, a quote or a parenthesis.
fn is_file_name(word: &str) -> bool {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "._-/".contains(letter);
    word.contains(['.', '/']) && !word.starts_with('-') && word.chars().all(is_plain)
}

fn of_git(words: &[&str]) -> Vec<EmbeddedCommand> {
    let mut texts = aliases(words);
    // Git marks its own scripts with an exclamation mark.
    texts.extend(
        words
            .iter()
            .filter_map(|word| word.split_once('!'))
            .map(|(_, text)| EmbeddedCommand::Run(text.into())),
    );
    for (at, word) in words.iter().enumerate() {
        let before = at.checked_sub(1).and_then(|at| words.get(at)).copied().unwrap_or_default();
        let after = words.get(at + 1..).unwrap_or_default();
        let (option, value) = word.split_once('=').map_or((*word, None), |(name, value)| (name, Some(value)));
        if before == "-c" {
            let last = option.rsplit('.').next().unwrap_or_default().to_ascii_lowercase();
            let value = value.unwrap_or_default().to_owned();
            let runs = GIT_SETTINGS.contains(&last.as_str());
            texts.push(if runs { EmbeddedCommand::Run(value) } else { EmbeddedCommand::Perhaps(value) });
        } else if let Some(value) = value.filter(|_| option.starts_with("--")) {
            texts.extend(of_option(option, value));
        }
        if before.starts_with('-') && before != "-c" && is_git_run(before) {
            texts.push(EmbeddedCommand::Run((*word).to_owned()));
        }
        let joined = ["-x", "-O"].iter().find_map(|short| word.strip_prefix(short));
        texts
            .extend(joined.filter(|text| !text.is_empty()).map(|text| EmbeddedCommand::Run(text.to_owned())));
        if matches!(*word, "foreach" | "run") {
            let command: Vec<&str> = after.iter().copied().skip_while(|word| word.starts_with('-')).collect();
            texts.push(EmbeddedCommand::Run(command.join(" ")));
            texts.extend(after.iter().map(|word| EmbeddedCommand::Perhaps((*word).to_owned())));
        }
        if *word == "config" {
            texts.extend(after.iter().map(|word| EmbeddedCommand::Perhaps((*word).to_owned())));
        }
        // A transport that is a command; blanks are written with a percent sign.
        texts.extend(word.split_once("ext::").map(|(_, text)| EmbeddedCommand::Run(text.replace("% ", " "))));
    }
    texts
}

fn of_option(option: &str, value: &str) -> Option<EmbeddedCommand> {
    if is_git_run(option) {
        return Some(EmbeddedCommand::Run(value.to_owned()));
    }
    (!SAID.contains(&option)).then(|| EmbeddedCommand::Perhaps(value.to_owned()))
}

/// Whether git runs the value of an option, which may be cut short.
pub(super) fn is_git_run(option: &str) -> bool {
    let long = option.len() > 3 && option.starts_with("--");
    GIT_RUNS.iter().any(|runs| *runs == option || (long && runs.starts_with(option)))
}

/// The commands that aliases among the words of a git command stand for.
fn aliases(words: &[&str]) -> Vec<EmbeddedCommand> {
    let values = words.iter().enumerate().filter_map(|(at, word)| {
        // Names of sections are the same in capitals.
        let is_alias = word.get(..6).is_some_and(|start| start.eq_ignore_ascii_case("alias."));
        let value = word.split_once('=').map(|(_, value)| value).or_else(|| words.get(at + 1).copied());
        value.filter(|value| is_alias && !value.starts_with('!'))
    });
    values.map(|value| EmbeddedCommand::Run(format!("git {value}"))).collect()
}

/// Texts that shell builtins call back, or expand a second time.
fn of_builtin(words: &[&str]) -> Vec<EmbeddedCommand> {
    let mut texts = Vec::new();
    for (at, word) in words.iter().enumerate() {
        let (option, joined) = word.split_at_checked(2).unwrap_or((word, ""));
        let after = words.get(at + 1).copied().unwrap_or_default();
        let value = if joined.is_empty() { after } else { joined };
        match option {
            "-C" => texts.push(EmbeddedCommand::Run(value.to_owned())),
            "-W" => texts.push(EmbeddedCommand::Perhaps(value.to_owned())),
            "-x" => {
                texts.extend(value.rsplit(':').next().map(|text| EmbeddedCommand::Perhaps(text.to_owned())));
            }
            _ => {}
        }
    }
    texts
}

/// The option values that a program runs: after an equals sign, joined, or the next word.
fn of_options(name: &str, options: &[&str], words: &[&str]) -> Vec<EmbeddedCommand> {
    let mut texts = Vec::new();
    for (at, word) in words.iter().enumerate() {
        let after = words.get(at + 1).copied().unwrap_or_default();
        let Some(value) = options.iter().find_map(|option| option_value(option, word, after)) else {
            continue;
        };
        texts.push(EmbeddedCommand::Run(value.to_owned()));
        // As in `--checkpoint-action=exec=…`.
        texts.extend(value.split_once('=').map(|(_, text)| EmbeddedCommand::Perhaps(text.to_owned())));
        // As in `-wrapper program,argument`.
        texts.extend(value.contains(',').then(|| EmbeddedCommand::Perhaps(value.replace(',', " "))));
    }
    // The first word of tar may be letters without a dash, whose values are the next
    // words in any order.
    let letters = words.first().filter(|first| name.ends_with("tar") && !first.starts_with('-'));
    if letters.is_some_and(|letters| letters.contains(['I', 'F'])) {
        texts.extend(words.iter().skip(1).map(|word| EmbeddedCommand::Perhaps((*word).to_owned())));
    }
    texts
}

/// The value of an option, if this word is that option: also abbreviated, or after other letters.
fn option_value<'a>(option: &str, word: &'a str, after: &'a str) -> Option<&'a str> {
    let (name, value) = word.split_once('=').map_or((word, None), |(name, value)| (name, Some(value)));
    let is_short = option.len() == 2 && !option.starts_with("--");
    if is_short && word.starts_with('-') && !word.starts_with("--") {
        let (_, joined) = word.split_once(option.trim_start_matches('-'))?;
        return Some(if joined.is_empty() { after } else { joined });
    }
    let is_cut = name.len() > 3 && name.starts_with("--") && option.starts_with(name);
    (name == option || is_cut).then(|| value.unwrap_or(after))
}

/// Every part of a program's words that could be a command: after an equals sign, an exclamation
/// mark or an option.
fn of_any_option(name: &str, words: &[&str]) -> Vec<EmbeddedCommand> {
    let places = PLACES.iter().filter(|(names, _)| names.contains(&name)).flat_map(|(_, options)| *options);
    let places: Vec<&str> = places.copied().collect();
    let mut texts = Vec::new();
    let mut before = "";
    for word in words {
        let option = match word.split_once('=') {
            Some((option, _)) if word.starts_with("--") => option,
            _ if word.starts_with("--") => word,
            _ => word.get(..2).unwrap_or(word),
        };
        // A place and its option, in one word or in two.
        if places.contains(&option) || (places.contains(&before) && !word.starts_with('-')) {
            before = word;
            continue;
        }
        let pieces = word.match_indices(['=', '!', ':']).filter_map(|(at, _)| word.get(at + 1..));
        let behind = word.strip_prefix('-').and_then(|rest| rest.get(1..));
        let escaped = SHELL_ESCAPES.iter().filter_map(|escape| word.trim_start().strip_prefix(escape));
        let value = Some(*word).filter(|_| before.starts_with(['-', '+']));
        let parts = pieces.chain(behind).chain(escaped).chain(value);
        texts.extend(
            parts.filter(|text| !text.is_empty()).map(|text| EmbeddedCommand::Perhaps(text.to_owned())),
        );
        before = word;
    }
    texts
}
