//! What a terminal is given to show.

use holm_fuzz_chat::{columns, in_pieces, laid, safe};
use holm_kernel::visible;

/// The most cuts that an input asks for.
const MAX_CUTS: usize = 8;

/// The most bytes of Markdown that are laid out; what is written out of them can be several times as long.
const MAX_BYTES: usize = 4096;

/// A text that somebody else wrote: nothing in what is shown moves a cursor, turns text round or hides, each character is itself
/// or written out, and showing it again changes nothing. In the chat the same holds, however the text is cut on its way.
pub fn terminal(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let shown = visible(&text);
    assert!(!shown.chars().any(is_obeyed), "{text:?} is shown as {shown:?}");
    assert_eq!(visible(&shown), shown, "{text:?}");
    let one_by_one: String = text.chars().map(alone).collect();
    assert_eq!(shown, one_by_one, "{text:?}");
    chat(&text, 2 + usize::from(data.first().copied().unwrap_or_default()) % 16);
}

/// The first byte chooses the width of the page, the second how many cuts there are; two bytes say where each one is; the rest is
/// Markdown. What arrives in pieces looks as if it had come at once, no line leaves the page, and nothing in it is obeyed.
pub fn markdown(data: &[u8]) {
    let [width, cuts, rest @ ..] = data else { return };
    let width = 20 + usize::from(*width) % 100;
    let cuts = (usize::from(*cuts) % (MAX_CUTS + 1)).min(rest.len() / 2);
    let (places, text) = rest.split_at(cuts * 2);
    let text = String::from_utf8_lossy(&text[..text.len().min(MAX_BYTES)]);
    let mut places: Vec<usize> = places
        .chunks_exact(2)
        .map(|place| usize::from(u16::from_le_bytes([place[0], place[1]])) % (text.len() + 1))
        .map(|place| text.floor_char_boundary(place))
        .collect();
    places.sort_unstable();
    let page = laid(&pieces(&text, &places), width);
    assert_eq!(page.grown, page.whole, "{text:?} at {width}, cut at {places:?}");
    for line in page.grown.iter().chain(&page.whole) {
        let shown: String = line.spans.iter().map(|span| &*span.content).collect();
        assert!(
            !shown.chars().any(|c| is_obeyed(c) || matches!(c, '\n' | '\t')),
            "{text:?} is shown as {shown:?}"
        );
        let columns = columns(&shown);
        assert!(columns <= width, "{shown:?} of {text:?} takes {columns} columns of {width}");
    }
}

/// What the chat makes of a text before it draws it, whole and in pieces of one character and of more.
fn chat(text: &str, size: usize) {
    let whole = safe(text);
    assert!(!whole.chars().any(|c| is_obeyed(c) || c == '\t'), "{text:?} is drawn as {whole:?}");
    assert_eq!(safe(&whole), whole, "{text:?}");
    // Half of a line's end may still get its other half, until the text is over.
    let late = if text.ends_with('\r') { visible("\r") } else { String::new() };
    for size in [1, size] {
        let places: Vec<usize> = text.char_indices().map(|(at, _)| at).skip(size).step_by(size).collect();
        let joined = in_pieces(&pieces(text, &places)) + &late;
        assert_eq!(joined, whole, "{text:?} in pieces of {size}");
    }
}

/// The text cut at places in order; equal places give empty pieces, which must not matter.
fn pieces<'t>(text: &'t str, places: &[usize]) -> Vec<&'t str> {
    let mut rest = text;
    let mut done = 0;
    let mut pieces = Vec::with_capacity(places.len() + 1);
    for place in places {
        let (piece, after) = rest.split_at(place - done);
        pieces.push(piece);
        (rest, done) = (after, *place);
    }
    pieces.push(rest);
    pieces
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
