//! Writes request bodies directly as bytes, without a tree of values.
//!
//! Codecs write each message once and keep the bytes, so a tree of values has no advantage. This
//! module places the commas and escapes strings with the shared JSON writer.
//!
//! It knows no format: the `request.rs` and `server.rs` of each format do. The members that a user
//! overrides are written once, at the end, and replace the codec's own, so that a body does not
//! contain such a member twice.

use alloc::vec::Vec;
use core::fmt::{self, Write};

use holm_guards::json::{self, Json};

/// Appends `text` as a JSON string.
pub fn string(out: &mut Vec<u8>, text: &str) {
    // Writing into memory cannot fail.
    let _ = json::write_string(text, &mut Utf8Writer(out));
}

/// Appends a JSON value in canonical form.
pub fn value(out: &mut Vec<u8>, value: &Json) {
    let _ = value.write_canonical(&mut Utf8Writer(out));
}

/// Appends a whole number.
pub fn number(out: &mut Vec<u8>, number: u64) {
    let _ = write!(Utf8Writer(out), "{number}");
}

/// Appends thousandths as a decimal: 700 becomes `0.7`, 1000 becomes `1`.
pub fn thousandths(out: &mut Vec<u8>, milli: u32) {
    let (integer_part, rest) = (milli / 1000, milli % 1000);
    let _ = write!(Utf8Writer(out), "{integer_part}");
    if rest > 0 {
        let _ = write!(Utf8Writer(out), ".{rest:03}");
        while out.last() == Some(&b'0') {
            out.pop();
        }
    }
}

/// Writes an object: places the commas, and leaves out the members that the caller overrides.
#[derive(Debug)]
pub struct ObjectWriter<'a> {
    out: &'a mut Vec<u8>,
    overrides: Option<&'a json::JsonObject>,
    first: bool,
}

impl<'a> ObjectWriter<'a> {
    pub fn open(out: &'a mut Vec<u8>) -> Self {
        out.push(b'{');
        Self { out, overrides: None, first: true }
    }

    /// Opens an object with overrides: the members of `overrides` are written at the end, and
    /// replace the codec's own members of the same name.
    pub fn overridden(out: &'a mut Vec<u8>, overrides: Option<&'a json::JsonObject>) -> Self {
        let mut object = Self::open(out);
        object.overrides = overrides;
        object
    }

    /// Starts a member whose value the caller appends. `None` if the member is overridden.
    pub fn member(&mut self, name: &str) -> Option<&mut Vec<u8>> {
        if self.overrides.is_some_and(|members| members.contains_key(name)) {
            return None;
        }
        if !self.first {
            self.out.push(b',');
        }
        self.first = false;
        string(self.out, name);
        self.out.push(b':');
        Some(self.out)
    }

    pub fn string(&mut self, name: &str, text: &str) {
        if let Some(out) = self.member(name) {
            string(out, text);
        }
    }

    /// Adds a whole number.
    pub fn number(&mut self, name: &str, value: u64) {
        if let Some(out) = self.member(name) {
            number(out, value);
        }
    }

    pub fn value(&mut self, name: &str, json: &Json) {
        if let Some(out) = self.member(name) {
            value(out, json);
        }
    }

    /// Adds a value that is already JSON text.
    pub fn raw(&mut self, name: &str, json: impl AsRef<[u8]>) {
        if let Some(out) = self.member(name) {
            out.extend_from_slice(json.as_ref());
        }
    }

    /// Closes the object after the overriding members.
    pub fn close(mut self) {
        for (name, json) in self.overrides.take().into_iter().flatten() {
            self.value(name, json);
        }
        self.out.push(b'}');
    }
}

/// Appends a comma, unless `out` is empty or an array or object was just opened.
pub fn comma(out: &mut Vec<u8>) {
    if !matches!(out.last(), None | Some(b'[' | b'{' | b',')) {
        out.push(b',');
    }
}

struct Utf8Writer<'a>(&'a mut Vec<u8>);

impl Write for Utf8Writer<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.0.extend_from_slice(text.as_bytes());
        Ok(())
    }
}
