//! Help that fits on a screen, and suggestions for mistyped commands.
//!
//! The flags and their texts are in the arguments of each command; clap prints them.

use std::io::{self, Write as _};

use clap::{
    Arg, ArgAction, Command, CommandFactory as _,
    error::{ContextKind, ContextValue, ErrorKind},
};

use holm::guards::schema::closest;

use crate::Cli;

/// Commands with more flags than fit on a screen. Flags that are marked with `hide_short_help` are
/// shown by `--help-all` only.
const LONG: [&str; 2] = ["run", "chat"];

/// The command line, with `--help-all` where it is needed.
pub(crate) fn command(command: Command) -> Command {
    LONG.into_iter().fold(command, |command, name| command.mut_subcommand(name, with_help_all))
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
    match suggestion(said) {
        Some(name) => writeln!(io::stderr(), "\n  tip: did you mean `holm {name}`?"),
        None => Ok(()),
    }
}

fn suggestion(said: &clap::Error) -> Option<String> {
    let is_mistyped = said.kind() == ErrorKind::InvalidSubcommand;
    if !is_mistyped || said.get(ContextKind::SuggestedSubcommand).is_some() {
        return None;
    }
    let Some(ContextValue::String(typed)) = said.get(ContextKind::InvalidSubcommand) else { return None };
    let command = Cli::command();
    nearest(typed, &command.get_subcommands().map(Command::get_name).collect::<Vec<_>>()).map(str::to_owned)
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
    fn the_help_of_a_run_fits_on_a_screen_and_help_all_has_every_flag() {
        let shown = |flag: &str| {
            // Not as wide as the terminal in which the tests run.
            let command = command(Cli::command()).term_width(80);
            let said = command.try_get_matches_from(["holm", "run", flag]).unwrap_err();
            said.to_string()
        };
        let (short, all) = (shown("--help"), shown("--help-all"));
        assert!(short.lines().count() <= 50, "{} lines: {short}", short.lines().count());
        assert!(!short.contains("--sep40") && all.contains("--sep40"));
        for flag in ["--trust", "--model", "--prompt", "--session", "--help-all"] {
            assert!(short.contains(flag), "{flag}: {short}");
        }
    }
}
