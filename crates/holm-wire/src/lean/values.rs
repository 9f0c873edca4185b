//! Implements `Lean` for basic values.

use alloc::{borrow::Cow, string::String, vec::Vec};

use super::{Cursor, Lean};
use crate::{
    loose::{LenientCount, LenientStr, LenientText, RawJson},
    memo::unescape,
};

impl<'a> Lean<'a> for LenientText<'a> {
    fn lean(cursor: &mut Cursor<'a>) -> Option<Self> {
        if cursor.null() {
            return Some(Self::Nothing);
        }
        let (text, escaped) = cursor.string()?;
        let text = core::str::from_utf8(text).ok()?;
        if !escaped {
            return Some(Self::Text(Cow::Borrowed(text)));
        }
        let mut plain = String::with_capacity(text.len());
        unescape(text, &mut plain)?;
        Some(Self::Text(Cow::Owned(plain)))
    }
}

impl<'a> Lean<'a> for LenientStr<'a> {
    fn lean(cursor: &mut Cursor<'a>) -> Option<Self> {
        match LenientText::lean(cursor)? {
            LenientText::Text(text) => Some(Self(text)),
            LenientText::Nothing | LenientText::Parts(_) => Some(Self::default()),
        }
    }
}

impl<'a> Lean<'a> for LenientCount<'a> {
    fn lean(cursor: &mut Cursor<'a>) -> Option<Self> {
        // Zero is by far the most frequent count, in every frame of a stream.
        let json = cursor.skip()?;
        if json == b"0" {
            return Some(Self::of("0"));
        }
        core::str::from_utf8(json).ok().map(Self::of)
    }
}

impl<'a> Lean<'a> for RawJson<'a> {
    fn lean(cursor: &mut Cursor<'a>) -> Option<Self> {
        core::str::from_utf8(cursor.skip()?).ok().map(Self::of)
    }
}

impl<'a, T: Lean<'a>> Lean<'a> for Option<T> {
    fn lean(cursor: &mut Cursor<'a>) -> Option<Self> {
        if cursor.null() {
            return Some(None);
        }
        T::lean(cursor).map(Some)
    }
}

impl<'a, T: Lean<'a>> Lean<'a> for Vec<T> {
    fn lean(cursor: &mut Cursor<'a>) -> Option<Self> {
        let mut items = Self::new();
        cursor.items(|cursor| {
            items.push(T::lean(cursor)?);
            Some(())
        })?;
        Some(items)
    }
}
