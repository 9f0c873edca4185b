//! Consumes request bytes, so that no loop can get away with a request that nobody reads.

/// Folds bytes into one number, eight at a time.
///
/// It is neither secure nor portable between versions; it only has to touch every byte at a cost that is small
/// beside the loop's own.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct Sponge(u64);

/// An odd number with its bits spread well; any such number serves.
const MULTIPLIER: u64 = 0x9e37_79b9_7f4a_7c15;

impl Sponge {
    /// Takes bytes in.
    pub fn absorb(&mut self, bytes: &[u8]) {
        let (words, rest) = bytes.as_chunks::<8>();
        for word in words {
            self.mix(u64::from_le_bytes(*word));
        }
        let mut tail = [0; 8];
        for (to, from) in tail.iter_mut().zip(rest) {
            *to = *from;
        }
        self.mix(u64::from_le_bytes(tail) ^ (bytes.len() as u64) << 56);
    }

    /// Takes a number in.
    pub fn count(&mut self, number: u64) {
        self.mix(number);
    }

    /// What came of it.
    pub fn value(self) -> u64 {
        self.0
    }

    fn mix(&mut self, word: u64) {
        self.0 = (self.0.rotate_left(23) ^ word).wrapping_mul(MULTIPLIER);
    }
}

#[cfg(test)]
mod tests;
