//! Frames as somebody in front of the terminal sees them: what was written up to a mark, if any of it changes a cell. A frame that
//! only puts the cursor where it was is none.

use std::time::{Duration, Instant};

/// Finds frames in what a program writes, however it is cut into pieces.
pub struct Frames {
    /// The escape sequence that ends a frame.
    mark: &'static [u8],
    within: Within,
    /// The escape sequence so far.
    sequence: Vec<u8>,
    changes: bool,
    /// When each of them was there.
    seen: Vec<Instant>,
}

/// What the next byte belongs to.
#[derive(Clone, Copy)]
enum Within {
    Text,
    /// An escape sequence whose kind is not known yet.
    Escape,
    /// One with numbers, which a letter ends.
    Control,
    /// One with a text of its own: titles, colours, names of terminals.
    Words,
    /// Perhaps the end of such a text.
    WordsEnd,
}

impl Frames {
    /// None yet; this is what ends each of them.
    pub fn new(mark: &'static [u8]) -> Self {
        Self { mark, within: Within::Text, sequence: Vec::new(), changes: false, seen: Vec::new() }
    }

    /// Takes what was written at this time.
    pub fn took(&mut self, piece: &[u8], now: Instant) {
        for byte in piece {
            if self.ends(*byte) && std::mem::take(&mut self.changes) {
                self.seen.push(now);
            }
        }
    }

    /// How many there were.
    pub fn count(&self) -> usize {
        self.seen.len()
    }

    /// The times between those that came after the first so many, the shortest first.
    pub fn gaps(&self, after: usize) -> Vec<Duration> {
        let times = self.seen.get(after..).unwrap_or_default();
        let mut gaps: Vec<Duration> =
            times.iter().zip(times.iter().skip(1)).map(|(one, next)| *next - *one).collect();
        gaps.sort();
        gaps
    }

    /// Whether this byte is the last one of the mark.
    fn ends(&mut self, byte: u8) -> bool {
        self.within = match (self.within, byte) {
            (Within::Text, 0x1b) => {
                self.sequence.clear();
                self.sequence.push(byte);
                Within::Escape
            }
            (Within::Text, _) => {
                self.changes |= byte >= b' ';
                Within::Text
            }
            (Within::Escape, b'[') => {
                self.sequence.push(byte);
                Within::Control
            }
            (Within::Escape, b']' | b'P' | b'X' | b'^' | b'_') => Within::Words,
            (Within::Escape, b' '..=b'/') => Within::Escape,
            (Within::Escape, _) => Within::Text,
            (Within::Control, b'@'..=b'~') => {
                self.sequence.push(byte);
                // What erases, moves or scrolls cells changes them too.
                self.changes |= matches!(byte, b'@' | b'J'..=b'M' | b'P' | b'S' | b'T' | b'X');
                self.within = Within::Text;
                return self.sequence == self.mark;
            }
            (Within::Control, _) => {
                if self.sequence.len() <= self.mark.len() {
                    self.sequence.push(byte);
                }
                Within::Control
            }
            (Within::Words, 0x07) | (Within::WordsEnd, b'\\') => Within::Text,
            (Within::Words | Within::WordsEnd, 0x1b) => Within::WordsEnd,
            (Within::Words | Within::WordsEnd, _) => Within::Words,
        };
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MARK: &[u8] = b"\x1b[?25h";

    fn check(written: &[u8], expect: usize) {
        let now = Instant::now();
        let mut whole = Frames::new(MARK);
        whole.took(written, now);
        assert_eq!(whole.count(), expect, "{:?}", String::from_utf8_lossy(written));
        let mut bytes = Frames::new(MARK);
        written.chunks(1).for_each(|byte| bytes.took(byte, now));
        assert_eq!(bytes.count(), expect, "byte by byte");
    }

    #[test]
    fn a_frame_is_what_changes_a_cell_before_the_mark() {
        check(b"", 0);
        check(b"\x1b[3;4Hword\x1b[0m\x1b[?25h\x1b[9;3H", 1);
        check(b"word\x1b[?25h\x1b[9;3Hmore\x1b[?25h\x1b[9;3H", 2);
        check("\x1b[1;1H›\x1b[?25h".as_bytes(), 1);
        check(b"\x1b[2J\x1b[?25h", 1);
        check(b"words without an end", 0);
    }

    #[test]
    fn what_changes_no_cell_is_no_frame() {
        check(b"\x1b[39m\x1b[49m\x1b[0m\x1b[?25h\x1b[9;3H", 0);
        check(b"\x1b]0;a title\x07\x1b[?25h", 0);
        check(b"\x1b]0;a title\x1b\\\x1bP1$r0m\x1b\\\x1b(B\x1b[?25h", 0);
        check(b"word\x1b[?25l\x1b[?251h\x1b[25h", 0);
    }

    #[test]
    fn gaps_are_told_from_the_shortest_to_the_longest() {
        let now = Instant::now();
        let mut frames = Frames::new(MARK);
        for at in [0, 500, 516, 548, 564] {
            frames.took(b"x\x1b[?25h", now + Duration::from_millis(at));
        }
        assert_eq!(frames.gaps(1), [16, 16, 32].map(Duration::from_millis));
        assert!(frames.gaps(4).is_empty() && frames.gaps(9).is_empty());
    }
}
