//! Decodes bytes to text and encodes it again, in the encoding of the file. An edit must not change
//! the encoding or lose a byte: if a character cannot be encoded, there is no result. Text of web
//! pages is decoded in `fetch/body.rs`, help texts in `help/decode.rs`.

use encoding_rs::WINDOWS_1252;

/// Bytes at the beginning in which a zero byte marks binary data.
const SNIFFED: usize = 8 * 1024;

/// The encoding of a text file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TextEncoding {
    Utf8,
    /// UTF-8 with a mark in front.
    Utf8Mark,
    /// UTF-16 with a mark, small end first.
    Utf16Little,
    /// UTF-16 with a mark, large end first.
    Utf16Big,
    /// One byte a character, as on older Western systems. Every byte is valid, so nothing is lost
    /// on the way back.
    Western,
}

/// A text and the encoding of its file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct DecodedText {
    /// The text, without a mark.
    pub(super) text: String,
    pub(super) encoding: TextEncoding,
}

impl DecodedText {
    /// Decodes bytes as text. Returns `None` if they are binary data.
    pub(super) fn read(bytes: &[u8]) -> Option<Self> {
        let made = |text: String, encoding| Some(Self { text, encoding });
        match bytes {
            [0xef, 0xbb, 0xbf, rest @ ..] => {
                return std::str::from_utf8(rest)
                    .ok()
                    .and_then(|text| made(text.into(), TextEncoding::Utf8Mark));
            }
            // The same two bytes begin UTF-32, which is not used for files in practice.
            [0xff, 0xfe, 0, 0, ..] => return None,
            [0xff, 0xfe, rest @ ..] => {
                return made(utf16(rest, u16::from_le_bytes)?, TextEncoding::Utf16Little);
            }
            [0xfe, 0xff, rest @ ..] => return made(utf16(rest, u16::from_be_bytes)?, TextEncoding::Utf16Big),
            _ => {}
        }
        if bytes.get(..SNIFFED.min(bytes.len())).is_some_and(|head| head.contains(&0)) {
            return None;
        }
        match std::str::from_utf8(bytes) {
            Ok(text) => made(text.into(), TextEncoding::Utf8),
            Err(_) => made(western(bytes)?, TextEncoding::Western),
        }
    }

    /// Encodes another text in the same encoding. Returns `None` if a character cannot be encoded.
    pub(super) fn write(&self, text: &str) -> Option<Vec<u8>> {
        match self.encoding {
            TextEncoding::Utf8 => Some(text.as_bytes().to_vec()),
            TextEncoding::Utf8Mark => Some([&[0xef, 0xbb, 0xbf], text.as_bytes()].concat()),
            TextEncoding::Utf16Little => {
                Some([0xff, 0xfe].into_iter().chain(text.encode_utf16().flat_map(u16::to_le_bytes)).collect())
            }
            TextEncoding::Utf16Big => {
                Some([0xfe, 0xff].into_iter().chain(text.encode_utf16().flat_map(u16::to_be_bytes)).collect())
            }
            TextEncoding::Western => {
                let (bytes, _, lost) = WINDOWS_1252.encode(text);
                (!lost).then(|| bytes.into_owned())
            }
        }
    }

    /// The encoding, where it is worth a word.
    pub(super) fn remark(&self) -> Option<&'static str> {
        match self.encoding {
            TextEncoding::Utf8 => None,
            TextEncoding::Utf8Mark => Some("UTF-8 with a byte order mark"),
            TextEncoding::Utf16Little => Some("UTF-16 (little-endian)"),
            TextEncoding::Utf16Big => Some("UTF-16 (big-endian)"),
            TextEncoding::Western => Some("Windows-1252"),
        }
    }

    /// How lines end here: where most end with a carriage return, new ones do too.
    pub(super) fn line_end(&self) -> &'static str {
        let lines = self.text.matches('\n').count();
        let returns = self.text.matches("\r\n").count();
        if returns > 0 && returns * 2 > lines { "\r\n" } else { "\n" }
    }
}

fn utf16(bytes: &[u8], join: fn([u8; 2]) -> u16) -> Option<String> {
    let (pairs, rest) = bytes.as_chunks::<2>();
    if !rest.is_empty() {
        return None;
    }
    char::decode_utf16(pairs.iter().map(|pair| join(*pair))).collect::<Result<_, _>>().ok()
}

/// A file of one byte a character. One with many control characters is a program or a picture.
fn western(bytes: &[u8]) -> Option<String> {
    let odd =
        bytes.iter().filter(|byte| **byte < 0x20 && !matches!(byte, b'\t' | b'\n' | b'\r' | 0x0c | 0x1b));
    if odd.count() * 100 > bytes.len() {
        return None;
    }
    let (text, _) = WINDOWS_1252.decode_without_bom_handling(bytes);
    Some(text.into_owned())
}
