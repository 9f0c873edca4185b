//! Reads IPv4 addresses the way browsers and C libraries do: decimal, hexadecimal, octal, mixed and
//! short.
//!
//! An HTTP client would turn `0x7f.1` into `127.0.0.1`; if it were taken for a name here, a check
//! by name would pass.
//!
//! It must accept at least what clients accept: a spelling that is overlooked here would be treated
//! as a name. IPv6 addresses and names are read in `net/host.rs`; what an address means is in
//! `net/address.rs`.

use core::net::Ipv4Addr;

/// The result of reading a dotted text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ipv4Reading {
    /// An address in some spelling.
    Address(Ipv4Addr),
    /// A name: the last label is not a number.
    NotNumeric,
    /// The last label is a number but the whole is not an address.
    Broken,
}

/// Reads a host without its trailing dot.
pub(super) fn read(host: &str) -> Ipv4Reading {
    let last = host.rsplit('.').next().unwrap_or(host);
    if !looks_numeric(last) {
        return Ipv4Reading::NotNumeric;
    }
    address(host).map_or(Ipv4Reading::Broken, Ipv4Reading::Address)
}

/// Whether a label is written as a number, also one that is too large: a client might cut it off.
fn looks_numeric(label: &str) -> bool {
    match label.strip_prefix("0x").or_else(|| label.strip_prefix("0X")) {
        Some(hex) => hex.bytes().all(|b| b.is_ascii_hexdigit()),
        None => !label.is_empty() && label.bytes().all(|b| b.is_ascii_digit()),
    }
}

/// The address of one to four numbers, the last of which fills the remaining bytes.
fn address(host: &str) -> Option<Ipv4Addr> {
    let count = host.split('.').count();
    if count > 4 {
        return None;
    }
    let mut value: u32 = 0;
    for (i, part) in host.split('.').enumerate() {
        let part = number(part)?;
        if i + 1 < count {
            value = (value << 8) | u32::from(u8::try_from(part).ok()?);
            continue;
        }
        // Four parts leave one byte for the last, one part leaves all four.
        let bits = 8 * (5 - u32::try_from(count).ok()?);
        if u64::from(part) >> bits != 0 {
            return None;
        }
        value = u32::try_from(u64::from(value) << bits).ok()? | part;
    }
    Some(Ipv4Addr::from(value))
}

/// One number: `0x` is hexadecimal (alone it is zero), a leading `0` is octal.
fn number(text: &str) -> Option<u32> {
    let (digits, radix) = match text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        Some("") => return Some(0),
        Some(hex) => (hex, 16),
        None if text.len() > 1 && text.starts_with('0') => (text, 8),
        None => (text, 10),
    };
    // `from_str_radix` would also take a sign.
    if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_hexdigit()) {
        return None;
    }
    u32::from_str_radix(digits, radix).ok()
}
