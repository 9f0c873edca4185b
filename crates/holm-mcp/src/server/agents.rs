//! Exposes agents as tools with the name `ask_<slug>`, and runs a question as a new run. Tools are
//! called in `call.rs`; which agents a server has is up to the [`AgentRoster`]. The same agents in
//! the same order must get the same names, because clients remember them.

use std::collections::BTreeSet;
use std::sync::Arc;

use holm_kernel::Event;
use holm_runtime::{Agent, BoxFuture, CancellationToken, ProgressUpdate};
use tokio::sync::watch;

use super::call::ProgressCallback;

/// The longest slug. With `ask_` in front, every client accepts the name.
const LONGEST: usize = 48;

/// An agent that answers questions, as an MCP client sees it.
pub trait AnsweringAgent: Send + Sync {
    /// Answers one question. `tell` receives progress, and `stop` fires when the client no
    /// longer wants the answer.
    ///
    /// # Errors
    ///
    /// Why there is no answer, as text.
    fn answer(
        &self,
        question: String,
        tell: Arc<dyn Fn(ProgressUpdate) + Send + Sync>,
        stop: CancellationToken,
    ) -> BoxFuture<'static, Result<String, String>>;
}

/// A set of agents that can change.
pub trait AgentRoster: Send + Sync {
    /// The current agents, each with its name and purpose. The same agents in the same order get
    /// the same tool names.
    fn agents(&self) -> Vec<(String, String, Arc<dyn AnsweringAgent>)>;

    /// Counts up whenever the set of agents changes.
    fn changes(&self) -> watch::Receiver<u64>;
}

/// Each question starts a new run with everything that the agent was built with.
impl AnsweringAgent for Arc<Agent> {
    fn answer(
        &self,
        question: String,
        tell: ProgressCallback,
        stop: CancellationToken,
    ) -> BoxFuture<'static, Result<String, String>> {
        let agent = Self::clone(self);
        Box::pin(async move {
            let mut session = agent.start().await.map_err(|error| error.to_string())?;
            let handle = session.handle();
            let mut events = handle.events();
            let watching = tokio::spawn(async move {
                while let Some(notice) = events.next().await {
                    if let holm_runtime::EventNotice::Event(numbered) = notice
                        && let Event::CallStarted { .. } = &numbered.event
                    {
                        tell(ProgressUpdate::from("works with a tool"));
                    }
                }
            });
            let work = session.prompt(question);
            tokio::pin!(work);
            let report = tokio::select! {
                report = &mut work => report,
                () = stop.cancelled() => {
                    // An agent that ends at this moment cannot be cancelled any more.
                    let _ = handle.cancel("the client cancelled the request");
                    work.await
                }
            };
            watching.abort();
            let report = report.map_err(|error| error.to_string())?;
            report.into_text().map_err(|error| error.to_string())
        })
    }
}

/// The tool names of agents, each assigned once. The same agents in the same order
/// get the same names.
#[derive(Debug, Default)]
pub(super) struct AgentNames(pub(super) BTreeSet<String>);

impl AgentNames {
    /// Returns `ask_<slug>`. If that name is taken, appends the first number that makes it unique.
    pub(super) fn give(&mut self, agent: &str) -> String {
        let wanted = format!("ask_{}", slug(agent));
        let numbered = (2_u32..).map(|number| format!("{wanted}_{number}"));
        let free = std::iter::once(wanted.clone()).chain(numbered).find(|name| self.0.insert(name.clone()));
        free.unwrap_or(wanted)
    }
}

/// The slug of an agent: lower-case letters, digits and underscores.
///
/// ```
/// assert_eq!(holm_mcp::server::slug("Code Reviewer (v2)"), "code_reviewer_v2");
/// ```
#[must_use]
pub fn slug(name: &str) -> String {
    let mut slug = String::new();
    for character in name.chars() {
        let character = character.to_ascii_lowercase();
        if character.is_ascii_alphanumeric() {
            slug.push(character);
        } else if !slug.is_empty() && !slug.ends_with('_') {
            slug.push('_');
        }
    }
    slug.truncate(LONGEST);
    let slug = slug.trim_end_matches('_');
    if slug.is_empty() { "agent".into() } else { slug.to_owned() }
}
