//! The text protocol for hosts: a host can ask a model without native tool calls in text, and turn
//! its replies into calls. It only passes on: instructions are written in
//! `protocol/instructions.rs`, and replies are read in `protocol/read.rs`.
//! `holm-models/src/text_tools.rs` uses it.

use alloc::string::String;

use super::{ParsedReply, instructions, read_text};
use crate::{Offer, ProtocolPolicy};

/// The meaning of a reply in the text protocol.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TextReply {
    /// A call of a tool or of a skill, with its arguments as canonical JSON.
    Call {
        /// The name, as written.
        name: String,
        arguments: String,
    },
    /// An answer, without the thinking in the text.
    Answer(String),
    /// An empty reply, an announcement without its action, or a call that is not valid JSON.
    Unclear,
}

/// The system prompt of the text protocol: how to call, and the tools on offer.
///
/// ```
/// use holm_kernel::{Offer, text_system_prompt};
///
/// assert_eq!(
///     text_system_prompt("Be brief.", &Offer::default()),
///     "Be brief.",
///     "without tools nothing is added"
/// );
/// ```
#[must_use]
pub fn text_system_prompt(system: &str, offer: &Offer) -> String {
    instructions(system, offer)
}

/// Reads a reply of the text protocol.
///
/// ```
/// use holm_kernel::{TextReply, read_text_reply};
///
/// let call = TextReply::Call { name: "read".into(), arguments: r#"{"path":"a.txt"}"#.into() };
/// assert_eq!(read_text_reply("```json\n{\"tool\": \"read\", \"path\": \"a.txt\"}\n```"), call);
/// assert_eq!(read_text_reply("It is 4."), TextReply::Answer("It is 4.".into()));
/// ```
#[must_use]
pub fn read_text_reply(text: &str) -> TextReply {
    match read_text(text, &ProtocolPolicy::default()) {
        ParsedReply::Tool { name, arguments } | ParsedReply::Skill { name, arguments } => {
            TextReply::Call { name, arguments }
        }
        ParsedReply::Answer(text) => TextReply::Answer(text),
        ParsedReply::Inconclusive(_) => TextReply::Unclear,
    }
}
