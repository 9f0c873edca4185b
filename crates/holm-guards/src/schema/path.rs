//! The current place of validation in a value, kept on the stack so that a valid value costs no
//! allocation.
//!
//! Text is built from it only for a violation (`schema/message.rs`). Pointers of contract skills
//! are something else (`skill/path.rs`). Names come from the sender, so a label is cut short.

use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt::Write;

/// How much of one property name a message repeats.
const MAX_NAME: usize = 60;

/// How many steps of a place a message repeats; the last ones are the most useful.
const MAX_STEPS: usize = 12;

/// A place in a value, linked to the place above it.
#[derive(Clone, Copy)]
pub(super) struct ValuePath<'a> {
    parent: Option<&'a ValuePath<'a>>,
    segment: ValuePathSegment<'a>,
}

/// One step down into a value.
#[derive(Clone, Copy)]
pub(super) enum ValuePathSegment<'a> {
    Root,
    Name(&'a str),
    Index(usize),
}

impl<'a> ValuePath<'a> {
    pub(super) const ROOT: ValuePath<'static> = ValuePath { parent: None, segment: ValuePathSegment::Root };

    pub(super) const fn name(&'a self, name: &'a str) -> Self {
        ValuePath { parent: Some(self), segment: ValuePathSegment::Name(name) }
    }

    pub(super) const fn index(&'a self, index: usize) -> Self {
        ValuePath { parent: Some(self), segment: ValuePathSegment::Index(index) }
    }

    /// The JSON pointer of the place.
    pub(super) fn pointer(&self) -> String {
        let mut out = String::new();
        for segment in self.segments() {
            // Writing into a `String` cannot fail.
            let _ = match segment {
                ValuePathSegment::Root => Ok(()),
                ValuePathSegment::Name(name) => write!(out, "/{}", escape(name)),
                ValuePathSegment::Index(index) => write!(out, "/{index}"),
            };
        }
        out
    }

    /// The place as people write it: `` `filter.tags[2]` ``, or "the value" for the whole.
    pub(super) fn label(&self) -> String {
        let mut out = String::new();
        let steps = self.segments();
        let hidden = steps.len().saturating_sub(MAX_STEPS);
        if hidden > 0 {
            out.push('…');
        }
        for segment in steps.skip(hidden) {
            let _ = match segment {
                ValuePathSegment::Root => Ok(()),
                ValuePathSegment::Name(name) if out.is_empty() => out.write_str(&short(name)),
                ValuePathSegment::Name(name) => write!(out, ".{}", short(name)),
                ValuePathSegment::Index(index) => write!(out, "[{index}]"),
            };
        }
        if out.is_empty() { "the value".into() } else { alloc::format!("`{out}`") }
    }

    fn segments(&self) -> impl ExactSizeIterator<Item = ValuePathSegment<'a>> + use<'a> {
        let mut segments = Vec::new();
        let mut next = Some(*self);
        while let Some(path) = next {
            segments.push(path.segment);
            next = path.parent.copied();
        }
        segments.into_iter().rev()
    }
}

fn short(name: &str) -> Cow<'_, str> {
    match name.char_indices().nth(MAX_NAME) {
        Some((end, _)) => Cow::Owned(alloc::format!("{}…", name.get(..end).unwrap_or_default())),
        None => Cow::Borrowed(name),
    }
}

/// Escapes one token of a JSON pointer.
pub(super) fn escape(token: &str) -> String {
    token.replace('~', "~0").replace('/', "~1")
}
