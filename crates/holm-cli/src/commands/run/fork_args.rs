//! The flags of runs whose session is forked from another, and a few accessors of these flags. It
//! decides what a fork is: a resumed session with another's history and a name of its own. The
//! journal is written by `session_fork.rs`; `commands/session/fork.rs` and
//! `commands/session/edit.rs` use it.

use holm::{
    kernel::{Block, Prompt, plain_text},
    store::Store,
};
use holm_tools::shell::CommandRule;

use super::RunArgs;
use crate::{
    exit::{CommandError, CommandExit},
    log::ActivityLog,
    network_scope::NetworkScope,
    prompt::PromptParts,
    screen::TerminalOutput,
    session_fork::{ForkContinuation, ForkPoint},
    session_name,
};

impl RunArgs {
    /// Also sends events to this log.
    pub(crate) fn logging(self, log: &ActivityLog) -> Self {
        Self { log: log.clone(), ..self }
    }

    /// How far connections may go.
    pub(crate) fn bounds(&self) -> NetworkScope {
        self.ways.bounds()
    }

    /// With the past of a session, up to the record that was named.
    pub(crate) fn forking(self, from: String) -> Result<Self, CommandError> {
        if self.fork.is_some() || self.resume {
            let message = "--fork and --resume cannot be used here: the command already names the session";
            return Err(CommandError::new(CommandExit::Usage, message));
        }
        Ok(Self { fork: Some(from), ..self })
    }

    /// With the past of a session up to this record, and this asked in place of what was asked there.
    pub(crate) fn otherwise(self, branch: ForkPoint, text: String) -> Result<Self, CommandError> {
        let args = Self { at: branch.at, parts: PromptParts::of(text), edit: false, alias: None, ..self };
        args.forking(branch.from)
    }

    /// The record that was named.
    pub(crate) fn at(&self) -> Option<u64> {
        self.at
    }

    /// What -p says, if anything.
    pub(crate) fn text(&self) -> Result<Option<String>, CommandError> {
        if self.parts.is_empty() {
            return Ok(None);
        }
        let here = std::env::current_dir().unwrap_or_default();
        text_alone(&self.parts.gather(None, &here, |_| {})?).map(Some)
    }

    /// Whether something is asked.
    pub(crate) fn asks(&self) -> bool {
        !self.parts.is_empty() || self.alias.is_some() || self.edit
    }

    /// The commands that flags deny.
    pub(crate) fn denied(&self) -> &[CommandRule] {
        &self.deny_command
    }

    /// Refuses what a fork without a prompt would pass over: it takes effect only when the session
    /// runs.
    pub(crate) fn check_without_prompt(&self) -> Result<(), CommandError> {
        let given = [
            ("--mode", self.mode.is_some()),
            ("--trust", self.trust.is_some()),
            ("--grant", !self.grant.is_empty()),
            ("--yes", !self.yes.is_empty()),
            ("--budget", self.budget.is_some()),
        ];
        let Some((flag, _)) = given.into_iter().find(|(_, given)| *given) else { return Ok(()) };
        let message = format!("{flag} has no effect on a fork without a prompt");
        Err(CommandError::new(CommandExit::Usage, message)
            .hint("add -p, or use the flag when you resume the new session"))
    }

    /// Where the session branches off, and what the new one is called.
    pub(crate) fn branch_and_name(self) -> Result<(ForkPoint, String), CommandError> {
        let args = self.branch_off()?;
        let branch = args
            .branch
            .ok_or_else(|| CommandError::new(CommandExit::Usage, "no session to fork is named"))?;
        Ok((branch, args.session.unwrap_or_else(ForkPoint::new_name)))
    }

    /// Settles what a fork is: a session that goes on, with the past of another and a name of its own.
    pub(super) fn branch_off(mut self) -> Result<Self, CommandError> {
        match (self.fork.take(), self.at) {
            (Some(from), at) => {
                self.branch = Some(ForkPoint { from, at });
                self.session.get_or_insert_with(ForkPoint::new_name);
                self.resume = true;
                Ok(self)
            }
            (None, Some(_)) => {
                let message = "--at needs a session to fork";
                Err(CommandError::new(CommandExit::Usage, message).hint("name it with --fork"))
            }
            (None, None) => Ok(self),
        }
    }

    /// With the whole name of the session that it continues or forks.
    pub(super) async fn with_whole_names(mut self, store: &Store) -> anyhow::Result<Self> {
        if let Some(branch) = &mut self.branch {
            branch.from = session_name::resolve(store, std::mem::take(&mut branch.from)).await?;
        } else if let Some(session) = self.session.as_mut().filter(|_| self.resume) {
            *session = session_name::resolve(store, std::mem::take(session)).await?;
        }
        Ok(self)
    }

    /// The session whose past this run has, if any.
    pub(super) fn past(&self) -> Option<&str> {
        match &self.branch {
            Some(branch) => Some(&branch.from),
            None => self.session.as_deref().filter(|_| self.resume),
        }
    }

    /// Writes the beginning of a session that branches off, and returns the session that it comes
    /// from with the last shared record.
    pub(super) async fn grow(
        &self,
        store: &Store,
        next: ForkContinuation,
        screen: &TerminalOutput,
    ) -> anyhow::Result<Option<(String, u64)>> {
        let (Some(branch), Some(new)) = (&self.branch, &self.session) else { return Ok(None) };
        let shared = branch.grow(store, new, next).await?;
        screen.note(&format!("holm: session {new} continues the history of {}", branch.from));
        Ok(Some((branch.from.clone(), shared)))
    }
}

/// The text of a prompt, for an editor. Editing would lose a picture, so a prompt
/// with one is refused.
pub(super) fn text_alone(prompt: &Prompt) -> Result<String, CommandError> {
    if prompt.blocks.iter().any(|block: &Block| block.as_text().is_none()) {
        let message = "only text can be edited, so --media does not work with --edit";
        return Err(
            CommandError::new(CommandExit::Usage, message).hint("give it to `holm run` without --edit")
        );
    }
    Ok(plain_text(&prompt.blocks))
}
