//! Forks a journal at a record, so that another run can continue from there.

use super::record::JournalRecord;
use crate::Seq;

/// The records up to and including `at`. Replay them, and continue with
/// [`JournalWriter::after`](super::JournalWriter::after) the last one's head.
///
/// Nothing is copied or rewritten. The two journals have the same chain up to `at` and
/// different ones after it.
///
/// # Errors
/// [`ForkError`] if there is no such record.
///
/// ```
/// use holm_kernel::{Seq, journal};
///
/// assert_eq!(journal::fork(&[], Seq::new(0)), Err(journal::ForkError { at: Seq::new(0), last: None }));
/// ```
pub fn fork(records: &[JournalRecord], at: Seq) -> Result<&[JournalRecord], ForkError> {
    let missing = ForkError { at, last: records.last().map(JournalRecord::seq) };
    let count = usize::try_from(at.value()).ok().and_then(|at| at.checked_add(1));
    let past = count.and_then(|count| records.get(..count)).ok_or_else(|| missing.clone())?;
    // A list that does not begin at record 0 has no past to fork from.
    if past.last().map(JournalRecord::seq) == Some(at) { Ok(past) } else { Err(missing) }
}

/// There is no record to fork at.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("cannot fork at record {at}: the journal does not have it (its last record is {last:?})")]
pub struct ForkError {
    /// The record that was named.
    pub at: Seq,
    /// The last one there is.
    pub last: Option<Seq>,
}
