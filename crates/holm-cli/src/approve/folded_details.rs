//! Lines of a question at the terminal that are shown only on request. Which lines these are is
//! decided in `approve.rs`; the chat folds its own in `chat/question.rs`.

use super::forget_typed;
use crate::screen::TerminalOutput;

/// The folded lines of a question, until they are shown.
pub(super) struct FoldedDetails(Vec<String>);

impl FoldedDetails {
    pub(super) const fn new(lines: Vec<String>) -> Self {
        Self(lines)
    }

    /// Asks for an answer, and shows the lines first if the user wants that. `choices` makes the
    /// prompt from the words that offer them. Returns `None` without an answer.
    pub(super) fn question(
        &mut self,
        screen: &TerminalOutput,
        choices: impl Fn(&str) -> String,
    ) -> Option<String> {
        loop {
            forget_typed();
            let line = screen.question(&choices(if self.0.is_empty() { "" } else { "[d]etails, " }))?;
            let is_wanted = matches!(line.trim().to_lowercase().as_str(), "d" | "details");
            if self.0.is_empty() || !is_wanted {
                return Some(line);
            }
            std::mem::take(&mut self.0).iter().for_each(|line| screen.note(line));
        }
    }
}
