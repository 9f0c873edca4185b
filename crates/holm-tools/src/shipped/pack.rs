//! How guests are packed. The build does it, and the tests; a program only takes out.

use zstd_safe::{CCtx, CParameter, ErrorCode, compress_bound, get_error_name};

/// Packs bytes. Whoever takes them out must know the same bytes, and they take less room the more these are like them. The higher
/// the level, the smaller and slower; it makes no difference to who takes out.
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
