//! Makes text that a program wrote about itself harmless: shortened, without control characters,
//! with one kind of line end. Text that is shown to a person and must not lose a character is made
//! visible by the kernel instead; decoding of bytes is in `help/decode.rs` and `files/text.rs`.

/// Whether a character may occur in a description that a model and a person read.
///
/// Characters that hide or reorder others are removed, like control characters: a person must see
/// the text as it is.
///
/// ```
/// use holm_tools::text::is_shown;
/// assert!(is_shown('é') && !is_shown('\u{202e}') && !is_shown('\n'));
/// ```
#[must_use]
pub fn is_shown(c: char) -> bool {
    !c.is_control()
        && !matches!(c,
            '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

/// The text without control characters (line ends and tabs become spaces or stay line ends),
/// at most `longest` characters.
///
/// White space at the ends and repeated blank lines go; a cut is marked by `…`.
pub(crate) fn tidy(text: &str, longest: usize) -> String {
    let mut out = String::with_capacity(text.len().min(longest));
    let mut count = 0_usize;
    let mut newlines = 2_usize;
    for c in text.trim_end().chars() {
        let c = if c == '\t' { ' ' } else { c };
        if c == '\n' {
            newlines += 1;
            if newlines > 2 {
                continue;
            }
        } else if !is_shown(c) {
            continue;
        } else if !c.is_whitespace() {
            newlines = 0;
        } else if newlines > 0 {
            continue;
        }
        if count >= longest {
            out.push('…');
            break;
        }
        out.push(c);
        count += 1;
    }
    out.truncate(out.trim_end().len());
    out
}

#[cfg(test)]
mod tests {
    use super::tidy;

    #[test]
    fn what_hides_or_reorders_goes_and_what_is_too_long_is_cut() {
        let check = |text: &str, longest, expect: &str| assert_eq!(tidy(text, longest), expect, "{text:?}");
        check("plain", 9, "plain");
        check("a\u{1b}[31mb\u{202e}c\u{0}", 20, "a[31mbc");
        check("  one\n\n\n\n  two \n", 20, "one\n\ntwo");
        check("tab\there", 20, "tab here");
        check("longer than that", 6, "longer…");
    }
}
