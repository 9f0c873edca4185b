//! Reads one page of a file without ever holding more of it than the page.

use std::fmt::Write;

use guest_kit::GuestError;
use memchr::memchr;

use crate::source::ByteSource;

/// The lines to show.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PageRange {
    /// The first line, counted from 1.
    pub first: usize,
    pub lines: usize,
}

/// The size of one read: a small file in one call, a large one in few.
const CHUNK: usize = 64 << 10;
/// The longest line that is shown whole; longer ones are minified code or data, which are
/// not meant for reading.
const MAX_LINE: usize = 2_000;
/// The most text of a page: more would crowd out the conversation that asked for it.
const MAX_PAGE: usize = 256 << 10;
/// How many bytes are checked to tell text from other data.
const SNIFF: usize = 8 << 10;

/// The numbered lines of a page, and where to continue.
///
/// # Errors
///
/// If the file cannot be read, is not text, or ends before the page begins.
pub fn page(source: &mut dyn ByteSource, wanted: PageRange) -> Result<String, GuestError> {
    let mut reader = PageReader { wanted, out: String::new(), line: Vec::new(), number: 1, cut: 0 };
    let mut offset = 0_u64;
    loop {
        let chunk = source.read(offset, CHUNK).map_err(GuestError::Failed)?;
        let (first, last) = (offset == 0, chunk.is_last());
        let bytes = &chunk.bytes;
        if first && memchr(0, bytes.get(..SNIFF).unwrap_or(bytes)).is_some() {
            return Err(GuestError::failed("this is no text file: it holds zero bytes"));
        }
        offset += bytes.len() as u64;
        if reader.take(bytes) == PageFill::Yes {
            return Ok(reader.more());
        }
        if last {
            return reader.end(offset);
        }
    }
}

struct PageReader {
    wanted: PageRange,
    out: String,
    /// The line so far, as much of it as is shown.
    line: Vec<u8>,
    number: usize,
    /// The number of its bytes that are not kept.
    cut: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PageFill {
    Yes,
    No,
}

impl PageReader {
    fn take(&mut self, mut chunk: &[u8]) -> PageFill {
        while !chunk.is_empty() {
            if self.full() {
                return PageFill::Yes;
            }
            let (text, ends) = match memchr(b'\n', chunk).and_then(|at| chunk.split_at_checked(at)) {
                Some((text, rest)) => {
                    chunk = rest.get(1..).unwrap_or_default();
                    (text, true)
                }
                None => (std::mem::take(&mut chunk), false),
            };
            if self.number >= self.wanted.first {
                let room = MAX_LINE.saturating_sub(self.line.len()).min(text.len());
                self.line.extend_from_slice(text.get(..room).unwrap_or_default());
                self.cut += text.len() - room;
            }
            if ends {
                self.show();
            }
        }
        PageFill::No
    }

    fn full(&self) -> bool {
        self.number >= self.wanted.first.saturating_add(self.wanted.lines) || self.out.len() > MAX_PAGE
    }

    /// Writes the line and goes to the next.
    fn show(&mut self) {
        if self.number >= self.wanted.first {
            let line = self.line.strip_suffix(b"\r").unwrap_or(&self.line);
            let _ = write!(self.out, "{:>6}\t", self.number);
            // Nearly every line is text, and checking that takes a fraction of the time of a lossy
            // conversion.
            match std::str::from_utf8(line) {
                Ok(line) => self.out.push_str(line),
                Err(_) => self.out.push_str(&String::from_utf8_lossy(line)),
            }
            if self.cut > 0 {
                let _ = write!(self.out, " [{} bytes more in this line]", self.cut);
            }
            self.out.push('\n');
        }
        self.line.clear();
        self.cut = 0;
        self.number += 1;
    }

    fn more(mut self) -> String {
        let _ = write!(self.out, "[there is more; go on with offset {}]\n", self.number);
        self.out
    }

    /// The file is at its end.
    fn end(mut self, size: u64) -> Result<String, GuestError> {
        if size == 0 {
            return Ok("[the file is empty]\n".to_owned());
        }
        if !self.line.is_empty() {
            if self.full() {
                return Ok(self.more());
            }
            self.show();
        }
        if self.out.is_empty() && self.wanted.lines > 0 {
            let lines = self.number - 1;
            return Err(GuestError::failed(format!(
                "the file has {lines} lines; offset {} is after its end",
                self.wanted.first
            )));
        }
        Ok(self.out)
    }
}
