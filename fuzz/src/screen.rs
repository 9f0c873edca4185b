//! What a terminal is given to show.

use holm_kernel::visible;

/// A text that somebody else wrote: nothing in what is shown moves a cursor, turns text round or hides, each character is itself
/// or written out, and showing it again changes nothing.
pub fn terminal(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let shown = visible(&text);
    assert!(!shown.chars().any(is_obeyed), "{text:?} is shown as {shown:?}");
    assert_eq!(visible(&shown), shown, "{text:?}");
    let one_by_one: String = text.chars().map(alone).collect();
    assert_eq!(shown, one_by_one, "{text:?}");
}

/// What a terminal or the eye does not take for a letter, told a second time.
fn is_obeyed(c: char) -> bool {
    let controls = c.is_control() && c != '\n' && c != '\t';
    let turns =
        matches!(c, '\u{200e}' | '\u{200f}' | '\u{061c}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    let hides = matches!(c, '\u{00ad}' | '\u{200b}'..='\u{200d}' | '\u{2060}' | '\u{feff}' | '\u{e0000}'..='\u{e007f}');
    controls || turns || hides || (c.is_whitespace() && !matches!(c, '\n' | '\t' | ' '))
}

/// One character as it is shown by itself.
fn alone(c: char) -> String {
    let shown = visible(c.encode_utf8(&mut [0; 4]));
    assert!(shown.chars().eq([c]) || shown == c.escape_unicode().to_string(), "{c:?} is shown as {shown:?}");
    shown
}
