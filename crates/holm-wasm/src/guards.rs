//! The guards of the kernel as functions, for hosts that check values outside of a run.
//!
//! The rules are in `holm-guards`; within a run the kernel applies them itself
//! (`holm-kernel/src/run/result_checks.rs`). Values are parsed with exact numbers (`text.rs`).
//! Checks that need the world are returned to the host, which must run them.

#[cfg(test)]
mod tests;

use alloc::string::{String, ToString};
use alloc::vec::Vec;
use holm_guards::{
    plausibility::{self as plausible, CallOutcome, Expectation, ObservedOutput, PlausibilityResult},
    postcondition::{CompiledPostconditions, Postcondition, PostconditionResult},
    repair::{ArgumentRepair, repair},
    ruling::{Reason, Ruling, RulingChain},
    schema::CompiledSchema,
    skill::{self, CompiledSkill, Contract, corrective, extract},
};
use serde::Serialize;

use crate::{BindingError, BindingErrorKind, text};

/// Whether a tool's output is plausible: a ruling as JSON, `"accept"`, `{"warn":…}` or `{"reject":…}`.
///
/// `outcome` is `succeeded` or `failed`, `expectation` a JSON object, `{}` for the defaults.
///
/// # Errors
/// [`BindingErrorKind::BadJson`] if the outcome or the expectation is invalid.
pub fn plausibility(outcome: &str, output: &str, expectation: &str) -> Result<String, BindingError> {
    let outcome = read_outcome(outcome)?;
    let expectation: Expectation = text::read(expectation, "expectation")?;
    let ruling = match plausible::judge(outcome, &ObservedOutput::whole(output), expectation) {
        PlausibilityResult::Ruled(ruling) => ruling,
        // A complete text always leads to a decision. If the guard cannot decide, it refuses.
        PlausibilityResult::NeedsWhole => {
            Ruling::Reject(Reason::new(plausible::GUARD, "the output is not complete"))
        }
    };
    Ok(text::json(&ruling))
}

/// A compiled JSON Schema.
#[derive(Debug)]
pub struct SchemaHandle(CompiledSchema);

impl SchemaHandle {
    /// Compiles a schema from its JSON text.
    ///
    /// # Errors
    /// [`BindingErrorKind::BadJson`] if the text is not JSON, [`BindingErrorKind::Schema`] if it is
    /// not a usable schema.
    pub fn new(schema: &str) -> Result<Self, BindingError> {
        CompiledSchema::compile(&text::open(schema, "schema")?)
            .map(Self)
            .map_err(BindingError::of(BindingErrorKind::Schema))
    }

    /// The violations of a value, as a JSON array; empty if the value is valid.
    ///
    /// # Errors
    /// [`BindingErrorKind::BadJson`] if the value cannot be parsed.
    pub fn validate(&self, value: &str) -> Result<String, BindingError> {
        let violations = self.0.validate(&text::open(value, "value")?).err().unwrap_or_default();
        let told = violations.into_iter().map(|violation| Violation {
            pointer: violation.pointer,
            keyword: violation.keyword,
            message: violation.message,
        });
        Ok(text::json(&told.collect::<Vec<_>>()))
    }

    /// Parses a model's arguments and repairs unambiguous mistakes:
    /// `{"valid":{"arguments","fixes"}}` with the arguments as
    /// canonical text, or `{"invalid":{"message"}}`.
    pub fn repair(&self, arguments: &str) -> String {
        #[derive(Serialize)]
        #[serde(rename_all = "snake_case")]
        enum ArgumentRepairView {
            Valid { arguments: String, fixes: Vec<String> },
            Invalid { message: String },
        }
        text::json(&match repair(&self.0, arguments) {
            ArgumentRepair::Valid { value, fixes } => ArgumentRepairView::Valid {
                arguments: value.canonical(),
                fixes: fixes.iter().map(ToString::to_string).collect(),
            },
            ArgumentRepair::Invalid { message } => ArgumentRepairView::Invalid { message },
        })
    }

    /// The keywords that are not enforced, as a JSON array of lines.
    pub fn unsupported(&self) -> String {
        text::json(&self.0.unsupported().iter().map(ToString::to_string).collect::<Vec<_>>())
    }
}

#[derive(Debug)]
pub struct PostconditionSet(CompiledPostconditions);

impl PostconditionSet {
    /// Compiles a JSON array of postconditions.
    ///
    /// # Errors
    /// [`BindingErrorKind::BadJson`] if the text is invalid, [`BindingErrorKind::Postcondition`] if
    /// one cannot be used.
    pub fn new(declared: &str) -> Result<Self, BindingError> {
        let declared: Vec<Postcondition> = text::read(declared, "list of postconditions")?;
        CompiledPostconditions::compile(&declared)
            .map(Self)
            .map_err(BindingError::of(BindingErrorKind::Postcondition))
    }

    /// The result for an output: `{"ruling","warnings","checks"}`. The host must run the `checks`.
    ///
    /// # Errors
    /// [`BindingErrorKind::BadJson`] for the outcome.
    pub fn evaluate(&self, outcome: &str, output: &str) -> Result<String, BindingError> {
        #[derive(Serialize)]
        struct PostconditionReport<'a> {
            ruling: Ruling,
            warnings: &'a [Reason],
            checks: &'a [Postcondition],
        }
        let tell = |chain: &RulingChain, checks: &[Postcondition]| {
            text::json(&PostconditionReport { ruling: chain.ruling(), warnings: chain.warnings(), checks })
        };
        Ok(match self.0.evaluate(read_outcome(outcome)?, &ObservedOutput::whole(output)) {
            PostconditionResult::Ruled(chain) => tell(&chain, &[]),
            PostconditionResult::Pending { chain, checks } => tell(&chain, &checks),
        })
    }
}

/// A compiled contract skill.
#[derive(Debug)]
pub struct SkillHandle(CompiledSkill);

impl SkillHandle {
    /// Compiles a contract from its JSON text.
    ///
    /// # Errors
    /// [`BindingErrorKind::BadJson`] if the text is invalid, [`BindingErrorKind::Contract`] if
    /// it cannot be used.
    pub fn new(contract: &str) -> Result<Self, BindingError> {
        let contract: Contract = text::read(contract, "contract")?;
        CompiledSkill::compile(contract).map(Self).map_err(BindingError::of(BindingErrorKind::Contract))
    }

    /// The task as text, for a model.
    ///
    /// # Errors
    /// [`BindingErrorKind::Skill`] if the input is invalid.
    pub fn prompt(&self, input: &str) -> Result<String, BindingError> {
        Ok(self.0.prompt(&self.input(input)?))
    }

    /// Checks a reply against the contract: `{"accepted":…}`, or
    /// `{"refused":{"error","correction"}}` with the text for the model.
    ///
    /// # Errors
    /// [`BindingErrorKind::Skill`] if the input is invalid.
    pub fn check(&self, input: &str, reply: &str) -> Result<String, BindingError> {
        #[derive(Serialize)]
        #[serde(rename_all = "snake_case")]
        enum SkillCheckResult {
            Accepted(holm_guards::json::Json),
            Refused { error: String, correction: String },
        }
        Ok(text::json(&match self.0.check_output(&self.input(input)?, reply) {
            Ok(output) => SkillCheckResult::Accepted(output),
            Err(error) => {
                SkillCheckResult::Refused { error: error.to_string(), correction: corrective(&error) }
            }
        }))
    }

    fn input(&self, input: &str) -> Result<skill::CheckedSkillInput, BindingError> {
        self.0.check_input(&text::open(input, "input")?).map_err(BindingError::of(BindingErrorKind::Skill))
    }
}

/// The contract of the built-in skill `extract`, as JSON.
pub fn extract_contract() -> String {
    text::json(&extract())
}

/// One thing that is wrong with a value.
#[derive(Serialize)]
struct Violation {
    /// Where, as a JSON pointer.
    pointer: String,
    /// The keyword that is broken.
    keyword: &'static str,
    /// The same in words.
    message: String,
}

fn read_outcome(outcome: &str) -> Result<CallOutcome, BindingError> {
    text::read(&text::json(&outcome), "outcome")
}
