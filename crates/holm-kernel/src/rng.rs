//! The run's only randomness: a pinned generator, seeded by record 0.
//!
//! Jitter has to be the same on every host and in every replay, so the algorithm (`SplitMix64`) is written out here
//! and never changes; a better one would be a new set of decision rules.

#[cfg(test)]
mod tests;

use serde::{Deserialize, Serialize};

/// The increment of the counter: 2^64 divided by the golden ratio, made odd.
const GAMMA: u64 = 0x9e37_79b9_7f4a_7c15;

/// A stream of numbers that depends on its seed alone. Not for secrets: one output reveals the state.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct Rng {
    state: u64,
}

impl Rng {
    /// Starts the stream of this seed.
    pub(crate) const fn new(seed: u64) -> Self {
        Self { state: seed }
    }

    /// The next number.
    pub(crate) const fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(GAMMA);
        scramble(self.state)
    }

    /// A number below `bound`; 0 if the bound is 0. Takes exactly one number from the stream.
    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        scale(self.next(), bound)
    }
}

/// Derives a number from the seed and two coordinates, without a stream to keep: jitter by (seed, call).
///
/// The seed can be computed back from the result, so what must stay secret is derived by
/// [`envelope::seal_of`](crate::envelope::seal_of) instead.
pub(crate) const fn mix(seed: u64, a: u64, b: u64) -> u64 {
    let first = scramble(seed.wrapping_add(GAMMA) ^ a);
    let second = scramble(first.wrapping_add(GAMMA) ^ b);
    scramble(second.wrapping_add(GAMMA))
}

/// Maps a full-range number to one below `bound` by the high half of the product: no division, no rejection.
pub(crate) fn scale(number: u64, bound: u64) -> u64 {
    let product = u128::from(number) * u128::from(bound);
    u64::try_from(product >> 64).unwrap_or(0)
}

/// The output function of `SplitMix64`; every input bit reaches every output bit.
pub(crate) const fn scramble(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}
