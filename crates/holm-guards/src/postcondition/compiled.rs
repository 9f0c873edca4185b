//! Postconditions, compiled once and evaluated for every result.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::{Must, Postcondition, Rule};
use crate::json::Json;
use crate::mutate::{Guard, off};
use crate::plausibility::{Observed, Outcome};
use crate::ruling::{Chain, Reason, Ruling, excerpt};
use crate::schema::{Pattern, PatternError, Schema, SchemaError, Unsupported};

/// Promises of one tool: more than this is a mistake, and each costs time on every result.
const MAX_POSTCONDITIONS: usize = 64;

/// A tool's promises, ready to be judged.
///
/// ```
/// use holm_guards::plausibility::{Observed, Outcome};
/// use holm_guards::postcondition::{Evaluation, Must, Postcondition, Postconditions, Rule};
///
/// let rule = Rule::Pattern { regex: r"\.rs$".into(), must: Must::Match };
/// let promises = Postconditions::compile(&[Postcondition::new("rust files", rule)])?;
/// let evaluation = promises.evaluate(Outcome::Succeeded, &Observed::whole("src/lib.rs"));
/// assert!(matches!(evaluation, Evaluation::Ruled(chain) if !chain.ruling().is_reject()));
/// # Ok::<(), holm_guards::postcondition::PostconditionError>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct Postconditions {
    promises: Vec<Promise>,
}

impl Postconditions {
    /// Compiles declarations. The result judges them in the given order.
    ///
    /// # Errors
    /// [`PostconditionError`] names the declaration that cannot be used and why.
    pub fn compile(declared: &[Postcondition]) -> Result<Self, PostconditionError> {
        let named = |name: &str, fault| PostconditionError { name: name.to_string(), fault };
        if let Some(extra) = declared.get(MAX_POSTCONDITIONS) {
            return Err(named(&extra.name, Fault::TooMany));
        }
        let compile = |declared: &Postcondition| {
            let test = Test::compile(&declared.rule).map_err(|fault| named(&declared.name, fault))?;
            Ok(Promise { declared: declared.clone(), test })
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
    pub fn unsupported(&self) -> impl Iterator<Item = (&str, &Unsupported)> {
        self.promises.iter().flat_map(|promise| match &promise.test {
            Test::Schema(schema) => schema
                .unsupported()
                .iter()
                .map(|gap| (promise.declared.name.as_str(), gap))
                .collect::<Vec<_>>(),
            Test::Pattern { .. } | Test::Lines { .. } | Test::Length { .. } | Test::Executable => Vec::new(),
        })
    }

    /// Judges a result.
    ///
    /// Failed results keep every promise, because the model does not take them for data. Checks
    /// that can be decided here come first, in any position, and a rejection makes the rest
    /// unnecessary. Only then is the host asked to run programs or to read the whole of a spilled
    /// output. The answers of those checks are ruled by [`Postconditions::answer`].
    #[must_use]
    pub fn evaluate(&self, outcome: Outcome, observed: &Observed<'_>) -> Evaluation {
        let mut chain = Chain::new();
        match outcome {
            Outcome::Failed => return Evaluation::Ruled(chain),
            Outcome::Succeeded => {}
        }
        let mut checks = Vec::new();
        for promise in &self.promises {
            let judged = match promise.test.judge(observed) {
                Judged::Kept => continue,
                Judged::Elsewhere => {
                    checks.push(promise.declared.clone());
                    continue;
                }
                Judged::Broken(found) => promise.declared.ruling(found),
            };
            if !chain.ask(|| judged) {
                return Evaluation::Ruled(chain);
            }
        }
        if checks.is_empty() { Evaluation::Ruled(chain) } else { Evaluation::Pending { chain, checks } }
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
pub enum Evaluation {
    /// Every postcondition was decided.
    Ruled(Chain),
    /// Nothing was rejected so far, and these checks are still to be carried out by the host, in
    /// order: programs to run, and promises that need the whole of a spilled output (compiled alone
    /// and judged on it).
    Pending {
        /// The decisions so far.
        chain: Chain,
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
    pub fault: Fault,
}

/// Why a declaration cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// The schema is not valid.
    #[error("{0}")]
    Schema(SchemaError),
    /// The pattern is not valid, or cannot be matched in bounded time and memory.
    #[error("pattern cannot be used: {0}")]
    Pattern(PatternError),
    /// No output could ever keep the promise.
    #[error("min {min} is above max {max}; swap them")]
    EmptyRange {
        min: u64,
        max: u64,
    },
    /// A program without a name.
    #[error("the command is empty; name a program")]
    NoCommand,
    /// The tool promises too much.
    #[error("a tool may declare at most {MAX_POSTCONDITIONS} postconditions; join some")]
    TooMany,
}

#[derive(Debug, Clone)]
struct Promise {
    declared: Postcondition,
    test: Test,
}

impl Postcondition {
    fn ruling(&self, found: String) -> Ruling {
        let message = self.message.clone().unwrap_or(found);
        Ruling::by(self.severity, Reason::new(self.name.clone(), message))
    }
}

/// A rule whose schemas and patterns are compiled.
#[derive(Debug, Clone)]
enum Test {
    Schema(Schema),
    Pattern { pattern: Pattern, must: Must },
    Lines { range: Range, each: Option<Pattern>, none: Option<Pattern> },
    Length { range: Range },
    Executable,
}

/// The result of one test.
enum Judged {
    Kept,
    Broken(String),
    /// The host has to look: a program must run, or the whole output is needed.
    Elsewhere,
}

impl From<Option<String>> for Judged {
    fn from(found: Option<String>) -> Self {
        found.map_or(Self::Kept, Self::Broken)
    }
}

impl Test {
    fn compile(rule: &Rule) -> Result<Self, Fault> {
        let pattern = |text: &str| Pattern::compile(text).map_err(Fault::Pattern);
        let optional = |text: &Option<String>| text.as_deref().map(pattern).transpose();
        Ok(match rule {
            Rule::Schema(schema) => Self::Schema(Schema::compile(schema).map_err(Fault::Schema)?),
            Rule::Pattern { regex, must } => Self::Pattern { pattern: pattern(regex)?, must: *must },
            Rule::Lines { min, max, each, none } => {
                Self::Lines { range: Range::new(*min, *max)?, each: optional(each)?, none: optional(none)? }
            }
            Rule::Length { min, max } => Self::Length { range: Range::new(*min, *max)? },
            Rule::Executable { command, .. } if command.trim().is_empty() => return Err(Fault::NoCommand),
            Rule::Executable { .. } => Self::Executable,
        })
    }

    fn judge(&self, observed: &Observed<'_>) -> Judged {
        match (self, observed.text()) {
            (Self::Executable, _) => Judged::Elsewhere,
            (Self::Length { range }, _) => range.misses(observed.length(), "bytes").into(),
            (Self::Schema(_) | Self::Pattern { .. } | Self::Lines { .. }, None) => Judged::Elsewhere,
            (Self::Schema(schema), Some(text)) => break_of_schema(schema, text).into(),
            (Self::Pattern { pattern, must }, Some(text)) => break_of_pattern(pattern, *must, text).into(),
            (Self::Lines { range, each, none }, Some(text)) => {
                break_of_lines(*range, each.as_ref(), none.as_ref(), text).into()
            }
        }
    }
}

fn break_of_schema(schema: &Schema, text: &str) -> Option<String> {
    let value = match Json::parse(text.trim()) {
        Ok(value) => value,
        Err(error) => return Some(format!("the output is not JSON: {error}")),
    };
    let violations = schema.validate(&value).err()?;
    let told: Vec<String> = violations.iter().map(ToString::to_string).collect();
    Some(format!("the output breaks its schema: {}", told.join("; ")))
}

fn break_of_pattern(pattern: &Pattern, must: Must, text: &str) -> Option<String> {
    let (matches, regex) = (pattern.is_match(text), excerpt(pattern.as_str()));
    match must {
        _ if off(Guard::Pattern) => None,
        Must::Match if !matches => Some(format!("the output must match `{regex}` and does not")),
        Must::NotMatch if matches => Some(format!("the output must not match `{regex}` and does")),
        Must::Match | Must::NotMatch => None,
    }
}

fn break_of_lines(
    range: Range,
    each: Option<&Pattern>,
    none: Option<&Pattern>,
    text: &str,
) -> Option<String> {
    let mut count: u64 = 0;
    let (each, none) = if off(Guard::Lines) { (None, None) } else { (each, none) };
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
struct Range {
    min: u64,
    max: u64,
}

impl Range {
    fn new(min: Option<u64>, max: Option<u64>) -> Result<Self, Fault> {
        let (min, max) = (min.unwrap_or(0), max.unwrap_or(u64::MAX));
        if min > max { Err(Fault::EmptyRange { min, max }) } else { Ok(Self { min, max }) }
    }

    fn misses(self, count: u64, unit: &str) -> Option<String> {
        if off(Guard::Range) {
            return None;
        }
        if count < self.min {
            return Some(format!("the output has {count} {unit}, and at least {} were promised", self.min));
        }
        (count > self.max)
            .then(|| format!("the output has {count} {unit}, and at most {} were promised", self.max))
    }
}
