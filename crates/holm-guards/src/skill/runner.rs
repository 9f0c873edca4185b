//! A compiled contract and its two checks: one for inputs, one for replies.
//!
//! Despite the file's name nothing runs here: `holm-kernel/src/run/skill.rs` calls the model and
//! counts the retry. A reply is checked in a fixed order (one object, schema, source, forms), and
//! the first failure is reported. Values are never corrected, only accepted or refused. The work of
//! searching values in the source is bounded before it begins, because a reply may contain very
//! many. The search itself is in `skill/source/text.rs`.

use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::path::OutputPointer;
use super::{
    Case, Cases, Contract, ContractError, SkillError, SkillFormat, SourceText, ValueReading, compat, prompt,
    reply,
};
use crate::guard_switches::{GuardSwitch, off};
use crate::json::Json;
use crate::ruling::{Rules, excerpt};
use crate::schema::{CompiledSchema, UnsupportedKeyword};

/// Pointers of one case: each is walked for every reply.
const MAX_POINTERS: usize = 64;

/// The most values of one reply that are searched for in the source; a longer answer is of no use.
const MAX_VALUES: usize = 4096;

/// The most bytes that all searches of one reply may read together, a fraction of a second's work.
/// It bounds the cost of a hostile reply to a long text.
pub(super) const MAX_WORK: usize = 1 << 27;

/// The message for a reply that would cost too much.
pub(super) const TOO_MUCH: &str = "too many values to check against this text; send fewer";

/// A contract that was compiled once and judges every reply.
#[derive(Debug, Clone)]
pub struct CompiledSkill {
    contract: Contract,
    rules: Rules,
    input: CompiledSchema,
    cases: BTreeMap<String, CompiledCase>,
}

/// The name of the only case of a contract without a choice.
const ONLY: &str = "";

impl CompiledSkill {
    /// Compiles a contract under Holm's own rules.
    ///
    /// # Errors
    /// [`ContractError`] names the part of the contract that cannot be used.
    pub fn compile(contract: Contract) -> Result<Self, ContractError> {
        if contract.name.trim().is_empty() {
            return Err(ContractError::NoName);
        }
        if let Some(pointer) = contract.source.as_deref().filter(|pointer| !pointer.starts_with('/')) {
            return Err(ContractError::BadPointer(pointer.to_string()));
        }
        let grounds = contract.source.is_some();
        let mut cases = BTreeMap::new();
        match &contract.cases {
            Cases::One(case) => {
                cases.insert(ONLY.to_string(), CompiledCase::new(case, grounds)?);
            }
            Cases::By { cases: declared, .. } => {
                for (name, case) in declared {
                    if *name != name.to_lowercase() {
                        return Err(ContractError::UpperCase(name.clone()));
                    }
                    cases.insert(name.clone(), CompiledCase::new(case, grounds)?);
                }
            }
        }
        if cases.is_empty() {
            return Err(ContractError::NoCases);
        }
        let input = CompiledSchema::compile(&contract.input).map_err(ContractError::Input)?;
        Ok(Self { contract, rules: Rules::Holm, input, cases })
    }

    /// The same skill under other rules. Only the built-in `extract` has rules of agent.rs;
    /// other contracts keep Holm's.
    #[must_use]
    pub fn under(mut self, rules: Rules) -> Self {
        if compat::is_valid_skill(&self.contract.name) {
            self.rules = rules;
        }
        self
    }

    /// The contract as it was declared.
    #[must_use]
    pub fn contract(&self) -> &Contract {
        &self.contract
    }

    /// Schema demands that are not enforced; shown when a skill is registered.
    pub fn unsupported(&self) -> impl Iterator<Item = &UnsupportedKeyword> {
        self.input.unsupported().iter().chain(self.cases.values().flat_map(|case| case.output.unsupported()))
    }

    /// Checks an input and prepares its source text.
    ///
    /// # Errors
    /// [`SkillError::SchemaViolation`] if a field is missing or malformed,
    /// [`SkillError::EmptyInput`] if the text is empty, [`SkillError::InvalidTarget`] if the case
    /// does not exist; in this order.
    pub fn check_input(&self, value: &Json) -> Result<CheckedSkillInput, SkillError> {
        let missing = |name: &str| SkillError::SchemaViolation(format!("missing '{name}' field"));
        let text = match &self.contract.source {
            None => None,
            Some(pointer) => {
                let name = pointer.trim_start_matches('/');
                Some(value.pointer(pointer).and_then(Json::as_str).ok_or_else(|| missing(name))?)
            }
        };
        let wanted = match &self.contract.cases {
            Cases::One(_) => ONLY,
            Cases::By { field, .. } => {
                value.get(field).and_then(Json::as_str).ok_or_else(|| missing(field))?
            }
        };
        if text.is_some_and(|text| self.is_empty(text)) {
            return Err(SkillError::EmptyInput);
        }
        let case = wanted.to_lowercase();
        if !self.cases.contains_key(&case) {
            let shown = match self.rules {
                Rules::Holm => excerpt(wanted),
                Rules::AgentRs => wanted.to_string(),
            };
            return Err(SkillError::InvalidTarget(shown));
        }
        conforms(&self.input, value)?;
        let source = text.map(SourceText::new);
        Ok(CheckedSkillInput { value: value.clone(), case, source })
    }

    fn is_empty(&self, text: &str) -> bool {
        match self.rules {
            Rules::Holm => text.trim().is_empty(),
            Rules::AgentRs => text.is_empty(),
        }
    }

    /// Words the task for a model.
    #[must_use]
    pub fn prompt(&self, input: &CheckedSkillInput) -> String {
        let Some(case) = self.cases.get(&input.case) else { return String::new() };
        let grounded = !case.grounded.is_empty();
        prompt::task(&self.contract, &case.instructions, case.output.source(), &input.value, grounded)
    }

    /// Checks a model's reply: one object, the schema, every value in the source, every form.
    ///
    /// The object is returned as it came, with its order and its duplicates.
    ///
    /// # Errors
    /// The first check that failed; [`corrective`](super::corrective) words it for the model.
    pub fn check_output(&self, input: &CheckedSkillInput, reply: &str) -> Result<Json, SkillError> {
        let case =
            self.cases.get(&input.case).ok_or_else(|| SkillError::InvalidTarget(input.case.clone()))?;
        match self.rules {
            Rules::Holm => case.check(input, reply),
            Rules::AgentRs => compat::check(&input.value, &input.case, reply),
        }
    }
}

/// An input that passed the gate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckedSkillInput {
    value: Json,
    case: String,
    source: Option<SourceText>,
}

impl CheckedSkillInput {
    /// The input as it came.
    #[must_use]
    pub fn value(&self) -> &Json {
        &self.value
    }

    /// The case that it chose (for `extract`, the target); empty for a contract with one case.
    #[must_use]
    pub fn case(&self) -> &str {
        &self.case
    }

    /// The source text, prepared, if the contract names one.
    #[must_use]
    pub fn source(&self) -> Option<&SourceText> {
        self.source.as_ref()
    }
}

#[derive(Debug, Clone)]
struct CompiledCase {
    instructions: String,
    output: CompiledSchema,
    grounded: Vec<(OutputPointer, Option<SkillFormat>)>,
    formats: Vec<(OutputPointer, SkillFormat)>,
}

impl CompiledCase {
    fn new(case: &Case, grounds: bool) -> Result<Self, ContractError> {
        if case.grounded.len().saturating_add(case.formats.len()) > MAX_POINTERS {
            return Err(ContractError::TooManyPointers { limit: MAX_POINTERS });
        }
        if !grounds && !case.grounded.is_empty() {
            return Err(ContractError::NoSource);
        }
        // A declared form also decides how the value is searched for.
        let format_of = |pointer: &str| case.formats.iter().find(|check| check.pointer == *pointer);
        let grounded = case.grounded.iter().map(|pointer| {
            OutputPointer::parse(pointer).map(|path| (path, format_of(pointer).map(|check| check.format)))
        });
        let formats =
            case.formats.iter().map(|check| Ok((OutputPointer::parse(&check.pointer)?, check.format)));
        Ok(Self {
            instructions: case.instructions.clone(),
            output: CompiledSchema::compile(&case.output).map_err(ContractError::Output)?,
            grounded: grounded.collect::<Result<_, _>>()?,
            formats: formats.collect::<Result<_, ContractError>>()?,
        })
    }

    fn check(&self, input: &CheckedSkillInput, reply: &str) -> Result<Json, SkillError> {
        let output = reply::object(reply)?;
        conforms(&self.output, &output)?;
        if let Some(source) = &input.source {
            self.check_source(source, &output)?;
        }
        for (path, format) in &self.formats {
            path.leaves(&output).try_for_each(|value| has_format(value, *format))?;
        }
        Ok(output)
    }

    fn check_source(&self, source: &SourceText, output: &Json) -> Result<(), SkillError> {
        let affordable = (MAX_WORK / source.cost().max(1)).clamp(1, MAX_VALUES);
        let values = || {
            self.grounded.iter().flat_map(|(path, format)| path.leaves(output).map(|value| (value, *format)))
        };
        // Counted first, so that a reply which asks too much costs nothing.
        if values().nth(affordable).is_some() {
            return Err(SkillError::SchemaViolation(TOO_MUCH.to_string()));
        }
        values().try_for_each(|(value, format)| stands(source, value, format))
    }
}

/// Whether one value occurs in the source; a value that cannot be searched for does not.
fn stands(source: &SourceText, value: &Json, format: Option<SkillFormat>) -> Result<(), SkillError> {
    let (found, shown) = match value {
        Json::String(text) => {
            let reading = format.map_or_else(|| ValueReading::of(text), SkillFormat::reading);
            (source.holds(text, reading), excerpt(text))
        }
        Json::Number(number) => (source.holds_number(number), excerpt(number.as_str())),
        Json::Null | Json::Bool(_) | Json::Array(_) | Json::Object(_) => (false, value.to_string()),
    };
    if found || off(GuardSwitch::Source) { Ok(()) } else { Err(SkillError::HallucinationDetected(shown)) }
}

fn has_format(value: &Json, format: SkillFormat) -> Result<(), SkillError> {
    if value.as_str().is_some_and(|text| format.admits(text)) || off(GuardSwitch::Format) {
        return Ok(());
    }
    let shown = value.as_str().map_or_else(|| excerpt(&value.to_string()), excerpt);
    Err(SkillError::FormatViolation(format!("'{shown}' is not a valid {format}")))
}

fn conforms(schema: &CompiledSchema, value: &Json) -> Result<(), SkillError> {
    let Err(violations) = schema.validate(value) else { return Ok(()) };
    let messages: Vec<String> = violations.iter().map(ToString::to_string).collect();
    Err(SkillError::SchemaViolation(messages.join("; ")))
}
