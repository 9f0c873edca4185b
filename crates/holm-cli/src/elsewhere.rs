//! A user who is not at this terminal: in a chat, an editor or a browser.

use holm::{kernel::Proposal, runtime::BoxFuture};
use holm_tools::shell::{Answer, Offer};

/// Asks and tells a person in another way than on the terminal. Every question may take as long as a person takes.
pub(crate) trait Elsewhere: Send + Sync + 'static {
    /// Asks whether a call may run.
    fn approve(&self, proposal: Proposal, offer: Offer) -> BoxFuture<'static, Answer>;

    /// Asks a question of the model. Returns `None` without an answer.
    fn ask(&self, question: &str, choices: &[String]) -> BoxFuture<'static, Option<String>>;

    /// Puts the question of an MCP server.
    fn fill_in(&self, question: holm_mcp::Question) -> BoxFuture<'static, holm_mcp::Answer>;

    /// Shows what a model wants the person to know.
    fn tell(&self, text: &str);
}
