//! The naive kernel decides the same.

use crate::{Outcome, Violation};

/// At every record that the [`naive`](crate::naive) kernel knows how to decide, it decides as the real one did.
pub fn decides_like_the_naive_kernel(outcome: &Outcome) -> Vec<Violation> {
    let difference = outcome.naive.difference.iter();
    let violation = difference.map(|difference| Violation {
        promise: "the naive kernel decides the same",
        seq: Some(difference.seq),
        message: difference.message.clone(),
    });
    violation.collect()
}
