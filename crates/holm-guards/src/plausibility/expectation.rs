//! What a tool says about its own output, so that the guard need not guess. These are data: the
//! tool declares them, and `plausibility/guard.rs` reads them.

use holm_read::Read;
use serde::{Deserialize, Serialize};

use crate::ruling::{Rules, Severity};

/// What a plausible result of a tool looks like, declared by the tool.
///
/// ```
/// use holm_guards::plausibility::{EmptyOutput, Expectation};
///
/// // `mkdir` says nothing when it worked.
/// let mkdir = Expectation { empty: EmptyOutput::Allowed, ..Expectation::default() };
/// assert_ne!(mkdir, Expectation::default());
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, Read)]
#[serde(default)]
pub struct Expectation {
    /// Whether no output is an answer.
    pub empty: EmptyOutput,
    /// Whether an output that reads like an error message may be data.
    pub error_text: ErrorText,
    /// What a finding leads to.
    pub severity: Severity,
    /// Whose rules are applied. Those of agent.rs always refuse an empty output and never read for
    /// errors, so [`EmptyOutput`] and [`ErrorText`] do not apply to them.
    pub rules: Rules,
}

/// Whether a tool may succeed without saying anything.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, Read)]
#[serde(rename_all = "snake_case")]
pub enum EmptyOutput {
    /// Silence is success, as for `mkdir` or a search that may find nothing.
    Allowed,
    /// Data was promised, so nothing is not an answer.
    #[default]
    Refused,
}

/// Whether a tool's output may consist of an error message and still be data.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, Read)]
#[serde(rename_all = "snake_case")]
pub enum ErrorText {
    /// The tool shows foreign content (a file, a log, a search hit); an error message in
    /// it is the data.
    Allowed,
    /// An output that is nothing but an error message is a failure in disguise.
    #[default]
    Refused,
}
