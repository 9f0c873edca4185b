//! The JSON parser. It accepts exactly RFC 8259, no comments and no trailing commas.
//!
//! Leniency belongs elsewhere: `repair/text.rs` removes fences and commas from arguments, and
//! `skill/reply.rs` finds an object in prose. The depth is bounded ([`MAX_DEPTH`]), because the
//! text may come from a stranger and the parser recurses. Numbers keep their text
//! (`json/number.rs`). Errors are worded in `json/error.rs`.

use alloc::borrow::ToOwned;
use alloc::collections::BTreeSet;
use alloc::string::String;
use alloc::vec::Vec;
use core::str::FromStr;

use super::write::plain_length;
use super::{Json, JsonNumber, JsonObject, JsonParseError, JsonParseErrorKind, TextPosition};

/// How deep arrays and objects may nest. Real tools stay below 20, and 128 small frames fit every
/// stack (a browser's and an edge worker's too).
pub const MAX_DEPTH: u8 = 128;

impl Json {
    /// Parses one value that fills the text; of repeated names in an object the last wins.
    ///
    /// # Errors
    /// [`JsonParseError`] with the place where the text stops being JSON.
    ///
    /// ```
    /// use holm_guards::json::Json;
    ///
    /// assert_eq!(Json::parse("[1, 2.0]")?.canonical(), "[1,2.0]");
    /// assert!(Json::parse("[1, 2.0").is_err());
    /// # Ok::<(), holm_guards::json::JsonParseError>(())
    /// ```
    pub fn parse(text: &str) -> Result<Self, JsonParseError> {
        JsonParser::new(text, DuplicateNames::LastWins).whole()
    }

    /// Parses like [`parse`](Json::parse) and refuses objects that give a name twice.
    ///
    /// # Errors
    /// [`JsonParseError`]; [`JsonParseErrorKind::DuplicateName`] for a repeated name.
    pub fn parse_strict(text: &str) -> Result<Self, JsonParseError> {
        JsonParser::new(text, DuplicateNames::Refused).whole()
    }

    /// Parses the value at the start of a text and returns it with the bytes it took,
    /// for JSON inside prose.
    ///
    /// # Errors
    /// [`JsonParseError`] if no complete value starts the text. Text after the value is not an error.
    ///
    /// ```
    /// use holm_guards::json::Json;
    ///
    /// let (value, taken) = Json::parse_prefix(r#"{"a":1} is what I found"#)?;
    /// assert_eq!((value.canonical().as_str(), taken), (r#"{"a":1}"#, 7));
    /// # Ok::<(), holm_guards::json::JsonParseError>(())
    /// ```
    pub fn parse_prefix(text: &str) -> Result<(Self, usize), JsonParseError> {
        let mut parser = JsonParser::new(text, DuplicateNames::LastWins);
        let value = parser.value(MAX_DEPTH).map_err(|kind| parser.error(kind))?;
        Ok((value, parser.at))
    }
}

impl FromStr for Json {
    type Err = JsonParseError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::parse(text)
    }
}

/// Measures the JSON number at the start of `bytes`.
///
/// # Errors
/// The number of valid bytes before the number goes wrong.
pub(super) fn number_length(bytes: &[u8]) -> Result<usize, usize> {
    let digits = |from: usize| {
        bytes.get(from..).unwrap_or_default().iter().take_while(|byte| byte.is_ascii_digit()).count()
    };
    let some_digits = |from: usize| match digits(from) {
        0 => Err(from),
        count => Ok(from + count),
    };
    let start = usize::from(bytes.first() == Some(&b'-'));
    let mut end = some_digits(start)?;
    if bytes.get(start) == Some(&b'0') && end > start + 1 {
        return Err(start + 1);
    }
    if bytes.get(end) == Some(&b'.') {
        end = some_digits(end + 1)?;
    }
    if matches!(bytes.get(end), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
        end = some_digits(end + 1 + sign)?;
    }
    Ok(end)
}

/// How an object with a duplicate name is handled.
#[derive(Clone, Copy, PartialEq, Eq)]
enum DuplicateNames {
    LastWins,
    Refused,
}

struct JsonParser<'a> {
    text: &'a str,
    bytes: &'a [u8],
    at: usize,
    duplicates: DuplicateNames,
}

type ParseResult<T> = Result<T, JsonParseErrorKind>;

impl<'a> JsonParser<'a> {
    const fn new(text: &'a str, duplicates: DuplicateNames) -> Self {
        Self { text, bytes: text.as_bytes(), at: 0, duplicates }
    }

    fn whole(mut self) -> Result<Json, JsonParseError> {
        let value = self.value(MAX_DEPTH).map_err(|kind| self.error(kind))?;
        match self.skip_space() {
            None => Ok(value),
            Some(_) => Err(self.error(JsonParseErrorKind::TrailingText(self.here()))),
        }
    }

    fn error(&self, kind: JsonParseErrorKind) -> JsonParseError {
        JsonParseError { at: TextPosition::find(self.text, self.at), kind }
    }

    /// The character at the current place, for error messages only.
    fn here(&self) -> char {
        self.text.get(self.at..).and_then(|rest| rest.chars().next()).unwrap_or(char::REPLACEMENT_CHARACTER)
    }

    /// Moves to the next byte that is not white space and returns it without consuming it.
    fn skip_space(&mut self) -> Option<u8> {
        loop {
            let byte = *self.bytes.get(self.at)?;
            if !matches!(byte, b' ' | b'\n' | b'\r' | b'\t') {
                return Some(byte);
            }
            self.at += 1;
        }
    }

    fn value(&mut self, depth: u8) -> ParseResult<Json> {
        match self.skip_space() {
            None => Err(JsonParseErrorKind::UnexpectedEnd),
            Some(b'"') => self.string().map(Json::String),
            Some(b'{') => self.object(depth.checked_sub(1).ok_or(JsonParseErrorKind::TooDeep)?),
            Some(b'[') => self.array(depth.checked_sub(1).ok_or(JsonParseErrorKind::TooDeep)?),
            Some(b't') => self.literal("true", Json::Bool(true)),
            Some(b'f') => self.literal("false", Json::Bool(false)),
            Some(b'n') => self.literal("null", Json::Null),
            Some(b'-' | b'0'..=b'9') => self.number(),
            Some(_) => Err(JsonParseErrorKind::ExpectedValue(self.here())),
        }
    }

    fn literal(&mut self, word: &str, value: Json) -> ParseResult<Json> {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        if rest.starts_with(word.as_bytes()) {
            self.at += word.len();
            return Ok(value);
        }
        if word.as_bytes().starts_with(rest) {
            self.at = self.bytes.len();
            return Err(JsonParseErrorKind::UnexpectedEnd);
        }
        Err(JsonParseErrorKind::ExpectedValue(self.here()))
    }

    fn number(&mut self) -> ParseResult<Json> {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        let length = match number_length(rest) {
            Ok(length) => length,
            Err(fine) => {
                self.at += fine;
                let ended = self.at >= self.bytes.len();
                return Err(if ended {
                    JsonParseErrorKind::UnexpectedEnd
                } else {
                    JsonParseErrorKind::BadNumber
                });
            }
        };
        let text = self.text.get(self.at..self.at + length).unwrap_or("0");
        self.at += length;
        Ok(Json::Number(JsonNumber::from_checked(text)))
    }

    fn array(&mut self, depth: u8) -> ParseResult<Json> {
        self.at += 1;
        let mut items = Vec::new();
        if self.skip_space() == Some(b']') {
            self.at += 1;
            return Ok(Json::Array(items));
        }
        loop {
            items.push(self.value(depth)?);
            if self.comma_or(b']')? {
                return Ok(Json::Array(items));
            }
            if self.skip_space() == Some(b']') {
                return Err(JsonParseErrorKind::TrailingComma);
            }
        }
    }

    fn object(&mut self, depth: u8) -> ParseResult<Json> {
        self.at += 1;
        let mut members = Vec::new();
        if self.skip_space() == Some(b'}') {
            self.at += 1;
            return Ok(Json::Object(JsonObject::new()));
        }
        let mut seen = match self.duplicates {
            DuplicateNames::LastWins => None,
            DuplicateNames::Refused => Some(BTreeSet::new()),
        };
        loop {
            let name = self.name(seen.as_mut())?;
            members.push((name, self.value(depth)?));
            if self.comma_or(b'}')? {
                return Ok(Json::Object(JsonObject::from_list(members)));
            }
            if self.skip_space() == Some(b'}') {
                return Err(JsonParseErrorKind::TrailingComma);
            }
        }
    }

    /// Consumes a name and its colon; a name in `seen` is refused.
    fn name(&mut self, seen: Option<&mut BTreeSet<String>>) -> ParseResult<String> {
        match self.skip_space() {
            None => return Err(JsonParseErrorKind::UnexpectedEnd),
            Some(b'"') => {}
            Some(_) => return Err(JsonParseErrorKind::ExpectedName(self.here())),
        }
        let start = self.at;
        let name = self.string()?;
        match self.skip_space() {
            None => return Err(JsonParseErrorKind::UnexpectedEnd),
            Some(b':') => self.at += 1,
            Some(_) => return Err(JsonParseErrorKind::ExpectedColon(self.here())),
        }
        if seen.is_some_and(|seen| !seen.insert(name.clone())) {
            self.at = start;
            return Err(JsonParseErrorKind::DuplicateName(name));
        }
        Ok(name)
    }

    /// Consumes a comma (`false`) or the closing bracket (`true`).
    fn comma_or(&mut self, close: u8) -> ParseResult<bool> {
        match self.skip_space() {
            None => Err(JsonParseErrorKind::UnexpectedEnd),
            Some(byte) if byte == b',' || byte == close => {
                self.at += 1;
                Ok(byte == close)
            }
            Some(_) => Err(JsonParseErrorKind::ExpectedComma(self.here())),
        }
    }

    fn string(&mut self) -> ParseResult<String> {
        self.at += 1;
        let plain = self.plain_run();
        if self.bytes.get(self.at) == Some(&b'"') {
            self.at += 1;
            return Ok(plain.to_owned());
        }
        let mut out = plain.to_owned();
        loop {
            match self.bytes.get(self.at) {
                None => return Err(JsonParseErrorKind::UnexpectedEnd),
                Some(b'"') => {
                    self.at += 1;
                    return Ok(out);
                }
                Some(b'\\') => out.push(self.escape()?),
                Some(_) => return Err(JsonParseErrorKind::ControlCharacter(self.here())),
            }
            out.push_str(self.plain_run());
        }
    }

    /// Consumes and returns the characters up to a quote, a backslash, a control
    /// character or the end.
    fn plain_run(&mut self) -> &'a str {
        let start = self.at;
        self.at += plain_length(self.bytes.get(start..).unwrap_or_default());
        self.text.get(start..self.at).unwrap_or_default()
    }

    fn escape(&mut self) -> ParseResult<char> {
        let escaped = *self.bytes.get(self.at + 1).ok_or(JsonParseErrorKind::UnexpectedEnd)?;
        let plain = match escaped {
            b'"' => '"',
            b'\\' => '\\',
            b'/' => '/',
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'n' => '\n',
            b'r' => '\r',
            b't' => '\t',
            b'u' => return self.unicode_escape(),
            _ => return Err(JsonParseErrorKind::BadEscape),
        };
        self.at += 2;
        Ok(plain)
    }

    fn unicode_escape(&mut self) -> ParseResult<char> {
        let first = self.unit(self.at)?;
        if let Some(plain) = char::from_u32(u32::from(first)) {
            self.at += 6;
            return Ok(plain);
        }
        let rest = self.bytes.get(self.at + 6..).unwrap_or_default();
        if rest.is_empty() || rest == b"\\" {
            return Err(JsonParseErrorKind::UnexpectedEnd);
        }
        if !rest.starts_with(b"\\u") {
            return Err(JsonParseErrorKind::LoneSurrogate);
        }
        let second = self.unit(self.at + 6)?;
        let pair = char::decode_utf16([first, second]).next().and_then(Result::ok);
        let character = pair.ok_or(JsonParseErrorKind::LoneSurrogate)?;
        self.at += 12;
        Ok(character)
    }

    /// The four hexadecimal digits of the `\u` escape that starts at `from`.
    fn unit(&self, from: usize) -> ParseResult<u16> {
        let digits = self.bytes.get(from + 2..).unwrap_or_default();
        let mut unit = 0_u16;
        for index in 0..4 {
            let Some(byte) = digits.get(index) else { return Err(JsonParseErrorKind::UnexpectedEnd) };
            let digit = char::from(*byte).to_digit(16).ok_or(JsonParseErrorKind::BadEscape)?;
            unit = unit << 4 | u16::try_from(digit).unwrap_or(0);
        }
        Ok(unit)
    }
}
