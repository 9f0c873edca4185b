//! How the sandbox itself ends a guest from within a host call: an error that no guest can catch.

use thiserror::Error;

/// Why a host call did not return to its guest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub(crate) enum Cut {
    #[error("ended with status {0}")]
    Exit(i32),
    #[error("too much output")]
    Output,
    #[error("too much written to files")]
    Written,
    #[error("out of time")]
    Time,
    #[error("cancelled")]
    Cancelled,
}
