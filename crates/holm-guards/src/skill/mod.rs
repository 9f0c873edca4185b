//! Contract skills: tasks for a model whose answers are checked before they are believed.
//!
//! A [`Contract`] says as data what goes in, what must come out, which values must occur in the
//! source text and what form they have. A [`CompiledSkill`] is a compiled contract. It checks the
//! input and words the task. It takes the model's reply apart until it is either proven against the
//! contract or refused with a [`SkillError`] that the model can act on. Nothing here calls a model.
//! There is one retry, and the caller that drives the skill counts it.
//!
//! [`extract`] is built in. [`compat`] keeps the looser rules of agent.rs.
//!
//! Where things are:
//!
//! - `skill/contract.rs`: a contract as data.
//! - `skill/runner.rs`: a compiled contract and its two checks.
//! - `skill/contract_skills.rs`: skills by name.
//! - `skill/prompt.rs`: the texts for the model.
//! - `skill/reply.rs`: the JSON object in a reply.
//! - `skill/error.rs`: why a skill refuses.
//! - `skill/path.rs`: pointers into an output.
//! - `skill/format.rs`: the forms of values.
//! - `skill/source/`: whether a value occurs in the source text.
//! - `skill/extract.rs`: the built-in skill.
//! - `skill/compat.rs`: the rules of agent.rs.
//!
//! The model calls are made in `holm-kernel/src/run/skill.rs`.

pub mod compat;
mod contract;
mod contract_skills;
mod error;
mod extract;
pub mod format;
mod path;
mod prompt;
mod reply;
mod runner;
mod source;

pub use contract::{Case, Cases, Contract, ContractError, FormatCheck};
pub use contract_skills::ContractSkills;
pub use error::SkillError;
pub use extract::extract;
pub use format::SkillFormat;
pub use prompt::{copied_from, corrective};
pub use runner::{CheckedSkillInput, CompiledSkill};
pub use source::{SourceText, ValueReading};

#[cfg(test)]
mod tests;
