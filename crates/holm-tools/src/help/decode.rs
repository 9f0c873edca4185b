//! Decodes bytes to clean text: detects the encoding and removes escape sequences and overstrikes.
//!
//! Programs print in colours, in bold by overstriking, in UTF-16 on one system and in an old code
//! page on another. None of that says anything about options, and none of it may reach a model or a
//! person's terminal.
//!
//! It does not know what the text says: `lines.rs` and the files after it read it. Files of a
//! workspace are decoded in `files/text.rs`, web pages in `fetch/body.rs`.

use super::error::{HelpTextError, HelpTextErrorKind};
use super::limits::MAX_BYTES;
use crate::text::is_shown;

/// The characters of Windows-1252 where it differs from Latin-1; undefined
/// ones become replacement characters.
const WINDOWS: [char; 32] = [
    '€', '\u{fffd}', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\u{fffd}', 'Ž', '\u{fffd}',
    '\u{fffd}', '‘', '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\u{fffd}', 'ž', 'Ÿ',
];

/// The text in the bytes. Line ends become `\n`, tabs are kept, and all other
/// control characters are removed.
pub(super) fn decode(bytes: &[u8]) -> Result<String, HelpTextError> {
    if bytes.len() > MAX_BYTES {
        return Err(HelpTextError { why: HelpTextErrorKind::TooLong { bytes: bytes.len() } });
    }
    let raw = characters(bytes).ok_or(HelpTextError { why: HelpTextErrorKind::Binary })?;
    let (text, dropped) = clean(&raw);
    if text.trim().is_empty() {
        let why = if dropped > 8 { HelpTextErrorKind::Binary } else { HelpTextErrorKind::Empty };
        return Err(HelpTextError { why });
    }
    // Escapes are already subtracted: no real text has so many other control characters.
    if dropped > text.len() / 10 + 8 {
        return Err(HelpTextError { why: HelpTextErrorKind::Binary });
    }
    Ok(text)
}

fn characters(bytes: &[u8]) -> Option<String> {
    match bytes {
        [0xef, 0xbb, 0xbf, rest @ ..] => Some(utf8_or_latin(rest)),
        [0xff, 0xfe, rest @ ..] => Some(utf16(rest, u16::from_le_bytes)),
        [0xfe, 0xff, rest @ ..] => Some(utf16(rest, u16::from_be_bytes)),
        _ => match zeros(bytes) {
            ZeroByteLayout::None => Some(utf8_or_latin(bytes)),
            ZeroByteLayout::High => Some(utf16(bytes, u16::from_le_bytes)),
            ZeroByteLayout::Low => Some(utf16(bytes, u16::from_be_bytes)),
            ZeroByteLayout::Anywhere => None,
        },
    }
}

/// The positions of zero bytes, which tell UTF-16 without a byte order mark from binary data.
enum ZeroByteLayout {
    None,
    High,
    Low,
    Anywhere,
}

fn zeros(bytes: &[u8]) -> ZeroByteLayout {
    let count = |at: usize| bytes.iter().skip(at).step_by(2).filter(|byte| **byte == 0).count();
    let (even, odd, half) = (count(0), count(1), bytes.len() / 2);
    match (even, odd) {
        (0, 0) => ZeroByteLayout::None,
        (even, odd) if odd > half / 2 && even * 8 <= odd => ZeroByteLayout::High,
        (even, odd) if even > half / 2 && odd * 8 <= even => ZeroByteLayout::Low,
        _ => ZeroByteLayout::Anywhere,
    }
}

fn utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> String {
    let units = bytes.chunks_exact(2).map(|pair| if let [a, b] = *pair { unit([a, b]) } else { 0 });
    char::decode_utf16(units).map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER)).collect()
}

fn utf8_or_latin(bytes: &[u8]) -> String {
    if let Ok(text) = core::str::from_utf8(bytes) {
        return text.into();
    }
    let old =
        |byte: u8| WINDOWS.get(usize::from(byte.wrapping_sub(0x80))).copied().unwrap_or(char::from(byte));
    bytes.iter().map(|byte| if byte.is_ascii() { char::from(*byte) } else { old(*byte) }).collect()
}

/// The text without escapes, and how many other control characters were dropped.
fn clean(raw: &str) -> (String, usize) {
    let mut out = String::with_capacity(raw.len());
    let mut dropped = 0;
    let mut chars = raw.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\u{1b}' => skip_escape(&mut chars),
            '\u{9b}' => skip_sequence(&mut chars),
            // Overstriking: the character before is printed over.
            '\u{8}' => {
                if out.chars().next_back().is_some_and(|last| last != '\n') {
                    out.pop();
                }
            }
            '\r' if chars.peek() == Some(&'\n') => {}
            '\n' | '\r' | '\u{b}' | '\u{c}' | '\u{85}' | '\u{2028}' | '\u{2029}' => out.push('\n'),
            '\t' => out.push('\t'),
            '\u{a0}' | '\u{202f}' | '\u{2007}' => out.push(' '),
            c if is_shown(c) => out.push(c),
            _ => dropped += 1,
        }
    }
    (out, dropped)
}

type PeekableChars<'a> = std::iter::Peekable<std::str::Chars<'a>>;

fn skip_escape(chars: &mut PeekableChars<'_>) {
    match chars.next() {
        Some('[') => skip_sequence(chars),
        // A title or a link, up to its end mark; an unfinished one takes at most its line.
        Some(']' | 'P' | '_' | '^' | 'X') => {
            while let Some(c) = chars.next_if(|c| *c != '\n') {
                if c == '\u{7}' || (c == '\u{1b}' && chars.next_if_eq(&'\\').is_some()) {
                    break;
                }
            }
        }
        Some('(' | ')' | '*' | '+' | '#' | '%') => {
            chars.next_if(|c| *c != '\n');
        }
        Some(_) | None => {}
    }
}

/// Parameters, then one final character.
fn skip_sequence(chars: &mut PeekableChars<'_>) {
    while chars.next_if(|c| matches!(c, ' '..='?')).is_some() {}
    chars.next_if(|c| matches!(c, '@'..='~'));
}
