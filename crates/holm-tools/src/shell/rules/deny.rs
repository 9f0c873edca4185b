//! Searches a script for forbidden commands. When in doubt, it reports a finding.
//!
//! Deny rules are a convenience: they refuse commands that plainly say what they would do. A
//! program, a file or a text that is made at run time can start anything. The jail decides what
//! a command can do.
//!
//! What passes unasked is decided in `allow.rs`. Programs that run others are in the table of
//! `runners.rs`, and commands in their options are found in `embedded_commands.rs`; a new one
//! belongs there.

use std::borrow::Cow;
use std::collections::BTreeSet;

use super::embedded_commands::{self, EmbeddedCommand};
use super::rule::{CommandRule, option_name};
use super::runners::{self, RunnerKind};
use crate::shell::script::{ScriptCommand, ScriptWord, ShellAssignment, ShellScript};

/// How deep scripts in scripts are read; deeper ones are unclear.
const MAX_DEPTH: usize = 6;
/// The most scripts that are read for one question, since each may hold many.
const MAX_SCRIPTS: usize = 256;

pub(super) enum DenyFinding<'a> {
    Hit(&'a CommandRule),
    Unclear(&'static str),
}

/// The first rule that something in the script breaks, or why that cannot be told.
pub(super) fn find<'a>(rules: &'a [CommandRule], script: &ShellScript) -> Option<DenyFinding<'a>> {
    if rules.is_empty() {
        return None;
    }
    let mut search = DenySearch { rules, unclear: None, scripts: 0, uses_values: false };
    let hit = search.script(script, 0);
    hit.map(DenyFinding::Hit).or(search.unclear.map(DenyFinding::Unclear))
}

struct DenySearch<'a> {
    rules: &'a [CommandRule],
    unclear: Option<&'static str>,
    scripts: usize,
    /// Whether a script so far may run the value of a variable; a nested
    /// script shares its variables.
    uses_values: bool,
}

impl<'a> DenySearch<'a> {
    fn script(&mut self, script: &ShellScript, depth: usize) -> Option<&'a CommandRule> {
        if script.expands_values() {
            self.unclear = Some("`${…@P}` expands a value a second time; write the command out");
        }
        // A value that stays in a shell variable runs nothing.
        self.uses_values |= uses_values(script);
        let is_used = self.uses_values;
        let runs =
            |set: &&ShellAssignment| is_used || set.is_exported || embedded_commands::is_run(&set.name);
        let mut set = script.assignments().iter().filter(runs);
        let hit = set.find_map(|set| self.variable(&set.name, &set.value, depth));
        hit.or_else(|| script.commands().iter().find_map(|command| self.command(command, depth)))
    }

    /// Searches the value of a variable that a program will run.
    fn variable(&mut self, name: &str, value: &ScriptWord, depth: usize) -> Option<&'a CommandRule> {
        if name == "BASH_ENV" && value.value() != Some("") {
            self.unclear = Some("BASH_ENV names a file of commands; leave it out, or write the commands out");
        }
        let Some(value) = value.value() else {
            if embedded_commands::is_run(name) || name == "GIT_CONFIG_GLOBAL" {
                self.unclear = Some(
                    "a variable with a command gets its value at run time; write the \
                    command out",
                );
            }
            return None;
        };
        if is_input(value) && (embedded_commands::is_run(name) || name.starts_with("GIT_CONFIG_")) {
            self.unclear = Some("a variable names commands from elsewhere; write them out");
        }
        self.texts(&embedded_commands::of_variable(name, value), depth)
    }

    fn texts(&mut self, texts: &[EmbeddedCommand], depth: usize) -> Option<&'a CommandRule> {
        texts.iter().find_map(|text| match text {
            EmbeddedCommand::Run(text) => self.text(text, depth),
            EmbeddedCommand::Perhaps(text) if self.could_hit(text) && ShellScript::read(text).is_ok() => {
                self.text(text, depth)
            }
            EmbeddedCommand::Perhaps(_) => None,
            EmbeddedCommand::Expanded(text) => {
                let Some(scripts) = ShellScript::substitutions(text) else {
                    self.unclear = Some("a text that the shell expands cannot be parsed; write it out");
                    return None;
                };
                scripts.iter().find_map(|script| self.text(script, depth))
            }
        })
    }

    /// Whether a text without any art names the program of a rule; what has art in it could name any.
    fn could_hit(&self, text: &str) -> bool {
        let names =
            |rule: &CommandRule| rule.words.first().is_some_and(|program| text.contains(base_name(program)));
        text.contains(['\'', '"', '\\', '$', '`', '*', '?', '[', '{']) || self.rules.iter().any(names)
    }

    fn command(&mut self, command: &ScriptCommand, depth: usize) -> Option<&'a CommandRule> {
        let mut words = command.words.as_slice();
        let mut fed = WordInjection::No;
        // The inner command begins at one of the wrapper's words, and only the wrapper knows which.
        loop {
            let (first, rest) = words.split_first()?;
            let Some(name) = first.value() else {
                self.unclear = Some("the name of a command is computed at run time; write it out");
                return None;
            };
            let name = base_name(name);
            let rules = self.rules;
            let seen = fed.seen(rest);
            if let Some(rule) = rules.iter().find(|rule| self.hits(rule, name, &seen)) {
                return Some(rule);
            }
            let values: Vec<Option<&str>> = rest.iter().map(ScriptWord::value).collect();
            let command_after = runners::command_after(name, &values);
            let runs = command_after.is_some() || runners::runs(name, RunnerKind::Script);
            if fed >= WordInjection::More && runs {
                self.unclear =
                    Some("a command that runs another gets more arguments at run time; write them out");
            }
            if let Some(rule) = self.inner(name, rest, depth).or_else(|| self.hidden(name, rest, depth)) {
                return Some(rule);
            }
            self.input(name, rest, command.input.as_deref());
            let sourced = matches!(name, "." | "source")
                && rest.first().and_then(ScriptWord::value).is_none_or(is_input);
            if sourced || (runners::runs(name, RunnerKind::Input) && reads_elsewhere(rest)) {
                self.unclear = Some("a shell reads its commands from elsewhere; write them out");
            }
            let ends_here = std::ptr::eq(words, command.words.as_slice()) && command_after.is_none();
            if name == "parallel"
                && rest.iter().all(|word| word.value().is_none_or(|word| word.starts_with('-')))
            {
                self.unclear = Some("commands are read from elsewhere; write them out");
            }
            if ends_here || rest.is_empty() {
                return None;
            }
            fed = fed.max(WordInjection::by(name, rest));
            if rest.iter().any(|word| word.value().is_none()) {
                self.unclear =
                    Some("a command that runs another has arguments computed at run time; write them out");
            }
            words = rest.get(command_after.unwrap_or(0)..).unwrap_or_default();
            // The words of a wrapper that are made at run time are passed over: they
            // were found unclear above.
            while let Some((ScriptWord::Made, rest)) = words.split_first() {
                words = rest;
            }
        }
    }

    /// Searches commands among the words of a program that is not a shell, and variables
    /// that a wrapper sets.
    fn hidden(&mut self, name: &str, words: &[ScriptWord], depth: usize) -> Option<&'a CommandRule> {
        let known: Vec<&str> = words.iter().filter_map(ScriptWord::value).collect();
        // Where the value of a setting comes from a variable, it is not written here.
        if name == "git" && known.iter().any(|word| word.starts_with("--config-e")) {
            self.unclear = Some("a git setting is computed at run time; write it out");
        }
        if name == "git" && known.len() < words.len() && embedded_commands::git_runs(&known) {
            self.unclear = Some("a program that git would run is computed at run time; write it out");
        }
        if self.rules.iter().any(|rule| embedded_commands::mentions(name, &known, &rule.words)) {
            self.unclear = Some("a program's arguments name a forbidden command; write the command out");
        }
        let is_table = matches!(name, "hash" | "enable");
        if is_table && known.iter().any(|word| word.starts_with("-p") || word.starts_with("-f")) {
            self.unclear = Some(
                "`hash` or `enable` gives a name to another program; call that program \
                directly",
            );
        }
        let (is_setter, is_exported) = (runners::runs(name, RunnerKind::Variables), name == "export");
        let set = known.iter().filter(|_| is_setter).filter_map(|word| word.split_once('='));
        let set = set.map(|(name, value)| (name.trim_end_matches('+'), ScriptWord::Known(value.to_owned())));
        // Plain assignments by builtins were read with the assignments; quoted
        // ones are checked here.
        let is_builtin = matches!(name, "declare" | "export" | "local" | "readonly" | "typeset");
        let is_plain = |value: &ScriptWord| value.value().is_some_and(|value| !value.contains(['$', '`']));
        let is_set = |name: &str, value: &ScriptWord| {
            embedded_commands::is_run(name) || (is_exported && is_plain(value))
        };
        let set = set.filter(|(name, value)| !is_builtin || is_set(name, value));
        let set: Vec<_> =
            set.chain(set_at_run_time(name, &known).map(|name| (name, ScriptWord::Made))).collect();
        let hit = set.iter().find_map(|(name, value)| self.variable(name, value, depth));
        hit.or_else(|| self.texts(&embedded_commands::texts(name, &known), depth))
    }

    /// Searches the input that a program would run: a here-document, a here-string or the
    /// text before a pipe.
    fn input(&mut self, name: &str, words: &[ScriptWord], input: Option<&str>) {
        let words: Vec<Option<&str>> = words.iter().map(ScriptWord::value).collect();
        let Some(input) = input.filter(|_| embedded_commands::runs_input(name, &words)) else { return };
        if self.rules.iter().any(|rule| embedded_commands::names(input, &rule.words)) {
            self.unclear = Some("a program's input names a forbidden command; write the command out");
        }
    }

    /// Scripts among the words of a command.
    fn inner(&mut self, name: &str, words: &[ScriptWord], depth: usize) -> Option<&'a CommandRule> {
        if !runners::runs(name, RunnerKind::Script) {
            return None;
        }
        if words.iter().any(|word| word.value().is_none()) {
            self.unclear = Some("a nested script is computed at run time; write it out");
        }
        let known: Vec<&str> = words.iter().filter_map(ScriptWord::value).collect();
        let whole = known.join(" ");
        // An alias is a name, an equals sign and a script.
        let behind = known.iter().filter_map(|word| word.split_once('=')).map(|(_, text)| text);
        let texts: Vec<&str> = match name {
            "eval" => vec![whole.as_str()],
            _ => known.iter().copied().filter(|word| !word.starts_with('-')).chain(behind).collect(),
        };
        let attached =
            known.iter().filter_map(|word| word.strip_prefix("-S").or(word.strip_prefix("--split-string=")));
        // A script right after its option: -qc'git push'.
        let behind_c = known.iter().filter(|word| word.starts_with('-') && !word.starts_with("--"));
        let behind_c = behind_c.filter_map(|word| word.split_once('c')).map(|(_, text)| text);
        let attached: Vec<&str> = attached.chain(behind_c).filter(|text| !text.is_empty()).collect();
        texts.into_iter().chain(attached).find_map(|text| self.text(text, depth))
    }

    fn text(&mut self, text: &str, depth: usize) -> Option<&'a CommandRule> {
        self.scripts += 1;
        if depth >= MAX_DEPTH || self.scripts > MAX_SCRIPTS {
            self.unclear = Some("scripts are nested too deeply; write them out");
            return None;
        }
        if let Ok(script) = ShellScript::read(text) {
            self.script(&script, depth + 1)
        } else {
            self.unclear = Some("a nested script cannot be parsed; write it out");
            None
        }
    }

    fn hits(&mut self, rule: &CommandRule, name: &str, rest: &[ScriptWord]) -> bool {
        let Some((program, words)) = rule.words.split_first() else { return false };
        if base_name(program) != name {
            return false;
        }
        let found = [follows(words, rest)]
            .into_iter()
            .chain(rule.options.iter().map(|option| has_option(option_name(option), rest)))
            .max()
            .unwrap_or(MatchCertainty::No);
        if found == MatchCertainty::Unclear {
            self.unclear = Some("a command's arguments are computed at run time; write them out");
        }
        found == MatchCertainty::Yes
    }
}

/// How a wrapper changes the words of the command that it runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum WordInjection {
    No,
    /// It replaces `{}` by other words.
    Inside,
    /// It also appends other words.
    More,
    /// It may insert other words anywhere.
    Any,
}

impl WordInjection {
    fn by(wrapper: &str, words: &[ScriptWord]) -> Self {
        let marks = |word: &str| ["-I", "-i", "-J", "--replace"].iter().any(|mark| word.starts_with(mark));
        match wrapper {
            "bfs" | "find" | "gfind" => Self::Inside,
            "gxargs" | "xargs" if !words.iter().filter_map(ScriptWord::value).any(marks) => Self::More,
            _ if runners::runs(wrapper, RunnerKind::Feeds) => Self::Any,
            _ => Self::No,
        }
    }

    /// The words as far as they are known.
    fn seen(self, words: &[ScriptWord]) -> Cow<'_, [ScriptWord]> {
        let replaced = |word: &ScriptWord| match word.value() {
            Some(text) if !text.contains("{}") => word.clone(),
            Some(_) | None => ScriptWord::Made,
        };
        match self {
            Self::No => Cow::Borrowed(words),
            Self::Inside => words.iter().map(replaced).collect(),
            Self::More => words.iter().map(replaced).chain([ScriptWord::Made]).collect(),
            Self::Any => Cow::Owned(vec![ScriptWord::Made]),
        }
    }
}

/// Whether a script may run the value of a shell variable, or export it later. It may if a program
/// that runs others gets a word made at run time, or a text with a variable in it.
fn uses_values(script: &ShellScript) -> bool {
    let is_runner = |word: &ScriptWord| {
        word.value()
            .map(base_name)
            .is_some_and(|name| runners::is_runner(name) || name == "git" || calls_back(name))
    };
    let is_value = |word: &ScriptWord| word.value().is_none_or(|text| text.contains(['$', '`']));
    let exports = |command: &ScriptCommand| {
        let words: Vec<&str> = command.words.iter().filter_map(ScriptWord::value).collect();
        let option = |word: &&str| word.starts_with('-') && word.contains(['a', 'o', 'x']);
        match words.as_slice() {
            ["export", ..] => true,
            ["declare" | "typeset" | "local" | "readonly" | "set", rest @ ..] => rest.iter().any(option),
            _ => false,
        }
    };
    // `command -v` only tells where a program is.
    let asks = |command: &ScriptCommand| {
        let words = command.words.get(..2).unwrap_or_default();
        let words: Vec<Option<&str>> = words.iter().map(ScriptWord::value).collect();
        matches!(words.as_slice(), [Some("command"), Some("-v" | "-V")])
    };
    script.commands().iter().filter(|command| !asks(command)).any(|command| {
        exports(command) || (command.words.iter().any(is_runner) && command.words.iter().any(is_value))
    })
}

/// Builtins with options whose value is run.
fn calls_back(name: &str) -> bool {
    matches!(name, "bind" | "compgen" | "complete" | "mapfile" | "readarray")
}

/// Variables that a builtin sets to values made at run time.
fn set_at_run_time<'a>(name: &str, words: &[&'a str]) -> impl Iterator<Item = &'a str> + use<'a> {
    let sets = match name {
        "getopts" | "mapfile" | "read" | "readarray" => words.len(),
        "printf" | "wait" if words.iter().any(|word| word.starts_with("-v") || word.starts_with("-p")) => 2,
        _ => 0,
    };
    let names: Vec<&str> = words.iter().take(sets).map(|word| word.trim_start_matches("-v")).collect();
    names.into_iter()
}

/// Whether a shell with these words reads its commands from its input: it has no script and no
/// file, or a file that is the input.
fn reads_elsewhere(words: &[ScriptWord]) -> bool {
    let mut words = words.iter().map(|word| word.value().unwrap_or("/dev/stdin"));
    while let Some(word) = words.next() {
        let letters = word.strip_prefix(['-', '+']).filter(|letters| !letters.starts_with('-'));
        let takes_value = match letters {
            Some(letters) if letters.contains('c') => return false,
            Some(letters) if letters.contains('s') => return true,
            Some(letters) => letters.ends_with(['o', 'O']),
            None if word.starts_with("--") => matches!(word, "--rcfile" | "--init-file"),
            None => return is_input(word),
        };
        if takes_value {
            words.next();
        }
    }
    true
}

/// Whether a file is the standard input of the program, under one of its names.
fn is_input(path: &str) -> bool {
    let kernel = path.contains("dev/") || path.contains("proc/");
    kernel && (path.ends_with("/stdin") || path.ends_with("/tty") || path.contains("/fd/"))
}

/// Whether words match a rule. The order makes the maximum the answer for several conditions
/// that must all hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum MatchCertainty {
    Yes,
    Unclear,
    No,
}

/// Whether the wanted words come next, each possibly after options and their values.
fn follows(wanted: &[String], words: &[ScriptWord]) -> MatchCertainty {
    let mut open = BTreeSet::from([(0, 0)]);
    let mut unclear = false;
    while let Some((want, at)) = open.pop_last() {
        let Some(next) = wanted.get(want) else { return MatchCertainty::Yes };
        match words.get(at).map(ScriptWord::value) {
            None => {}
            Some(None) => unclear = true,
            Some(Some(word)) if word == next => drop(open.insert((want + 1, at + 1))),
            Some(Some(word)) if word.starts_with('-') => open.extend([(want, at + 1), (want, at + 2)]),
            Some(Some(_)) => {}
        }
    }
    if unclear { MatchCertainty::Unclear } else { MatchCertainty::No }
}

/// Whether an option is present, also abbreviated, combined with others or in pieces.
fn has_option(option: &str, words: &[ScriptWord]) -> MatchCertainty {
    let known: Vec<&str> = words.iter().filter_map(ScriptWord::value).collect();
    let same = |word: &&str| {
        let name = word.split_once('=').map_or(*word, |(name, _)| name);
        name == option || (name.len() > 2 && name.starts_with("--") && option.starts_with(name))
    };
    let short = |word: &&&str| word.starts_with('-') && !word.starts_with("--");
    let letters = option.strip_prefix('-').filter(|letters| !letters.starts_with('-') && !letters.is_empty());
    let spread = letters.is_some_and(|letters| {
        letters.chars().all(|letter| known.iter().filter(short).any(|word| word.contains(letter)))
    });
    if known.iter().any(same) || spread {
        return MatchCertainty::Yes;
    }
    if words.contains(&ScriptWord::Made) { MatchCertainty::Unclear } else { MatchCertainty::No }
}

/// A program's name without its folder.
fn base_name(program: &str) -> &str {
    program.rsplit('/').next().unwrap_or(program)
}
