//! The JSON value: six variants, ordered keys, exact numbers.
//!
//! Two equalities exist: `==` compares the text of numbers and fits hashing, `same_value` compares
//! their values as JSON Schema does. Parsing is in `json/parse.rs`, writing in `json/write.rs`,
//! validation in `schema/`. There is no conversion from or to floats on purpose.

use alloc::borrow::ToOwned;
use alloc::string::String;
use alloc::vec::Vec;
use core::cmp::Ordering;
use core::fmt;

use super::{JsonNumber, JsonObject};

/// A JSON value.
///
/// `==` is structural and compares numbers by their text, so `1` and `1.0` differ: equal values
/// have equal [canonical](Json::canonical) bytes. [`same_value`](Json::same_value) is the looser
/// equality of JSON Schema.
///
/// ```
/// use holm_guards::json::Json;
///
/// let value = Json::parse(r#"{ "b": 1.50, "a": [true, null] }"#)?;
/// assert_eq!(value.canonical(), r#"{"a":[true,null],"b":1.50}"#);
/// assert_eq!(value.get("a").and_then(|a| a.as_array()).map(|a| a.len()), Some(2));
/// # Ok::<(), holm_guards::json::JsonParseError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub enum Json {
    #[default]
    Null,
    Bool(bool),
    /// A number, as it was written.
    Number(JsonNumber),
    String(String),
    /// An ordered list of values.
    Array(Vec<Json>),
    /// Named members, sorted by name.
    Object(JsonObject),
}

impl Json {
    /// Builds an object from pairs; a repeated name keeps the last value.
    ///
    /// ```
    /// use holm_guards::json::Json;
    ///
    /// let value = Json::object([("path", Json::from("a.txt")), ("line", Json::from(3_u64))]);
    /// assert_eq!(value.canonical(), r#"{"line":3,"path":"a.txt"}"#);
    /// ```
    pub fn object<K: Into<String>>(members: impl IntoIterator<Item = (K, Json)>) -> Self {
        Self::Object(members.into_iter().map(|(name, value)| (name.into(), value)).collect())
    }

    /// Which of the six kinds of value this is.
    #[must_use]
    pub const fn kind(&self) -> JsonKind {
        match self {
            Self::Null => JsonKind::Null,
            Self::Bool(_) => JsonKind::Boolean,
            Self::Number(_) => JsonKind::Number,
            Self::String(_) => JsonKind::String,
            Self::Array(_) => JsonKind::Array,
            Self::Object(_) => JsonKind::Object,
        }
    }

    /// Whether this is `null`.
    #[must_use]
    pub const fn is_null(&self) -> bool {
        matches!(self, Self::Null)
    }

    /// The truth value, if this is one.
    #[must_use]
    pub const fn as_bool(&self) -> Option<bool> {
        if let Self::Bool(value) = self { Some(*value) } else { None }
    }

    /// The number, if this is one.
    #[must_use]
    pub const fn as_number(&self) -> Option<&JsonNumber> {
        if let Self::Number(number) = self { Some(number) } else { None }
    }

    /// The number as a signed integer, if it is one that fits.
    #[must_use]
    pub fn as_i64(&self) -> Option<i64> {
        self.as_number().and_then(JsonNumber::as_i64)
    }

    /// The number as an unsigned integer, if it is one that fits.
    #[must_use]
    pub fn as_u64(&self) -> Option<u64> {
        self.as_number().and_then(JsonNumber::as_u64)
    }

    /// The text, if this is a string.
    #[must_use]
    pub const fn as_str(&self) -> Option<&str> {
        if let Self::String(text) = self { Some(text.as_str()) } else { None }
    }

    /// The items, if this is an array.
    #[must_use]
    pub const fn as_array(&self) -> Option<&[Json]> {
        if let Self::Array(items) = self { Some(items.as_slice()) } else { None }
    }

    /// The members, if this is an object.
    #[must_use]
    pub const fn as_object(&self) -> Option<&JsonObject> {
        if let Self::Object(members) = self { Some(members) } else { None }
    }

    /// The member called `name`, if this is an object that has one.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Json> {
        self.as_object()?.get(name)
    }

    /// The value at a JSON pointer (RFC 6901); the empty pointer is the value itself.
    ///
    /// ```
    /// use holm_guards::json::Json;
    ///
    /// let value = Json::parse(r#"{"a/b":[10,20]}"#)?;
    /// assert_eq!(value.pointer("/a~1b/1").and_then(Json::as_u64), Some(20));
    /// assert_eq!(value.pointer("/a~1b/01"), None);
    /// # Ok::<(), holm_guards::json::JsonParseError>(())
    /// ```
    #[must_use]
    pub fn pointer(&self, pointer: &str) -> Option<&Json> {
        if pointer.is_empty() {
            return Some(self);
        }
        pointer.strip_prefix('/')?.split('/').try_fold(self, |at, token| match at {
            Self::Object(members) => members.get(&unescape(token)),
            Self::Array(items) => items.get(index(token)?),
            Self::Null | Self::Bool(_) | Self::Number(_) | Self::String(_) => None,
        })
    }

    /// Whether both are the same value in the sense of JSON Schema: `1`, `1.0` and `10e-1` are.
    #[must_use]
    pub fn same_value(&self, other: &Json) -> bool {
        self.cmp_value(other) == Ordering::Equal
    }

    /// A total order over values in which exactly the [same values](Json::same_value) are equal.
    ///
    /// The order between kinds has no meaning; it exists so that duplicates are found by sorting.
    #[must_use]
    pub fn cmp_value(&self, other: &Json) -> Ordering {
        self.cmp_counting(other, &mut 0)
    }

    /// Compares like [`cmp_value`](Json::cmp_value) and adds its cost, for callers with a budget.
    pub(crate) fn cmp_counting(&self, other: &Json, steps: &mut usize) -> Ordering {
        *steps = steps.saturating_add(1);
        match (self, other) {
            (Self::Bool(a), Self::Bool(b)) => a.cmp(b),
            (Self::Number(a), Self::Number(b)) => a.cmp_value(b),
            (Self::String(a), Self::String(b)) => a.cmp(b),
            (Self::Array(a), Self::Array(b)) => a.len().cmp(&b.len()).then_with(|| {
                let unequal =
                    a.iter().zip(b).map(|(a, b)| a.cmp_counting(b, steps)).find(|order| order.is_ne());
                unequal.unwrap_or(Ordering::Equal)
            }),
            (Self::Object(a), Self::Object(b)) => a.len().cmp(&b.len()).then_with(|| {
                let mut order = |((a, x), (b, y)): ((&String, &Json), (&String, &Json))| {
                    a.cmp(b).then_with(|| x.cmp_counting(y, steps))
                };
                a.iter().zip(b).map(&mut order).find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
            }),
            (a, b) => a.kind().cmp(&b.kind()),
        }
    }
}

/// The kinds of JSON values, by their JSON Schema names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum JsonKind {
    Null,
    Boolean,
    /// Every number, whole or not.
    Number,
    String,
    Array,
    Object,
}

impl fmt::Display for JsonKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Null => "null",
            Self::Boolean => "boolean",
            Self::Number => "number",
            Self::String => "string",
            Self::Array => "array",
            Self::Object => "object",
        })
    }
}

impl From<&str> for Json {
    fn from(text: &str) -> Self {
        Self::String(text.to_owned())
    }
}

impl From<String> for Json {
    fn from(text: String) -> Self {
        Self::String(text)
    }
}

impl From<bool> for Json {
    fn from(value: bool) -> Self {
        Self::Bool(value)
    }
}

impl From<JsonNumber> for Json {
    fn from(number: JsonNumber) -> Self {
        Self::Number(number)
    }
}

impl From<u64> for Json {
    fn from(number: u64) -> Self {
        Self::Number(number.into())
    }
}

impl From<i64> for Json {
    fn from(number: i64) -> Self {
        Self::Number(number.into())
    }
}

impl From<Vec<Json>> for Json {
    fn from(items: Vec<Json>) -> Self {
        Self::Array(items)
    }
}

impl From<JsonObject> for Json {
    fn from(members: JsonObject) -> Self {
        Self::Object(members)
    }
}

/// Undoes the two escapes of JSON pointers; the order matters because `~01` means `~1`.
fn unescape(token: &str) -> String {
    token.replace("~1", "/").replace("~0", "~")
}

/// An array index of a JSON pointer: digits without a leading zero.
fn index(token: &str) -> Option<usize> {
    let plain = token == "0" || !token.starts_with(['0', '+']);
    if plain { token.parse().ok() } else { None }
}
