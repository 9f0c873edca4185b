//! Transforms calls in x86-64 machine code, so that the code compresses better.
//!
//! A call stores the distance to its function, so two calls of one function differ. Converted to
//! the function's address, they are the same four bytes, which a compressor finds. It does not
//! matter whether a byte is a call or only looks like one, because the conversion is reversible.

const CALL: u8 = 0xe8;

/// Turns distances into places, or places into distances again.
pub(super) fn turn(code: &mut [u8], into_places: bool) {
    let Ok(size) = i32::try_from(code.len()) else { return };
    let (size, mut rest, mut at) = (i64::from(size), code, 0_i64);
    while let Some(found) = rest.iter().position(|byte| *byte == CALL) {
        let (before, after) = std::mem::take(&mut rest).split_at_mut(found.saturating_add(1));
        let Some((operand, after)) = after.split_first_chunk_mut::<4>() else { return };
        at = at.saturating_add_unsigned(before.len() as u64);
        let value = i64::from(i32::from_le_bytes(*operand));
        let turned = match into_places {
            true if value < size - at => value + at,
            true => value - size,
            false if value < 0 => value + size,
            false => value - at,
        };
        // Values that point out of the code are not calls. The others stay within these bounds
        // when they are converted.
        if (-at..size).contains(&value)
            && let Ok(turned) = i32::try_from(turned)
        {
            *operand = turned.to_le_bytes();
        }
        at = at.saturating_add(4);
        rest = after;
    }
}
