//! Guesses whether a word was written by a person or drawn at random.
//!
//! The text after `token =` can be a key, a variable's name, a type or a path. Only a key may be
//! replaced: replacing ordinary code would make the model edit text that does not exist.
//!
//! Where such a word may occur is decided in `secrets/shapes.rs`. Both mistakes cost: a missed key
//! is stored for good, a wrong match damages the text that a model works on.

/// The shortest word that counts as a key without a known prefix.
const SHORTEST_KEY: usize = 16;

/// A run of letters and digits, without `-`, `_`, `.` or `/`, of this length is not a
/// word of a name.
const LONG_RUN: usize = 10;

/// Words with fewer different characters are filler, such as `xxxxxxxxxxxxxxx1`.
const FEW_CHARACTERS: u32 = 6;

/// The shortest word that counts as a password.
const SHORTEST_PASSWORD: usize = 8;

/// From this length on, base64 that `/` and `+` split into short runs also counts as a key.
const LONG_KEY: usize = 32;

/// Whether this looks like a random key: long, with many different characters, and with letters and
/// digits mixed in one long run or throughout.
pub(super) fn is_key(word: &[u8]) -> bool {
    word.len() >= SHORTEST_KEY
        && distinct(word) >= FEW_CHARACTERS
        && (has_dense_run(word) || is_mixed_throughout(word))
}

/// Whether small letters, capitals and digits alternate as they do in no path or name.
fn is_mixed_throughout(word: &[u8]) -> bool {
    let rises = word
        .windows(2)
        .filter(|pair| matches!(pair, [a, b] if a.is_ascii_lowercase() && b.is_ascii_uppercase()));
    word.len() >= LONG_KEY
        && !word.starts_with(b"/")
        && word.iter().any(u8::is_ascii_digit)
        && rises.count() >= 3
}

/// Whether a run of letters and digits is too long and too mixed for a word.
pub(super) fn has_dense_run(word: &[u8]) -> bool {
    let mut runs = word.split(|byte| !byte.is_ascii_alphanumeric());
    runs.any(|run| {
        run.len() >= LONG_RUN && run.iter().any(u8::is_ascii_digit) && run.iter().any(u8::is_ascii_alphabetic)
    })
}

/// Whether this looks like a password chosen by a person: three of capitals, small
/// letters, digits and signs.
pub(super) fn is_password(word: &[u8]) -> bool {
    let kinds = [
        word.iter().any(u8::is_ascii_uppercase),
        word.iter().any(u8::is_ascii_lowercase),
        word.iter().any(u8::is_ascii_digit),
        word.iter().any(u8::is_ascii_punctuation),
    ];
    word.len() >= SHORTEST_PASSWORD && kinds.into_iter().filter(|kind| *kind).count() >= 3
}

fn distinct(word: &[u8]) -> u32 {
    let (mut low, mut high) = (0_u64, 0_u64);
    for byte in word {
        match byte {
            0..64 => low |= 1 << byte,
            64..128 => high |= 1 << (byte - 64),
            128.. => {}
        }
    }
    low.count_ones() + high.count_ones()
}
