//! Prompts that a hook kept from the model: whoever said them is told, and the command does not end as if they had been heard.

use std::{
    collections::BTreeSet,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use holm::{
    kernel::{MessageId, journal},
    runtime::Journals as _,
    store::{Store, withheld},
};
use holm_tools::hooks::CommandHooks;
use serde_json::json;

use crate::screen::Screen;

/// What was withheld while this command runs.
#[derive(Debug)]
pub(crate) struct Withholding {
    screen: Arc<Screen>,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// The messages of the one session that this is about which were told already; none where there are many sessions,
    /// whose messages have the same numbers.
    told: Option<BTreeSet<MessageId>>,
    reasons: Vec<String>,
    lines: Lines,
}

/// Whether a program reads on standard output what happens.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Lines {
    #[default]
    No,
    Yes,
}

impl Withholding {
    pub(crate) fn new(screen: Arc<Screen>) -> Arc<Self> {
        Arc::new(Self { screen, state: Mutex::default() })
    }

    /// Hooks that tell of what they withhold.
    pub(crate) fn watch(self: &Arc<Self>, hooks: CommandHooks) -> CommandHooks {
        let this = Arc::clone(self);
        hooks.on_withheld(move |message, reason| this.tell(message, reason))
    }

    /// Says that this is about one session, and what of it was withheld by earlier commands.
    pub(crate) async fn of_session(
        &self,
        store: &Store,
        session: Option<&str>,
        lines: Lines,
    ) -> anyhow::Result<()> {
        let mut told = BTreeSet::new();
        if let Some(session) = session
            && let Ok(text) = store.read(session).await
        {
            told.extend(withheld(&journal::decode(&text)?.records).into_iter().map(|known| known.message));
        }
        let mut state = self.state();
        (state.told, state.lines) = (Some(told), lines);
        Ok(())
    }

    /// Why prompts were withheld, if any was.
    pub(crate) fn reasons(&self) -> Vec<String> {
        self.state().reasons.clone()
    }

    fn tell(&self, message: MessageId, reason: &str) {
        let mut state = self.state();
        if state.told.as_mut().is_some_and(|told| !told.insert(message)) {
            return;
        }
        // One line, whatever the command printed.
        let short = reason.split_whitespace().collect::<Vec<_>>().join(" ");
        self.screen.end_line();
        self.screen.note(&format!("holm: a hook withheld the prompt from the model: {short}"));
        if state.lines == Lines::Yes {
            self.screen.line(&line(message, &CommandHooks::in_place(reason)));
        }
        state.reasons.push(short);
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What a program reads of a prompt that was withheld, now and when the session is told again.
pub(crate) fn line(message: MessageId, shown: &str) -> String {
    json!({ "withheld": { "message": message, "shown": shown } }).to_string()
}
