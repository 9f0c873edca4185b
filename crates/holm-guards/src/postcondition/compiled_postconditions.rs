//! Postconditions, compiled once and evaluated for every result.
//!
//! It decides what the text at hand can decide, and lists the rest for the host: programs, and
//! promises about a result whose middle was spilled. It runs no program and reads no file
//! (`holm-runtime/src/check.rs` does). Patterns are matched in linear time (`schema/pattern.rs`),
//! and the number of promises is bounded, since a foreign server may declare them. What follows a
//! rejection is decided in `holm-kernel/src/run/result_checks.rs`.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::{Must, Postcondition, Rule};
use crate::guard_switches::{GuardSwitch, off};
use crate::json::Json;
use crate::plausibility::{CallOutcome, ObservedOutput};
use crate::ruling::{Reason, Ruling, RulingChain, excerpt};
use crate::schema::{CompiledSchema, EcmaPattern, PatternError, SchemaError, UnsupportedKeyword};

/// Promises of one tool: more than this is a mistake, and each costs time on every result.
const MAX_POSTCONDITIONS: usize = 64;

/// A tool's promises, ready to be judged.
///
/// ```
/// use holm_guards::plausibility::{ObservedOutput, CallOutcome};
/// use holm_guards::postcondition::{PostconditionResult, Must, Postcondition, CompiledPostconditions, Rule};
///
/// let rule = Rule::Pattern { regex: r"\.rs$".into(), must: Must::Match };
/// let promises = CompiledPostconditions::compile(&[Postcondition::new("rust files", rule)])?;
/// let evaluation = promises.evaluate(CallOutcome::Succeeded, &ObservedOutput::whole("src/lib.rs"));
/// assert!(matches!(evaluation, PostconditionResult::Ruled(chain) if !chain.ruling().is_reject()));
/// # Ok::<(), holm_guards::postcondition::PostconditionError>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct CompiledPostconditions {
    promises: Vec<CompiledPostcondition>,
}

impl CompiledPostconditions {
    /// Compiles declarations. The result judges them in the given order.
    ///
    /// # Errors
    /// [`PostconditionError`] names the declaration that cannot be used and why.
    pub fn compile(declared: &[Postcondition]) -> Result<Self, PostconditionError> {
        let named = |name: &str, fault| PostconditionError { name: name.to_string(), fault };
        if let Some(extra) = declared.get(MAX_POSTCONDITIONS) {
            return Err(named(&extra.name, PostconditionErrorKind::TooMany));
        }
        let compile = |declared: &Postcondition| {
            let test = CompiledRule::compile(&declared.rule).map_err(|fault| named(&declared.name, fault))?;
            Ok(CompiledPostcondition { declared: declared.clone(), test })
        };
        declared.iter().map(compile).collect::<Result<_, _>>().map(|promises| Self { promises })
    }

    /// Whether the tool promises nothing.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.promises.is_empty()
    }

    /// Schema demands that are not enforced, by the promise that makes them; shown when
    /// a tool is registered.
    pub fn unsupported(&self) -> impl Iterator<Item = (&str, &UnsupportedKeyword)> {
        self.promises.iter().flat_map(|promise| match &promise.test {
            CompiledRule::Schema(schema) => schema
                .unsupported()
                .iter()
                .map(|gap| (promise.declared.name.as_str(), gap))
                .collect::<Vec<_>>(),
            CompiledRule::Pattern { .. }
            | CompiledRule::Lines { .. }
            | CompiledRule::Length { .. }
            | CompiledRule::Executable => Vec::new(),
        })
    }

    /// Judges the result of a call by all postconditions.
    ///
    /// Failed results keep every promise, because the model does not take them for data. Checks
    /// that can be decided here come first, in any position, and a rejection makes the rest
    /// unnecessary. Only then is the host asked to run programs or to read the whole of a spilled
    /// output. The answers of those checks are ruled by [`CompiledPostconditions::answer`].
    #[must_use]
    pub fn evaluate(&self, outcome: CallOutcome, observed: &ObservedOutput<'_>) -> PostconditionResult {
        let mut chain = RulingChain::new();
        match outcome {
            CallOutcome::Failed => return PostconditionResult::Ruled(chain),
            CallOutcome::Succeeded => {}
        }
        let mut checks = Vec::new();
        for promise in &self.promises {
            let judged = match promise.test.judge(observed) {
                RuleResult::Kept => continue,
                RuleResult::Elsewhere => {
                    checks.push(promise.declared.clone());
                    continue;
                }
                RuleResult::Broken(found) => promise.declared.ruling(found),
            };
            if !chain.ask(|| judged) {
                return PostconditionResult::Ruled(chain);
            }
        }
        if checks.is_empty() {
            PostconditionResult::Ruled(chain)
        } else {
            PostconditionResult::Pending { chain, checks }
        }
    }

    /// The ruling for a check that the host carried out. `found` is the host's finding if
    /// the promise was broken.
    #[must_use]
    pub fn answer(check: &Postcondition, found: Option<&str>) -> Ruling {
        found.map_or(Ruling::Accept, |found| check.ruling(excerpt(found)))
    }
}

/// The result of an evaluation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PostconditionResult {
    /// Every postcondition was decided.
    Ruled(RulingChain),
    /// Nothing was rejected so far, and these checks are still to be carried out by the host, in
    /// order: programs to run, and promises that need the whole of a spilled output (compiled alone
    /// and judged on it).
    Pending {
        /// The decisions so far.
        chain: RulingChain,
        /// The checks that are still open.
        checks: Vec<Postcondition>,
    },
}

/// A declaration cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("postcondition {name:?}: {fault}")]
pub struct PostconditionError {
    /// The name of the postcondition.
    pub name: String,
    /// Why the declaration cannot be used.
    pub fault: PostconditionErrorKind,
}

/// Why a declaration cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PostconditionErrorKind {
    /// The schema is not valid.
    #[error("{0}")]
    Schema(SchemaError),
    /// The pattern is not valid, or cannot be matched in bounded time and memory.
    #[error("pattern cannot be used: {0}")]
    Pattern(PatternError),
    /// No output could ever keep the promise.
    #[error("min {min} is above max {max}; swap them")]
    EmptyRange { min: u64, max: u64 },
    /// A program without a name.
    #[error("the command is empty; name a program")]
    NoCommand,
    /// The tool promises too much.
    #[error("a tool may declare at most {MAX_POSTCONDITIONS} postconditions; join some")]
    TooMany,
}

#[derive(Debug, Clone)]
struct CompiledPostcondition {
    declared: Postcondition,
    test: CompiledRule,
}

impl Postcondition {
    fn ruling(&self, found: String) -> Ruling {
        let message = self.message.clone().unwrap_or(found);
        Ruling::by(self.severity, Reason::new(self.name.clone(), message))
    }
}

/// A rule whose schemas and patterns are compiled.
#[derive(Debug, Clone)]
enum CompiledRule {
    Schema(CompiledSchema),
    Pattern { pattern: EcmaPattern, must: Must },
    Lines { range: NumberRange, each: Option<EcmaPattern>, none: Option<EcmaPattern> },
    Length { range: NumberRange },
    Executable,
}

/// The result of one test.
enum RuleResult {
    Kept,
    Broken(String),
    /// The host has to look: a program must run, or the whole output is needed.
    Elsewhere,
}

impl From<Option<String>> for RuleResult {
    fn from(found: Option<String>) -> Self {
        found.map_or(Self::Kept, Self::Broken)
    }
}

impl CompiledRule {
    fn compile(rule: &Rule) -> Result<Self, PostconditionErrorKind> {
        let pattern = |text: &str| EcmaPattern::compile(text).map_err(PostconditionErrorKind::Pattern);
        let optional = |text: &Option<String>| text.as_deref().map(pattern).transpose();
        Ok(match rule {
            Rule::Schema(schema) => {
                Self::Schema(CompiledSchema::compile(schema).map_err(PostconditionErrorKind::Schema)?)
            }
            Rule::Pattern { regex, must } => Self::Pattern { pattern: pattern(regex)?, must: *must },
            Rule::Lines { min, max, each, none } => Self::Lines {
                range: NumberRange::new(*min, *max)?,
                each: optional(each)?,
                none: optional(none)?,
            },
            Rule::Length { min, max } => Self::Length { range: NumberRange::new(*min, *max)? },
            Rule::Executable { command, .. } if command.trim().is_empty() => {
                return Err(PostconditionErrorKind::NoCommand);
            }
            Rule::Executable { .. } => Self::Executable,
        })
    }

    fn judge(&self, observed: &ObservedOutput<'_>) -> RuleResult {
        match (self, observed.text()) {
            (Self::Executable, _) => RuleResult::Elsewhere,
            (Self::Length { range }, _) => range.misses(observed.length(), "bytes").into(),
            (Self::Schema(_) | Self::Pattern { .. } | Self::Lines { .. }, None) => RuleResult::Elsewhere,
            (Self::Schema(schema), Some(text)) => break_of_schema(schema, text).into(),
            (Self::Pattern { pattern, must }, Some(text)) => break_of_pattern(pattern, *must, text).into(),
            (Self::Lines { range, each, none }, Some(text)) => {
                break_of_lines(*range, each.as_ref(), none.as_ref(), text).into()
            }
        }
    }
}

fn break_of_schema(schema: &CompiledSchema, text: &str) -> Option<String> {
    let value = match Json::parse(text.trim()) {
        Ok(value) => value,
        Err(error) => return Some(format!("the output is not JSON: {error}")),
    };
    let violations = schema.validate(&value).err()?;
    let messages: Vec<String> = violations.iter().map(ToString::to_string).collect();
    Some(format!("the output breaks its schema: {}", messages.join("; ")))
}

fn break_of_pattern(pattern: &EcmaPattern, must: Must, text: &str) -> Option<String> {
    let (matches, regex) = (pattern.is_match(text), excerpt(pattern.as_str()));
    match must {
        _ if off(GuardSwitch::Pattern) => None,
        Must::Match if !matches => Some(format!("the output must match `{regex}` and does not")),
        Must::NotMatch if matches => Some(format!("the output must not match `{regex}` and does")),
        Must::Match | Must::NotMatch => None,
    }
}

fn break_of_lines(
    range: NumberRange,
    each: Option<&EcmaPattern>,
    none: Option<&EcmaPattern>,
    text: &str,
) -> Option<String> {
    let mut count: u64 = 0;
    let (each, none) = if off(GuardSwitch::Lines) { (None, None) } else { (each, none) };
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        count += 1;
        if let Some(each) = each.filter(|each| !each.is_match(line)) {
            let (line, each) = (excerpt(line), excerpt(each.as_str()));
            return Some(format!("every line must match `{each}`, and this one does not: {line:?}"));
        }
        if let Some(none) = none.filter(|none| none.is_match(line)) {
            let (line, none) = (excerpt(line), excerpt(none.as_str()));
            return Some(format!("no line may match `{none}`, and this one does: {line:?}"));
        }
    }
    range.misses(count, "lines")
}

/// Bounds that at least one number keeps.
#[derive(Debug, Clone, Copy)]
struct NumberRange {
    min: u64,
    max: u64,
}

impl NumberRange {
    fn new(min: Option<u64>, max: Option<u64>) -> Result<Self, PostconditionErrorKind> {
        let (min, max) = (min.unwrap_or(0), max.unwrap_or(u64::MAX));
        if min > max { Err(PostconditionErrorKind::EmptyRange { min, max }) } else { Ok(Self { min, max }) }
    }

    fn misses(self, count: u64, unit: &str) -> Option<String> {
        if off(GuardSwitch::Range) {
            return None;
        }
        if count < self.min {
            return Some(format!("the output has {count} {unit}, and at least {} were promised", self.min));
        }
        (count > self.max)
            .then(|| format!("the output has {count} {unit}, and at most {} were promised", self.max))
    }
}
