//! Defuses every part of a text that a model could read as an envelope's tag, and changes nothing
//! else.
//!
//! It serves text that stands outside of envelopes, such as a model's summary or the description of
//! a late tool. Text inside an envelope is not changed: there the seal protects
//! (`envelope/seal.rs`). A model reads generously: it accepts `</ Tool_Output>`, full-width
//! letters, or a name with invisible characters inside. So does the matcher here. Only the angle
//! bracket of a match is replaced, so ordinary markup and code pass through unharmed, and the
//! replacement can be undone exactly. It takes linear time, because an attacker can choose the
//! text.

use alloc::string::String;
use core::fmt::Write as _;

use holm_grants::is_hidden;

/// The letters of the tag's name; what separates them is not looked at.
const NAME: &[u8] = b"tooloutput";

/// Appends `body` with every look-alike of the tag defused: its bracket becomes a character
/// reference, and a reference that already stands there gets one more `amp;`.
///
/// Linear: no stretch of text is looked at from two starting points.
pub(super) fn defuse(body: &str, out: &mut String) {
    each(body, |found| match found {
        BodySegment::Plain(text) => out.push_str(text),
        BodySegment::Bracket('<') => out.push_str("&lt;"),
        // Writing into a `String` cannot fail.
        BodySegment::Bracket(other) => drop(write!(out, "&#x{:x};", u32::from(other))),
        BodySegment::Reference(reference) => {
            out.push_str("&amp;");
            out.push_str(reference.get(1..).unwrap_or_default());
        }
    });
}

/// A piece of a body.
enum BodySegment<'a> {
    Plain(&'a str),
    /// A bracket before something that reads like the tag's name.
    Bracket(char),
    /// A character reference in that place, such as `&lt;` or `&amp;lt;`.
    Reference(&'a str),
}

/// Hands the pieces of a body over in order.
fn each<'a>(body: &'a str, mut take: impl FnMut(BodySegment<'a>)) {
    let (mut done, mut at) = (0, 0);
    let slice = |from: usize, to: usize| body.get(from..to).unwrap_or_default();
    while let Some(found) =
        slice(at, body.len()).bytes().position(|byte| matches!(byte, b'<' | b'&' | 0xc2..))
    {
        let start = at + found;
        let rest = slice(start, body.len());
        let c = rest.chars().next().unwrap_or_default();
        at = start + c.len_utf8();
        let piece = if c == '&' {
            let length = reference_length(rest);
            (length > 0).then(|| (BodySegment::Reference(slice(start, start + length)), start + length))
        } else {
            is_bracket(c).then_some((BodySegment::Bracket(c), at))
        };
        let Some((piece, end)) = piece else { continue };
        if names_the_tag(slice(end, body.len())) {
            take(BodySegment::Plain(slice(done, start)));
            take(piece);
            (done, at) = (end, end);
        }
    }
    take(BodySegment::Plain(slice(done, body.len())));
}

/// The length of a reference such as `&lt;` or `&#x…;`, also with `amp;` before it, at the start of
/// a text; 0 if the text does not start with one.
fn reference_length(text: &str) -> usize {
    let Some(mut rest) = text.strip_prefix('&') else { return 0 };
    while let Some(after) = rest.strip_prefix("amp;") {
        rest = after;
    }
    let after = rest.strip_prefix("lt;").or_else(|| {
        let digits = rest.strip_prefix("#x")?;
        let end = digits.bytes().take(6).position(|byte| !byte.is_ascii_hexdigit())?;
        if end == 0 { None } else { digits.get(end..)?.strip_prefix(';') }
    });
    after.map_or(0, |after| text.len() - after.len())
}

/// Whether a text starts with what a generous reader takes for the rest
/// of `<tool_output` or `</tool_output`.
fn names_the_tag(text: &str) -> bool {
    let mut wanted = NAME.iter().peekable();
    for c in text.chars() {
        let first = wanted.len() == NAME.len();
        if is_nothing(c) || is_joint(c) || first && is_slash(c) {
            continue;
        }
        if fold(c) != wanted.next().copied() {
            return false;
        }
        if wanted.peek().is_none() {
            return true;
        }
    }
    false
}

/// White space, control and invisible characters, and accents: a reader does not see
/// them between the letters.
fn is_nothing(c: char) -> bool {
    c.is_whitespace() || c.is_control() || is_hidden(c) || matches!(c, '\u{300}'..='\u{36f}')
}

/// `<` and what looks like it.
const fn is_bracket(c: char) -> bool {
    matches!(
        c,
        '<' | '\u{ab}'
            | '\u{2c2}'
            | '\u{1438}'
            | '\u{2039}'
            | '\u{226a}'
            | '\u{227a}'
            | '\u{2329}'
            | '\u{276c}'
            | '\u{276e}'
            | '\u{27e8}'
            | '\u{27ea}'
            | '\u{29fc}'
            | '\u{3008}'
            | '\u{300a}'
            | '\u{fe3d}'
            | '\u{fe3f}'
            | '\u{fe64}'
            | '\u{ff1c}'
    )
}

/// `/` and what looks like it; the backslash because JSON writes `<\/`.
const fn is_slash(c: char) -> bool {
    matches!(
        c,
        '/' | '\\'
            | '\u{2044}'
            | '\u{2215}'
            | '\u{2571}'
            | '\u{27cb}'
            | '\u{29f8}'
            | '\u{ff0f}'
            | '\u{ff3c}'
            | '\u{fe68}'
    )
}

/// What may join the halves of the name; a reader overlooks it elsewhere too.
const fn is_joint(c: char) -> bool {
    matches!(
        c,
        '_' | '-' | '.' | '\u{b7}' | '\u{2010}'..='\u{2015}' | '\u{2017}' | '\u{203f}' | '\u{2040}' | '\u{2212}'
            | '\u{fe33}' | '\u{fe34}' | '\u{fe4d}'..='\u{fe4f}' | '\u{fe58}' | '\u{fe63}' | '\u{ff0d}' | '\u{ff3f}'
    )
}

/// The ASCII letter that a character passes for, as far as the name's letters go.
fn fold(c: char) -> Option<u8> {
    let letter = |index: u32| u8::try_from(index % 26).ok().map(|index| b'a' + index);
    let code = u32::from(c);
    match c {
        'a'..='z' => u8::try_from(code).ok(),
        'A'..='Z' => letter(code - 0x41),
        '\u{ff21}'..='\u{ff3a}' => letter(code - 0xff21),
        '\u{ff41}'..='\u{ff5a}' => letter(code - 0xff41),
        '\u{24b6}'..='\u{24e9}' => letter(code - 0x24b6),
        '\u{1d400}'..='\u{1d6a3}' => letter(code - 0x1d400),
        'т' | 'Т' | 'τ' | 'Τ' => Some(b't'),
        '0' | 'о' | 'О' | 'ο' | 'Ο' | 'օ' => Some(b'o'),
        '1' | 'ⅼ' | 'Ⅼ' | 'ӏ' | 'ا' => Some(b'l'),
        'υ' | 'ս' | 'ʋ' => Some(b'u'),
        'р' | 'Р' | 'ρ' | 'Ρ' => Some(b'p'),
        _ => None,
    }
}
