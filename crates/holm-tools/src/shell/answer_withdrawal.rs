//! Decides when the answers of a person are withdrawn: when the mode changes, when the grants are
//! replaced, and when a tool changes.
//!
//! The kernel tells of new grants with the same event, whether they were replaced or an answer of
//! the person gave some. The grants of an answer come right after it, from the same record of the
//! journal; a replacement has a record of its own. When in doubt, answers are withdrawn: the person
//! is asked once more. It remembers no answers: `approval_gate.rs` does.

use holm_kernel::{Event, EventId, Numbered};

/// What an event withdraws.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum AnswerWithdrawal {
    Nothing,
    /// Answers about tools that can change while a session runs: all but commands.
    Tools,
    Everything,
}

/// Reads the events of a run in their order.
#[derive(Debug, Default)]
pub(super) struct WithdrawalReader {
    /// The place of the grants of the last answer, if it gave some.
    next: Option<EventId>,
}

impl WithdrawalReader {
    /// What this event withdraws.
    pub(super) fn read(&mut self, numbered: &Numbered) -> AnswerWithdrawal {
        let expected = self.next.take();
        match &numbered.event {
            Event::ApprovalGiven { allowed: true, .. } => {
                let id = numbered.id;
                self.next = Some(EventId { index: id.index + 1, ..id });
                AnswerWithdrawal::Nothing
            }
            Event::GrantsChanged if expected == Some(numbered.id) => AnswerWithdrawal::Nothing,
            Event::ModeChanged { .. } | Event::GrantsChanged => AnswerWithdrawal::Everything,
            Event::ToolsChanged { .. } => AnswerWithdrawal::Tools,
            _ => AnswerWithdrawal::Nothing,
        }
    }
}
