//! Decompresses a response body and stops at a size limit, so that a small body cannot expand
//! without end.
//!
//! How fast a body must arrive is limited in `response.rs`, and the limits are defined in
//! `limits.rs`. A truncated body is an error and never a shorter body.

use std::io::{self, Write};

use flate2::write::MultiGzDecoder;
use http::{HeaderMap, header};

use crate::error::NetError;

/// The longest encoding name that an error repeats, because the peer chooses the header's text.
const MAX_SHOWN: usize = 40;

/// Decodes the bytes of a response body.
///
/// Only gzip is requested and supported: one format, in safe code, that every server has. A
/// response in another format, or in several at once, is refused.
pub(crate) struct BodyDecoder {
    form: BodyEncoding,
    max: u64,
    wire: u64,
}

enum BodyEncoding {
    Plain,
    Gzip(Box<MultiGzDecoder<LimitedBuffer>>),
}

/// Collects decompressed bytes up to a limit.
struct LimitedBuffer {
    content: Vec<u8>,
    left: u64,
    full: bool,
}

impl BodyDecoder {
    /// Creates the decoder for a response with these headers.
    pub(crate) fn new(headers: &HeaderMap, max: u64) -> Result<Self, NetError> {
        let declared =
            headers.get(header::CONTENT_LENGTH).and_then(|length| length.to_str().ok()?.parse().ok());
        if declared.is_some_and(|length: u64| length > max) {
            return Err(NetError::TooLarge { max });
        }
        let mut encodings = headers.get_all(header::CONTENT_ENCODING).iter();
        let form = match (encodings.next().map(http::HeaderValue::as_bytes), encodings.next()) {
            (None | Some(b"" | b"identity"), None) => BodyEncoding::Plain,
            (Some(name), None)
                if name.eq_ignore_ascii_case(b"gzip") || name.eq_ignore_ascii_case(b"x-gzip") =>
            {
                BodyEncoding::Gzip(Box::new(MultiGzDecoder::new(LimitedBuffer {
                    content: Vec::new(),
                    left: max,
                    full: false,
                })))
            }
            (name, _) => return Err(NetError::Encoding(shown(name.unwrap_or_default()))),
        };
        Ok(Self { form, max, wire: 0 })
    }

    /// Decodes the next piece.
    pub(crate) fn push(&mut self, chunk: bytes::Bytes) -> Result<bytes::Bytes, NetError> {
        let too_large = NetError::TooLarge { max: self.max };
        self.wire = self.wire.saturating_add(chunk.len() as u64);
        if self.wire > self.max {
            return Err(too_large);
        }
        match &mut self.form {
            BodyEncoding::Plain => Ok(chunk),
            BodyEncoding::Gzip(decoder) => match decoder.write_all(&chunk) {
                Ok(()) => Ok(std::mem::take(&mut decoder.get_mut().content).into()),
                Err(_) if decoder.get_ref().full => Err(too_large),
                Err(_) => Err(NetError::Encoding("broken gzip".into())),
            },
        }
    }

    /// Returns the remaining bytes after the last piece. A truncated response is an error, and
    /// not a shorter response.
    pub(crate) fn finish(&mut self) -> Result<bytes::Bytes, NetError> {
        match &mut self.form {
            BodyEncoding::Plain => Ok(bytes::Bytes::new()),
            // A response without a body has nothing to decompress, even if its headers announce
            // gzip.
            BodyEncoding::Gzip(_) if self.wire == 0 => Ok(bytes::Bytes::new()),
            BodyEncoding::Gzip(decoder) => match decoder.try_finish() {
                Ok(()) => Ok(std::mem::take(&mut decoder.get_mut().content).into()),
                Err(_) if decoder.get_ref().full => Err(NetError::TooLarge { max: self.max }),
                Err(_) => Err(NetError::Encoding("broken gzip".into())),
            },
        }
    }
}

impl Write for LimitedBuffer {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self.left.checked_sub(bytes.len() as u64) {
            Some(left) => self.left = left,
            None => {
                self.full = true;
                return Err(io::Error::other("full"));
            }
        }
        self.content.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn shown(name: &[u8]) -> String {
    String::from_utf8_lossy(name).chars().filter(|c| !c.is_control()).take(MAX_SHOWN).collect()
}

#[cfg(test)]
mod tests;
