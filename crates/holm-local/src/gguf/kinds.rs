//! The sizes of tensors in each number format. It is a table for the check of a header in
//! `gguf.rs`; tensors are loaded by the worker (`worker/mod.rs`).

use super::GgufError;

/// The format, the numbers per block, and the bytes per block.
const KINDS: [(u32, u64, u64); 33] = [
    (0, 1, 4),
    (1, 1, 2),
    (2, 32, 18),
    (3, 32, 20),
    (6, 32, 22),
    (7, 32, 24),
    (8, 32, 34),
    (9, 32, 36),
    (10, 256, 84),
    (11, 256, 110),
    (12, 256, 144),
    (13, 256, 176),
    (14, 256, 210),
    (15, 256, 292),
    (16, 256, 66),
    (17, 256, 74),
    (18, 256, 98),
    (19, 256, 50),
    (20, 32, 18),
    (21, 256, 110),
    (22, 256, 82),
    (23, 256, 136),
    (24, 1, 1),
    (25, 1, 2),
    (26, 1, 4),
    (27, 1, 8),
    (28, 1, 8),
    (29, 256, 56),
    (30, 1, 2),
    (34, 256, 54),
    (35, 256, 66),
    (39, 32, 17),
    (40, 64, 36),
];

/// The number of bytes that this many numbers take in a format.
pub(super) fn bytes_of(kind: u32, numbers: u64) -> Result<u64, GgufError> {
    let Some((_, block, bytes)) = KINDS.iter().find(|(known, ..)| *known == kind) else {
        return Err(GgufError::TensorType(kind));
    };
    if !numbers.is_multiple_of(*block) {
        return Err(GgufError::Damaged("a tensor is not a whole number of blocks"));
    }
    (numbers / block).checked_mul(*bytes).ok_or(GgufError::Damaged("a tensor is larger than any file"))
}
