//! The contract of a skill, as data that any author can write.
//!
//! It declares and checks nothing: `skill/runner.rs` compiles a contract and finds its mistakes.
//! Contracts are stored with their tools, so names of fields keep their meaning. The contract of
//! the built-in skill is in `skill/extract.rs`.

use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;

use holm_read::Read;
use serde::{Deserialize, Serialize};

use super::SkillFormat;
use crate::json::Json;
use crate::schema::SchemaError;

/// What a skill is given, what it must return, and how the return is proven.
///
/// ```
/// use holm_guards::json::Json;
/// use holm_guards::skill::{Contract, CompiledSkill, SkillError};
///
/// let contract: Contract = serde_json::from_str(r#"{
///     "name": "invoice", "version": "1.0.0", "description": "Read an invoice",
///     "input": {"type": "object", "required": ["text"]},
///     "source": "/text",
///     "cases": {"one": {
///         "instructions": "Find the total.",
///         "output": {"type": "object", "required": ["total"], "properties": {"total": {"type": "number"}}},
///         "grounded": ["/total"]
///     }}
/// }"#)?;
/// let skill = CompiledSkill::compile(contract)?;
/// let input = skill.check_input(&Json::parse(r#"{"text": "Total due: 1,250.00 EUR"}"#)?)?;
/// assert!(skill.check_output(&input, r#"{"total": 1250}"#).is_ok());
/// assert_eq!(
///     skill.check_output(&input, r#"{"total": 1350}"#),
///     Err(SkillError::HallucinationDetected("1350".into())),
/// );
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Read)]
pub struct Contract {
    /// The name by which a model asks for the skill.
    pub name: String,
    /// The version of the contract, for people and logs.
    pub version: String,
    /// What the skill does, in one sentence.
    pub description: String,
    /// JSON Schema of the input.
    pub input: Json,
    /// JSON pointer to the source text in the input, if values must occur in one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// What must come out.
    pub cases: Cases,
}

/// Whether every input leads to the same output, or a field of the input chooses.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Read)]
#[serde(rename_all = "snake_case")]
pub enum Cases {
    /// One kind of output.
    One(Case),
    /// A string member of the input names the case, in upper or lower case.
    By {
        field: String,
        /// The cases by their names, which are in lower case.
        cases: BTreeMap<String, Case>,
    },
}

/// One kind of output.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Read)]
pub struct Case {
    /// The instructions for the model.
    pub instructions: String,
    /// JSON Schema of the output.
    pub output: Json,
    /// JSON pointers to the output values that must occur in the source text; `*` is every element
    /// or member. All strings and numbers below a pointer are checked. A pointer that leads nowhere
    /// checks nothing: whether a member is required is the schema's business.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub grounded: Vec<String>,
    /// The forms that values must have.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub formats: Vec<FormatCheck>,
}

/// A demand on the form of some output values.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Read)]
pub struct FormatCheck {
    /// JSON pointer to the values, as in [`Case::grounded`].
    pub pointer: String,
    /// What they must be.
    pub format: SkillFormat,
}

/// A contract cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ContractError {
    /// A contract needs a name, because a model asks for the skill by it.
    #[error("the contract has no name; give it one")]
    NoName,
    /// No input could ever be accepted.
    #[error("the contract has no cases; declare at least one")]
    NoCases,
    /// Names of cases are compared in lower case.
    #[error("case {0:?} is not in lower case; rename it")]
    UpperCase(String),
    /// The input schema is not valid.
    #[error("input schema: {0}")]
    Input(SchemaError),
    /// An output schema is not valid.
    #[error("output schema: {0}")]
    Output(SchemaError),
    /// A pointer does not begin with `/`.
    #[error("{0:?} is not a JSON pointer; begin it with `/`")]
    BadPointer(String),
    /// Values must occur in a text, but the contract does not name the text.
    #[error("the contract grounds values but names no source; set `source` to the text's pointer")]
    NoSource,
    /// More pointers than a contract may declare.
    #[error("a case may declare at most {limit} pointers; join some")]
    TooManyPointers { limit: usize },
}
