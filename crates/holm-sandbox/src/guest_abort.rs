//! The error with which a host call ends its guest. No guest can catch it.

use thiserror::Error;

/// Why a host call did not return to its guest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub(crate) enum GuestAbort {
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
