//! Decides what allow rules cover: a command that a rule names, and what that command runs.
//! Forbidden commands are found in `deny.rs`, which is asked first. When in doubt, it covers
//! nothing, so that a person is asked. Only words that are written exactly as the program sees them
//! count.

use super::embedded_commands::{self, EmbeddedCommand};
use super::rule::{CommandRule, TrailingWords};
use super::runners::{self, RunnerKind};
use crate::shell::script::{ScriptComplexity, ScriptWord, ShellScript};

/// How many levels of programs that run others are followed; a deeper command needs approval.
const MAX_DEPTH: usize = 6;

/// Programs that store their input and run it later, with any arguments.
const SCHEDULERS: &[&str] = &["at", "batch", "crontab"];

/// Whether every command of a script passes unasked.
pub(super) fn covers(rules: &[CommandRule], script: &ShellScript) -> bool {
    covers_script(rules, script, 0)
}

fn covers_script(rules: &[CommandRule], script: &ShellScript, depth: usize) -> bool {
    let covered = |words: &[ScriptWord]| {
        let words: Option<Vec<&str>> = words.iter().map(ScriptWord::plain).collect();
        words.is_some_and(|words| covers_words(rules, &words, depth))
    };
    let all = script.commands().iter().all(|command| covered(&command.words));
    script.form() == ScriptComplexity::Plain && all && !script.commands().is_empty()
}

fn covers_words(rules: &[CommandRule], words: &[&str], depth: usize) -> bool {
    let covers = |rule: &CommandRule| rule.covers(words) && covers_what_runs(rules, rule, words, depth);
    depth < MAX_DEPTH && rules.iter().any(covers)
}

fn covers_text(rules: &[CommandRule], text: &str, depth: usize) -> bool {
    ShellScript::read(text).is_ok_and(|script| covers_script(rules, &script, depth + 1))
}

/// Whether the commands that a covered command runs are covered too.
fn covers_what_runs(rules: &[CommandRule], rule: &CommandRule, words: &[&str], depth: usize) -> bool {
    let Some((first, rest)) = words.split_first() else { return false };
    let name = first.rsplit('/').next().unwrap_or(first);
    let unnamed = words.get(rule.words.len()..).unwrap_or_default();
    if name == "git" {
        return !embedded_commands::git_would_run(rest, unnamed);
    }
    let values_are_covered = embedded_commands::texts(name, rest).iter().all(|text| match text {
        EmbeddedCommand::Run(text) => covers_text(rules, text, depth),
        EmbeddedCommand::Perhaps(_) | EmbeddedCommand::Expanded(_) => true,
    });
    if !values_are_covered || SCHEDULERS.contains(&name) {
        return false;
    }
    if obeys_input(name) && words.len() == 1 {
        return false;
    }
    if !runs_words(name, rest) {
        return true;
    }
    match rule.rest {
        TrailingWords::Listed => is_named_whole(rule, name, unnamed),
        TrailingWords::Any => covers_inner(rules, rule, words, depth),
    }
}

/// Whether a program without words does what its input says.
fn obeys_input(name: &str) -> bool {
    runners::is_interpreter(name)
        || runners::ways(name).any(|way| matches!(way, RunnerKind::Input | RunnerKind::Obeys))
}

/// Whether a program with these words runs a command or a script that is among them.
fn runs_words(name: &str, words: &[&str]) -> bool {
    runners::ways(name).any(|way| match way {
        RunnerKind::Words | RunnerKind::Script | RunnerKind::Input => true,
        RunnerKind::Behind(marks) => words.iter().any(|word| marks.contains(word)),
        RunnerKind::Feeds
        | RunnerKind::Variables
        | RunnerKind::Options(_)
        | RunnerKind::AnyOption
        | RunnerKind::Language
        | RunnerKind::Obeys => false,
    })
}

/// Whether a rule without a star names all that a program runs: no value that the rule leaves open,
/// and no words from elsewhere that would be a command.
fn is_named_whole(rule: &CommandRule, name: &str, unnamed: &[&str]) -> bool {
    let is_runner = |word: &String| runners::is_runner(word.rsplit('/').next().unwrap_or(word));
    let feeds_runner = runners::runs(name, RunnerKind::Feeds) && rule.words.iter().skip(1).any(is_runner);
    !feeds_runner && !unnamed.iter().any(|word| word.contains('='))
}

/// Whether the inner command of a program under a rule with a star is covered: by the rule itself,
/// if it names that command, or by another rule.
fn covers_inner(rules: &[CommandRule], rule: &CommandRule, words: &[&str], depth: usize) -> bool {
    let is_shell = words.first().is_some_and(|name| {
        let name = name.rsplit('/').next().unwrap_or(name);
        runners::runs(name, RunnerKind::Script) && runners::runs(name, RunnerKind::Input)
    });
    if is_shell {
        return match words {
            [_, "-c", text] => covers_text(rules, text, depth),
            // The rule names the file.
            _ => rule.words.len() > 1,
        };
    }
    let Some(at) = runners::certain_command_at(words) else { return false };
    let inner = words.get(at..).unwrap_or_default();
    let named = rule.words.get(at..).filter(|named| !named.is_empty());
    let named = named.map(|named| CommandRule { words: named.to_vec(), ..rule.clone() });
    let rules: Vec<CommandRule> = rules.iter().cloned().chain(named).collect();
    covers_words(&rules, inner, depth + 1)
}
