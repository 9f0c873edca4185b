//! The part of a result that a guard sees: the whole text, or the two ends of a text whose middle
//! was spilled.
//!
//! It holds borrowed text and decides nothing. `plausibility/guard.rs` and
//! `postcondition/compiled_postconditions.rs` judge it; the host cuts and stores large results
//! (`holm-runtime/src/spill.rs`). A guard must treat missing text as unknown, never as absent.

use holm_read::Read;
use serde::{Deserialize, Serialize};

/// How a tool call ended, by its own account.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Read)]
#[serde(rename_all = "snake_case")]
pub enum CallOutcome {
    /// The tool says that it worked. Guards test this claim.
    Succeeded,
    /// The tool says that it failed. Failures pass through as failures: the model does not
    /// take them for data.
    Failed,
}

/// The text of a result, or the part of it that is left in memory after the rest was spilled.
///
/// ```
/// use holm_guards::plausibility::ObservedOutput;
///
/// assert_eq!(ObservedOutput::whole("abc").text(), Some("abc"));
/// assert_eq!(ObservedOutput::spilled("ab", "yz", 4096).text(), None);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ObservedOutput<'a> {
    head: &'a str,
    tail: &'a str,
    length: u64,
}

impl<'a> ObservedOutput<'a> {
    /// A text that is here completely.
    #[must_use]
    pub fn whole(text: &'a str) -> Self {
        Self { head: text, tail: "", length: text.len() as u64 }
    }

    /// The two ends of a text of `length` bytes whose middle was spilled.
    ///
    /// A `length` that the head alone reaches is a whole text, so a caller need not
    /// tell the cases apart.
    #[must_use]
    pub fn spilled(head: &'a str, tail: &'a str, length: u64) -> Self {
        Self { head, tail, length }
    }

    /// The complete text; `None` when part of it was spilled.
    #[must_use]
    pub fn text(&self) -> Option<&'a str> {
        (self.length <= self.head.len() as u64).then_some(self.head)
    }

    /// The beginning of the text.
    #[must_use]
    pub fn head(&self) -> &'a str {
        self.head
    }

    /// The end of the text; empty when the head is the whole.
    #[must_use]
    pub fn tail(&self) -> &'a str {
        if self.text().is_some() { "" } else { self.tail }
    }

    /// The length of the complete text in bytes.
    #[must_use]
    pub fn length(&self) -> u64 {
        self.length.max(self.head.len() as u64)
    }
}
