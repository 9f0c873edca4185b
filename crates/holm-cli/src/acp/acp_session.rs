//! One session of an editor: takes prompts one at a time, and stops, changes mode and closes.
//! Requests arrive through `session_manager.rs`; updates leave through `editor.rs`. Opening and
//! resuming a session is done in `commands/run/hosted_session.rs`.
//!
//! A prompt begins before the next message of the editor is read, so that a cancel request reaches
//! the right prompt (`prompt_gate.rs`). The mode never exceeds the policy. A session that does not
//! stop in time is left to its journal and resumed as after a crash.

use std::{convert::Infallible, future::pending, sync::Arc, time::Duration};

use agent_client_protocol::{
    Error, RequestCancellation,
    v1::schema::{
        AvailableCommand, AvailableCommandInput, AvailableCommandsUpdate, ContentBlock, PromptResponse,
        SessionModeId, SessionModeState, SessionUpdate, UnstructuredCommandInput,
    },
};
use holm::{
    grants::Mode,
    kernel::{Ending, Input, Prompt, visible},
    runtime::RunHandle,
};
use tokio::sync::Mutex;

use super::{
    editor::EditorClient,
    editor_prompt, modes,
    prompt_gate::PromptGate,
    prompt_outcome,
    refusal::{failed, invalid},
};
use crate::{commands::run::HostedSession, model::ModelMediaSupport, skills::RunSkills};

/// What a journal says of work that the person stopped.
const STOPPED: &str = "stopped in the editor";

/// How long work that was stopped may take to come to its end when a session is closed.
const LAST_WORDS: Duration = Duration::from_secs(10);

/// One session of an editor.
pub(super) struct AcpSession {
    editor: EditorClient,
    handle: RunHandle,
    turn: Arc<PromptGate>,
    /// Locked by one prompt at a time; `None` once the session is closed.
    opened: Mutex<Option<HostedSession>>,
    /// The mode that the editor shows when the session is opened.
    mode: Mode,
    most: Mode,
    skills: RunSkills,
    takes: ModelMediaSupport,
}

impl AcpSession {
    /// Takes a session that has been opened.
    pub(super) fn new(editor: EditorClient, turn: Arc<PromptGate>, opened: HostedSession) -> Self {
        let run = opened.session.run();
        Self {
            handle: opened.session.handle(),
            mode: run.mode(),
            most: opened.most,
            skills: RunSkills::find(&opened.places, &[]),
            takes: opened.takes.clone(),
            opened: Mutex::new(Some(opened)),
            editor,
            turn,
        }
    }

    /// The modes, as they are when the session is opened.
    pub(super) fn modes(&self) -> SessionModeState {
        modes::state(self.mode, self.most)
    }

    /// Sends the editor what it should know first: notes, and the available commands, which
    /// are the user's skills.
    pub(super) fn introduce(&self) {
        self.editor.catch_up();
        let command = |name: &str, about: &str| {
            let input = UnstructuredCommandInput::new("what to work on");
            AvailableCommand::new(visible(name), visible(about))
                .input(AvailableCommandInput::Unstructured(input))
        };
        let commands = self.skills.listed().map(|skill| command(&skill.name, &skill.description)).collect();
        self.editor.tell(SessionUpdate::AvailableCommandsUpdate(AvailableCommandsUpdate::new(commands)));
    }

    /// Begins a prompt, before anything else that the editor says is looked at.
    ///
    /// # Errors
    /// Where one is under way, or it says what no model here takes.
    pub(super) fn begin(&self, said: Vec<ContentBlock>) -> Result<Prompt, Error> {
        let prompt = editor_prompt::prompt(said, &self.takes, &self.skills)?;
        if self.turn.begin() {
            Ok(prompt)
        } else {
            Err(invalid(
                "a prompt is already running in this \
                                                                session",
            ))
        }
    }

    /// Works on a prompt that has begun, until it ends or is stopped.
    pub(super) async fn work(
        &self,
        prompt: Prompt,
        asked: RequestCancellation,
    ) -> Result<PromptResponse, Error> {
        let given_up = async {
            asked.cancelled().await;
            self.stop();
            pending::<Infallible>().await
        };
        let answered = tokio::select! {
            answered = self.answer(prompt) => answered,
            never = given_up => match never {},
        };
        self.turn.over();
        answered
    }

    async fn answer(&self, prompt: Prompt) -> Result<PromptResponse, Error> {
        let lost = |error: holm::runtime::DriveError| failed(error.to_string());
        let mut opened = self.opened.lock().await;
        let Some(opened) = opened.as_mut() else { return Err(invalid("the session was closed")) };
        // What a crash interrupted comes first, as everywhere.
        if let Some(report) = opened.session.go_on().await.map_err(lost)? {
            if !matches!(report.ending, Ending::Answered { .. }) {
                return prompt_outcome::of(&report, &self.editor);
            }
            self.turn.goes_on();
        }
        let mut report = opened.prompt(prompt).await.map_err(lost)?;
        while opened.has_missed(&report.ending) {
            self.turn.goes_on();
            match opened.session.catch_up().await.map_err(lost)? {
                Some(late) => report = late,
                None => {
                    // There was nothing to stop.
                    self.turn.ends();
                    self.handle.take_back_cancel();
                }
            }
        }
        prompt_outcome::of(&report, &self.editor)
    }

    /// Stops what is under way, if anything is.
    pub(super) fn stop(&self) {
        self.turn.stop(|| {
            // A run that is gone needs no stopping.
            let _ = self.handle.cancel(STOPPED);
        });
    }

    /// Changes the mode, as far as the policy goes.
    pub(super) fn change_mode(&self, wanted: &SessionModeId) -> Result<(), Error> {
        let mode = modes::read(wanted, self.most)?;
        self.handle.tell(Input::ModeChanged(mode)).map_err(|error| failed(error.to_string()))
    }

    /// Stops what is under way and lets the session go; its journal stays.
    pub(super) async fn leave(&self) {
        self.stop();
        // A session that takes longer ends with the process, and is resumed as after a crash.
        let Ok(mut opened) = tokio::time::timeout(LAST_WORDS, self.opened.lock()).await else { return };
        if let Some(opened) = opened.take() {
            opened.session.close().await;
        }
    }
}
