//! Normalises source and value to one spelling for comparison.
//!
//! A model copies words, not bytes: it straightens quotes, drops soft hyphens and changes case at
//! the start of a sentence. Exactly this is folded here, and nothing that changes a meaning:
//!
//! - case, by the lower-case mapping of each character (and `ς` to `σ`);
//! - runs of white space and control characters become one space, none at the ends;
//! - typographic quotes, dashes and the ellipsis become their ASCII forms;
//! - full-width ASCII and Latin ligatures become plain letters;
//! - letters with marks are taken apart, so both ways of writing them agree;
//! - characters without width (soft hyphen, joiners, direction marks, variation selectors) are
//!   removed.
//!
//! Accents are *kept*: `Muñoz` and `Munoz` are two names.
//!
//! Numbers and dates that are spelled differently are not folded here (`skill/source/number.rs`,
//! `skill/source/date.rs`). Folding twice must change nothing.

use alloc::string::String;

use super::decompose::decompose;

/// Folds a text into the spelling that is compared. Folding twice changes nothing.
pub(super) fn normalise(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut gap = false;
    for c in text.chars() {
        if is_invisible(c) {
            continue;
        }
        if c.is_whitespace() || c.is_control() {
            gap = !out.is_empty();
            continue;
        }
        if gap {
            out.push(' ');
            gap = false;
        }
        match plain(c) {
            FoldedChar::Text(text) => out.push_str(text),
            FoldedChar::Letter(letter) => letter.to_lowercase().for_each(|c| fold(c, &mut out)),
        }
    }
    out
}

/// Folds one lower-case letter.
fn fold(c: char, out: &mut String) {
    let c = if c == 'ς' { 'σ' } else { c };
    decompose(c, &mut |c| out.push(c));
}

enum FoldedChar {
    Text(&'static str),
    Letter(char),
}

/// The ASCII form of a typographic character.
fn plain(c: char) -> FoldedChar {
    FoldedChar::Text(match c {
        '‘' | '’' | '‚' | '‛' | 'ʼ' | '′' | '`' | '´' => "'",
        '“' | '”' | '„' | '‟' | '«' | '»' | '″' => "\"",
        '‐' | '‑' | '‒' | '–' | '—' | '―' | '−' => "-",
        '…' => "...",
        'ﬀ' => "ff",
        'ﬁ' => "fi",
        'ﬂ' => "fl",
        'ﬃ' => "ffi",
        'ﬄ' => "ffl",
        'ﬅ' | 'ﬆ' => "st",
        '\u{FF01}'..='\u{FF5E}' => {
            return FoldedChar::Letter(char::from_u32(u32::from(c) - 0xFEE0).unwrap_or(c));
        }
        _ => return FoldedChar::Letter(c),
    })
}

/// Characters that have no width.
fn is_invisible(c: char) -> bool {
    matches!(c,
        '\u{AD}' | '\u{180E}' | '\u{FEFF}'
        | '\u{200B}'..='\u{200F}' | '\u{202A}'..='\u{202E}'
        | '\u{2060}'..='\u{2064}' | '\u{2066}'..='\u{2069}' | '\u{FE00}'..='\u{FE0F}')
}
