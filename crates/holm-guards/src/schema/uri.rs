//! The part of RFC 3986 that local references need: resolving one reference against a base.
//!
//! It compares texts and never contacts a host. `schema/index.rs` uses it to find identifiers
//! inside a document. URLs that may be fetched are a different matter
//! (`holm-grants/src/net/url.rs`).

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

/// Splits a reference into the document and the fragment after `#`.
pub(super) fn split(reference: &str) -> (&str, &str) {
    reference.split_once('#').unwrap_or((reference, ""))
}

/// Resolves a reference without fragment against a base without fragment.
pub(super) fn resolve(base: &str, reference: &str) -> String {
    if reference.is_empty() {
        return base.to_string();
    }
    if scheme(reference).is_some() {
        return reference.to_string();
    }
    let scheme_end = scheme(base).map_or(0, |name| name.len() + 1);
    let (prefix, rest) = base.split_at_checked(scheme_end).unwrap_or(("", base));
    if reference.starts_with("//") {
        return format!("{prefix}{reference}");
    }
    let authority_end = rest.strip_prefix("//").map_or(0, |after| after.find('/').unwrap_or(after.len()) + 2);
    let (authority, path) = rest.split_at_checked(authority_end).unwrap_or(("", rest));
    let path = path.split_once('?').map_or(path, |(path, _)| path);
    if reference.starts_with('/') {
        return format!("{prefix}{authority}{}", remove_dots(reference));
    }
    let folder = path.rfind('/').and_then(|slash| path.get(..=slash));
    let folder = folder.unwrap_or(if authority.is_empty() { "" } else { "/" });
    format!("{prefix}{authority}{}", remove_dots(&format!("{folder}{reference}")))
}

/// Decodes `%41`; invalid escapes stay as they are.
pub(super) fn percent_decode(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        let hex = |index: usize| bytes.get(index).and_then(|digit| char::from(*digit).to_digit(16));
        match (byte, hex(at + 1), hex(at + 2)) {
            (b'%', Some(high), Some(low)) => {
                out.push(u8::try_from(high << 4 | low).unwrap_or(b'%'));
                at += 3;
            }
            _ => {
                out.push(*byte);
                at += 1;
            }
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}

/// The scheme of an absolute URI.
fn scheme(uri: &str) -> Option<&str> {
    let (name, _) = uri.split_once(':')?;
    let letters = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.');
    (name.starts_with(|c: char| c.is_ascii_alphabetic()) && name.chars().all(letters)).then_some(name)
}

/// Removes `.` and `..` segments from a path.
fn remove_dots(path: &str) -> String {
    let mut kept: Vec<&str> = Vec::new();
    let mut segments = path.split('/').peekable();
    while let Some(segment) = segments.next() {
        let last = segments.peek().is_none();
        match segment {
            "." => {}
            ".." => {
                if kept.last().is_some_and(|above| !above.is_empty()) {
                    kept.pop();
                }
            }
            other => {
                kept.push(other);
                continue;
            }
        }
        if last {
            kept.push("");
        }
    }
    kept.join("/")
}
