//! Shortens the help of commands so that it fits on a screen, and suggests a command for a mistyped
//! one.
//!
//! It defines no flags: they and their texts are in the arguments of each command (`commands/`),
//! and clap prints them. `main.rs` calls this file before a command is parsed and after that
//! failed.

use std::io::{self, Write as _};

use clap::{
    Arg, ArgAction, Command, CommandFactory as _,
    error::{ContextKind, ContextValue, ErrorKind},
};

use holm::guards::schema::closest;

use crate::{Cli, holm_paths::quoted};

/// Commands with more flags than fit on a screen. Flags that are marked with `hide_short_help` are
/// shown by `--help-all` only.
const COMMANDS_WITH_HELP_ALL: [&str; 2] = ["run", "chat"];

/// Options of `holm run` that other commands share but refuse, by the path of the command. Their help
/// leaves them out.
const REFUSED_OPTIONS: [(&[&str], &[&str]); 3] = [
    (&["chat"], &["json", "output", "alias", "var", "edit", "fork", "at"]),
    (&["session", "fork"], &["fork", "resume"]),
    (&["session", "edit"], &["fork", "resume"]),
];

/// The command line, with `--help-all` where it is needed and without options that are refused.
pub(crate) fn command(command: Command) -> Command {
    let command = COMMANDS_WITH_HELP_ALL
        .into_iter()
        .fold(command, |command, name| command.mut_subcommand(name, with_help_all));
    REFUSED_OPTIONS.into_iter().fold(command, |command, (path, options)| without(command, path, options))
}

fn without(command: Command, path: &[&str], options: &[&'static str]) -> Command {
    match path.split_first() {
        Some((name, rest)) => command.mut_subcommand(*name, |command| without(command, rest, options)),
        None => {
            options.iter().fold(command, |command, option| command.mut_arg(*option, |arg| arg.hide(true)))
        }
    }
}

fn with_help_all(command: Command) -> Command {
    let help = Arg::new("help").short('h').long("help").action(ArgAction::HelpShort);
    let all = Arg::new("help-all").long("help-all").action(ArgAction::HelpLong);
    command
        .disable_help_flag(true)
        .arg(help.help("Print help").help_heading("Global options"))
        .arg(all.help("Print help with all options").help_heading("Global options"))
}

/// Prints a usage error or the requested help. Adds a
/// suggestion for a mistyped command, if clap has none.
pub(crate) fn print(said: &clap::Error) -> io::Result<()> {
    said.print()?;
    let words: Vec<String> = std::env::args().skip(1).collect();
    match (suggestion(said, &words), task(said, &words)) {
        (Some(name), _) => writeln!(io::stderr(), "\n  tip: did you mean `holm {name}`?"),
        (None, Some(task)) => {
            writeln!(io::stderr(), "\n  tip: to give an agent this task, run: holm run -p {}", quoted(&task))
        }
        (None, None) => Ok(()),
    }
}

/// The task, if a user wrote one where a command belongs: several words, and the first is not a command.
fn task(said: &clap::Error, words: &[String]) -> Option<String> {
    let Some(ContextValue::String(typed)) = said.get(ContextKind::InvalidSubcommand) else { return None };
    let is_first = words.first() == Some(typed) && said.get(ContextKind::SuggestedSubcommand).is_none();
    (is_first && words.len() > 1).then(|| words.join(" "))
}

/// The command that was probably meant. A mistyped subcommand may look
/// like a wrong value, where its command also takes one.
fn suggestion(said: &clap::Error, words: &[String]) -> Option<String> {
    let (typed, known) = match said.kind() {
        ErrorKind::InvalidSubcommand => (ContextKind::InvalidSubcommand, ContextKind::SuggestedSubcommand),
        ErrorKind::InvalidValue => (ContextKind::InvalidValue, ContextKind::SuggestedValue),
        _ => return None,
    };
    let Some(ContextValue::String(typed)) = said.get(typed) else { return None };
    if said.get(known).is_some() {
        return None;
    }
    let (mut command, mut path) = (&Cli::command(), Vec::new());
    for word in words.iter().take_while(|word| *word != typed) {
        if let Some(inner) = command.find_subcommand(word) {
            (command, path) = (inner, [path, vec![inner.get_name()]].concat());
        }
    }
    let names: Vec<&str> = command.get_subcommands().map(Command::get_name).collect();
    let meant = nearest(typed, &names)?;
    Some([path, vec![meant]].concat().join(" "))
}

/// The name that was probably meant: one with a letter more,
/// less or other, or with the same letters in another order.
fn nearest<'a>(typed: &str, names: &[&'a str]) -> Option<&'a str> {
    let letters = |name: &str| {
        let mut letters: Vec<char> = name.chars().collect();
        letters.sort_unstable();
        letters
    };
    let swapped = || names.iter().copied().find(|name| letters(name) == letters(typed));
    closest(typed, names.iter().copied()).or_else(swapped)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mistyped_command_is_near_the_one_that_was_meant() {
        let names = ["run", "session", "trust"];
        assert_eq!(nearest("rnu", &names), Some("run"));
        assert_eq!(nearest("sesion", &names), Some("session"));
        assert_eq!(nearest("xyz", &names), None);
    }

    #[test]
    fn a_mistyped_subcommand_is_suggested_also_where_a_value_may_stand() {
        let check = |line: &str, expect: Option<&str>| {
            let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
            let typed = std::iter::once("holm".to_owned()).chain(words.clone());
            let said = command(Cli::command()).try_get_matches_from(typed).unwrap_err();
            assert_eq!(suggestion(&said, &words).as_deref(), expect, "{line}");
        };
        check("trust sugest", Some("trust suggest"));
        check("trust nonsense", None);
        check("rnu", Some("run"));
    }

    #[test]
    fn a_task_in_the_place_of_a_command_is_recognised() {
        let check = |line: &str, expect: Option<&str>| {
            let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
            let typed = std::iter::once("holm".to_owned()).chain(words.clone());
            let said = command(Cli::command()).try_get_matches_from(typed).unwrap_err();
            assert_eq!(task(&said, &words).as_deref(), expect, "{line}");
        };
        check("fix the test", Some("fix the test"));
        check("fix", None);
        check("skill fix the test", None);
    }

    #[test]
    fn a_command_does_not_list_options_of_a_run_that_it_refuses() {
        for (path, options) in REFUSED_OPTIONS {
            let all = if path == ["chat"] { "--help-all" } else { "--help" };
            let typed = [&["holm"], path, &[all]].concat();
            let shown = command(Cli::command()).try_get_matches_from(typed).unwrap_err().to_string();
            let lists = |option: &str| shown.split_whitespace().any(|word| word == format!("--{option}"));
            assert!(lists("model"), "{path:?}: {shown}");
            for option in options {
                assert!(!lists(option), "{path:?} lists --{option}: {shown}");
            }
        }
    }

    #[test]
    fn the_help_of_a_run_fits_on_a_screen_and_help_all_has_every_flag() {
        let shown = |flag: &str| {
            // Not as wide as the terminal in which the tests run.
            let command = command(Cli::command()).term_width(80);
            let said = command.try_get_matches_from(["holm", "run", flag]).unwrap_err();
            said.to_string()
        };
        let (short, all) = (shown("--help"), shown("--help-all"));
        assert!(short.lines().count() <= 40, "{} lines: {short}", short.lines().count());
        assert!(!short.contains("--sep40") && all.contains("--sep40"));
        for flag in ["--trust", "--model", "--prompt", "--session", "--help-all"] {
            assert!(short.contains(flag), "{flag}: {short}");
        }
    }
}
