//! Decodes the bytes of a response into text, by the character set that the response names, and
//! lists the media types that count as text. Converting HTML is done in `markdown/mod.rs`; sizes
//! are bounded by the request in `tool.rs`. Decoding never fails: invalid bytes become replacement
//! characters.

/// Media types that are text for a model.
pub(super) const READABLE: &[&str] = &[
    "text/*",
    "application/json",
    "application/ld+json",
    "application/feed+json",
    "application/geo+json",
    "application/problem+json",
    "application/vnd.api+json",
    "application/vnd.github+json",
    "application/x-ndjson",
    "application/jsonl",
    "application/xml",
    "application/atom+xml",
    "application/rss+xml",
    "application/xhtml+xml",
    "application/javascript",
    "application/x-javascript",
    "application/toml",
    "application/yaml",
    "application/x-yaml",
    "application/x-sh",
    "application/sql",
];

/// Whether a content type is that of a page.
pub(super) fn is_html(content_type: &str) -> bool {
    let essence = content_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    matches!(essence.as_str(), "text/html" | "application/xhtml+xml")
}

/// The text of a body. Bytes that are invalid in its character set become replacement characters;
/// unknown sets are read as UTF-8.
pub(super) fn text(bytes: &[u8], content_type: &str) -> String {
    if let Some(rest) = bytes.strip_prefix(b"\xef\xbb\xbf") {
        return String::from_utf8_lossy(rest).into_owned();
    }
    match bytes {
        [0xff, 0xfe, rest @ ..] => return wide(rest, u16::from_le_bytes),
        [0xfe, 0xff, rest @ ..] => return wide(rest, u16::from_be_bytes),
        _ => {}
    }
    match charset(content_type).as_deref() {
        Some("iso-8859-1" | "latin1" | "windows-1252" | "us-ascii" | "cp1252") => {
            bytes.iter().copied().map(western).collect()
        }
        Some("utf-16" | "utf-16le") => wide(bytes, u16::from_le_bytes),
        Some("utf-16be") => wide(bytes, u16::from_be_bytes),
        _ => String::from_utf8_lossy(bytes).into_owned(),
    }
}

fn charset(content_type: &str) -> Option<String> {
    let parameters = content_type.split(';').skip(1).filter_map(|parameter| parameter.split_once('='));
    let mut sets = parameters.filter(|(name, _)| name.trim().eq_ignore_ascii_case("charset"));
    sets.next().map(|(_, value)| value.trim().trim_matches('"').to_ascii_lowercase())
}

fn wide(bytes: &[u8], read: fn([u8; 2]) -> u16) -> String {
    let (pairs, _) = bytes.as_chunks::<2>();
    char::decode_utf16(pairs.iter().map(|pair| read(*pair)))
        .map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER))
        .collect()
}

/// The character of a byte in windows-1252, as browsers read all these sets.
fn western(byte: u8) -> char {
    const HIGH: [char; 32] = [
        '€', '\u{81}', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\u{8d}', 'Ž', '\u{8f}',
        '\u{90}', '‘', '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\u{9d}', 'ž', 'Ÿ',
    ];
    match byte.checked_sub(0x80).and_then(|at| HIGH.get(usize::from(at))) {
        Some(high) => *high,
        None => char::from(byte),
    }
}
