//! The shapes of keys.
//!
//! Each shape has a marker that the search looks for; only then is the text around it read. A
//! reading says how far it looked, so that no text is read twice. The list of shapes is in
//! `secrets/shapes/table.rs`, whether a word looks random in `secrets/key_heuristics.rs`. All
//! lengths are bounded, since any text may come here.

mod table;

use std::ops::Range;

use super::key_heuristics;

pub(super) use table::SHAPES;

/// The longest rest of a name after its marker: `token` in `TOKEN_FOR_THE_STAGING_CLUSTER`.
const LONGEST_NAME: usize = 40;

/// The most white space around `=` or `:`.
const WIDEST_GAP: usize = 8;

/// The longest name of a PEM block.
const LONGEST_LABEL: usize = 64;

/// The longest user name and password in a URL.
const LONGEST_USERINFO: usize = 256;

/// One kind of key and its marker.
pub(super) struct KeyShape {
    /// The text to search for, in any case.
    pub(super) marker: &'static str,
    /// The kind's name in references.
    pub(super) kind: &'static str,
    reads: ShapeReader,
}

/// How the text around a marker is read.
#[derive(Clone, Copy)]
enum ShapeReader {
    /// The marker, in exactly these letters, begins the key; at least this
    /// many more characters follow.
    Key { alphabet: KeyAlphabet, least: usize, begins: PrefixPosition },
    /// `header.payload.signature`, each in base64.
    Jwt,
    /// From `BEGIN … PRIVATE KEY` to its end.
    Pem,
    /// `Bearer …` and `Basic …`.
    Scheme,
    /// The header `Authorization` with any scheme.
    Header,
    /// `name = value`, where the value is random.
    Assigned(AssignedValue),
    /// A URL such as `scheme://user:password@host`.
    Userinfo,
}

/// The characters that a key consists of.
#[derive(Clone, Copy)]
enum KeyAlphabet {
    Letters,
    Capitals,
    Dashes,
    Dots,
}

/// Where a prefix counts.
#[derive(Clone, Copy, PartialEq, Eq)]
enum PrefixPosition {
    /// Anywhere: nothing else is written like this.
    Anywhere,
    /// Only at the start of a word, and only if the rest is mixed: `sk-` is also
    /// the end of `risk-`.
    Word,
}

/// What may follow a name.
#[derive(Clone, Copy, PartialEq, Eq)]
enum AssignedValue {
    Key,
    /// Also a password chosen by a person, if it is in quotes.
    Password,
}

/// The result of reading.
pub(super) struct ShapeReading {
    pub(super) secret: Option<Range<usize>>,
    /// Where reading is worth another try for this shape: what failed here also fails for
    /// every part of it.
    pub(super) until: usize,
}

impl KeyShape {
    /// Reads the text around a marker.
    pub(super) fn read(&self, text: &[u8], marker: Range<usize>) -> ShapeReading {
        match self.reads {
            ShapeReader::Key { alphabet, least, begins } => {
                self.read_key(text, marker, alphabet, least, begins)
            }
            ShapeReader::Jwt => read_jwt(text, marker),
            ShapeReader::Pem => read_pem(text, marker),
            ShapeReader::Scheme => read_scheme(text, marker),
            ShapeReader::Header => read_header(text, marker),
            ShapeReader::Assigned(value) => read_assigned(text, marker, value),
            ShapeReader::Userinfo => read_userinfo(text, marker),
        }
    }

    fn read_key(
        &self,
        text: &[u8],
        marker: Range<usize>,
        alphabet: KeyAlphabet,
        least: usize,
        begins: PrefixPosition,
    ) -> ShapeReading {
        let exact = text.get(marker.clone()) == Some(self.marker.as_bytes());
        let in_place = begins == PrefixPosition::Anywhere || begins_word(text, marker.start);
        if !exact || !in_place {
            return ShapeReading { secret: None, until: marker.end };
        }
        let end = run(text, marker.end, |byte| alphabet.has(byte));
        let rest = text.get(marker.end..end).unwrap_or_default();
        let mixed = begins == PrefixPosition::Anywhere || key_heuristics::has_dense_run(rest);
        let secret = (rest.len() >= least && mixed).then_some(marker.start..end);
        ShapeReading { secret, until: end }
    }
}

impl KeyAlphabet {
    fn has(self, byte: u8) -> bool {
        match self {
            Self::Letters => byte.is_ascii_alphanumeric() || byte == b'_',
            Self::Capitals => byte.is_ascii_uppercase() || byte.is_ascii_digit(),
            Self::Dashes => byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'),
            Self::Dots => byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.'),
        }
    }
}

/// Whether a word can begin here: no letter comes before, or only one that ends an escape (`\n`,
/// `\u000a`, `%20`, the `m` of a terminal colour).
fn begins_word(text: &[u8], at: usize) -> bool {
    let before = text.get(..at).unwrap_or_default();
    let [.., last] = before else { return true };
    if splits_escape(text, at) {
        return false;
    }
    if !last.is_ascii_alphanumeric() {
        return true;
    }
    let escape = match before {
        [.., b'\\', b'n' | b'r' | b't' | b'b' | b'f'] => true,
        [.., b'%', a, b] => a.is_ascii_hexdigit() && b.is_ascii_hexdigit(),
        _ => false,
    };
    escape || ends_unicode_escape(before) || ends_colour(before)
}

/// Whether the letter here is the second half of an escape such as `\n`.
fn splits_escape(text: &[u8], at: usize) -> bool {
    let backslashes =
        text.get(..at).unwrap_or_default().iter().rev().take_while(|byte| **byte == b'\\').count();
    backslashes % 2 == 1 && text.get(at).is_some_and(|byte| b"bfnrtu".contains(byte))
}

fn ends_unicode_escape(before: &[u8]) -> bool {
    let Some(tail) = before.len().checked_sub(6).and_then(|from| before.get(from..)) else { return false };
    tail.starts_with(b"\\u") && tail.iter().skip(2).all(u8::is_ascii_hexdigit)
}

fn ends_colour(before: &[u8]) -> bool {
    let Some((b'm', before)) = before.split_last() else { return false };
    let body = before.iter().rev().take_while(|byte| byte.is_ascii_digit() || **byte == b';').count();
    before.len().checked_sub(body + 1).and_then(|open| before.get(open)) == Some(&b'[')
}

fn read_jwt(text: &[u8], marker: Range<usize>) -> ShapeReading {
    let end = run(text, marker.start, |byte| KeyAlphabet::Dots.has(byte));
    let token = text.get(marker.start..end).unwrap_or_default();
    let exact = token.starts_with(b"eyJ") && begins_word(text, marker.start);
    let mut parts = token.split(|byte| *byte == b'.');
    let long = |part: Option<&[u8]>| part.is_some_and(|part| part.len() >= 10);
    let is_jwt = exact && long(parts.next()) && long(parts.next()) && parts.next().is_some();
    if !exact {
        return ShapeReading { secret: None, until: marker.end };
    }
    let end = if token.ends_with(b".") && token.iter().filter(|byte| **byte == b'.').count() > 2 {
        end.saturating_sub(1)
    } else {
        end
    };
    ShapeReading { secret: is_jwt.then_some(marker.start..end), until: end.max(marker.end) }
}

fn read_pem(text: &[u8], marker: Range<usize>) -> ShapeReading {
    let label =
        run_at_most(text, marker.end, LONGEST_LABEL, |byte| byte.is_ascii_uppercase() || byte == b' ');
    let name = text.get(marker.end..label).unwrap_or_default();
    if find(name, b"PRIVATE KEY").is_none() {
        return ShapeReading { secret: None, until: marker.end };
    }
    let end = end_of_pem(text, label);
    ShapeReading { secret: Some(marker.start..end), until: end }
}

/// The end of a block: after its last line, or, if that is missing, at the first byte
/// that no block contains.
fn end_of_pem(text: &[u8], from: usize) -> usize {
    const END: &[u8] = b"-----END ";
    let rest = text.get(from..).unwrap_or_default();
    for (at, byte) in rest.iter().enumerate() {
        let tail = rest.get(at..).unwrap_or_default();
        if *byte == b'-' && tail.starts_with(END) {
            let label = END.len()
                + tail.iter().skip(END.len()).take(LONGEST_LABEL).take_while(|b| **b != b'-').count();
            return from + at + label + tail.iter().skip(label).take(5).take_while(|b| **b == b'-').count();
        }
        // A line end may be written `\n`; any other backslash belongs to the following quote.
        let line_end = *byte == b'\\' && matches!(tail.get(1), Some(b'n' | b'r'));
        let belongs = byte.is_ascii_alphanumeric() || byte.is_ascii_whitespace() || b"+/=-:,.".contains(byte);
        if !belongs && !line_end {
            return from + at;
        }
    }
    text.len()
}

fn read_scheme(text: &[u8], marker: Range<usize>) -> ShapeReading {
    let from = skip_gap(text, marker.end);
    if from == marker.end || !begins_word(text, marker.start) {
        return ShapeReading { secret: None, until: marker.end };
    }
    let end = run(text, from, is_token);
    let value = text.get(from..end).unwrap_or_default();
    ShapeReading { secret: key_heuristics::is_key(value).then_some(from..end), until: end.max(marker.end) }
}

fn read_header(text: &[u8], marker: Range<usize>) -> ShapeReading {
    let nothing = ShapeReading { secret: None, until: marker.end };
    let Some(value) = after_sign(text, marker.end) else { return nothing };
    let first = run(text, value.start, is_token);
    let second = skip_gap(text, first);
    let (from, end) = if second > first && second - first < WIDEST_GAP {
        let end = run(text, second, is_token);
        if end > second { (second, end) } else { (value.start, first) }
    } else {
        (value.start, first)
    };
    let word = text.get(from..end).unwrap_or_default();
    // The header's name is a strong sign: any word with a digit counts, unless it is very short.
    let secret = word.len() >= 8 && word.iter().any(u8::is_ascii_digit);
    ShapeReading { secret: secret.then_some(from..end), until: marker.end }
}

/// The position after `=` or `:`, and the quote that may follow.
struct ValueStart {
    start: usize,
    quote: Option<u8>,
}

fn after_sign(text: &[u8], from: usize) -> Option<ValueStart> {
    let at = skip_quote(text, from).start;
    let at = if text.get(at) == Some(&b']') { at + 1 } else { at };
    let at = skip_gap(text, at);
    let at = match text.get(at..).unwrap_or_default() {
        [b':' | b'=', b'=' | b'>', ..] => at + 2,
        [b':' | b'=', ..] => at + 1,
        [b'%', b'3', b'a' | b'A' | b'd' | b'D', ..] => at + 3,
        _ => return None,
    };
    Some(skip_quote(text, skip_gap(text, at)))
}

/// The position after a quote, which may be escaped; a backslash before anything
/// else is not skipped.
fn skip_quote(text: &[u8], from: usize) -> ValueStart {
    let at = run_at_most(text, from, 3, |byte| byte == b'\\');
    match text.get(at) {
        Some(quote @ (b'"' | b'\'' | b'`')) => ValueStart { start: at + 1, quote: Some(*quote) },
        Some(_) | None => ValueStart { start: from, quote: None },
    }
}

fn read_assigned(text: &[u8], marker: Range<usize>, kind: AssignedValue) -> ShapeReading {
    let nothing = ShapeReading { secret: None, until: marker.end };
    if is_reference(text, marker.start) {
        return nothing;
    }
    let Some(name) = end_of_name(text, marker.end) else { return nothing };
    let Some(opened) = after_sign(text, name) else { return nothing };
    let start = opened.start;
    let end = run(text, start, |byte| is_token(byte) || matches!(byte, b':' | b'%'));
    let end = end
        - text.get(start..end).unwrap_or_default().iter().rev().take_while(|b| b".:,".contains(b)).count();
    let word = text.get(start..end).unwrap_or_default();
    if key_heuristics::is_key(word) && text.get(end) != Some(&b'(') {
        return ShapeReading { secret: Some(start..end), until: end };
    }
    let chosen =
        opened.quote.filter(|_| kind == AssignedValue::Password).and_then(|quote| quoted(text, start, quote));
    match chosen {
        Some(range) => ShapeReading { until: range.end, secret: Some(range) },
        None => ShapeReading { secret: None, until: marker.end.max(end) },
    }
}

/// The end of a variable's name, if the marker is part of a name and not
/// of another word (`tokenizer`).
fn end_of_name(text: &[u8], from: usize) -> Option<usize> {
    let rest = text.get(from..).unwrap_or_default();
    // `passw` is followed by `ord` or `d`, `credential` by an `s`; with other small letters it is a
    // different word.
    let known: [&[u8]; 5] = [b"ords", b"ord", b"d", b"s", b"key"];
    let folded: Vec<u8> = rest.iter().take(5).map(u8::to_ascii_lowercase).collect();
    let tail = known.into_iter().find(|tail| folded.starts_with(tail)).map_or(0, <[u8]>::len);
    let from = from + tail;
    if tail == 0 && rest.first().is_some_and(u8::is_ascii_lowercase) {
        return None;
    }
    Some(run_at_most(text, from, LONGEST_NAME, |byte| {
        byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.')
    }))
}

/// A password in quotes: up to the same quote, without white space and escapes.
fn quoted(text: &[u8], start: usize, quote: u8) -> Option<Range<usize>> {
    let end = run_at_most(text, start, 128, |byte| byte.is_ascii_graphic() && byte != quote && byte != b'\\');
    let closed = matches!(text.get(end), Some(byte) if *byte == quote || *byte == b'\\');
    let word = text.get(start..end)?;
    let code = word.iter().any(|byte| b"{}()<>$".contains(byte));
    (closed && !code && key_heuristics::is_password(word)).then_some(start..end)
}

/// Whether the marker is the word `secret` of an existing reference.
fn is_reference(text: &[u8], at: usize) -> bool {
    text.get(..at).unwrap_or_default().ends_with("‹".as_bytes())
}

fn read_userinfo(text: &[u8], marker: Range<usize>) -> ShapeReading {
    let nothing = ShapeReading { secret: None, until: marker.end };
    let end = run_at_most(text, marker.end, LONGEST_USERINFO, |byte| {
        byte.is_ascii_graphic() && !b"/?#\"'\\<>`(){}[]|".contains(&byte)
    });
    let authority = text.get(marker.end..end).unwrap_or_default();
    let Some(at) = authority.iter().rposition(|byte| *byte == b'@') else { return nothing };
    let user = authority.get(..at).unwrap_or_default();
    let from = user.iter().position(|byte| *byte == b':').map_or(0, |colon| colon + 1);
    let word = user.get(from..).unwrap_or_default();
    let named =
        from > 0 && !word.is_empty() && !word.starts_with(b"$") && word.iter().any(|byte| *byte != b'*');
    let secret = (named || key_heuristics::is_key(word)).then_some(marker.end + from..marker.end + at);
    ShapeReading { secret, until: marker.end }
}

fn is_token(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b'+' | b'/' | b'=' | b'~')
}

fn skip_gap(text: &[u8], from: usize) -> usize {
    let end = run_at_most(text, from, WIDEST_GAP, |byte| matches!(byte, b' ' | b'\t'));
    if end == from && text.get(from..).unwrap_or_default().starts_with(b"%20") { from + 3 } else { end }
}

/// The end of the run of such bytes.
fn run(text: &[u8], from: usize, belongs: impl Fn(u8) -> bool) -> usize {
    run_at_most(text, from, usize::MAX, belongs)
}

fn run_at_most(text: &[u8], from: usize, most: usize, belongs: impl Fn(u8) -> bool) -> usize {
    let rest = text.get(from..).unwrap_or_default();
    from + rest.iter().take(most).take_while(|byte| belongs(**byte)).count()
}

fn find(hay: &[u8], needle: &[u8]) -> Option<usize> {
    hay.windows(needle.len()).position(|window| window == needle)
}
