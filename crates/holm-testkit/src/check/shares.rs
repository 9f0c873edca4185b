//! What was set aside for children comes back.

use std::collections::BTreeMap;

use holm_kernel::Effect;
use serde::Deserialize;

use crate::{Outcome, Rest, Violation};

const PROMISE: &str = "what is set aside for children comes back";

/// When nothing is under way, nothing is set aside but for children and model calls that were stopped and have not said yet
/// what they took.
pub fn shares_come_back(outcome: &Outcome) -> Vec<Violation> {
    let mut effects = outcome.steps.iter().flat_map(|step| &step.effects);
    if outcome.rest != Rest::Idle || !effects.any(|effect| matches!(effect, Effect::Spawn { .. })) {
        return Vec::new();
    }
    let books = match serde_json::from_str::<Kept>(&outcome.state) {
        Ok(kept) => kept.state.state,
        Err(error) => return vec![Violation::new(PROMISE, None, error.to_string())],
    };
    let calls =
        books.owed.values().fold((0, 0), |(money, tokens), owed| (money + owed.money, tokens + owed.tokens));
    let (money, tokens) = books.stopped.values().fold(calls, |(money, tokens), held| {
        (money.saturating_add(held.share), tokens.saturating_add(held.tokens.unwrap_or_default()))
    });
    if (books.reserved, books.reserved_tokens) == (money, tokens) {
        return Vec::new();
    }
    let message = format!(
        "{} and {} tokens are set aside, and what was stopped holds {money} and {tokens}",
        books.reserved, books.reserved_tokens
    );
    vec![Violation::new(PROMISE, None, message)]
}

/// As much of a snapshot as is looked at.
#[derive(Deserialize)]
struct Kept {
    state: Frozen,
}

#[derive(Deserialize)]
struct Frozen {
    state: Books,
}

#[derive(Deserialize)]
struct Books {
    reserved: u64,
    reserved_tokens: u64,
    stopped: BTreeMap<String, Held>,
    owed: BTreeMap<String, Owed>,
}

#[derive(Deserialize)]
struct Owed {
    money: u64,
    tokens: u64,
}

#[derive(Deserialize)]
struct Held {
    share: u64,
    tokens: Option<u64>,
}
