//! A keyed hash for short inputs: SipHash-2-4 with 128 bits of output, written out because
//! it must never change.
//!
//! Seals and idempotency keys come from it. An attacker who has seen some of them must not be able
//! to predict the next. They are made on every call, where SHA-256 alone would be the largest part
//! of the kernel's work. The key is derived with SHA-256, once per run.
//!
//! Idempotency keys of calls that a crash interrupted must stay the same, so neither the function
//! nor the framing of its parts may change. Digests for comparing are in `digest.rs`.

use super::sha256;

/// A secret key for hashing.
#[derive(Clone, Copy)]
pub(crate) struct SipHashKey {
    key: [u64; 2],
}

impl SipHashKey {
    /// Derives a key; the domain keeps the uses of one secret apart.
    pub(crate) fn derived(domain: &[u8], secret: &[u8]) -> Self {
        let hash = sha256(&[domain, secret]);
        let (first, rest) = hash.split_at(8);
        Self { key: [lane(first), lane(rest)] }
    }

    /// Hashes the parts, each with its length before it and filled up with zeros to whole
    /// lanes of eight bytes.
    pub(crate) fn hash(self, parts: &[&[u8]]) -> [u64; 2] {
        let mut state = SipState::new(self.key);
        let mut lanes = 0_u64;
        for part in parts {
            state.absorb(part.len() as u64);
            part.chunks(8).for_each(|chunk| state.absorb(lane(chunk)));
            lanes += 1 + part.len().div_ceil(8) as u64;
        }
        state.finish(lanes.wrapping_mul(8))
    }
}

impl core::fmt::Debug for SipHashKey {
    fn fmt(&self, out: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        out.write_str("Sip(secret)")
    }
}

/// The first eight bytes as a number, little-endian; missing ones are zero.
fn lane(bytes: &[u8]) -> u64 {
    if let Some(whole) = bytes.first_chunk() {
        return u64::from_le_bytes(*whole);
    }
    bytes.iter().rev().fold(0, |sum, byte| (sum << 8) | u64::from(*byte))
}

struct SipState([u64; 4]);

impl SipState {
    const fn new([k0, k1]: [u64; 2]) -> Self {
        Self([
            k0 ^ 0x736f_6d65_7073_6575,
            // The variant with 128 bits of output differs here.
            k1 ^ 0x646f_7261_6e64_6f6d ^ 0xee,
            k0 ^ 0x6c79_6765_6e65_7261,
            k1 ^ 0x7465_6462_7974_6573,
        ])
    }

    const fn absorb(&mut self, lane: u64) {
        self.0[3] ^= lane;
        self.0 = round(round(self.0));
        self.0[0] ^= lane;
    }

    const fn finish(mut self, bytes: u64) -> [u64; 2] {
        self.absorb(bytes << 56);
        self.0[2] ^= 0xee;
        let first = self.squeeze();
        self.0[1] ^= 0xdd;
        [first, self.squeeze()]
    }

    const fn squeeze(&mut self) -> u64 {
        self.0 = round(round(round(round(self.0))));
        let [a, b, c, d] = self.0;
        a ^ b ^ c ^ d
    }
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

    /// The reference's key: the bytes 0 to 15.
    const KEY: [u64; 2] = [0x0706_0504_0302_0100, 0x0f0e_0d0c_0b0a_0908];

    #[test]
    fn it_is_siphash_as_published() {
        // The reference's vectors of 128 bits for no input and for the bytes 0 to 7.
        assert_eq!(SipState::new(KEY).finish(0), [0xe6a8_25ba_047f_81a3, 0x9302_55c7_1472_f66d]);
        let mut state = SipState::new(KEY);
        state.absorb(0x0706_0504_0302_0100);
        assert_eq!(state.finish(8), [0x61f5_5862_baa9_623b, 0xb497_14f3_64e2_830f]);
    }

    #[test]
    fn parts_are_kept_apart() {
        let sip = SipHashKey { key: KEY };
        let all = [
            sip.hash(&[]),
            sip.hash(&[b""]),
            sip.hash(&[b"ab", b"c"]),
            sip.hash(&[b"a", b"bc"]),
            sip.hash(&[b"abc"]),
            sip.hash(&[b"abc\0"]),
        ];
        for (index, one) in all.iter().enumerate() {
            assert!(all.iter().skip(index + 1).all(|other| other != one));
        }
    }

    #[test]
    fn keys_depend_on_domain_and_secret() {
        let hash = |domain: &[u8], secret: &[u8]| SipHashKey::derived(domain, secret).hash(&[b"x"]);
        assert_eq!(hash(b"a", b"1"), hash(b"a", b"1"));
        assert_ne!(hash(b"a", b"1"), hash(b"b", b"1"));
        assert_ne!(hash(b"a", b"1"), hash(b"a", b"2"));
    }
}
