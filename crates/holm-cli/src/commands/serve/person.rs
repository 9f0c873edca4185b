//! Users who answer from a browser or a program.

use std::sync::Arc;

use holm::{kernel::Proposal, runtime::BoxFuture};
use holm_mcp::{Answer as FormAnswer, Question};
use holm_server::Desk;
use holm_tools::shell::{Answer, Offer};

use crate::elsewhere::Elsewhere;

/// The users who watch a session of the server.
pub(super) struct Watchers(pub(super) Arc<Desk>);

impl Elsewhere for Watchers {
    fn approve(&self, proposal: Proposal, offer: Offer) -> BoxFuture<'static, Answer> {
        self.0.approve(&proposal, &offer)
    }

    fn ask(&self, question: &str, choices: &[String]) -> BoxFuture<'static, Option<String>> {
        self.0.words(question, choices)
    }

    fn fill_in(&self, question: Question) -> BoxFuture<'static, FormAnswer> {
        let asked = self.0.fill_in(&question);
        Box::pin(async move { asked.await.unwrap_or(FormAnswer::Cancelled) })
    }

    fn tell(&self, text: &str) {
        self.0.tell(text);
    }
}
