//! Fits a growing transcript into a model's window.
//!
//! The transcript is never rewritten. The model is shown a [`ContextView`], which is derived from the
//! transcript. The view grows by one message at a time and shrinks in rare, large steps. So a
//! provider's prompt cache keeps hitting in between, and a turn costs the same at turn 1,000
//! as at turn 1.

mod clip;
mod compaction_note;
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
