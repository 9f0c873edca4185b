//! A user who is not at this terminal: in a chat, an editor or a browser.

use holm::{kernel::Proposal, runtime::BoxFuture};
use holm_tools::shell::{ApprovalAnswer, ApprovalOffer};

/// Asks and notifies a user who is not at the terminal. Questions have no time limit.
pub(crate) trait RemoteUser: Send + Sync + 'static {
    /// Asks whether a call may run.
    fn approve(&self, proposal: Proposal, offer: ApprovalOffer) -> BoxFuture<'static, ApprovalAnswer>;

    /// Whether questions of the model can reach the user.
    fn answers_questions(&self) -> bool {
        true
    }

    /// Asks a question of the model. Returns `None` without an answer.
    fn ask(&self, question: &str, choices: &[String]) -> BoxFuture<'static, Option<String>>;

    /// Asks a question of an MCP server.
    fn fill_in(&self, question: holm_mcp::ServerQuestion) -> BoxFuture<'static, holm_mcp::ServerAnswer>;

    /// Shows a note of the model.
    fn tell(&self, text: &str);
}
