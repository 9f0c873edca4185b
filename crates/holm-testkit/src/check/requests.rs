//! What models are sent.

use std::sync::Arc;

use holm_kernel::{Message, Messages, Purpose};

use super::messages::unpaired;
use crate::{Outcome, Sent, Violation};

/// In every request calls and results are paired, and while the epoch is the same the view only grows.
pub fn requests_are_sound(outcome: &Outcome) -> Vec<Violation> {
    let promise = "requests are paired, and their prefix is stable";
    let mut found = Vec::new();
    let mut last: Option<&Sent> = None;
    for sent in &outcome.sent {
        let messages: Vec<&Message> = sent.messages.iter().map(|message| &**message).collect();
        if let Some(fault) = unpaired(&messages, false) {
            found.push(Violation::new(promise, sent.seq, fault));
        }
        let Messages::View { epoch, count } = sent.request.messages else { continue };
        if count != sent.messages.len() as u64 || sent.request.purpose != Purpose::Turn {
            found.push(Violation::new(promise, sent.seq, "the view does not hold what the request counts"));
        }
        if let Some(before) = last
            && same_epoch(before, epoch)
            && !grown(&before.messages, &sent.messages)
        {
            found.push(Violation::new(
                promise,
                sent.seq,
                format!("epoch {epoch} changed an earlier message"),
            ));
        }
        last = Some(sent);
    }
    found
}

fn same_epoch(before: &Sent, epoch: u64) -> bool {
    matches!(before.request.messages, Messages::View { epoch: of, .. } if of == epoch)
}

fn grown(before: &[Arc<Message>], now: &[Arc<Message>]) -> bool {
    now.get(..before.len()) == Some(before)
}
