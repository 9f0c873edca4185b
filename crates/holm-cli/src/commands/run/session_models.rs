//! Keeps the models of a resumed session: those with which it began, not those that a new session
//! would have. It opens no model (`model.rs` does); the session is prepared in `prepared_run.rs`.

use holm::{store::Store, wire::services::ServiceTable};

use super::RunArgs;
use crate::{
    exit::{CommandError, CommandExit},
    model::{CacheLifetime, SCRIPT},
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
        // The caller that resumes it reports that it is missing.
        let Ok(started) = store.started(&session).await else { return Ok(self) };
        let lifetime = CacheLifetime::of(&started.config.models);
        let models: Vec<String> = started.config.models.into_iter().map(|model| model.name).collect();
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
            let message = format!(
                "session `{session}` uses {first}, and a session keeps its model; {given} cannot replace it"
            );
            return Err(CommandError::new(CommandExit::Usage, message)
                .hint("leave --model and --script out, or start a new session"));
        }
        // Its prices say how long its prompts are kept.
        self = self.caching(lifetime);
        self.model = Some(first.clone());
        if self.step_up.is_empty() {
            self.step_up = others.to_vec();
        }
        Ok(self)
    }

    /// The same, with prompts that a provider keeps so long.
    pub(crate) fn caching(mut self, lifetime: CacheLifetime) -> Self {
        self.ways.cache = lifetime;
        self.settled.reach = std::mem::take(&mut self.settled.reach).by(self.ways);
        self
    }
}

/// A name as its provider has it: two names may mean one model.
fn full(name: &str) -> String {
    ServiceTable::stock().resolve(name).map_or_else(|_| name.to_owned(), |(full, _)| full.to_string())
}
