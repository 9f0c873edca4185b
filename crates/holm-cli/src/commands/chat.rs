//! `holm chat`, and `holm` alone at a terminal: checks that a chat is possible and starts it. The
//! chat itself is in `chat/`; the flags of a session are those of `run.rs`. Without a terminal that
//! can be drawn on, it refuses instead of printing something else.

use std::{
    io::{self, IsTerminal as _},
    path::Path,
};

use clap::{Parser, ValueEnum};

use super::run;
use crate::{
    TopLevelCommand,
    chat::{self, ThemeKind},
    exit::{CommandError, CommandExit},
    first_contact,
    holm_paths::HolmPaths,
    log::ActivityLog,
    screen::TerminalOutput,
};

/// Arguments of `holm chat`.
#[expect(clippy::doc_markdown, reason = "these comments are the help text")]
#[derive(Debug, clap::Args)]
// The flags of a run are a group of that name.
#[group(skip)]
pub(crate) struct ChatArgs {
    /// Colour theme [default: the one in chat.toml in the data folder, else dark; none if $NO_COLOR
    /// is set]
    #[arg(long, value_enum)]
    theme: Option<ThemeArg>,
    #[command(flatten)]
    run: run::RunArgs,
}

impl ChatArgs {
    /// What `holm run` takes too.
    pub(crate) fn run(&self) -> &run::RunArgs {
        &self.run
    }
}

/// The colour themes of the chat.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum ThemeArg {
    Dark,
    Light,
    None,
}

/// Parser for an empty command line, to get the default arguments.
#[derive(Debug, Parser)]
#[command(name = "holm", no_binary_name = true)]
struct DefaultChatArgs {
    #[command(flatten)]
    args: ChatArgs,
}

/// The default command of `holm` without arguments: a chat, if the terminal can be drawn on.
pub(crate) fn at_a_terminal() -> Option<TopLevelCommand> {
    let nothing = can_draw().then(|| DefaultChatArgs::try_parse_from::<_, &str>([]).ok()).flatten()?;
    Some(TopLevelCommand::Chat(Box::new(nothing.args)))
}

fn can_draw() -> bool {
    let is_dumb = std::env::var("TERM").is_ok_and(|term| term == "dumb");
    io::stdin().is_terminal() && io::stdout().is_terminal() && !is_dumb
}

pub(crate) async fn execute(
    args: ChatArgs,
    data: Option<&Path>,
    log: &ActivityLog,
) -> anyhow::Result<CommandExit> {
    args.run.check_seated()?;
    if !can_draw() {
        let message = "the chat needs a terminal";
        return Err(CommandError::new(CommandExit::Usage, message)
            .hint("holm run -p \"…\" works without one")
            .into());
    }
    let shade = args.theme.map(|theme| match theme {
        ThemeArg::Dark => ThemeKind::Dark,
        ThemeArg::Light => ThemeKind::Light,
        ThemeArg::None => ThemeKind::None,
    });
    let question = args.run.first_question();
    let places = first_contact::at_folder(HolmPaths::find(data)?, question, &TerminalOutput::default())?;
    chat::execute(args.run.logging(log), places, shade).await
}
