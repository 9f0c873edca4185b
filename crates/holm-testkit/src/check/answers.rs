//! Who was asked is who is heard.

use std::collections::BTreeMap;

use holm_kernel::CallId;

use crate::sim::answered;
use crate::{Outcome, Violation};

/// No call has more answers in the journal than were given to it: an answer counts for the call that was asked, and for no other.
pub fn answers_keep_their_calls(outcome: &Outcome) -> Vec<Violation> {
    let promise = "an answer counts for the call that was asked";
    let mut heard: BTreeMap<CallId, u64> = BTreeMap::new();
    let mut found = Vec::new();
    for step in &outcome.steps {
        let Some(call) = answered(&step.input) else { continue };
        let times = heard.entry(call).or_default();
        *times += 1;
        let given = outcome.answered.get(&call).copied().unwrap_or_default();
        if *times > given {
            let message = format!("call {call} is answered {times} times and was answered {given} times");
            found.push(Violation::new(promise, step.seq, message));
        }
    }
    found
}
