//! Hashes: a fixed 64-bit hash for comparison, and SHA-256 where collisions must be infeasible.
//!
//! [`StreamHasher`] is implemented here, so that no dependency can change a stored hash. It detects
//! a replay that differs and repeated calls. It is not collision-resistant; use [`sha256_hex`]
//! for that.
//!
//! The definition of [`StreamHasher`] is stored in journals through the digests of effects
//! (`run/trace.rs`), so it must never change. Secret values such as seals and idempotency keys come
//! from `digest/sip.rs`, hashes of journal lines from `journal/hash.rs`.

mod sip;

#[cfg(test)]
mod tests;

pub(crate) use sip::SipHashKey;

use alloc::string::String;
use core::fmt;

use sha2::{Digest as _, Sha256};

/// The initial value of the accumulator: the first 64 bits of the fraction of pi.
const START: u64 = 0x243f_6a88_85a3_08d3;

/// The multiplier of every step: the next 64 bits of pi, made odd.
const STEP: u64 = 0x1319_8a2e_0370_7345;

/// A streaming hash. Bytes are processed as little-endian 64-bit lanes; the hash does not depend on
/// how they are split into calls.
///
/// The definition never changes. `acc = START`; for every full lane
/// `acc = fold((acc ^ lane) * STEP) + rotl(acc, 29)`, where `fold` is the exclusive or of the two
/// halves of the 128-bit product. At the end, the rest, padded with zeros, is one more lane, and
/// the number of bytes is the last lane. The result is scrambled as in [`rng`](crate::rng).
#[derive(Debug, Clone)]
pub(crate) struct StreamHasher {
    acc: u64,
    /// Bytes that do not fill a lane yet, the first in the lowest byte.
    rest: u64,
    /// Bytes taken so far; its lowest three bits say how many are in `rest`.
    taken: u64,
}

impl StreamHasher {
    /// Starts an empty stream.
    pub(crate) const fn new() -> Self {
        Self { acc: START, rest: 0, taken: 0 }
    }

    /// Hashes a number as its eight little-endian bytes.
    pub(crate) fn u64(&mut self, number: u64) -> &mut Self {
        self.lane(number);
        self.taken = self.taken.wrapping_add(8);
        self
    }

    /// Hashes bytes without a length, so `("ab", "c")` and `("a", "bc")` are equal.
    pub(crate) fn bytes(&mut self, bytes: &[u8]) -> &mut Self {
        let (lanes, rest) = bytes.as_chunks::<8>();
        for lane in lanes {
            self.lane(u64::from_le_bytes(*lane));
        }
        self.taken = self.taken.wrapping_add((lanes.len() as u64) << 3);
        if !rest.is_empty() {
            self.short(rest);
        }
        self
    }

    /// Hashes a text with its length before it, so that `("ab", "c")` and `("a", "bc")` differ.
    pub(crate) fn str(&mut self, text: &str) -> &mut Self {
        self.u64(text.len() as u64).bytes(text.as_bytes())
    }

    /// The hash of the bytes so far; more may be added afterwards.
    pub(crate) const fn finish(&self) -> u64 {
        let acc = step(self.acc, self.rest);
        crate::rng::scramble(step(acc, self.taken))
    }

    /// How far `rest` is filled, in bits.
    const fn filled(&self) -> u32 {
        (self.taken & 7) as u32 * 8
    }

    /// Takes eight bytes; the caller counts them.
    fn lane(&mut self, lane: u64) {
        let filled = self.filled();
        self.acc = step(self.acc, self.rest | lane << filled);
        // The shift is split, because a shift by 64 bits would overflow.
        self.rest = lane >> 1 >> (63 - filled);
    }

    /// Takes one to seven bytes.
    fn short(&mut self, bytes: &[u8]) {
        let lane = bytes.iter().rev().fold(0, |lane, byte| lane << 8 | u64::from(*byte));
        let filled = self.filled();
        let count = bytes.len() as u64;
        let whole = self.rest | lane << filled;
        if u64::from(filled) + count * 8 >= 64 {
            self.acc = step(self.acc, whole);
            self.rest = lane >> 1 >> (63 - filled);
        } else {
            self.rest = whole;
        }
        self.taken = self.taken.wrapping_add(count);
    }
}

/// Lets a canonical writer write straight into the hash.
impl fmt::Write for StreamHasher {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.bytes(text.as_bytes());
        Ok(())
    }
}

/// SHA-256 over the parts, each with its length before it (eight bytes,
/// little-endian), in lower-case hex.
pub(crate) fn sha256_hex(parts: &[&[u8]]) -> String {
    hex(&sha256(parts))
}

/// As [`sha256_hex`], as bytes.
pub(crate) fn sha256(parts: &[&[u8]]) -> [u8; 32] {
    let mut hash = Sha256::new();
    for part in parts {
        hash.update((part.len() as u64).to_le_bytes());
        hash.update(part);
    }
    hash.finalize().into()
}

/// Writes bytes in lower-case hex.
pub(crate) fn hex(bytes: &[u8]) -> String {
    let digit = |nibble: u8| char::from(if nibble < 10 { b'0' + nibble } else { b'a' + nibble - 10 });
    bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect()
}

/// One step of the hash: mixes a lane into the accumulator. The rotated term keeps a lane that
/// equals the accumulator from wiping out what came before.
const fn step(acc: u64, lane: u64) -> u64 {
    let product = (acc ^ lane) as u128 * STEP as u128;
    #[expect(clippy::cast_possible_truncation, reason = "the two halves are taken on purpose")]
    let folded = (product >> 64) as u64 ^ product as u64;
    folded.wrapping_add(acc.rotate_left(29))
}
