//! Checks of `format`, made only if a caller asks for them.
//!
//! Validation treats `format` as a description, as draft 2020-12 does by default: models follow it
//! loosely and a wrong refusal costs a turn. So nothing in `schema/check/` calls this file; the
//! compiler only asks whether a format is known. The forms that contract skills demand are looser
//! and are in `skill/format.rs`.

use core::net::{Ipv4Addr, Ipv6Addr};

type FormatPredicate = fn(&str) -> bool;

/// The formats that can be checked.
const CHECKS: [(&str, FormatPredicate); 9] = [
    ("date", is_date),
    ("date-time", is_date_time),
    ("email", is_email),
    ("hostname", is_hostname),
    ("ipv4", is_ipv4),
    ("ipv6", is_ipv6),
    ("time", is_time),
    ("uri", is_uri),
    ("uuid", is_uuid),
];

/// Longest host name that the domain name system can carry.
const MAX_HOSTNAME: usize = 253;

/// Longest part of a host name between dots.
const MAX_LABEL: usize = 63;

/// Whether `text` has the named format; `None` if the format has no check.
///
/// ```
/// use holm_guards::schema::format::check;
///
/// assert_eq!(check("date", "2024-02-29"), Some(true));
/// assert_eq!(check("date", "2023-02-29"), Some(false));
/// assert_eq!(check("colour", "red"), None);
/// ```
#[must_use]
pub fn check(name: &str, text: &str) -> Option<bool> {
    CHECKS.iter().find(|(known, _)| *known == name).map(|(_, check)| check(text))
}

/// Whether a format has a check.
#[must_use]
pub fn is_known(name: &str) -> bool {
    CHECKS.iter().any(|(known, _)| *known == name)
}

/// RFC 3339 `full-date`: `2024-02-29`.
fn is_date(text: &str) -> bool {
    let [y1, y2, y3, y4, b'-', m1, m2, b'-', d1, d2] = text.as_bytes() else { return false };
    let (Some(year), Some(month), Some(day)) =
        (digits(&[*y1, *y2, *y3, *y4]), digits(&[*m1, *m2]), digits(&[*d1, *d2]))
    else {
        return false;
    };
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let days = match month {
        1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
        4 | 6 | 9 | 11 => 30,
        2 if leap => 29,
        2 => 28,
        _ => return false,
    };
    (1..=days).contains(&day)
}

/// RFC 3339 `full-time`: `08:30:06.28Z`; a leap second must be 23:59:60 in UTC.
fn is_time(text: &str) -> bool {
    let Some((clock, zone)) = text.as_bytes().split_at_checked(8) else { return false };
    let [h1, h2, b':', m1, m2, b':', s1, s2] = clock else { return false };
    let (Some(hour), Some(minute), Some(second)) =
        (digits(&[*h1, *h2]), digits(&[*m1, *m2]), digits(&[*s1, *s2]))
    else {
        return false;
    };
    let zone = match zone.strip_prefix(b".") {
        None => zone,
        Some(fraction) => {
            let length = fraction.iter().take_while(|byte| byte.is_ascii_digit()).count();
            match fraction.split_at_checked(length) {
                Some((digits, zone)) if !digits.is_empty() => zone,
                _ => return false,
            }
        }
    };
    let Some(offset) = zone_minutes(zone) else { return false };
    let utc = (i64::from(hour) * 60 + i64::from(minute) - offset).rem_euclid(24 * 60);
    hour < 24 && minute < 60 && (second < 60 || second == 60 && utc == 23 * 60 + 59)
}

/// Minutes east of Greenwich.
fn zone_minutes(zone: &[u8]) -> Option<i64> {
    let (sign, rest) = match zone {
        b"Z" | b"z" => return Some(0),
        [b'+', rest @ ..] => (1, rest),
        [b'-', rest @ ..] => (-1, rest),
        _ => return None,
    };
    let [h1, h2, b':', m1, m2] = rest else { return None };
    let (hours, minutes) = (digits(&[*h1, *h2])?, digits(&[*m1, *m2])?);
    (hours < 24 && minutes < 60).then(|| sign * (i64::from(hours) * 60 + i64::from(minutes)))
}

/// Checks the RFC 3339 format `date-time`.
fn is_date_time(text: &str) -> bool {
    text.split_once(['T', 't']).is_some_and(|(date, time)| is_date(date) && is_time(time))
}

fn digits(bytes: &[u8]) -> Option<u32> {
    bytes.iter().try_fold(0, |sum, byte| Some(sum * 10 + char::from(*byte).to_digit(10)?))
}

/// RFC 5321 mailbox: a dotted or quoted local part, then a host name or an address in brackets.
fn is_email(text: &str) -> bool {
    let Some((local, domain)) = text.rsplit_once('@') else { return false };
    let quoted = local.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
    let local = match quoted {
        Some(inside) => is_quoted(inside),
        None => local.split('.').all(|part| !part.is_empty() && part.bytes().all(is_atom)),
    };
    let domain = match domain.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
        Some(address) => address.strip_prefix("IPv6:").map_or_else(|| is_ipv4(address), is_ipv6),
        None => is_hostname(domain),
    };
    local && domain
}

const fn is_atom(byte: u8) -> bool {
    byte.is_ascii_alphanumeric()
        || matches!(byte, b'!' | b'#'..=b'\'' | b'*' | b'+' | b'-' | b'/' | b'=' | b'?' | b'^'..=b'`' | b'{'..=b'~')
}

/// The inside of a quoted local part: printable, quotes and backslashes escaped.
fn is_quoted(text: &str) -> bool {
    let mut escaped = false;
    for byte in text.bytes() {
        match byte {
            _ if !(b' '..=b'~').contains(&byte) => return false,
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'"' => return false,
            _ => {}
        }
    }
    !escaped
}

/// RFC 1123 host name in ASCII.
fn is_hostname(text: &str) -> bool {
    let label = |label: &str| {
        (1..=MAX_LABEL).contains(&label.len())
            && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
            && !label.starts_with('-')
            && !label.ends_with('-')
    };
    text.len() <= MAX_HOSTNAME && text.split('.').all(label)
}

fn is_ipv4(text: &str) -> bool {
    text.parse::<Ipv4Addr>().is_ok()
}

fn is_ipv6(text: &str) -> bool {
    text.parse::<Ipv6Addr>().is_ok()
}

/// RFC 3986 URI with a scheme.
fn is_uri(text: &str) -> bool {
    let Some((scheme, rest)) = text.split_once(':') else { return false };
    let is_scheme_byte = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.');
    if !scheme.starts_with(|c: char| c.is_ascii_alphabetic()) || !scheme.bytes().all(is_scheme_byte) {
        return false;
    }
    let (rest, fragment) = rest.split_once('#').unwrap_or((rest, ""));
    let (hierarchy, query) = rest.split_once('?').unwrap_or((rest, ""));
    let (authority, path) = match hierarchy.strip_prefix("//") {
        None => ("", hierarchy),
        Some(rest) => rest.find('/').and_then(|slash| rest.split_at_checked(slash)).unwrap_or((rest, "")),
    };
    is_authority(authority) && all_uri(path, b":@/") && all_uri(query, b":@/?") && all_uri(fragment, b":@/?")
}

fn is_authority(authority: &str) -> bool {
    let (user, host) = authority.rsplit_once('@').unwrap_or(("", authority));
    let (host, port) = match host.strip_prefix('[') {
        Some(rest) => {
            let Some((address, port)) = rest.split_once(']') else { return false };
            let future = address.starts_with(['v', 'V']) && all_uri(address, b":");
            if !future && !is_ipv6(address) {
                return false;
            }
            ("", port)
        }
        None => host.find(':').and_then(|colon| host.split_at_checked(colon)).unwrap_or((host, "")),
    };
    let port = port.is_empty()
        || port.strip_prefix(':').is_some_and(|port| port.bytes().all(|b| b.is_ascii_digit()));
    all_uri(user, b":") && all_uri(host, b"") && port
}

/// Whether a text holds only unreserved characters, sub-delimiters, `%41` escapes and what
/// is named in `also`.
fn all_uri(text: &str, also: &[u8]) -> bool {
    let mut bytes = text.bytes();
    while let Some(byte) = bytes.next() {
        let fine = match byte {
            b'%' => (0..2).all(|_| bytes.next().is_some_and(|digit| digit.is_ascii_hexdigit())),
            b'-' | b'.' | b'_' | b'~' | b'!' | b'$' | b'&'..=b',' | b';' | b'=' => true,
            other => other.is_ascii_alphanumeric() || also.contains(&other),
        };
        if !fine {
            return false;
        }
    }
    true
}

/// RFC 4122 in its usual spelling.
fn is_uuid(text: &str) -> bool {
    text.len() == 36
        && text.bytes().enumerate().all(|(index, byte)| match index {
            8 | 13 | 18 | 23 => byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        })
}
