//! Implements `FastRead` for basic values.
//!
//! The same types are read without the fast path in `lenient.rs`, and both must give the same
//! value. Structs are listed with the macro in `fast_read.rs`.

use alloc::{borrow::Cow, string::String, vec::Vec};

use super::{Cursor, FastRead};
use crate::{
    lenient::{LenientCount, LenientStr, LenientText, RawJson},
    memo::unescape,
};

impl<'a> FastRead<'a> for LenientText<'a> {
    fn fast_read(cursor: &mut Cursor<'a>) -> Option<Self> {
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

impl<'a> FastRead<'a> for LenientStr<'a> {
    fn fast_read(cursor: &mut Cursor<'a>) -> Option<Self> {
        match LenientText::fast_read(cursor)? {
            LenientText::Text(text) => Some(Self(text)),
            LenientText::Nothing | LenientText::Parts(_) => Some(Self::default()),
        }
    }
}

impl<'a> FastRead<'a> for LenientCount<'a> {
    fn fast_read(cursor: &mut Cursor<'a>) -> Option<Self> {
        // Zero is by far the most frequent count, in every frame of a stream.
        let json = cursor.skip()?;
        if json == b"0" {
            return Some(Self::of("0"));
        }
        core::str::from_utf8(json).ok().map(Self::of)
    }
}

impl<'a> FastRead<'a> for RawJson<'a> {
    fn fast_read(cursor: &mut Cursor<'a>) -> Option<Self> {
        core::str::from_utf8(cursor.skip()?).ok().map(Self::of)
    }
}

impl<'a, T: FastRead<'a>> FastRead<'a> for Option<T> {
    fn fast_read(cursor: &mut Cursor<'a>) -> Option<Self> {
        if cursor.null() {
            return Some(None);
        }
        T::fast_read(cursor).map(Some)
    }
}

impl<'a, T: FastRead<'a>> FastRead<'a> for Vec<T> {
    fn fast_read(cursor: &mut Cursor<'a>) -> Option<Self> {
        let mut items = Self::new();
        cursor.items(|cursor| {
            items.push(T::fast_read(cursor)?);
            Some(())
        })?;
        Some(items)
    }
}
