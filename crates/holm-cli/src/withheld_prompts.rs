//! Reports prompts that a hook withheld from the model. Their sender is told once, and the command
//! does not end as if the model had read them. The decision to withhold is made by the hook
//! (`holm-tools/src/hooks/command.rs`); `hooks.rs` connects the two, and `commands/run.rs` uses the
//! reasons. If it is unknown whether a user was told, they are told again.

use std::{
    collections::BTreeSet,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use holm::{
    kernel::{MessageId, Run, Seq},
    store::Store,
};
use holm_tools::hooks::CommandHooks;
use serde_json::json;

use crate::screen::TerminalOutput;

/// The prompts that hooks withheld while this command runs.
#[derive(Debug)]
pub(crate) struct WithheldPrompts {
    screen: Arc<TerminalOutput>,
    state: Mutex<WithholdingState>,
}

#[derive(Debug, Default)]
struct WithholdingState {
    /// The messages of the session that were reported already. `None` if there are many sessions,
    /// because their messages have the same numbers.
    told: Option<BTreeSet<MessageId>>,
    /// The history that earlier commands may have reported.
    earlier: Option<ResumedHistory>,
    reasons: Vec<String>,
    lines: MachineOutput,
}

/// The history of a session when this command resumed it.
#[derive(Debug, Clone)]
struct ResumedHistory {
    store: Store,
    session: String,
    /// The last record and the last message of that history.
    record: Seq,
    message: MessageId,
}

impl ResumedHistory {
    /// Whether an earlier command already reported that this message was withheld. If the journal
    /// cannot be read, the user is told twice rather than never.
    async fn has_told(&self, message: MessageId) -> bool {
        message <= self.message
            && self.store.was_withheld(&self.session, message, self.record).await.unwrap_or(false)
    }
}

/// Whether a program reads events on standard output.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum MachineOutput {
    #[default]
    No,
    Yes,
}

impl WithheldPrompts {
    pub(crate) fn new(screen: Arc<TerminalOutput>) -> Arc<Self> {
        Arc::new(Self { screen, state: Mutex::default() })
    }

    /// Hooks that tell of what they withhold.
    pub(crate) fn watch(self: &Arc<Self>, hooks: CommandHooks) -> CommandHooks {
        let this = Arc::clone(self);
        hooks.on_withheld(move |message, reason| {
            let (this, reason) = (Arc::clone(&this), reason.to_owned());
            Box::pin(async move { this.tell(message, &reason).await })
        })
    }

    /// Says that this is about one session.
    pub(crate) fn of_session(&self, lines: MachineOutput) {
        let mut state = self.state();
        (state.told, state.lines) = (Some(BTreeSet::new()), lines);
    }

    /// Says that the session is resumed: its journal tells which messages earlier commands told of.
    pub(crate) fn resume(&self, store: &Store, run: &Run) {
        let Some(message) = run.last_message() else { return };
        let (session, record) = (run.started().run.clone(), run.receipt().seq);
        self.state().earlier = Some(ResumedHistory { store: store.clone(), session, record, message });
    }

    /// Why prompts were withheld, if any was.
    pub(crate) fn reasons(&self) -> Vec<String> {
        self.state().reasons.clone()
    }

    async fn tell(&self, message: MessageId, reason: &str) {
        let earlier = self.state().earlier.clone();
        let known = match earlier {
            Some(earlier) => earlier.has_told(message).await,
            None => false,
        };
        if known {
            return;
        }
        let mut state = self.state();
        if state.told.as_mut().is_some_and(|told| !told.insert(message)) {
            return;
        }
        // One line, regardless of the command's output.
        let short = reason.split_whitespace().collect::<Vec<_>>().join(" ");
        self.screen.end_line();
        self.screen.note(&format!("holm: a hook withheld the prompt from the model: {short}"));
        if state.lines == MachineOutput::Yes {
            self.screen.line(&line(message, &CommandHooks::in_place(reason)));
        }
        state.reasons.push(short);
    }

    fn state(&self) -> MutexGuard<'_, WithholdingState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What a program reads of a prompt that was withheld, now and when the session is told again.
pub(crate) fn line(message: MessageId, shown: &str) -> String {
    json!({ "withheld": { "message": message, "shown": shown } }).to_string()
}
