//! Agents as tools: `ask_<slug>`.

use std::collections::BTreeSet;
use std::sync::Arc;

use holm_kernel::Event;
use holm_runtime::{Agent, BoxFuture, CancellationToken, Update};
use tokio::sync::watch;

use super::call::Teller;

/// The longest slug: with `ask_` in front, a name that every client takes.
const LONGEST: usize = 48;

/// Somebody who answers questions: an agent, as a client of MCP sees it.
pub trait Answering: Send + Sync {
    /// Answers one question. `tell` says how far it is; `stop` that nobody wants the answer any more.
    ///
    /// # Errors
    ///
    /// Why there is no answer, in words.
    fn answer(
        &self,
        question: String,
        tell: Arc<dyn Fn(Update) + Send + Sync>,
        stop: CancellationToken,
    ) -> BoxFuture<'static, Result<String, String>>;
}

/// Agents that come and go.
pub trait Roster: Send + Sync {
    /// Those that there are now, each by its name and what it is for. The same in the same order get the same names.
    fn agents(&self) -> Vec<(String, String, Arc<dyn Answering>)>;

    /// Counts how often they have become others.
    fn changes(&self) -> watch::Receiver<u64>;
}

/// Each question is a run of its own, with everything that the agent was built with.
impl Answering for Arc<Agent> {
    fn answer(
        &self,
        question: String,
        tell: Teller,
        stop: CancellationToken,
    ) -> BoxFuture<'static, Result<String, String>> {
        let agent = Self::clone(self);
        Box::pin(async move {
            let mut session = agent.start().await.map_err(|error| error.to_string())?;
            let handle = session.handle();
            let mut events = handle.events();
            let watching = tokio::spawn(async move {
                while let Some(notice) = events.next().await {
                    if let holm_runtime::Notice::Event(numbered) = notice
                        && let Event::CallStarted { .. } = &numbered.event
                    {
                        tell(Update::from("works with a tool"));
                    }
                }
            });
            let work = session.prompt(question);
            tokio::pin!(work);
            let report = tokio::select! {
                report = &mut work => report,
                () = stop.cancelled() => {
                    // An agent that ends at this moment is not there to be stopped.
                    let _ = handle.cancel("the client no longer wants the answer");
                    work.await
                }
            };
            watching.abort();
            let report = report.map_err(|error| error.to_string())?;
            report.into_text().map_err(|error| error.to_string())
        })
    }
}

/// The names under which clients find agents, each given once. The same agents in the same order get the same ones.
#[derive(Debug, Default)]
pub(super) struct Names(pub(super) BTreeSet<String>);

impl Names {
    /// `ask_<slug>`; where that is taken already, with the first number behind it that makes it another.
    pub(super) fn give(&mut self, agent: &str) -> String {
        let wanted = format!("ask_{}", slug(agent));
        let numbered = (2_u32..).map(|number| format!("{wanted}_{number}"));
        let free = std::iter::once(wanted.clone()).chain(numbered).find(|name| self.0.insert(name.clone()));
        free.unwrap_or(wanted)
    }
}

/// The name under which a client finds an agent: small letters, digits and underscores.
///
/// ```
/// assert_eq!(holm_mcp::server::slug("Code Reviewer (v2)"), "code_reviewer_v2");
/// ```
#[must_use]
pub fn slug(name: &str) -> String {
    let mut slug = String::new();
    for letter in name.chars() {
        let letter = letter.to_ascii_lowercase();
        if letter.is_ascii_alphanumeric() {
            slug.push(letter);
        } else if !slug.is_empty() && !slug.ends_with('_') {
            slug.push('_');
        }
    }
    slug.truncate(LONGEST);
    let slug = slug.trim_end_matches('_');
    if slug.is_empty() { "agent".into() } else { slug.to_owned() }
}
