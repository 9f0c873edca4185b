//! Users who answer from a browser or a program.

use std::sync::Arc;

use holm::{kernel::Proposal, runtime::BoxFuture};
use holm_mcp::{ServerAnswer, ServerQuestion};
use holm_server::QuestionBroker;
use holm_tools::shell::{ApprovalAnswer, ApprovalOffer};

use crate::remote_user::RemoteUser;

/// The users who watch a session of the server.
pub(super) struct BrowserUser(pub(super) Arc<QuestionBroker>);

impl RemoteUser for BrowserUser {
    fn approve(&self, proposal: Proposal, offer: ApprovalOffer) -> BoxFuture<'static, ApprovalAnswer> {
        self.0.approve(&proposal, &offer)
    }

    fn ask(&self, question: &str, choices: &[String]) -> BoxFuture<'static, Option<String>> {
        self.0.words(question, choices)
    }

    fn fill_in(&self, question: ServerQuestion) -> BoxFuture<'static, ServerAnswer> {
        let asked = self.0.fill_in(&question);
        Box::pin(async move { asked.await.unwrap_or(ServerAnswer::Cancelled) })
    }

    fn tell(&self, text: &str) {
        self.0.tell(text);
    }
}
