//! `holm completions` and `holm man`: what shells and readers of manuals want to know of the command.

use clap::CommandFactory as _;
use clap_complete::Shell;

use crate::{Cli, exit::Exit, screen::Screen};

/// What `holm completions` takes.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The shell
    #[arg(value_enum)]
    shell: Shell,
}

/// Prints what the shell reads, such as `holm completions bash > ~/.local/share/bash-completion/completions/holm`.
pub(crate) fn execute(args: &Args) -> anyhow::Result<Exit> {
    let mut text = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "holm", &mut text);
    Screen::default().line(String::from_utf8(text)?.trim_end());
    Ok(Exit::Done)
}

/// Prints the manual page, such as `holm man | man -l -`.
pub(crate) fn manual() -> anyhow::Result<Exit> {
    let mut text = Vec::new();
    clap_mangen::Man::new(Cli::command()).render(&mut text)?;
    Screen::default().line(String::from_utf8(text)?.trim_end());
    Ok(Exit::Done)
}
