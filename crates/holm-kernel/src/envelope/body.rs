//! The body of an envelope: a whole text, or its two ends with a note between them that says how
//! much is missing.
//!
//! It only cuts. It does not write the tags (`envelope/seal.rs`), and it changes no character of
//! what it keeps. How long a result may be is decided in `run/call.rs`; text that was too large for
//! the journal was put elsewhere by the host (`holm-runtime/src/spill.rs`).

use alloc::{borrow::Cow, format, string::String};

use crate::Spill;

/// Which part of a long text is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ExcerptBias {
    /// Three quarters from the beginning, one from the end.
    MostlyHead,
    /// One quarter from the beginning, three from the end, where commands say how they went.
    MostlyTail,
}

impl ExcerptBias {
    const fn head_quarters(self) -> u64 {
        match self {
            Self::MostlyHead => 3,
            Self::MostlyTail => 1,
        }
    }
}

/// The text of one result, cut to the part that the model sees.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct EnvelopeBody<'a> {
    text: Cow<'a, str>,
}

impl<'a> EnvelopeBody<'a> {
    pub(crate) const fn whole(text: &'a str) -> Self {
        Self { text: Cow::Borrowed(text) }
    }

    /// The text if it has at most `limit` characters; otherwise that many from its ends
    /// (the note not counted).
    ///
    /// The note between them says how many characters are missing.
    pub(crate) fn clip(text: &'a str, limit: u64, ends: ExcerptBias) -> Self {
        if text.len() as u64 <= limit {
            return Self::whole(text);
        }
        let total = text.chars().count() as u64;
        if total <= limit {
            return Self::whole(text);
        }
        let (head, tail) = cut(text, text, limit, ends);
        let missing = format!("{} of {total} characters", total - limit);
        Self { text: joined(head, &missing, None, tail).into() }
    }

    /// The ends of a text of `bytes` bytes that the host has put elsewhere.
    pub(crate) fn spilled(spill: &Spill, limit: u64, ends: ExcerptBias) -> EnvelopeBody<'static> {
        let Spill { reference, bytes, .. } = spill;
        let (head, tail) = cut(&spill.head, &spill.tail, limit, ends);
        let shown = head.len() as u64 + tail.len() as u64;
        let missing = format!("{} of {bytes} bytes", bytes.saturating_sub(shown));
        EnvelopeBody { text: joined(head, &missing, Some(reference), tail).into() }
    }

    /// The text as it goes into the envelope.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }
}

/// The beginning of `head` and the end of `tail`, together at most `limit` characters.
fn cut<'t>(head: &'t str, tail: &'t str, limit: u64, ends: ExcerptBias) -> (&'t str, &'t str) {
    let quarters = ends.head_quarters();
    // Divided before multiplied, so that no limit overflows.
    let first = limit / 4 * quarters + limit % 4 * quarters / 4;
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
            format!(
                "{head}\n[{missing} left out here; read {{\"reference\": \"{reference}\"}} returns the \
                whole text]\n{tail}"
            )
        }
        None => format!("{head}\n[{missing} left out here]\n{tail}"),
    }
}
