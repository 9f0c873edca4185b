//! `holm completions` and `holm man`: generates shell completions and manual pages from the
//! arguments of all commands. It defines no command; the texts are in `commands/`.

use clap::CommandFactory as _;
use clap_complete::Shell;

use crate::{
    Cli,
    exit::{CommandError, CommandExit},
    screen::TerminalOutput,
};

/// Arguments of `holm completions`.
#[derive(Debug, clap::Args)]
pub(crate) struct CompletionsArgs {
    /// Shell
    #[arg(value_enum)]
    shell: Shell,
}

/// Prints the completions, for use as
/// `holm completions bash > ~/.local/share/bash-completion/completions/holm`.
pub(crate) fn execute(args: &CompletionsArgs) -> anyhow::Result<CommandExit> {
    let mut text = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "holm", &mut text);
    TerminalOutput::default().line(String::from_utf8(text)?.trim_end());
    Ok(CommandExit::Done)
}

/// Arguments of `holm man`.
#[derive(Debug, clap::Args)]
pub(crate) struct ManArgs {
    /// Command to document, such as `session show` [default: an overview]
    command: Vec<String>,
}

/// Prints a manual page, such as `holm man run | man -l -`.
pub(crate) fn manual(page: &ManArgs) -> anyhow::Result<CommandExit> {
    let mut command = Cli::command();
    let (mut typed, mut name) = (command.get_name().to_owned(), command.get_name().to_owned());
    for word in &page.command {
        let found = command.find_subcommand(word).cloned();
        command = found.ok_or_else(|| {
            let message = format!("unknown command `{}`", page.command.join(" "));
            CommandError::new(CommandExit::Missing, message).hint("`holm --help` lists the commands")
        })?;
        typed = format!("{typed} {}", command.get_name());
        name = format!("{name}-{}", command.get_name());
    }
    let mut text = Vec::new();
    let command = command.bin_name(typed).display_name(name.clone());
    clap_mangen::Man::new(command).title(name).render(&mut text)?;
    TerminalOutput::default().line(String::from_utf8(text)?.trim_end());
    Ok(CommandExit::Done)
}
