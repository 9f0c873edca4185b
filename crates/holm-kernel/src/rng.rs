//! The run's only randomness: numbers derived from the seed of record 0.
//!
//! Jitter must be the same on every host and in every replay. So the function (the output step of
//! `SplitMix64`) is written out here and never changes; a better one would need new decision rules.
//! There is no stream to keep: a number is derived from its purpose, so it does not matter in which
//! order numbers are requested.

#[cfg(test)]
mod tests;

/// The increment of `SplitMix64`: 2^64 divided by the golden ratio, made odd.
const GAMMA: u64 = 0x9e37_79b9_7f4a_7c15;

/// Derives a number from the seed and two coordinates, for example (call, attempt).
///
/// The seed can be computed back from the result. Values that must stay secret are
/// derived with [`digest::SipHashKey`](crate::digest::SipHashKey) instead.
pub(crate) const fn mix(seed: u64, a: u64, b: u64) -> u64 {
    let first = scramble(seed.wrapping_add(GAMMA) ^ a);
    let second = scramble(first.wrapping_add(GAMMA) ^ b);
    scramble(second.wrapping_add(GAMMA))
}

/// The output step of `SplitMix64`: every input bit reaches every output bit, and
/// no two inputs meet.
pub(crate) const fn scramble(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}
