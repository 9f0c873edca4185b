//! A session whose user is in a chat or an editor and not at a plain terminal: new, resumed or
//! forked. The chat (`chat/sessions.rs`) and editors (`acp/session_manager.rs`) open their sessions
//! here. Sessions of the server are made in `commands/serve/session_provider.rs`.
//!
//! It refuses flags that such a session says for itself. A resumed session keeps what it has: flags
//! of the command that began before it must not change its model, mode, grants or budget. The steps
//! themselves are in `commands/run/prepared_run.rs`.

use std::{fmt, sync::Arc};

use holm::{
    grants::{GrantSet, Mode},
    kernel::{Ending, Prompt, Seq},
    runtime::{BoxFuture, DriveError, RunReport, SecretString, Session},
};
use holm_server::terminal::TerminalListener;
use holm_tools::registry::{RegistryFollower, ToolRegistry};

use super::{
    AssembledAgent, RunArgs, RunSinks,
    agent_parts::confinement,
    prepared_run::{SessionStartParts, StartedSession, missed},
};
use crate::{
    approve::{TerminalApprover, UserPresence},
    exit::{CommandError, CommandExit},
    holm_paths::HolmPaths,
    model::{CacheLifetime, ModelMediaSupport},
    prompt::PromptParts,
    screen::TerminalOutput,
    session_fork::ForkContinuation,
    withheld_prompts::MachineOutput,
};

/// An open session with its parts.
pub(crate) struct HostedSession {
    pub(crate) session: Session,
    pub(crate) made: AssembledAgent,
    pub(crate) places: HolmPaths,
    /// The widest mode that is allowed.
    pub(crate) most: Mode,
    /// The widest grants that a policy allows; `None` means no limit.
    pub(crate) most_grants: Option<GrantSet>,
    /// Which files its model accepts.
    pub(crate) takes: ModelMediaSupport,
    /// While this is held, the session learns of changed tools, and servers may watch it.
    kept: (RegistryFollower, Option<TerminalListener>),
}

impl HostedSession {
    /// Runs a prompt to its end, after changes that wait, such as another mode. The model learns of
    /// them from a note.
    pub(crate) async fn prompt(&mut self, prompt: Prompt) -> Result<RunReport, DriveError> {
        self.session.catch_up().await?;
        let prompt = self.made.tools.prompt(prompt, self.session.run());
        self.session.prompt(prompt).await
    }

    /// Whether it should [catch up](Session::catch_up) with prompts that another client sent just
    /// as the turn with this ending ended.
    pub(crate) fn has_missed(&self, ending: &Ending) -> bool {
        missed(self.kept.1.as_ref(), ending)
    }
}

/// Adds tools to a session that are not in a folder.
pub(crate) trait ExtraTools: fmt::Debug + Send + Sync {
    /// Adds the tools, and returns notes for the user.
    fn add<'a>(&'a self, registry: &'a ToolRegistry, places: &'a HolmPaths) -> BoxFuture<'a, Vec<String>>;

    /// Their secret values, each with a name.
    fn secrets(&self) -> Vec<(String, SecretString)>;
}

impl RunArgs {
    /// Refuses what sessions say for themselves, where one command has many of them.
    pub(crate) fn check_shared(&self) -> Result<(), CommandError> {
        let given = [
            ("--session", self.session.is_some()),
            ("--prompt", !self.parts.is_empty()),
            ("--alias", self.alias.is_some()),
            ("--fork", self.fork.is_some()),
            ("--edit", self.edit),
        ];
        let Some((flag, _)) = given.into_iter().find(|(_, given)| *given) else { return Ok(()) };
        Err(CommandError::new(
            CommandExit::Usage,
            format!("each session sets this itself, so {flag} is not supported"),
        ))
    }

    /// With these tools too.
    pub(crate) fn bringing(mut self, brings: Arc<dyn ExtraTools>) -> Self {
        self.settled.brings = Some(brings);
        self
    }

    /// Whether a model would answer in these places.
    ///
    /// # Errors
    /// What is missing: often a key.
    pub(crate) fn check_model(self, places: HolmPaths, screen: &Arc<TerminalOutput>) -> anyhow::Result<()> {
        let (args, _) = self.settle(places, screen)?;
        args.choose()?;
        Ok(())
    }

    /// The same, for a new session; with another model, if one is named.
    pub(crate) fn anew(mut self, model: Option<String>) -> Self {
        (self.session, self.resume) = (None, false);
        (self.fork, self.at, self.branch) = (None, None, None);
        self.parts = PromptParts::default();
        if model.is_some() {
            (self.model, self.script) = (model, None);
        }
        self
    }

    /// The same, for a new session in which a person reads and thinks between two prompts.
    pub(crate) fn paced_by_a_person(mut self) -> Self {
        self.ways.cache = CacheLifetime::Hour;
        self
    }

    /// The same, for a session that goes on. It keeps what it has.
    pub(crate) fn resuming(self, session: String) -> Self {
        if self.resume && self.session.as_ref() == Some(&session) {
            return Self { parts: PromptParts::default(), ..self };
        }
        // Facts fixed at the start of a session are not passed again, and kept values only if
        // they are given now.
        let args = Self { turns: None, system: None, ..self.anew(None) };
        Self {
            session: Some(session),
            resume: true,
            model: None,
            mode: None,
            trust: None,
            grant: Vec::new(),
            budget: None,
            ..args
        }
    }

    /// The flags that were given for this session applied when it was opened. Opened again, it has
    /// what the user changed since.
    pub(crate) fn forget_flags_of(&mut self, session: &str) {
        if self.session.as_deref() == Some(session) {
            self.resume = false;
        }
    }

    /// The same, for a new session with the past of another one, up to a record.
    pub(crate) fn branching(self, session: String, at: Seq) -> Self {
        // Flags of a resume were for the session itself.
        let args = Self { resume: false, ..self }.resuming(session.clone());
        Self { session: None, resume: false, fork: Some(session), at: Some(at.value()), ..args }
    }

    /// The session that was named, and what is to be said first.
    pub(crate) fn named(&self) -> Result<(Option<&str>, Option<String>), CommandError> {
        Ok((self.session.as_deref().filter(|_| self.resume), self.text()?))
    }

    /// Refuses what a person who sits in front has no use for.
    pub(crate) fn check_seated(&self) -> Result<(), CommandError> {
        let given = [
            ("--json", self.json),
            ("--output", self.output != super::OutputFormat::Text),
            ("--alias", self.alias.is_some()),
            ("--prompt -", !self.parts.is_empty() && self.parts.reads_stdin()),
            ("--edit", self.edit),
            ("--fork", self.fork.is_some()),
            ("--session without --resume", self.session.is_some() && !self.resume),
        ];
        let Some((flag, _)) = given.into_iter().find(|(_, given)| *given) else { return Ok(()) };
        let message = format!("{flag} cannot be used in a chat; use it with `holm run`");
        Err(CommandError::new(CommandExit::Usage, message))
    }

    /// Opens the session that the arguments name, or a new one.
    pub(crate) async fn open(
        self,
        places: HolmPaths,
        screen: &Arc<TerminalOutput>,
        person: UserPresence,
        sinks: RunSinks,
    ) -> anyhow::Result<HostedSession> {
        let prepared = self.prepare(places, screen).await?;
        let args = &prepared.args;
        let chosen = args.choose()?;
        if let Some(note) = &chosen.note {
            screen.note(&format!("holm: {note}"));
        }
        let (takes, yes) = (chosen.takes(), args.yes.iter().cloned().collect());
        let terminal = TerminalApprover::new(yes, person, Arc::clone(screen)).confined_by(confinement(args));
        let start = SessionStartParts {
            chosen,
            terminal,
            sinks,
            next: ForkContinuation::AskedElse,
            lines: MachineOutput::No,
        };
        let StartedSession { session, made, following, listening, .. } =
            prepared.begin(start, screen).await?;
        let ceiling = args.settled.most.clone().unwrap_or_default();
        let (most, most_grants) = (ceiling.mode.unwrap_or(Mode::Full), ceiling.grants);
        Ok(HostedSession {
            session,
            made,
            places: prepared.places,
            most,
            most_grants,
            takes,
            kept: (following, listening),
        })
    }
}
