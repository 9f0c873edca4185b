//! Whose answer a message is, seen without reading it: one pass over its bytes, whatever they are.
//!
//! What cannot be read (nested too deep, too long, of another shape) would otherwise be dropped in silence, and whoever asked
//! would wait for it until their patience ends.

use rmcp::model::RequestId;

/// The deepest nesting that is read, which is how deep `serde_json` reads.
pub(super) const DEEPEST: u32 = 127;
/// The longest name or id of which note is taken: ids are ours, and ours are short.
const LONGEST: usize = 256;

/// What was seen so far. It takes as little room after a gigabyte as after a line.
#[derive(Debug, Default)]
pub(super) struct Glance {
    depth: u32,
    deepest: u32,
    text: Text,
    place: Place,
    word: Vec<u8>,
    id: Option<RequestId>,
    has_method: bool,
}

/// Whether a byte is part of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Text {
    #[default]
    Outside,
    Inside,
    Escaped,
}

/// Where in the outermost object a byte is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Place {
    /// In front of it.
    #[default]
    Before,
    /// In a member's name.
    Name,
    /// In the value of `id`.
    Id,
    /// In any other value.
    Value,
    /// Behind it, or in something that is no object.
    After,
}

impl Glance {
    /// Looks at the next bytes of the message.
    pub(super) fn see(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.step(*byte);
        }
    }

    /// Whether nobody reads so deep.
    pub(super) fn is_too_deep(&self) -> bool {
        self.deepest > DEEPEST
    }

    /// Which question it answers, as far as it was seen; none where it is a question of its own, or no message at all.
    pub(super) fn answers(&self) -> Option<&RequestId> {
        self.id.as_ref().filter(|_| !self.has_method)
    }

    fn step(&mut self, byte: u8) {
        match self.text {
            Text::Escaped => self.text = Text::Inside,
            Text::Inside if byte == b'\\' => self.text = Text::Escaped,
            Text::Inside if byte == b'"' => self.text = Text::Outside,
            Text::Inside => {}
            Text::Outside if byte == b'"' => self.text = Text::Inside,
            Text::Outside => return self.structure(byte),
        }
        self.keep(byte);
    }

    /// A byte outside of any text.
    fn structure(&mut self, byte: u8) {
        match byte {
            b'{' | b'[' => {
                self.depth = self.depth.saturating_add(1);
                self.deepest = self.deepest.max(self.depth);
                if self.place == Place::Before {
                    self.place = if byte == b'{' { Place::Name } else { Place::After };
                    return;
                }
            }
            b'}' | b']' => {
                self.depth = self.depth.saturating_sub(1);
                if self.depth == 0 {
                    self.end_of_member();
                    self.place = Place::After;
                    return;
                }
            }
            b':' if self.depth == 1 && self.place == Place::Name => return self.begin_value(),
            b',' if self.depth == 1 => return self.end_of_member(),
            _ => {}
        }
        self.keep(byte);
    }

    fn begin_value(&mut self) {
        let name: Option<String> = serde_json::from_slice(&std::mem::take(&mut self.word)).ok();
        self.has_method |= name.as_deref() == Some("method");
        self.place = if name.as_deref() == Some("id") { Place::Id } else { Place::Value };
    }

    fn end_of_member(&mut self) {
        let word = std::mem::take(&mut self.word);
        match self.place {
            Place::Id => {
                self.id = serde_json::from_slice(&word).ok();
                self.place = Place::Name;
            }
            Place::Name | Place::Value => self.place = Place::Name,
            Place::Before | Place::After => {}
        }
    }

    fn keep(&mut self, byte: u8) {
        let is_noted = matches!(self.place, Place::Name | Place::Id);
        // One byte too many, so that what is cut off is nobody's name and no id.
        if is_noted && self.word.len() <= LONGEST {
            self.word.push(byte);
        }
    }
}

#[cfg(test)]
mod tests;
