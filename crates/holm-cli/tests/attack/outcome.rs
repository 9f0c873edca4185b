//! The possible outcomes of a case.

use std::fmt;

use serde::Deserialize;

/// What came of a case. Those after [`Self::Passed`] are never hoped for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Outcome {
    /// It did not happen.
    Refused,
    /// It does not happen unless a person says yes.
    Asked,
    /// It stands there in letters that show themselves.
    Shown,
    /// It stays in its envelope: it does not know the seal that would end it.
    Sealed,
    /// It was allowed, started, and failed by itself: it was not stopped.
    Failed,
    /// It happened.
    Passed,
    /// The output contained a secret.
    Leaked,
    /// It was refused, and something had changed all the same.
    Changed,
    /// A terminal would have done what the text says.
    Obeyed,
    /// It left its envelope.
    Escaped,
    /// It did not end.
    Hung,
    /// The command ended in no way that it has.
    Crashed,
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Refused => "refused",
            Self::Asked => "asked",
            Self::Shown => "shown",
            Self::Sealed => "sealed",
            Self::Failed => "failed",
            Self::Passed => "passed",
            Self::Leaked => "LEAKED",
            Self::Changed => "CHANGED",
            Self::Obeyed => "OBEYED",
            Self::Escaped => "ESCAPED",
            Self::Hung => "HUNG",
            Self::Crashed => "CRASHED",
        })
    }
}
