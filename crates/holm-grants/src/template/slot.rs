//! One pair of braces: which argument it takes, and what happens if the argument is absent.

use alloc::borrow::ToOwned;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use super::parse::TemplateError;

/// A piece of a template's text.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Piece {
    /// Text that the tool's author wrote.
    Text(String),
    /// An argument of the call.
    Slot(Slot),
}

/// `{name}`, `{name?}` or `{name=default}`; `{name:files}` takes the files that a patch names.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Slot {
    pub(super) name: String,
    pub(super) part: Part,
    pub(super) absent: Absent,
}

impl Slot {
    /// A value to try the template with.
    pub(super) fn sample(&self) -> &str {
        match &self.absent {
            // A digit is a path, a host, a port and a name.
            Absent::Refused | Absent::Nothing => "1",
            Absent::Default(value) => value,
        }
    }
}

/// Which part of an argument fills a slot.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Part {
    Whole,
    /// The files that it names, if it is a patch.
    Files,
}

/// The meaning of an absent argument.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Absent {
    /// The need cannot be computed, so the call is refused.
    Refused,
    /// The call needs nothing here.
    Nothing,
    /// The tool then works on this value.
    Default(String),
}

/// Splits a text into pieces.
pub(super) fn pieces(text: &str) -> Result<Vec<Piece>, TemplateError> {
    let mut pieces = Vec::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('{') {
        let (inside, tail) = after.split_once('}').ok_or(TemplateError::Braces)?;
        push_text(&mut pieces, before)?;
        pieces.push(Piece::Slot(slot(inside)?));
        rest = tail;
    }
    push_text(&mut pieces, rest)?;
    Ok(pieces)
}

fn push_text(pieces: &mut Vec<Piece>, text: &str) -> Result<(), TemplateError> {
    if text.contains('}') {
        return Err(TemplateError::Braces);
    }
    if !text.is_empty() {
        pieces.push(Piece::Text(text.to_owned()));
    }
    Ok(())
}

fn slot(inside: &str) -> Result<Slot, TemplateError> {
    let (name, absent) = match (inside.split_once('='), inside.strip_suffix('?')) {
        (Some((name, default)), _) => (name, Absent::Default(default.to_owned())),
        (None, Some(name)) => (name, Absent::Nothing),
        (None, None) => (inside, Absent::Refused),
    };
    let (name, part) = match name.strip_suffix(FILES) {
        Some(name) => (name, Part::Files),
        None => (name, Part::Whole),
    };
    let plain = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.');
    if name.is_empty() || !name.bytes().all(plain) {
        return Err(TemplateError::SlotName);
    }
    Ok(Slot { name: name.to_owned(), part, absent })
}

impl fmt::Display for Piece {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let slot = match self {
            Self::Text(text) => return f.write_str(text),
            Self::Slot(slot) => slot,
        };
        let part = match slot.part {
            Part::Whole => "",
            Part::Files => FILES,
        };
        write!(f, "{{{}{part}", slot.name)?;
        match &slot.absent {
            Absent::Refused => {}
            Absent::Nothing => f.write_str("?")?,
            Absent::Default(value) => write!(f, "={value}")?,
        }
        f.write_str("}")
    }
}

/// The suffix of a slot that takes the files of a patch.
const FILES: &str = ":files";
