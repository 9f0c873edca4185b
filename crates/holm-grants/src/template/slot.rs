//! One pair of braces: which argument it takes, and what happens if the argument is absent.
//!
//! It only reads and prints braces. Values are collected in `template/parse.rs` and put into their
//! places in `template/fill.rs`. An argument without `?` or a default is required: a need that
//! silently disappears would let a call pass unasked.

use alloc::borrow::ToOwned;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;

use super::parse::TemplateError;
use crate::path::FilePath;

/// A piece of a template's text.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum NeedTemplatePiece {
    /// Text that the tool's author wrote.
    Text(String),
    /// An argument of the call.
    Slot(TemplateSlot),
}

/// `{name}`, `{name?}` or `{name=default}`; `{name:files}` takes the files that a patch names, and
/// `{name:workspace}` a path as a sandboxed tool sees it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct TemplateSlot {
    pub(super) name: String,
    pub(super) part: SlotPart,
    pub(super) absent: AbsentArgument,
}

impl TemplateSlot {
    /// A value to try the template with.
    pub(super) fn sample(&self) -> &str {
        match &self.absent {
            // A digit is a path, a host, a port and a name.
            AbsentArgument::Refused | AbsentArgument::Nothing => "1",
            AbsentArgument::Default(value) => value,
        }
    }
}

/// Which part of an argument fills a slot.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum SlotPart {
    Whole,
    /// The files that it names, if it is a patch.
    Files,
    /// A path for a tool whose root is the workspace: `/x` is the workspace's `x`.
    Workspace,
}

/// The meaning of an absent argument.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum AbsentArgument {
    /// The need cannot be computed, so the call is refused.
    Refused,
    /// The call needs nothing here.
    Nothing,
    /// The tool then works on this value.
    Default(String),
}

/// Splits a text into pieces.
pub(super) fn pieces(text: &str) -> Result<Vec<NeedTemplatePiece>, TemplateError> {
    let mut pieces = Vec::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('{') {
        let (inside, tail) = after.split_once('}').ok_or(TemplateError::Braces)?;
        push_text(&mut pieces, before)?;
        pieces.push(NeedTemplatePiece::Slot(slot(inside)?));
        rest = tail;
    }
    push_text(&mut pieces, rest)?;
    Ok(pieces)
}

fn push_text(pieces: &mut Vec<NeedTemplatePiece>, text: &str) -> Result<(), TemplateError> {
    if text.contains('}') {
        return Err(TemplateError::Braces);
    }
    if !text.is_empty() {
        pieces.push(NeedTemplatePiece::Text(text.to_owned()));
    }
    Ok(())
}

fn slot(inside: &str) -> Result<TemplateSlot, TemplateError> {
    let (name, absent) = match (inside.split_once('='), inside.strip_suffix('?')) {
        (Some((name, default)), _) => (name, AbsentArgument::Default(default.to_owned())),
        (None, Some(name)) => (name, AbsentArgument::Nothing),
        (None, None) => (inside, AbsentArgument::Refused),
    };
    let (name, part) = match (name.strip_suffix(FILES), name.strip_suffix(WORKSPACE)) {
        (Some(name), _) => (name, SlotPart::Files),
        (None, Some(name)) => (name, SlotPart::Workspace),
        (None, None) => (name, SlotPart::Whole),
    };
    let plain = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.');
    if name.is_empty() || !name.bytes().all(plain) {
        return Err(TemplateError::SlotName);
    }
    Ok(TemplateSlot { name: name.to_owned(), part, absent })
}

impl fmt::Display for NeedTemplatePiece {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let slot = match self {
            Self::Text(text) => return f.write_str(text),
            Self::Slot(slot) => slot,
        };
        let part = match slot.part {
            SlotPart::Whole => "",
            SlotPart::Files => FILES,
            SlotPart::Workspace => WORKSPACE,
        };
        write!(f, "{{{}{part}", slot.name)?;
        match &slot.absent {
            AbsentArgument::Refused => {}
            AbsentArgument::Nothing => f.write_str("?")?,
            AbsentArgument::Default(value) => write!(f, "={value}")?,
        }
        f.write_str("}")
    }
}

/// The suffix of a slot that takes the files of a patch.
const FILES: &str = ":files";

/// The suffix of a slot that takes a path whose root is the workspace.
const WORKSPACE: &str = ":workspace";

/// The path in the workspace that a sandboxed tool means by `path`. Its root is the workspace, so `/x` is
/// the workspace's `x`. An absolute path of the machine that lies in the workspace means that place, too.
#[must_use]
pub fn path_in_workspace<'p>(path: &'p str, workspace: Option<&FilePath>) -> &'p str {
    let whole = workspace.map(ToString::to_string);
    let beneath = |whole: &String| {
        let rest = path.strip_prefix(whole.trim_end_matches('/'))?;
        (rest.is_empty() || rest.starts_with('/')).then_some(rest)
    };
    let path = whole.as_ref().and_then(beneath).unwrap_or(path);
    let relative = path.trim_start_matches('/');
    if relative.is_empty() { "." } else { relative }
}
