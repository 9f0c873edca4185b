//! Compressed bytes inside the binary.

use zstd_safe::DCtx;

/// Compressed bytes, with their original size.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct CompressedBytes {
    /// How many they are when taken out.
    pub(super) size: usize,
    pub(super) bytes: &'static [u8],
}

impl CompressedBytes {
    /// The bytes, or `None` if they are damaged. `known` must be the bytes that were known
    /// when they were packed.
    pub(super) fn unpack(&self, known: &[u8]) -> Option<Vec<u8>> {
        let mut context = DCtx::try_create()?;
        if !known.is_empty() {
            context.ref_prefix(known).ok()?;
        }
        // Output beyond this capacity is refused.
        let mut bytes: Vec<u8> = Vec::with_capacity(self.size);
        context.decompress(&mut bytes, self.bytes).ok()?;
        (bytes.len() == self.size).then_some(bytes)
    }
}
