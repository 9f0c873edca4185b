//! One component or one name with `*` in it: the smallest pattern whose containment is exact.
//!
//! Why containment is a single match: replace each `*` of `b` by a letter that occurs in no
//! pattern. The resulting word belongs to `b`. A pattern that matches it can only have consumed
//! that letter with a `*` of its own, which then also consumes anything else that `b` puts there.
//! So `a` contains `b` exactly when `a` matches that one word.
//!
//! Whole paths, with `**`, are in `path/pattern.rs`. There is no `?`, no character class and no
//! alternative here, because containment would no longer be a single match.

use alloc::borrow::{Cow, ToOwned};
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use crate::text::fold;

/// The letter that no text holds: this byte never occurs in UTF-8.
const FRESH: u8 = 0xff;

/// Literal text with any number of `*`, each standing for any text, also none.
///
/// A literal star is written `[*]`; no other bracket is special.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct NameGlob {
    /// The literal text between the stars: one part more than there are stars.
    parts: Vec<String>,
}

/// Two stars stood side by side.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct DoubleStarError;

impl NameGlob {
    /// Reads `text`; the caller has checked its length and characters.
    pub(crate) fn parse(text: &str) -> Result<Self, DoubleStarError> {
        let mut parts = Vec::new();
        let mut part = String::new();
        let mut after_star = false;
        let mut rest = text;
        while let Some(c) = rest.chars().next() {
            if let Some(tail) = rest.strip_prefix("[*]") {
                part.push('*');
                after_star = false;
                rest = tail;
                continue;
            }
            if c != '*' {
                part.push(c);
                after_star = false;
            } else if after_star {
                return Err(DoubleStarError);
            } else {
                parts.push(core::mem::take(&mut part));
                after_star = true;
            }
            rest = rest.get(c.len_utf8()..).unwrap_or_default();
        }
        parts.push(part);
        Ok(Self { parts })
    }

    /// The pattern of exactly this text, in which nothing is special.
    pub(crate) fn literal(text: &str) -> Self {
        Self { parts: Vec::from([text.to_owned()]) }
    }

    /// The one admitted text, if there is only one.
    pub(crate) fn as_literal(&self) -> Option<&str> {
        match self.parts.as_slice() {
            [only] => Some(only),
            _ => None,
        }
    }

    /// Whether its text begins with white space.
    pub(crate) fn begins_with_space(&self) -> bool {
        self.parts.first().is_some_and(|part| part.starts_with(char::is_whitespace))
    }

    /// Whether this is `*` alone.
    pub(crate) fn is_any(&self) -> bool {
        self.parts.len() == 2 && self.parts.iter().all(String::is_empty)
    }

    /// Whether `text` is admitted. Bytes suffice: every part is whole characters.
    pub(crate) fn admits(&self, text: &[u8]) -> bool {
        self.admits_by(text, |a, b| a == b)
    }

    /// Whether `text` is admitted when the case of ASCII letters is ignored.
    pub(crate) fn admits_caseless(&self, text: &[u8]) -> bool {
        self.admits_by(text, <[u8]>::eq_ignore_ascii_case)
    }

    /// Whether `text` is admitted. `same` compares texts of one length.
    fn admits_by(&self, text: &[u8], same: impl Fn(&[u8], &[u8]) -> bool) -> bool {
        let Some((first, rest)) = self.parts.split_first() else { return false };
        let Some((last, middle)) = rest.split_last() else { return same(first.as_bytes(), text) };
        let Some((start, text)) = text.split_at_checked(first.len()) else { return false };
        let Some(before_last) = text.len().checked_sub(last.len()) else { return false };
        let Some((mut text, end)) = text.split_at_checked(before_last) else { return false };
        if !same(first.as_bytes(), start) || !same(last.as_bytes(), end) {
            return false;
        }
        // The leftmost place for each part leaves the most room for the parts after it.
        for part in middle {
            let Some(after) = skip_past(text, part.as_bytes(), &same) else { return false };
            text = after;
        }
        true
    }

    /// Whether `text` is admitted as denials compare: without case,
    /// joiners and variation selectors.
    pub(crate) fn admits_folded(&self, text: &str) -> bool {
        if text.is_ascii() && self.is_ascii() {
            return self.admits_caseless(text.as_bytes());
        }
        self.folded().admits(fold(text).as_bytes())
    }

    /// Whether all of the literal text is ASCII.
    pub(crate) fn is_ascii(&self) -> bool {
        self.parts.iter().all(|part| part.is_ascii())
    }

    /// Whether every text that `other` admits is admitted here. Exact.
    pub(crate) fn contains(&self, other: &Self) -> bool {
        self.admits(&other.witness())
    }

    /// The member of this pattern that is hardest to admit for another pattern.
    pub(crate) fn witness(&self) -> Cow<'_, [u8]> {
        if let Some(only) = self.as_literal() {
            return Cow::Borrowed(only.as_bytes());
        }
        let mut word = Vec::new();
        for (i, part) in self.parts.iter().enumerate() {
            if i > 0 {
                word.push(FRESH);
            }
            word.extend_from_slice(part.as_bytes());
        }
        Cow::Owned(word)
    }

    /// The least number of bytes of an admitted text.
    pub(crate) fn literal_len(&self) -> usize {
        self.parts.iter().map(String::len).sum()
    }

    /// The number of bytes of the printed pattern: each literal star takes three.
    pub(crate) fn text_len(&self) -> usize {
        let escapes: usize = self.parts.iter().map(|part| part.matches('*').count() * 2).sum();
        self.literal_len() + escapes + self.parts.len().saturating_sub(1)
    }

    /// Whether folding would change nothing; patterns in ASCII are nearly always written so.
    pub(crate) fn is_folded(&self) -> bool {
        let plain = |byte: u8| byte.is_ascii() && !byte.is_ascii_uppercase();
        self.parts.iter().all(|part| part.bytes().all(plain))
    }

    /// The pattern as denials compare it.
    pub(crate) fn folded(&self) -> Self {
        Self { parts: self.parts.iter().map(|part| fold(part)).collect() }
    }
}

impl fmt::Display for NameGlob {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, part) in self.parts.iter().enumerate() {
            if i > 0 {
                f.write_str("*")?;
            }
            for (j, piece) in part.split('*').enumerate() {
                if j > 0 {
                    f.write_str("[*]")?;
                }
                f.write_str(piece)?;
            }
        }
        Ok(())
    }
}

/// The text after the first occurrence of `part` in `text`.
fn skip_past<'a>(text: &'a [u8], part: &[u8], same: impl Fn(&[u8], &[u8]) -> bool) -> Option<&'a [u8]> {
    if part.is_empty() {
        return Some(text);
    }
    let at = text.windows(part.len()).position(|window| same(window, part))?;
    text.get(at + part.len()..)
}

#[cfg(test)]
mod tests;
