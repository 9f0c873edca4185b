//! The ruling of a guard about a result, and the chain that asks several guards in turn.
//!
//! A ruling carries its reason as data, because the same reason has three readers: the model (which
//! gets one corrective retry), the person who looks at the run, and the journal. The guards
//! themselves are in `plausibility/`, `postcondition/` and `skill/`; what follows a ruling is
//! decided in `holm-kernel/src/run/result_checks.rs`. Foreign text in a reason is bounded and loses
//! its control characters first.

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use holm_read::Read;
use serde::{Deserialize, Serialize};

/// What one guard, or a whole chain of them, says about a result.
///
/// ```
/// use holm_guards::ruling::{Reason, Ruling, Severity};
///
/// let reason = Reason::new("plausibility", "the output is empty");
/// assert_eq!(Ruling::by(Severity::Warn, reason.clone()), Ruling::Warn(reason.clone()));
/// assert_eq!(Ruling::Warn(reason.clone()).and(Ruling::Accept), Ruling::Warn(reason));
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Read)]
#[serde(rename_all = "snake_case")]
pub enum Ruling {
    /// The result may be believed.
    Accept,
    /// The result is used, and the doubt is shown with it.
    Warn(Reason),
    /// The result must not be believed.
    Reject(Reason),
}

impl Ruling {
    /// A ruling against the result, as strong as `severity` says.
    #[must_use]
    pub fn by(severity: Severity, reason: Reason) -> Self {
        match severity {
            Severity::Warn => Self::Warn(reason),
            Severity::Reject => Self::Reject(reason),
        }
    }

    /// The stronger of two rulings; of two equally strong ones, the first.
    #[must_use]
    pub fn and(self, later: Self) -> Self {
        if later.rank() > self.rank() { later } else { self }
    }

    /// Whether the result must not be believed.
    #[must_use]
    pub fn is_reject(&self) -> bool {
        matches!(self, Self::Reject(_))
    }

    /// Why the result is doubted or refused; `None` when it was accepted.
    #[must_use]
    pub fn reason(&self) -> Option<&Reason> {
        match self {
            Self::Accept => None,
            Self::Warn(reason) | Self::Reject(reason) => Some(reason),
        }
    }

    fn rank(&self) -> u8 {
        match self {
            Self::Accept => 0,
            Self::Warn(_) => 1,
            Self::Reject(_) => 2,
        }
    }
}

/// How much a failed check weighs. A tool's declaration chooses it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, Read)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// Report it and continue.
    Warn,
    /// Refuse the result. The default: a doubt that was not weighed fails closed.
    #[default]
    Reject,
}

/// Whose rules decide about a result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, Read)]
#[serde(rename_all = "snake_case")]
pub enum Rules {
    #[default]
    Holm,
    /// Those of agent.rs, to the letter and with its reason texts, for runs in its compatibility mode.
    AgentRs,
}

/// Why a guard doubted a result: which guard, and what it saw.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Read)]
pub struct Reason {
    /// The guard's name, or the name that a tool gave to its postcondition.
    pub guard: String,
    /// What is wrong and what to do, as a text for the model and for people.
    pub message: String,
}

impl Reason {
    /// A reason given by `guard`.
    #[must_use]
    pub fn new(guard: impl Into<String>, message: impl Into<String>) -> Self {
        Self { guard: guard.into(), message: message.into() }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.guard, self.message)
    }
}

/// A chain of guards, asked one after the other until one rejects.
///
/// A guard after the first rejection is never called: it may be costly, and its answer could change
/// nothing. Every warning before that is kept, not only the first.
///
/// ```
/// use holm_guards::ruling::{RulingChain, Reason, Ruling};
///
/// let chain = RulingChain::new()
///     .then(|| Ruling::Warn(Reason::new("length", "longer than usual")))
///     .then(|| Ruling::Reject(Reason::new("schema", "not an object")))
///     .then(|| unreachable!("the chain has already stopped"));
/// assert_eq!(chain.warnings().len(), 1);
/// assert!(chain.ruling().is_reject());
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RulingChain {
    warnings: Vec<Reason>,
    rejection: Option<Reason>,
}

impl RulingChain {
    /// Creates an empty chain. It has asked no guard yet, and therefore accepts.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Asks the next guard, unless an earlier one rejected.
    #[must_use]
    pub fn then(mut self, guard: impl FnOnce() -> Ruling) -> Self {
        self.ask(guard);
        self
    }

    /// Asks the next guard in place. Returns whether the chain continues.
    pub fn ask(&mut self, guard: impl FnOnce() -> Ruling) -> bool {
        if self.rejection.is_some() {
            return false;
        }
        match guard() {
            Ruling::Accept => {}
            Ruling::Warn(reason) => self.warnings.push(reason),
            Ruling::Reject(reason) => self.rejection = Some(reason),
        }
        self.rejection.is_none()
    }

    /// The warnings of every guard that was asked, in order.
    #[must_use]
    pub fn warnings(&self) -> &[Reason] {
        &self.warnings
    }

    /// The rejection, else the first warning, else acceptance.
    #[must_use]
    pub fn ruling(&self) -> Ruling {
        match (&self.rejection, self.warnings.first()) {
            (Some(reason), _) => Ruling::Reject(reason.clone()),
            (None, Some(reason)) => Ruling::Warn(reason.clone()),
            (None, None) => Ruling::Accept,
        }
    }
}

/// Characters of a foreign text that a reason quotes: enough to recognise it, too few
/// to flood a prompt.
const EXCERPT_CHARS: usize = 120;

/// The beginning of a foreign text, on one line and without control characters
/// (terminal escapes among them).
pub(crate) fn excerpt(text: &str) -> String {
    let clean = |c: char| if c.is_control() { ' ' } else { c };
    let text = text.trim();
    let mut quoted: String = text.chars().take(EXCERPT_CHARS).map(clean).collect();
    if text.chars().nth(EXCERPT_CHARS).is_some() {
        quoted.push('…');
    }
    quoted
}

#[cfg(test)]
mod tests;
