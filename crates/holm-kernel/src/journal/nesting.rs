//! Measures how deep brackets nest, without recursion.
//!
//! A line of a million brackets must be refused before any recursive parser sees it, here or in
//! another program that reads the journal.

/// Brackets that may stand inside one another in a payload: open JSON may nest 128 deep, and
/// an input wraps it.
pub const MAX_NESTING: u64 = 192;

/// Whether brackets outside strings nest deeper than `limit`. The text need not be valid JSON.
pub(super) fn is_deeper(text: &str, limit: u64) -> bool {
    let opening = text.bytes().filter(|byte| matches!(byte, b'{' | b'[')).count();
    // Most payloads hold fewer brackets than may nest, and counting is far
    // cheaper than following strings.
    opening as u64 > limit && deepest(text) > limit
}

fn deepest(text: &str) -> u64 {
    let (mut depth, mut deepest) = (0_u64, 0_u64);
    let mut bytes = text.bytes();
    while let Some(byte) = bytes.next() {
        match byte {
            b'"' => skip_string(&mut bytes),
            b'{' | b'[' => {
                depth = depth.saturating_add(1);
                deepest = deepest.max(depth);
            }
            b'}' | b']' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    deepest
}

fn skip_string(bytes: &mut impl Iterator<Item = u8>) {
    while let Some(byte) = bytes.next() {
        match byte {
            b'"' => return,
            b'\\' => {
                bytes.next();
            }
            _ => {}
        }
    }
}
