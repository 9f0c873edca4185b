//! The clock and the randomness of a call: the two inputs that make one run differ from the next.
//! The caller chooses real or fixed ones.
//!
//! All interfaces of a guest must take them from here (`p1/process.rs`, `p2/randomness.rs`,
//! `state.rs`), or a seeded call would not repeat. Deadlines of a call use the real clock
//! (`cancel.rs`).

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use wasmtime_wasi::{HostMonotonicClock, HostWallClock};

/// Which time a guest sees.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum GuestClock {
    /// The time it is.
    #[default]
    Real,
    /// Always this time since 1970, and a monotonic clock that never advances. Sleeping
    /// still takes real time.
    Fixed(Duration),
}

/// Which random numbers a guest sees.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum GuestRandomness {
    /// Those of the operating system.
    #[default]
    Real,
    /// A sequence that follows from this number. Good for a repeatable run, useless for secrets.
    Seeded(u64),
}

impl GuestClock {
    /// The wall-clock time since 1970.
    pub(crate) fn wall(self) -> Duration {
        match self {
            Self::Real => SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default(),
            Self::Fixed(time) => time,
        }
    }
}

/// The fixed clocks in the form of WASI 0.2.
pub(crate) struct FixedClock(pub(crate) Duration);

impl HostWallClock for FixedClock {
    fn resolution(&self) -> Duration {
        Duration::from_nanos(1)
    }

    fn now(&self) -> Duration {
        self.0
    }
}

impl HostMonotonicClock for FixedClock {
    fn resolution(&self) -> u64 {
        1
    }

    fn now(&self) -> u64 {
        u64::try_from(self.0.as_nanos()).unwrap_or(u64::MAX)
    }
}

/// The random numbers of one call, the same through every interface that a guest can use.
#[derive(Debug)]
pub(crate) struct RandomSource {
    source: GuestRandomness,
    state: u64,
}

impl RandomSource {
    pub(crate) fn new(source: GuestRandomness) -> Self {
        let state = match source {
            GuestRandomness::Real => 0,
            GuestRandomness::Seeded(seed) => seed,
        };
        Self { source, state }
    }

    pub(crate) fn fill(&mut self, bytes: &mut [u8]) -> Result<(), getrandom::Error> {
        match self.source {
            GuestRandomness::Real => getrandom::fill(bytes),
            GuestRandomness::Seeded(_) => {
                for chunk in bytes.chunks_mut(8) {
                    let word = self.next().to_le_bytes();
                    for (byte, random) in chunk.iter_mut().zip(word) {
                        *byte = random;
                    }
                }
                Ok(())
            }
        }
    }

    pub(crate) fn word(&mut self) -> Result<u64, getrandom::Error> {
        let mut bytes = [0; 8];
        self.fill(&mut bytes)?;
        Ok(u64::from_le_bytes(bytes))
    }

    /// `SplitMix64`, which is written down in one line and the same everywhere.
    fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(source: GuestRandomness) -> [u8; 20] {
        let mut bytes = [0; 20];
        RandomSource::new(source).fill(&mut bytes).unwrap();
        bytes
    }

    #[test]
    fn a_seed_repeats_and_the_system_does_not() {
        assert_eq!(bytes(GuestRandomness::Seeded(7)), bytes(GuestRandomness::Seeded(7)));
        assert_ne!(bytes(GuestRandomness::Seeded(7)), bytes(GuestRandomness::Seeded(8)));
        assert_ne!(bytes(GuestRandomness::Real), bytes(GuestRandomness::Real));
    }

    #[test]
    fn the_sequence_is_the_published_one() {
        assert_eq!(RandomSource::new(GuestRandomness::Seeded(0)).word().unwrap(), 0xe220_a839_7b1d_cdaf);
    }
}
