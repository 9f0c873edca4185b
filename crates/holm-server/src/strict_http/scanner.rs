//! Follows the framing of HTTP/1 requests on one connection, byte by byte. It does no I/O: `mod.rs`
//! reads the connection and refuses. Anything that two programs could end in different places is an
//! error, and memory is bounded, because only the beginning of a line is kept.

/// How much of a header line is kept: enough for the names and values that decide about framing.
const KEPT_LINE_BYTES: usize = 128;

/// Finds the request heads in a stream of bytes and checks them.
#[derive(Debug, Default)]
pub(super) struct HeadScanner {
    part: RequestPart,
    line: HeadLine,
    framing: BodyFraming,
}

/// Which part of a request the next byte belongs to.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum RequestPart {
    #[default]
    Head,
    /// So many bytes of the body are left.
    Body(u64),
    ChunkSize,
    /// So many bytes of the chunk are left, its line end included.
    ChunkData(u64),
    Trailers,
    /// Not HTTP/1, or after a request that was refused.
    Opaque,
}

/// How the body after a head is delimited.
#[derive(Debug, Default, Clone, Copy)]
struct BodyFraming {
    length: Option<u64>,
    has_length: bool,
    has_encoding: bool,
    is_chunked: bool,
    has_request_line: bool,
}

/// The beginning of the line that is being read, and how its bytes went so far.
#[derive(Debug, Default)]
struct HeadLine {
    kept: Vec<u8>,
    /// There was more than is kept.
    is_cut: bool,
    ends_in_return: bool,
}

impl HeadScanner {
    /// Reads on. The error is the offset of the byte at which the request became ambiguous.
    pub(super) fn scan(&mut self, bytes: &[u8]) -> Result<(), usize> {
        let mut at = 0;
        while let Some(&byte) = bytes.get(at) {
            match self.part {
                RequestPart::Opaque => return Ok(()),
                RequestPart::Body(left) => {
                    let taken = left.min((bytes.len() - at) as u64);
                    self.part =
                        if left == taken { RequestPart::Head } else { RequestPart::Body(left - taken) };
                    at = at.saturating_add(usize::try_from(taken).unwrap_or(usize::MAX));
                }
                RequestPart::ChunkData(left) => {
                    let taken = left.min((bytes.len() - at) as u64);
                    self.part = if left == taken {
                        RequestPart::ChunkSize
                    } else {
                        RequestPart::ChunkData(left - taken)
                    };
                    at = at.saturating_add(usize::try_from(taken).unwrap_or(usize::MAX));
                }
                RequestPart::Head | RequestPart::ChunkSize | RequestPart::Trailers => {
                    self.read(byte).map_err(|FramingError| at)?;
                    at += 1;
                }
            }
        }
        Ok(())
    }

    /// Reads one byte of a line.
    fn read(&mut self, byte: u8) -> Result<(), FramingError> {
        if byte != b'\n' {
            self.line.push(byte);
            return Ok(());
        }
        if !self.line.ends_in_return {
            return self.refuse();
        }
        let line = std::mem::take(&mut self.line);
        self.end_line(&line)
    }

    /// Decides what follows a whole line, which comes without its line end.
    fn end_line(&mut self, head_line: &HeadLine) -> Result<(), FramingError> {
        let line = head_line.kept.as_slice();
        match self.part {
            RequestPart::Head if line.is_empty() && self.framing.has_request_line => self.end_head()?,
            // Empty lines before a request line are allowed.
            RequestPart::Head if line.is_empty() => {}
            RequestPart::Head if self.framing.has_request_line => self.framing.read_header(head_line),
            RequestPart::Head if line.starts_with(b"PRI * HTTP/2") => self.part = RequestPart::Opaque,
            RequestPart::Head => self.framing.has_request_line = true,
            RequestPart::ChunkSize => {
                self.part = match chunk_size(head_line) {
                    Some(0) => RequestPart::Trailers,
                    // The data of a chunk ends with its own line end.
                    Some(size) => RequestPart::ChunkData(size.saturating_add(2)),
                    None => return self.refuse(),
                };
            }
            RequestPart::Trailers if line.is_empty() => self.part = RequestPart::Head,
            RequestPart::Trailers
            | RequestPart::Body(_)
            | RequestPart::ChunkData(_)
            | RequestPart::Opaque => {}
        }
        Ok(())
    }

    /// Decides what follows a head.
    fn end_head(&mut self) -> Result<(), FramingError> {
        let framing = std::mem::take(&mut self.framing);
        if framing.has_length && framing.has_encoding {
            return self.refuse();
        }
        self.part = match (framing.has_encoding, framing.has_length, framing.length) {
            (true, ..) if framing.is_chunked => RequestPart::ChunkSize,
            // The end of the body is unknown, so a request after it would not be checked.
            (true, ..) | (false, true, None) => return self.refuse(),
            (false, _, None | Some(0)) => RequestPart::Head,
            (false, _, Some(length)) => RequestPart::Body(length),
        };
        Ok(())
    }

    /// Looks no further: the connection ends with this request.
    fn refuse(&mut self) -> Result<(), FramingError> {
        self.part = RequestPart::Opaque;
        Err(FramingError)
    }
}

/// Two programs could end this request in different places.
struct FramingError;

impl HeadLine {
    fn push(&mut self, byte: u8) {
        if self.ends_in_return {
            self.keep(b'\r');
        }
        self.ends_in_return = byte == b'\r';
        if !self.ends_in_return {
            self.keep(byte);
        }
    }

    fn keep(&mut self, byte: u8) {
        if self.kept.len() < KEPT_LINE_BYTES {
            self.kept.push(byte);
        } else {
            self.is_cut = true;
        }
    }
}

impl BodyFraming {
    fn read_header(&mut self, line: &HeadLine) {
        let is_whole = !line.is_cut;
        let line = line.kept.as_slice();
        let Some(colon) = line.iter().position(|byte| *byte == b':') else { return };
        let (name, value) = line.split_at(colon);
        let value = value.get(1..).unwrap_or_default().trim_ascii();
        if name.eq_ignore_ascii_case(b"content-length") {
            // What is kept of a longer value may be another number.
            let text = std::str::from_utf8(value).ok().filter(|_| is_whole);
            self.length = text.and_then(|text| text.parse().ok());
            self.has_length = true;
        } else if name.eq_ignore_ascii_case(b"transfer-encoding") {
            self.has_encoding = true;
            self.is_chunked = is_whole && value.to_ascii_lowercase().ends_with(b"chunked");
        }
    }
}

/// The size of a chunk, from its line; extensions after a semicolon are ignored.
fn chunk_size(line: &HeadLine) -> Option<u64> {
    let mut parts = line.kept.split(|byte| *byte == b';');
    let digits = parts.next()?.trim_ascii();
    if line.is_cut && parts.next().is_none() {
        return None;
    }
    u64::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
}
