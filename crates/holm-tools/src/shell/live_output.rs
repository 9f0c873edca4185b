//! The output of a running child for people who watch: its latest complete lines.
//!
//! Only complete lines are passed on. The receiver removes secrets first, and would not recognise
//! half of a secret. For the same reason, lines that may be part of a private key are left out.
//!
//! What the model gets of an output is in `output.rs`.

use std::collections::VecDeque;
use std::mem;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use holm_jail::{CaptureOptions, JobStream};

/// How often watchers are updated: often enough to look alive, and seldom enough that a
/// chatty command costs little.
pub(crate) const BEAT: Duration = Duration::from_millis(250);
/// Bytes of the lines that are kept: less than an update carries.
const MOST: usize = 900;
/// A longer line is not shown: it would be all that there is to see.
const LONGEST_LINE: usize = 400;
/// A line of base64 that is as long may be of a key. Shorter ones are names and numbers.
const TELLING_LINE: usize = 40;
/// The placeholder for a line that is not shown.
const LEFT_OUT: &str = "…";
/// Bytes of one piece that are read, from its end: more than are kept.
const FAR: usize = 4 * 1024;

/// Listens to the output of one child. Clones share what they received.
#[derive(Debug, Clone, Default)]
pub(crate) struct LiveOutput(Arc<Mutex<OutputTail>>);

impl LiveOutput {
    /// Listens to the captured output, in addition to existing listeners.
    pub(crate) fn listen(&self, capture: CaptureOptions) -> CaptureOptions {
        let (own, mut before) = (self.clone(), capture.spill);
        let spill = move |stream: JobStream, piece: &[u8]| {
            own.hear(stream, piece);
            before.as_mut().map_or(Ok(()), |spill| spill(stream, piece))
        };
        CaptureOptions { keep: capture.keep, spill: Some(Box::new(spill)) }
    }

    /// The latest lines, if they have changed since the last call.
    pub(crate) fn news(&self) -> Option<String> {
        let mut tail = self.tail();
        if !mem::take(&mut tail.fresh) {
            return None;
        }
        let lines: Vec<&str> = tail.lines.iter().map(String::as_str).collect();
        Some(lines.join("\n"))
    }

    fn hear(&self, stream: JobStream, piece: &[u8]) {
        let mut tail = self.tail();
        let skipped = piece.len().saturating_sub(FAR);
        if skipped > 0 {
            tail.pending(stream).give_up();
        }
        let near = piece.get(skipped..).unwrap_or_default();
        for part in near.split_inclusive(|byte| ends_line(*byte)) {
            tail.take(stream, part);
        }
    }

    /// A panic elsewhere leaves at worst a line too few on a screen.
    fn tail(&self) -> MutexGuard<'_, OutputTail> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The latest lines of the output.
#[derive(Debug, Default)]
struct OutputTail {
    lines: VecDeque<String>,
    /// Bytes of the lines, including their ends.
    bytes: usize,
    fresh: bool,
    out: PartialLine,
    err: PartialLine,
}

impl OutputTail {
    fn pending(&mut self, stream: JobStream) -> &mut PartialLine {
        match stream {
            JobStream::Out => &mut self.out,
            JobStream::Err => &mut self.err,
        }
    }

    fn take(&mut self, stream: JobStream, part: &[u8]) {
        let pending = self.pending(stream);
        pending.add(part);
        if !part.last().is_some_and(|byte| ends_line(*byte)) {
            return;
        }
        let Some(line) = pending.line() else { return };
        if line == LEFT_OUT && self.lines.back().is_some_and(|last| last == LEFT_OUT) {
            return;
        }
        self.bytes = self.bytes.saturating_add(line.len() + 1);
        self.lines.push_back(line);
        while self.bytes > MOST
            && let Some(old) = self.lines.pop_front()
        {
            self.bytes = self.bytes.saturating_sub(old.len() + 1);
        }
        self.fresh = true;
    }
}

/// A line that is not complete yet.
#[derive(Debug, Default)]
struct PartialLine {
    bytes: Vec<u8>,
    /// Whether it is too long to be shown.
    long: bool,
}

impl PartialLine {
    fn add(&mut self, part: &[u8]) {
        if self.long || self.bytes.len() + part.len() > LONGEST_LINE {
            self.give_up();
        } else {
            self.bytes.extend_from_slice(part);
        }
    }

    fn give_up(&mut self) {
        self.bytes.clear();
        self.long = true;
    }

    /// The completed line, or `None` if it is empty.
    fn line(&mut self) -> Option<String> {
        let (bytes, long) = (mem::take(&mut self.bytes), mem::take(&mut self.long));
        if long {
            return Some(LEFT_OUT.into());
        }
        let text = String::from_utf8_lossy(&bytes);
        let text: String = text.chars().filter(|letter| !letter.is_control() || *letter == '\t').collect();
        if is_of_key(text.trim()) {
            return Some(LEFT_OUT.into());
        }
        (!text.trim().is_empty()).then_some(text)
    }
}

/// Whether a line may come from the middle of a private key. The filter for secrets recognises a
/// key by its first line. For a long key, that line is no longer among the latest ones.
fn is_of_key(line: &str) -> bool {
    let is_base64 = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=');
    let mixes = |is: fn(&u8) -> bool| line.as_bytes().iter().any(is);
    line.len() >= TELLING_LINE
        && line.bytes().all(is_base64)
        && mixes(u8::is_ascii_uppercase)
        && mixes(u8::is_ascii_lowercase)
}

/// Programs that say how far they are go back to the beginning of a line.
fn ends_line(byte: u8) -> bool {
    matches!(byte, b'\n' | b'\r')
}

#[cfg(test)]
mod tests;
