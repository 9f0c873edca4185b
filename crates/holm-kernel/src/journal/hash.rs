//! SHA-256 values and their text form, which is 64 lower-case hex digits and nothing else.
//!
//! One value has one spelling: if two were accepted, a changed byte in a journal could go
//! unnoticed. What is hashed is decided in `journal/record.rs` and `journal/payload.rs`. Hashes
//! that are not part of the journal's format are in `digest.rs`.

use alloc::string::String;
use core::fmt;
use core::str::{self, FromStr};

use holm_read::{Read, ReadError, Reader};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use sha2::{Digest as _, Sha256};

/// A SHA-256 value, written as 64 lower-case hex digits and in no other way.
///
/// ```
/// use holm_kernel::journal::Sha256Hash;
///
/// let hash = Sha256Hash::of(b"abc");
/// assert!(hash.to_string().starts_with("ba7816bf"));
/// assert_eq!(hash.to_string().parse(), Ok(hash));
/// assert!("BA7816BF".parse::<Sha256Hash>().is_err());
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Sha256Hash([u8; 32]);

impl Sha256Hash {
    /// The value before the first record.
    pub const ZERO: Self = Self([0; 32]);

    /// The hash of some bytes.
    #[must_use]
    pub fn of(bytes: &[u8]) -> Self {
        Self(Sha256::digest(bytes).into())
    }

    /// The hash of parts one after the other. The caller frames them, so that no two lists of parts
    /// give the same bytes.
    pub(super) fn of_parts(parts: &[&[u8]]) -> Self {
        let mut sha = Sha256::new();
        for part in parts {
            sha.update(part);
        }
        Self(sha.finalize().into())
    }

    #[must_use]
    pub const fn bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

impl fmt::Display for Sha256Hash {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = String::with_capacity(64);
        push_hex(&mut text, &self.0);
        out.write_str(&text)
    }
}

impl fmt::Debug for Sha256Hash {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, out)
    }
}

impl FromStr for Sha256Hash {
    type Err = HashParseError;

    fn from_str(text: &str) -> Result<Self, HashParseError> {
        read_hex(text).map(Self).ok_or(HashParseError)
    }
}

impl Serialize for Sha256Hash {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'a> Read<'a> for Sha256Hash {
    fn read(reader: &mut Reader<'a>) -> Result<Self, ReadError> {
        reader.string()?.parse().map_err(|error| reader.refused(&error))
    }
}

impl<'de> Deserialize<'de> for Sha256Hash {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(de::Error::custom)
    }
}

/// A text is not a hash.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("expected 64 lower-case hex digits")]
pub struct HashParseError;

/// Appends bytes as lower-case hex digits, a hash at a time: this runs three
/// times for every record.
pub(super) fn push_hex(out: &mut String, bytes: &[u8]) {
    for part in bytes.chunks(32) {
        let mut digits = [[0_u8; 2]; 32];
        for (pair, byte) in digits.iter_mut().zip(part) {
            *pair = [digit(byte >> 4), digit(byte & 0xf)];
        }
        let written = digits.get(..part.len()).unwrap_or_default().as_flattened();
        out.push_str(str::from_utf8(written).unwrap_or_default());
    }
}

/// Reads exactly `N` bytes of hex. Upper case is refused: one value has one spelling, or a
/// flipped bit could hide.
pub(super) fn read_hex<const N: usize>(text: &str) -> Option<[u8; N]> {
    let (pairs, rest) = text.as_bytes().as_chunks::<2>();
    if pairs.len() != N || !rest.is_empty() {
        return None;
    }
    let mut bytes = [0; N];
    for (byte, [high, low]) in bytes.iter_mut().zip(pairs) {
        *byte = (nibble(*high)? << 4) | nibble(*low)?;
    }
    Some(bytes)
}

const fn digit(nibble: u8) -> u8 {
    if nibble < 10 { b'0' + nibble } else { b'a' + nibble - 10 }
}

const fn nibble(digit: u8) -> Option<u8> {
    match digit {
        b'0'..=b'9' => Some(digit - b'0'),
        b'a'..=b'f' => Some(digit - b'a' + 10),
        _ => None,
    }
}
