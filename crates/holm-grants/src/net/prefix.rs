//! URL paths in canonical form, and prefixes of them.
//!
//! A prefix protects only if the client, the server and this crate agree on the path. So dot
//! segments are resolved here as a client would, encoded or not. Under a prefix, every path that
//! servers read in more than one way is refused. Splitting and encoding a URL is in `net/url.rs`.
//! Denials have no prefix, because a server may accept other spellings of a path (`denial.rs`).

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use super::url::percent_encode;
use crate::error::UrlError;

/// Whole components at the start of a URL path; the empty prefix admits every path.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub(crate) struct PathPrefix(Vec<String>);

impl PathPrefix {
    /// Reads `/a/b` or `/a/b/`, which mean the same: that path and everything beneath it.
    pub(super) fn parse(text: &str) -> Result<Self, UrlError> {
        let body = text.strip_prefix('/').unwrap_or(text);
        let body = body.strip_suffix('/').unwrap_or(body);
        if body.is_empty() {
            return if text.len() > 1 { Err(UrlError::PatternPath) } else { Ok(Self::default()) };
        }
        // Only text that is already canonical may be written, or it would mean something else than
        // it says.
        if text.contains('*')
            || canonical(text) != text
            || is_ambiguous(text)
            || body.split('/').any(str::is_empty)
        {
            return Err(UrlError::PatternPath);
        }
        Ok(Self(body.split('/').map(String::from).collect()))
    }

    /// Whether a canonical path lies under the prefix.
    pub(super) fn admits(&self, path: &str) -> bool {
        if self.0.is_empty() {
            return true;
        }
        let mut components = path.strip_prefix('/').unwrap_or(path).split('/');
        !is_ambiguous(path) && self.0.iter().all(|wanted| components.next() == Some(wanted))
    }

    /// Whether every path under `other` lies under this prefix. Exact.
    pub(super) fn contains(&self, other: &Self) -> bool {
        other.0.starts_with(&self.0)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl fmt::Display for PathPrefix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|component| write!(f, "/{component}"))
    }
}

/// The path as a client sends it: dot segments resolved, everything
/// unusual percent-encoded in capitals.
pub(super) fn canonical(path: &str) -> String {
    let mut kept: Vec<&str> = Vec::new();
    let mut components = path.strip_prefix('/').unwrap_or(path).split('/').peekable();
    while let Some(component) = components.next() {
        let is_last = components.peek().is_none();
        match dots(component) {
            0 => kept.push(component),
            climb => {
                if climb == 2 {
                    kept.pop();
                }
                // `/a/..` names the folder, so its slash stays.
                if is_last {
                    kept.push("");
                }
            }
        }
    }
    let mut text = String::with_capacity(path.len() + 1);
    for component in kept {
        text.push('/');
        percent_encode(&mut text, component, b"!$&'()*+,;=:@-._~%");
    }
    if text.is_empty() {
        text.push('/');
    }
    text
}

/// One for `.`, two for `..`, in any mixture with `%2e`; none for an ordinary component.
fn dots(component: &str) -> usize {
    let mut rest = component;
    let mut count = 0;
    while !rest.is_empty() {
        let Some(after) =
            rest.strip_prefix('.').or_else(|| rest.strip_prefix("%2e")).or_else(|| rest.strip_prefix("%2E"))
        else {
            return 0;
        };
        rest = after;
        count += 1;
    }
    if count > 2 { 0 } else { count }
}

/// Whether servers disagree about the path: encoded separators, NUL, percent signs and dots, empty
/// components, and path parameters, which some servers cut off before they resolve `..`.
fn is_ambiguous(path: &str) -> bool {
    // Canonical form has raised the digits to capitals.
    ["%2F", "%5C", "%00", "%25", "%2E", "//", ";"].iter().any(|code| path.contains(code))
}
