//! Bytes inside the binary, packed.

use std::io::{Read, Write};

use flate2::Compression;
use flate2::read::DeflateDecoder;
use flate2::write::DeflateEncoder;

/// Bytes that take less room than they have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Packed {
    /// How many they are when taken out.
    pub(super) size: usize,
    pub(super) bytes: &'static [u8],
}

impl Packed {
    /// The bytes, or nothing if they are not what was packed.
    pub(super) fn unpack(&self) -> Option<Vec<u8>> {
        let mut bytes = Vec::with_capacity(self.size);
        // One byte more than there should be shows that there is too much.
        let most = u64::try_from(self.size).unwrap_or(u64::MAX).saturating_add(1);
        let read = DeflateDecoder::new(self.bytes).take(most).read_to_end(&mut bytes);
        (read.is_ok() && bytes.len() == self.size).then_some(bytes)
    }
}

pub(super) fn pack(bytes: &[u8]) -> std::io::Result<Vec<u8>> {
    let mut packer = DeflateEncoder::new(Vec::new(), Compression::default());
    packer.write_all(bytes)?;
    packer.finish()
}
