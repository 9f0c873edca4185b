//! The models of a resumed session: it keeps the models with which it began, not those
//! of a new session.

use holm::{store::Store, wire::services::ServiceTable};

use super::RunArgs;
use crate::{
    exit::{CommandError, CommandExit},
    model::SCRIPT,
};

impl RunArgs {
    /// Uses the models of the session that is resumed, if there is one. `named` is
    /// the value of `--model`.
    pub(super) async fn keep_models(
        mut self,
        named: Option<&str>,
        store: &Store,
    ) -> Result<Self, CommandError> {
        let Some(session) = self.past().map(str::to_owned) else { return Ok(self) };
        let models = models(store, &session).await;
        // The caller that resumes it reports that it is missing.
        let Some((first, others)) = models.split_first() else { return Ok(self) };
        if first == SCRIPT {
            if self.script.is_none() {
                let message = format!("session `{session}` uses a script, and none was given");
                return Err(
                    CommandError::new(CommandExit::Usage, message).hint("give it again with --script FILE")
                );
            }
            return Ok(self);
        }
        let given = self.script.as_ref().map(|_| SCRIPT).or(named);
        if let Some(given) = given.filter(|given| full(given) != full(first)) {
            let message = format!("session `{session}` uses {first}; {given} cannot replace it");
            return Err(CommandError::new(CommandExit::Usage, message)
                .hint("leave --model and --script out, or start a new session"));
        }
        self.model = Some(first.clone());
        if self.step_up.is_empty() {
            self.step_up = others.to_vec();
        }
        Ok(self)
    }
}

/// The models with which a session began, in order; empty if it is missing or cannot be read.
async fn models(store: &Store, session: &str) -> Vec<String> {
    let Ok(started) = store.started(session).await else { return Vec::new() };
    started.config.models.into_iter().map(|model| model.name).collect()
}

/// A name as its provider has it: two names may mean one model.
fn full(name: &str) -> String {
    ServiceTable::stock().resolve(name).map_or_else(|_| name.to_owned(), |(full, _)| full.to_string())
}
