//! What goes into an envelope: a whole text, or its two ends with a note between them.

use alloc::{borrow::Cow, format, string::String};

/// Of what may be shown, this part in four is from the beginning; the rest is from the end, where errors are.
const HEAD_QUARTERS: u64 = 3;

/// The text of one result, cut to what the model is to see.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Body<'a> {
    text: Cow<'a, str>,
    raw_bytes: Option<u64>,
}

impl<'a> Body<'a> {
    /// The whole text.
    pub(crate) const fn whole(text: &'a str) -> Self {
        Self { text: Cow::Borrowed(text), raw_bytes: None }
    }

    /// The text if it has at most `limit` characters; otherwise that many from its ends (the note not counted).
    ///
    /// The note between them says how many characters are missing and, if there is a `reference`, where they are.
    pub(crate) fn clip(text: &'a str, limit: u64, reference: Option<&str>) -> Self {
        if text.len() as u64 <= limit {
            return Self::whole(text);
        }
        let total = text.chars().count() as u64;
        if total <= limit {
            return Self::whole(text);
        }
        let (head, tail) = ends(text, text, limit);
        let missing = format!("{} of {total} characters", total - limit);
        Self { text: joined(head, &missing, reference, tail).into(), raw_bytes: Some(text.len() as u64) }
    }

    /// The ends of a text of `bytes` bytes that the host has put elsewhere.
    pub(crate) fn spilled(head: &str, tail: &str, bytes: u64, limit: u64, reference: &str) -> Body<'static> {
        let (head, tail) = ends(head, tail, limit);
        let shown = head.len() as u64 + tail.len() as u64;
        let missing = format!("{} of {bytes} bytes", bytes.saturating_sub(shown));
        Body { text: joined(head, &missing, Some(reference), tail).into(), raw_bytes: Some(bytes) }
    }

    /// The text as it goes into the envelope.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// The length of the whole text in bytes, if this is not the whole.
    pub(crate) const fn raw_bytes(&self) -> Option<u64> {
        self.raw_bytes
    }
}

/// The beginning of `head` and the end of `tail`, together at most `limit` characters.
fn ends<'t>(head: &'t str, tail: &'t str, limit: u64) -> (&'t str, &'t str) {
    // Divided before multiplied, so that no limit overflows.
    let first = limit / 4 * HEAD_QUARTERS + limit % 4 * HEAD_QUARTERS / 4;
    let last = limit - first;
    let cut = offset(head.char_indices().map(|(at, _)| at), first).unwrap_or(head.len());
    let from = match last.checked_sub(1) {
        None => tail.len(),
        Some(before) => offset(tail.char_indices().rev().map(|(at, _)| at), before).unwrap_or(0),
    };
    (head.get(..cut).unwrap_or_default(), tail.get(from..).unwrap_or_default())
}

fn offset(mut starts: impl Iterator<Item = usize>, number: u64) -> Option<usize> {
    starts.nth(usize::try_from(number).unwrap_or(usize::MAX))
}

fn joined(head: &str, missing: &str, reference: Option<&str>, tail: &str) -> String {
    match reference {
        Some(reference) => {
            format!("{head}\n... [truncated: {missing} left out; the whole text is {reference}] ...\n{tail}")
        }
        None => format!("{head}\n... [truncated: {missing} left out] ...\n{tail}"),
    }
}
