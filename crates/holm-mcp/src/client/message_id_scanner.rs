//! Finds the id of the request that a message answers, in one pass over its bytes and without
//! parsing it. It works for any bytes.
//!
//! A message that is nested too deeply, too long or malformed cannot be parsed. Without its id,
//! Holm would silently drop it, and the caller would wait until the timeout.
//!
//! How the id is used is decided in `incoming_message.rs`. Memory is constant.

use rmcp::model::RequestId;

/// The deepest nesting that is parsed, which is the limit of `serde_json`.
pub(super) const DEEPEST: u32 = 127;
/// The longest name or id that is recorded. Ids are created by Holm, and they are short.
const LONGEST: usize = 256;

/// The state of the scan. Its size is constant, however long the message is.
#[derive(Debug, Default)]
pub(super) struct MessageIdScanner {
    depth: u32,
    deepest: u32,
    text: ScannerTextState,
    position: ScannerPosition,
    word: Vec<u8>,
    id: Option<RequestId>,
    has_method: bool,
}

/// Whether the scan is inside a JSON string.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum ScannerTextState {
    #[default]
    Outside,
    Inside,
    Escaped,
}

/// The position of the scan in the outermost object.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum ScannerPosition {
    /// Before the object begins.
    #[default]
    Before,
    /// Inside a member's name.
    Name,
    /// Inside the value of `id`.
    Id,
    /// Inside any other value.
    Value,
    /// After the object, or in a message that is not an object.
    After,
}

impl MessageIdScanner {
    /// Scans the next bytes of the message.
    pub(super) fn see(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.step(*byte);
        }
    }

    /// Whether the message is nested deeper than Holm parses.
    pub(super) fn is_too_deep(&self) -> bool {
        self.deepest > DEEPEST
    }

    /// The id of the request that the message answers. Returns `None` if the message is a request
    /// itself, or not a JSON-RPC message.
    pub(super) fn answers(&self) -> Option<&RequestId> {
        self.id.as_ref().filter(|_| !self.has_method)
    }

    fn step(&mut self, byte: u8) {
        match self.text {
            ScannerTextState::Escaped => self.text = ScannerTextState::Inside,
            ScannerTextState::Inside if byte == b'\\' => self.text = ScannerTextState::Escaped,
            ScannerTextState::Inside if byte == b'"' => self.text = ScannerTextState::Outside,
            ScannerTextState::Inside => {}
            ScannerTextState::Outside if byte == b'"' => self.text = ScannerTextState::Inside,
            ScannerTextState::Outside => return self.structure(byte),
        }
        self.keep(byte);
    }

    /// Handles a byte outside of any string.
    fn structure(&mut self, byte: u8) {
        match byte {
            b'{' | b'[' => {
                self.depth = self.depth.saturating_add(1);
                self.deepest = self.deepest.max(self.depth);
                if self.position == ScannerPosition::Before {
                    self.position = if byte == b'{' { ScannerPosition::Name } else { ScannerPosition::After };
                    return;
                }
            }
            b'}' | b']' => {
                self.depth = self.depth.saturating_sub(1);
                if self.depth == 0 {
                    self.end_of_member();
                    self.position = ScannerPosition::After;
                    return;
                }
            }
            b':' if self.depth == 1 && self.position == ScannerPosition::Name => return self.begin_value(),
            b',' if self.depth == 1 => return self.end_of_member(),
            _ => {}
        }
        self.keep(byte);
    }

    fn begin_value(&mut self) {
        let name: Option<String> = serde_json::from_slice(&std::mem::take(&mut self.word)).ok();
        self.has_method |= name.as_deref() == Some("method");
        self.position =
            if name.as_deref() == Some("id") { ScannerPosition::Id } else { ScannerPosition::Value };
    }

    fn end_of_member(&mut self) {
        let word = std::mem::take(&mut self.word);
        match self.position {
            ScannerPosition::Id => {
                self.id = serde_json::from_slice(&word).ok();
                self.position = ScannerPosition::Name;
            }
            ScannerPosition::Name | ScannerPosition::Value => self.position = ScannerPosition::Name,
            ScannerPosition::Before | ScannerPosition::After => {}
        }
    }

    fn keep(&mut self, byte: u8) {
        let is_noted = matches!(self.position, ScannerPosition::Name | ScannerPosition::Id);
        // Records one byte more than the limit, so that a cut-off word matches no name and no id.
        if is_noted && self.word.len() <= LONGEST {
            self.word.push(byte);
        }
    }
}

#[cfg(test)]
mod tests;
