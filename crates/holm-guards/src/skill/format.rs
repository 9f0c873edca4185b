//! Checks whether a value has the requested form.
//!
//! The source check (`skill/source/`) proves that a value is in the text; the form check proves
//! that it is the right kind of value. The forms are those that people write, not the full grammars
//! of the standards: comments in e-mail addresses and URLs without a host are refused. The `format`
//! keyword of JSON Schema is a different thing (`schema/format.rs`). Dates are recognised in
//! `skill/source/date.rs`.

use core::fmt;

use holm_read::Read;
use serde::{Deserialize, Serialize};

use super::source::{ValueReading, is_date};

/// A form that a value may be asked to have.
///
/// ```
/// use holm_guards::skill::SkillFormat;
///
/// assert!(SkillFormat::Email.admits("hello@agent.rs"));
/// assert!(!SkillFormat::Email.admits("hello@agent"));
/// assert!(SkillFormat::Date.admits("January 15, 2024"));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Read)]
#[serde(rename_all = "snake_case")]
pub enum SkillFormat {
    /// An e-mail address with a domain of at least two labels.
    Email,
    /// A URL with a host, or a host name with at least two labels and perhaps a path.
    Url,
    /// A date: complete (and then in the calendar), partial, or relative.
    Date,
}

impl SkillFormat {
    /// Whether a value has this form.
    #[must_use]
    pub fn admits(self, value: &str) -> bool {
        match self {
            Self::Email => is_email(value),
            Self::Url => is_url(value),
            Self::Date => is_date(value),
        }
    }

    /// How a value of this form is searched for in a text.
    #[must_use]
    pub fn reading(self) -> ValueReading {
        match self {
            Self::Email => ValueReading::Email,
            Self::Url => ValueReading::Url,
            Self::Date => ValueReading::Date,
        }
    }
}

impl fmt::Display for SkillFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Email => "e-mail address",
            Self::Url => "URL",
            Self::Date => "date",
        })
    }
}

/// Bytes before the `@` (RFC 5321).
const MAX_LOCAL: usize = 64;

/// Bytes of a host name (RFC 1035).
const MAX_HOST: usize = 253;

/// Bytes of one label of a host name (RFC 1035).
const MAX_LABEL: usize = 63;

/// Whether a text is an e-mail address.
#[must_use]
pub fn is_email(text: &str) -> bool {
    let Some((local, host)) = text.rsplit_once('@') else { return false };
    let allowed = |c: char| c.is_alphanumeric() || "!#$%&'*+-/=?^_`{|}~".contains(c);
    let dotted = local.split('.').all(|atom| !atom.is_empty() && atom.chars().all(allowed));
    dotted && local.len() <= MAX_LOCAL && is_domain(host)
}

/// Whether a text is a URL, or a host with an optional port, path, query and fragment.
#[must_use]
pub fn is_url(text: &str) -> bool {
    let banned = |c: char| c.is_whitespace() || c.is_control() || "<>\"{}|\\^`".contains(c);
    if text.contains(banned) {
        return false;
    }
    let (scheme, rest) = match text.split_once("://") {
        Some((scheme, rest)) => (Some(scheme), rest),
        None => (None, text),
    };
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    match scheme {
        Some(scheme) => {
            is_scheme(scheme) && is_host(authority.rsplit('@').next().unwrap_or_default(), is_hostname)
        }
        None => is_host(authority, is_domain),
    }
}

fn is_scheme(scheme: &str) -> bool {
    scheme.starts_with(|c: char| c.is_ascii_alphabetic())
        && scheme.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.'))
}

/// A host that `name` admits, or an address in brackets, with an optional port.
fn is_host(authority: &str, name: impl Fn(&str) -> bool) -> bool {
    let (host, port) = match authority.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        Some((address, rest)) => {
            let digits =
                !address.is_empty() && address.chars().all(|c| c.is_ascii_hexdigit() || c == ':' || c == '.');
            return digits && (rest.is_empty() || rest.strip_prefix(':').is_some_and(is_port));
        }
        None => match authority.split_once(':') {
            Some((host, port)) => (host, Some(port)),
            None => (authority, None),
        },
    };
    name(host) && port.is_none_or(is_port)
}

fn is_port(port: &str) -> bool {
    port.parse::<u16>().is_ok() && port.bytes().all(|byte| byte.is_ascii_digit())
}

/// A host name of one label (`localhost`) or more, or an address in digits.
fn is_hostname(host: &str) -> bool {
    let host = host.strip_suffix('.').unwrap_or(host);
    let label = |label: &str| {
        (1..=MAX_LABEL).contains(&label.len())
            && !label.starts_with('-')
            && !label.ends_with('-')
            && label.chars().all(|c| c.is_alphanumeric() || c == '-' || c == '_')
    };
    host.len() <= MAX_HOST && host.split('.').all(label)
}

/// A host name of at least two labels whose last one is not a number.
fn is_domain(host: &str) -> bool {
    let Some((_, top)) = host.rsplit_once('.') else { return false };
    is_hostname(host)
        && !host.ends_with('.')
        && top.chars().all(|c| c.is_alphanumeric() || c == '-')
        && top.chars().any(char::is_alphabetic)
}
