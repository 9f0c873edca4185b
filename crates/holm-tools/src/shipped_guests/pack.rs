//! Compresses guests. The build and the tests use this; a program only decompresses.

use zstd_safe::{CCtx, CParameter, ErrorCode, compress_bound, get_error_name};

/// Compresses bytes. The reader needs the same `known` bytes to decompress them. The more
/// similar these are, the smaller the result. A higher level is smaller and slower, but makes
/// no difference for decompression.
pub(super) fn pack(bytes: &[u8], known: &[u8], level: i32) -> Result<Vec<u8>, &'static str> {
    let mut context = CCtx::try_create().ok_or("no memory")?;
    let parameters = [
        CParameter::CompressionLevel(level),
        CParameter::WindowLog(window(bytes.len().saturating_add(known.len()))),
        CParameter::EnableLongDistanceMatching(true),
        CParameter::ChecksumFlag(true),
    ];
    for parameter in parameters {
        context.set_parameter(parameter).map_err(said)?;
    }
    if !known.is_empty() {
        context.ref_prefix(known).map_err(said)?;
    }
    let mut packed = Vec::with_capacity(compress_bound(bytes.len()));
    context.compress2(&mut packed, bytes).map_err(said)?;
    Ok(packed)
}

fn said(code: ErrorCode) -> &'static str {
    get_error_name(code)
}

/// How many bits it takes to point back over so many bytes, within what every decoder accepts.
fn window(bytes: usize) -> u32 {
    usize::BITS.saturating_sub(bytes.leading_zeros()).clamp(10, 27)
}
