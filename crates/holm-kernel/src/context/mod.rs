//! Fits a growing transcript into a model's window.
//!
//! The transcript is never rewritten. The model is shown a [`ContextView`], which is derived from
//! the transcript. The view grows by one message at a time and shrinks in rare, large steps. So a
//! provider's prompt cache keeps hitting in between, and a turn costs the same at turn 1,000 as at
//! turn 1. Nothing here calls a model or decides about tool calls: `run/turn.rs` plans before each
//! request and asks for summaries, `run/failure.rs` reacts to a provider's refusal.
//!
//! Where things are:
//!
//! - `context/view.rs`: the view and its running sums.
//! - `context/plan.rs`: whether and how to shrink it before a call.
//! - `context/token_thresholds.rs`: the limits of one plan.
//! - `context/estimate.rs`: how many tokens a message takes.
//! - `context/count.rs`: corrects the estimate by what the provider counted.
//! - `context/cut.rs`: removes the oldest turns.
//! - `context/summary.rs`: replaces them by a model's summary.
//! - `context/compaction_note.rs`: the message in their place.
//! - `context/clip.rs`: shortens results of kept turns, as the last resort.
//! - `context/envelope_parts.rs`: shortens one result inside its envelope.
//! - `context/overflow.rs`: shrinks after a provider's refusal.
//! - `context/retained_facts.rs`, `context/user_words.rs`: what survives word for word.

mod clip;
mod compaction_note;
mod count;
mod cut;
mod envelope_parts;
pub(crate) mod estimate;
mod overflow;
mod plan;
mod retained_facts;
mod summary;
mod token_thresholds;
mod user_words;
mod view;

#[cfg(test)]
mod tests;

pub(crate) use plan::{CompactionStep, PlanDecision};
pub(crate) use retained_facts::{RetainedCall, RetainedFile};
pub(crate) use user_words::CallFacts;
pub(crate) use view::ContextView;
