//! The searchable text of a record: prompts, the answers and calls of models, and the results of
//! tools. Also whether a text matches, the excerpt around a match, and the digest of a result that
//! was moved out of the journal.
//!
//! The search itself is in `sessions/search.rs`, its index in `sqlite/queries.rs` and
//! `postgres/queries.rs`. The text of one record is bounded. A new kind of input must be sorted in
//! here, or it will never be found.

use holm_kernel::{Block, Input, ModelResult, ToolOutput, plain_text};
use serde::{Deserialize, Serialize};

/// Bytes of one record that can be found; a larger text is searched by its beginning.
const SEARCHED_BYTES: usize = 256 * 1024;

/// Characters of an excerpt on each side of the match.
const AROUND: usize = 60;

/// The text of one record for the index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TextRow {
    pub(crate) seq: u64,
    pub(crate) text: String,
}

/// The author of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TextKind {
    Prompt,
    /// A model's answer, with the arguments of its calls.
    Answer,
    /// A tool's or a child's.
    Tool,
}

/// The text that a search finds in an input; none for inputs without words.
///
/// ```
/// use holm_kernel::{Input, Prompt};
/// use holm_store::{TextKind, search_text};
///
/// let found = search_text(&Input::Prompted(Prompt::text("hello")));
/// assert_eq!(found, Some((TextKind::Prompt, "hello".to_owned())));
/// assert_eq!(search_text(&Input::TimePassed), None);
/// ```
#[must_use]
pub fn search_text(input: &Input) -> Option<(TextKind, String)> {
    let (kind, text) = match input {
        Input::Prompted(prompt) | Input::Steered(prompt) | Input::FollowedUp(prompt) => {
            (TextKind::Prompt, plain_text(&prompt.blocks))
        }
        Input::ModelFinished { result, .. } | Input::Summarised { result, .. } => {
            (TextKind::Answer, answer(result))
        }
        Input::ToolFinished { result, .. } => (TextKind::Tool, output(result)),
        Input::ChildFinished { result, .. } => (TextKind::Tool, output(&result.output)),
        Input::Started(_)
        | Input::Resumed { .. }
        | Input::Judged { .. }
        | Input::Consulted { .. }
        | Input::Dispatched { .. }
        | Input::Checked { .. }
        | Input::ChildStarted { .. }
        | Input::ToolsChanged(_)
        | Input::ModeChanged(_)
        | Input::Narrowed(_)
        | Input::GrantsChanged(_)
        | Input::BudgetChanged(_)
        | Input::Cancelled { .. }
        | Input::TimePassed => return None,
    };
    if text.trim().is_empty() {
        return None;
    }
    Some((kind, bounded(text)))
}

/// The digest of the large result that an input refers to.
pub(crate) fn spilled(input: &Input) -> Option<String> {
    let output = match input {
        Input::ToolFinished { result, .. } => result,
        Input::ChildFinished { result, .. } => &result.output,
        _ => return None,
    };
    output.spill.as_ref().map(|spill| spill.sha256.clone())
}

/// Whether a text holds every term. Upper and lower case are equal.
pub(crate) fn holds(text: &str, terms: &[String]) -> bool {
    let text = text.to_lowercase();
    terms.iter().all(|term| text.contains(&term.to_lowercase()))
}

/// The surroundings of the first term that is found, on one line.
pub(crate) fn excerpt(text: &str, terms: &[String]) -> String {
    let folded: Vec<char> = text.chars().map(|char| char.to_lowercase().next().unwrap_or(char)).collect();
    let at = terms.iter().filter_map(|term| position(&folded, term)).min().unwrap_or(0);
    let start = at.saturating_sub(AROUND);
    let length = AROUND * 2 + terms.first().map_or(0, |term| term.chars().count());
    let mut out = String::new();
    if start > 0 {
        out.push('…');
    }
    out.extend(text.chars().skip(start).take(length).map(|char| if char.is_control() { ' ' } else { char }));
    if folded.len() > start + length {
        out.push('…');
    }
    out
}

fn position(folded: &[char], term: &str) -> Option<usize> {
    let term: Vec<char> = term.chars().map(|char| char.to_lowercase().next().unwrap_or(char)).collect();
    folded.windows(term.len().max(1)).position(|window| window == term)
}

fn answer(result: &ModelResult) -> String {
    match result {
        ModelResult::Replied(reply) | ModelResult::Aborted(reply) => {
            let mut out = plain_text(&reply.blocks);
            for call in reply.blocks.iter().filter_map(Block::as_tool_call) {
                for part in [&call.name, &call.arguments] {
                    out.push('\n');
                    out.push_str(part);
                }
            }
            out
        }
        ModelResult::Failed(failure) => failure.message.clone(),
    }
}

fn output(output: &ToolOutput) -> String {
    let mut out = output.text.clone();
    if let Some(spill) = &output.spill {
        for part in [&spill.head, &spill.tail] {
            out.push_str(part);
            out.push('\n');
        }
    }
    out
}

fn bounded(mut text: String) -> String {
    text.truncate(text.floor_char_boundary(SEARCHED_BYTES));
    text
}
