//! `holm chat`, and `holm` alone at a terminal: a chat with agents.

use std::{
    io::{self, IsTerminal as _},
    path::Path,
};

use clap::{Parser, ValueEnum};

use super::run;
use crate::{
    Command,
    chat::{self, Shade},
    exit::{Exit, Trouble},
    log::Log,
    places::Places,
};

/// Arguments of `holm chat`.
#[expect(clippy::doc_markdown, reason = "these comments are the help text")]
#[derive(Debug, clap::Args)]
// The flags of a run are a group of that name.
#[group(skip)]
pub(crate) struct Args {
    /// Colour theme [default: the one in chat.toml in the data folder, else dark; none if $NO_COLOR
    /// is set]
    #[arg(long, value_enum)]
    theme: Option<Theme>,
    #[command(flatten)]
    run: run::Args,
}

impl Args {
    /// What `holm run` takes too.
    pub(crate) fn run(&self) -> &run::Args {
        &self.run
    }
}

/// Colour themes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Theme {
    Dark,
    Light,
    None,
}

/// Parser for an empty command line, to get the default arguments.
#[derive(Debug, Parser)]
#[command(name = "holm", no_binary_name = true)]
struct Nothing {
    #[command(flatten)]
    args: Args,
}

/// The default command of `holm` without arguments: a chat, if the terminal can be drawn on.
pub(crate) fn at_a_terminal() -> Option<Command> {
    let nothing = can_draw().then(|| Nothing::try_parse_from::<_, &str>([]).ok()).flatten()?;
    Some(Command::Chat(Box::new(nothing.args)))
}

fn can_draw() -> bool {
    let is_dumb = std::env::var("TERM").is_ok_and(|term| term == "dumb");
    io::stdin().is_terminal() && io::stdout().is_terminal() && !is_dumb
}

pub(crate) async fn execute(args: Args, data: Option<&Path>, log: &Log) -> anyhow::Result<Exit> {
    args.run.check_seated()?;
    if !can_draw() {
        let message = "a chat needs a terminal that can be drawn on";
        return Err(Trouble::new(Exit::Usage, message).hint("holm run -p \"…\" works without one").into());
    }
    let shade = args.theme.map(|theme| match theme {
        Theme::Dark => Shade::Dark,
        Theme::Light => Shade::Light,
        Theme::None => Shade::None,
    });
    chat::execute(args.run.logging(log), Places::find(data)?, shade).await
}
