//! Lenient types for what providers really send: numbers as strings or floats, text as a list of
//! parts, `null` anywhere.
//!
//! Everything borrows from the frame where JSON allows it. Numbers are read as raw text, because
//! the meaning of "any number" in serde depends on build features that another crate may enable.
//!
//! These types accept too much on purpose, and a wrong value counts as missing. They are for frames
//! and replies of providers alone. Settings and requests of clients report a mistake instead, in
//! `services/`, `catalogue/` and `server.rs`. `fast_read/values.rs` reads the same types on the
//! fast path.

use alloc::{borrow::Cow, borrow::ToOwned, string::String, vec::Vec};
use core::fmt;

use holm_guards::json::JsonNumber;
use holm_read::{Read, ReadError, Reader};
use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

use crate::fast_read;

/// A string that borrows if it contains no escapes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LenientStr<'a>(pub Cow<'a, str>);

impl LenientStr<'_> {
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl<'a> Read<'a> for LenientStr<'a> {
    fn read(reader: &mut Reader<'a>) -> Result<Self, ReadError> {
        match LenientText::read(reader)? {
            LenientText::Text(text) => Ok(Self(text)),
            LenientText::Nothing | LenientText::Parts(_) => Ok(Self::default()),
        }
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for LenientStr<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match LenientText::deserialize(deserializer)? {
            LenientText::Text(text) => Ok(Self(text)),
            LenientText::Nothing | LenientText::Parts(_) => Ok(Self::default()),
        }
    }
}

/// Text in the forms that providers send: a string, a list of parts, or nothing.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum LenientText<'a> {
    /// `null`, or a value that is not text.
    #[default]
    Nothing,
    Text(Cow<'a, str>),
    /// A list of parts, each with a type.
    Parts(Vec<LenientTextPart<'a>>),
}

/// One typed part of a text.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Deserialize, holm_read::Read)]
pub struct LenientTextPart<'a> {
    #[serde(rename = "type", borrow, default)]
    pub kind: LenientStr<'a>,
    #[serde(borrow, default)]
    pub text: LenientStr<'a>,
    /// Reasoning, as a list of its own parts.
    #[serde(borrow, default)]
    pub thinking: LenientText<'a>,
}

impl<'a> Read<'a> for LenientText<'a> {
    fn read(reader: &mut Reader<'a>) -> Result<Self, ReadError> {
        match reader.peek() {
            b'"' => reader.string().map(Self::Text),
            b'[' => Read::read(reader).map(Self::Parts),
            _ => reader.skip().map(|()| Self::Nothing),
        }
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for LenientText<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(LenientTextVisitor)
    }
}

struct LenientTextVisitor;

impl<'de> Visitor<'de> for LenientTextVisitor {
    type Value = LenientText<'de>;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("text")
    }

    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Self::Value, E> {
        Ok(LenientText::Text(Cow::Borrowed(text)))
    }

    fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
        Ok(LenientText::Text(Cow::Owned(text.to_owned())))
    }

    fn visit_string<E>(self, text: String) -> Result<Self::Value, E> {
        Ok(LenientText::Text(Cow::Owned(text)))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
        let mut parts = Vec::new();
        while let Some(part) = seq.next_element()? {
            parts.push(part);
        }
        Ok(LenientText::Parts(parts))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(LenientText::Nothing)
    }

    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(LenientText::Nothing)
    }

    fn visit_none<E>(self) -> Result<Self::Value, E> {
        Ok(LenientText::Nothing)
    }

    fn visit_bool<E>(self, _: bool) -> Result<Self::Value, E> {
        Ok(LenientText::Nothing)
    }

    fn visit_i64<E>(self, _: i64) -> Result<Self::Value, E> {
        Ok(LenientText::Nothing)
    }

    fn visit_u64<E>(self, _: u64) -> Result<Self::Value, E> {
        Ok(LenientText::Nothing)
    }

    fn visit_f64<E>(self, _: f64) -> Result<Self::Value, E> {
        Ok(LenientText::Nothing)
    }
}

/// A count in the forms that providers send: `12`, `12.0`, `"12"`, `null`. A negative or invalid
/// number counts as missing.
#[derive(Debug, Clone, Copy, Default)]
pub struct LenientCount<'a>(Option<&'a str>);

impl<'a> LenientCount<'a> {
    /// The count for a JSON value.
    pub(crate) const fn of(json: &'a str) -> Self {
        Self(Some(json))
    }

    /// The count, if there is one.
    pub fn get(self) -> Option<u64> {
        match self.0? {
            // Zero is by far the most frequent count, in every frame of a stream.
            "0" => Some(0),
            text => count(text),
        }
    }

    /// The count, or zero.
    pub fn or_zero(self) -> u64 {
        self.get().unwrap_or(0)
    }
}

impl<'a> Read<'a> for LenientCount<'a> {
    fn read(reader: &mut Reader<'a>) -> Result<Self, ReadError> {
        reader.raw().map(Self::of)
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for LenientCount<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        <&RawValue>::deserialize(deserializer).map(|raw| Self::of(raw.get()))
    }
}

/// The text of any JSON value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RawJson<'a>(&'a str);

impl<'a> RawJson<'a> {
    /// Wraps the text of a JSON value.
    pub(crate) const fn of(json: &'a str) -> Self {
        Self(json)
    }

    pub const fn get(self) -> &'a str {
        self.0
    }

    /// The content of a JSON string, or the text of any other value; empty for `null`. Tool
    /// arguments come in both forms.
    pub fn text(self) -> Cow<'a, str> {
        match self.0 {
            "null" => Cow::Borrowed(""),
            json if json.starts_with('"') => {
                fast_read::parse::<LenientStr<'_>>(json.as_bytes()).map_or(Cow::Borrowed(json), |text| text.0)
            }
            json => Cow::Borrowed(json),
        }
    }
}

impl<'a> Read<'a> for RawJson<'a> {
    fn read(reader: &mut Reader<'a>) -> Result<Self, ReadError> {
        reader.raw().map(Self::of)
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for RawJson<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        <&RawValue>::deserialize(deserializer).map(|raw| Self(raw.get()))
    }
}

/// Reads a count from JSON text. Fractions are cut off.
///
/// ```
/// use holm_wire::lenient::count;
///
/// assert_eq!([count("12"), count("12.9"), count("\"12\""), count("1e3")], [12, 12, 12, 1000].map(Some));
/// assert_eq!([count("-1"), count("null"), count("{}")], [None, None, None]);
/// ```
pub fn count(text: &str) -> Option<u64> {
    let text = text.trim().trim_matches('"');
    if let Ok(plain) = text.parse() {
        return Some(plain);
    }
    let number: JsonNumber = text.parse().ok()?;
    if number.is_negative() {
        return None;
    }
    number.as_u64().or_else(|| text.split_once('.').and_then(|(integer_part, _)| integer_part.parse().ok()))
}

/// A decimal number in thousandths, with further digits cut off. `None` for negative, too
/// large or invalid numbers.
///
/// ```
/// use holm_wire::lenient::thousandths;
///
/// assert_eq!([thousandths("0.7"), thousandths("1"), thousandths("-1")], [Some(700), Some(1000), None]);
/// ```
pub fn thousandths(text: &str) -> Option<u32> {
    let (integer_part, fraction) = text.split_once('.').unwrap_or((text, "0"));
    let integer_part: u32 = integer_part.parse().ok()?;
    let part = fraction.bytes().chain(*b"000").take(3).try_fold(0_u32, |sum, digit| {
        digit.is_ascii_digit().then(|| sum * 10 + u32::from(digit.wrapping_sub(b'0')))
    })?;
    integer_part.checked_mul(1000)?.checked_add(part)
}
