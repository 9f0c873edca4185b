//! The seals of a run's envelopes: one number a call, which nobody can foretell who does not know the run's seed.
//!
//! A tool may see the seals of earlier results, so a seal must not tell the next one. The seed is turned into a key once,
//! by SHA-256; each seal is SipHash-2-4 of the call under that key: a keyed function made for short inputs, written out
//! here because it must never change.

use crate::digest::sha256;

/// The key of a run's seals.
#[derive(Clone, Copy)]
pub(crate) struct Seals {
    key: [u64; 2],
}

impl Seals {
    /// The seals of the run with this seed.
    pub(crate) fn new(seed: u64) -> Self {
        let hash = sha256(&[b"holm envelope seal", &seed.to_le_bytes()]);
        let word = |from: usize| {
            let bytes = hash.get(from..from + 8).and_then(|bytes| bytes.try_into().ok());
            u64::from_le_bytes(bytes.unwrap_or_default())
        };
        Self { key: [word(0), word(8)] }
    }

    /// The seal of one call.
    pub(crate) fn of(self, call: u64) -> u64 {
        siphash(self.key, call)
    }
}

impl core::fmt::Debug for Seals {
    fn fmt(&self, out: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        out.write_str("Seals(secret)")
    }
}

/// SipHash-2-4 of eight bytes.
fn siphash([k0, k1]: [u64; 2], message: u64) -> u64 {
    /// The length of the message in the top byte of the last block.
    const LENGTH: u64 = 8 << 56;
    let mut v = [
        k0 ^ 0x736f_6d65_7073_6575,
        k1 ^ 0x646f_7261_6e64_6f6d,
        k0 ^ 0x6c79_6765_6e65_7261,
        k1 ^ 0x7465_6462_7974_6573,
    ];
    for block in [message, LENGTH] {
        v[3] ^= block;
        v = round(round(v));
        v[0] ^= block;
    }
    v[2] ^= 0xff;
    v = round(round(round(round(v))));
    v[0] ^ v[1] ^ v[2] ^ v[3]
}

const fn round([mut a, mut b, mut c, mut d]: [u64; 4]) -> [u64; 4] {
    a = a.wrapping_add(b);
    b = b.rotate_left(13) ^ a;
    a = a.rotate_left(32);
    c = c.wrapping_add(d);
    d = d.rotate_left(16) ^ c;
    a = a.wrapping_add(d);
    d = d.rotate_left(21) ^ a;
    c = c.wrapping_add(b);
    b = b.rotate_left(17) ^ c;
    c = c.rotate_left(32);
    [a, b, c, d]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hash_is_siphash_as_published() {
        // Key 00 01 … 0f and message 00 01 … 07: the ninth of the reference vectors.
        let key = [0x0706_0504_0302_0100, 0x0f0e_0d0c_0b0a_0908];
        assert_eq!(siphash(key, 0x0706_0504_0302_0100), 0x93f5_f579_9a93_2462);
    }

    #[test]
    fn seals_differ_by_seed_and_by_call_and_never_change() {
        assert_eq!(Seals::new(1).of(2), Seals::new(1).of(2));
        assert_ne!(Seals::new(1).of(2), Seals::new(2).of(1));
        assert_ne!(Seals::new(1).of(2), Seals::new(1).of(3));
    }
}
