//! `holm session edit`: changes a session. Title and tags are labels beside the journal. History
//! stays as it is: an edited prompt starts another session with the history before it, through
//! `commands/run/fork_args.rs`. Only erasing removes content, and then the sidecar, the view state
//! of the chat and the folders of its commands go too.
//!
//! The new session's journal is written by `session_fork.rs`; records are erased by
//! `holm-store/src/sessions/retention.rs`.

use std::path::Path;

use holm::{
    kernel::{
        Block, Input, Prompt,
        journal::{self, JournalRecord},
    },
    runtime::JournalStore as _,
};

use holm_tools::shell::{SessionFolderKey, forget_session_folders};

use super::{SessionCommandContext, missing, missing_journal};
use crate::{
    chat,
    commands::run,
    editor::ExternalEditor,
    exit::{CommandError, CommandExit},
    log::ActivityLog,
    session_fork::ForkPoint,
    session_sidecar::SessionSidecar,
};

/// Arguments of `holm session edit`.
#[derive(Debug, clap::Args)]
pub(crate) struct SessionEditArgs {
    /// Session name, a prefix of it, or `last`
    pub(super) id: String,
    /// Set the title
    #[arg(long, value_name = "TEXT", conflicts_with = "untitled")]
    title: Option<String>,
    /// Remove the title; the first prompt is shown again
    #[arg(long)]
    untitled: bool,
    /// Add a tag; can be repeated
    #[arg(long, value_name = "TAG")]
    tag: Vec<String>,
    /// Remove a tag; can be repeated
    #[arg(long, value_name = "TAG")]
    untag: Vec<String>,
    /// Erase the session permanently, with all messages and large results. Its name cannot be used again
    #[arg(long, conflicts_with_all = ["title", "untitled", "tag", "untag"])]
    erase: bool,
    /// Options for the new session that runs the edited prompt.
    #[command(flatten)]
    run: Box<run::RunArgs>,
}

impl SessionEditArgs {
    fn labels(&self) -> bool {
        self.title.is_some() || self.untitled || !self.tag.is_empty() || !self.untag.is_empty()
    }
}

pub(super) async fn edit(
    opened: SessionCommandContext,
    args: SessionEditArgs,
    data: Option<&Path>,
    log: &ActivityLog,
) -> anyhow::Result<CommandExit> {
    // What would be passed over is refused.
    if (args.erase || args.labels()) && args.run.asks() {
        let message =
            "a changed prompt creates a new session, so it does not combine with --erase, a title or tags";
        return Err(CommandError::new(CommandExit::Usage, message).hint("use separate commands").into());
    }
    if args.erase {
        return erase(&opened, &args.id).await;
    }
    if args.labels() {
        return label(&opened, &args).await;
    }
    let text = opened.store.read(&args.id).await.map_err(missing_journal)?;
    let records = journal::decode_strict(&text)?;
    let said = RecordedPrompt::find(&args.id, &records, args.run.at())?;
    let other = match args.run.text()? {
        Some(text) => text,
        None => {
            ExternalEditor::find(|name| std::env::var(name).ok())?.edit(&opened.places.data, &said.text)?
        }
    };
    if other.trim().is_empty() || other == said.text {
        let message = "the prompt is unchanged, so there is nothing to do";
        return Err(CommandError::new(CommandExit::Usage, message).into());
    }
    drop(opened);
    let branch = ForkPoint { from: args.id, at: Some(said.record.saturating_sub(1)) };
    run::execute(args.run.otherwise(branch, other)?.logging(log), data).await
}

async fn label(opened: &SessionCommandContext, args: &SessionEditArgs) -> anyhow::Result<CommandExit> {
    let store = &opened.store;
    if args.title.is_some() || args.untitled {
        store.rename(&args.id, args.title.as_deref()).await.map_err(missing)?;
    }
    for tag in &args.tag {
        store.tag(&args.id, tag).await.map_err(missing)?;
    }
    for tag in &args.untag {
        store.untag(&args.id, tag).await.map_err(missing)?;
    }
    Ok(CommandExit::Done)
}

async fn erase(opened: &SessionCommandContext, id: &str) -> anyhow::Result<CommandExit> {
    let erased = opened.store.erase(id).await.map_err(missing)?;
    SessionSidecar::forget(&opened.places, id)?;
    forget_session_folders(&SessionFolderKey::of(&opened.places.data, id));
    chat::forget(&opened.places, id)?;
    opened.screen.note(&format!("holm: erased {} records of session {id}", erased.records));
    Ok(CommandExit::Done)
}

/// A prompt of a session.
#[derive(Debug, PartialEq, Eq)]
struct RecordedPrompt {
    record: u64,
    text: String,
}

impl RecordedPrompt {
    /// The prompt at a record; the last one, unless said.
    fn find(id: &str, records: &[JournalRecord], at: Option<u64>) -> Result<Self, CommandError> {
        let prompts = records.iter().filter_map(|record| {
            let (Input::Prompted(prompt) | Input::Steered(prompt) | Input::FollowedUp(prompt)) =
                record.payload().input().ok()?
            else {
                return None;
            };
            Some((record.seq().value(), prompt))
        });
        let prompts: Vec<(u64, Prompt)> = prompts.collect();
        let found = match at {
            Some(at) => prompts.iter().find(|(record, _)| *record == at),
            None => prompts.last(),
        };
        let Some((record, prompt)) = found else {
            let numbers: Vec<String> = prompts.iter().map(|(record, _)| record.to_string()).collect();
            let message = match at {
                Some(at) => format!("record {at} of session `{id}` is not a prompt"),
                None => format!("session `{id}` has no prompt"),
            };
            let hint = match numbers.as_slice() {
                [] => "the session has no prompts".to_owned(),
                numbers => format!("records with prompts: {}", numbers.join(", ")),
            };
            return Err(CommandError::new(CommandExit::Usage, message).hint(hint));
        };
        let Some(text) = text(prompt) else {
            let message =
                format!("the prompt at record {record} holds more than text, so it cannot be edited");
            return Err(
                CommandError::new(CommandExit::Usage, message).hint("`holm session fork` starts before it")
            );
        };
        Ok(Self { record: *record, text })
    }
}

/// The text of a prompt that is nothing else.
fn text(prompt: &Prompt) -> Option<String> {
    let texts: Option<Vec<&str>> = prompt.blocks.iter().map(Block::as_text).collect();
    texts.map(|texts| texts.join("\n\n"))
}

#[cfg(test)]
mod tests;
