//! What survives a compaction word for word: the latest calls of tools that declare it, and the
//! names of the files that calls read and changed.
//!
//! Their number and size are bounded here, so that the note about a long past stays small.
//! `run/retained.rs` collects them from finished calls, and `context/compaction_note.rs` shows
//! them. Each text goes into a block of its own, because a result must not be able to imitate the
//! text around it. The user's own words are kept in `context/user_words.rs`.

use alloc::{borrow::ToOwned, format, string::String, sync::Arc, vec, vec::Vec};

use holm_read::Read;
use serde::{Deserialize, Serialize};

use super::estimate;
use crate::envelope::defused;
use crate::{Block, Family, MessageId, Retention};

/// The most calls that are remembered, of all tools together.
const MOST_CALLS: usize = 24;

/// The most files that are remembered.
const MOST_FILES: usize = 200;

/// Part of the room (as a divisor) that is left to the list of files.
const FILES_PART: u64 = 4;

/// The facts that a compaction keeps. Each belongs to the message that reported it; as long as that
/// message is in view, the note does not repeat it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, Read)]
pub(crate) struct RetainedFacts {
    #[serde(default)]
    calls: Vec<RetainedCall>,
    #[serde(default)]
    files: Vec<RetainedFile>,
}

/// A call that is kept as the model wrote it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Read)]
pub(crate) struct RetainedCall {
    pub(crate) tool: Arc<str>,
    pub(crate) arguments: Arc<str>,
    pub(crate) retention: Retention,
    /// The result in its envelope; none if the call was not answered.
    #[serde(default)]
    pub(crate) result: Option<String>,
    /// The message with the result.
    pub(crate) message: MessageId,
}

/// A file that a call named.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Read)]
pub(crate) struct RetainedFile {
    pub(crate) path: String,
    pub(crate) changed: bool,
    pub(crate) message: MessageId,
}

impl RetainedFacts {
    pub(crate) const fn is_empty(&self) -> bool {
        self.calls.is_empty() && self.files.is_empty()
    }

    /// Remembers a call. Of a tool whose calls replace each other only the last one is kept.
    pub(crate) fn keep_call(&mut self, call: RetainedCall) {
        match call.retention {
            Retention::None => return,
            Retention::Latest => self.calls.retain(|earlier| earlier.tool != call.tool),
            Retention::Each => {}
        }
        self.calls.push(call);
        if self.calls.len() > MOST_CALLS {
            // A list or a plan is worth more than the oldest answer.
            let oldest = self.calls.iter().position(|call| call.retention == Retention::Each);
            self.calls.remove(oldest.unwrap_or(0));
        }
    }

    /// Remembers a file, at its latest use. A file that was changed stays one that was changed.
    pub(crate) fn keep_file(&mut self, mut file: RetainedFile) {
        if let Some(at) = self.files.iter().position(|earlier| earlier.path == file.path) {
            file.changed |= self.files.remove(at).changed;
        }
        self.files.push(file);
        if self.files.len() > MOST_FILES {
            // What was only read can be found again.
            let oldest = self.files.iter().position(|file| !file.changed);
            self.files.remove(oldest.unwrap_or(0));
        }
    }

    /// The facts from messages before `upto`, in at most about `room` tokens. Each text has a block
    /// of its own, so that none can pose as the text around it. A call that does not
    /// fit is named instead.
    pub(super) fn blocks(&self, family: Family, room: u64, upto: MessageId) -> Vec<Block> {
        if room == 0 {
            return Vec::new();
        }
        let mut left = room - room / FILES_PART;
        let mut parts = Vec::new();
        // Lists and plans first, then the newest answers.
        for latest in [true, false] {
            let calls = self.calls.iter().rev().filter(|call| call.message < upto);
            for call in calls.filter(|call| (call.retention == Retention::Latest) == latest) {
                let mut part = call.blocks();
                if estimate::blocks(family, &part) > left {
                    part = vec![call.left_out()];
                }
                let tokens = estimate::blocks(family, &part);
                if tokens <= left {
                    left -= tokens;
                    parts.push((call.message, part));
                }
            }
        }
        parts.sort_by_key(|(message, _)| *message);
        let mut blocks: Vec<Block> = parts.into_iter().flat_map(|(_, part)| part).collect();
        left = left.saturating_add(room / FILES_PART);
        for (changed, lead) in [
            (true, "[Files changed so far, the latest last:]"),
            (false, "[Files read so far, the latest last:]"),
        ] {
            let part = self.listed(family, left, upto, changed, lead);
            left = left.saturating_sub(estimate::blocks(family, &part));
            blocks.extend(part);
        }
        blocks
    }

    /// The latest files of one kind that fit.
    fn listed(&self, family: Family, room: u64, upto: MessageId, changed: bool, lead: &str) -> Vec<Block> {
        let mut paths = Vec::new();
        let mut left = room.saturating_sub(estimate::blocks(family, &[Block::Text(lead.to_owned())]));
        let files = self.files.iter().rev().filter(|file| file.changed == changed && file.message < upto);
        for file in files {
            // One more for the end of the line.
            let tokens = estimate::text(family, &file.path).saturating_add(1);
            if tokens > left {
                break;
            }
            left -= tokens;
            paths.push(file.path.as_str());
        }
        if paths.is_empty() {
            return Vec::new();
        }
        paths.reverse();
        vec![Block::Text(lead.to_owned()), Block::Text(defused(&paths.join("\n")))]
    }
}

impl RetainedCall {
    fn blocks(&self) -> Vec<Block> {
        let lead = match (self.retention, &self.result) {
            (Retention::Each, None) => format!("[Your call of `{}`, which was not answered:]", self.tool),
            (Retention::Each, Some(_)) => format!("[Your call of `{}`, and the answer:]", self.tool),
            (Retention::None | Retention::Latest, _) => format!("[Your last call of `{}`:]", self.tool),
        };
        let mut blocks = vec![Block::Text(lead), Block::Text(defused(&self.arguments))];
        blocks.extend(self.result.clone().map(Block::Text));
        blocks
    }

    fn left_out(&self) -> Block {
        let length = self.arguments.chars().count();
        Block::Text(format!(
            "[A call of `{}` is too long to be kept here ({length} characters). Make it again in a shorter form if \
             you need it.]",
            self.tool
        ))
    }
}
