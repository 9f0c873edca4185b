//! Turns the bytes of tokens into text. It releases only complete characters, and holds back text
//! that may become a stop sequence.
//!
//! Which token comes next is decided in `token_sampler.rs`. A stop sequence is never part of the
//! text.

/// The text of a growing reply.
#[derive(Debug, Default)]
pub(super) struct StopSequenceFilter {
    stops: Vec<String>,
    /// Bytes that are not yet a complete character.
    loose: Vec<u8>,
    /// Text that may be the beginning of a stop sequence.
    held: String,
}

/// The text that some bytes released.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum FilterOutput {
    /// More text, possibly empty.
    More(String),
    /// The last text, because a stop sequence follows it.
    Last(String),
}

impl StopSequenceFilter {
    pub(super) fn new(stops: Vec<String>) -> Self {
        Self { stops: stops.into_iter().filter(|stop| !stop.is_empty()).collect(), ..Self::default() }
    }

    pub(super) fn push(&mut self, bytes: &[u8]) -> FilterOutput {
        self.loose.extend_from_slice(bytes);
        self.take_whole();
        let found = self.stops.iter().filter_map(|stop| self.held.find(stop.as_str())).min();
        if let Some(at) = found {
            self.held.truncate(at);
            return FilterOutput::Last(std::mem::take(&mut self.held));
        }
        let kept = self.suspects();
        let rest = self.held.split_off(self.held.len() - kept);
        FilterOutput::More(std::mem::replace(&mut self.held, rest))
    }

    /// The remaining text when no more bytes come.
    pub(super) fn rest(&mut self) -> String {
        let loose = std::mem::take(&mut self.loose);
        self.held.push_str(&String::from_utf8_lossy(&loose));
        std::mem::take(&mut self.held)
    }

    /// Moves complete characters over. Bytes that can never become one are replaced.
    fn take_whole(&mut self) {
        loop {
            match std::str::from_utf8(&self.loose) {
                Ok(text) => {
                    self.held.push_str(text);
                    return self.loose.clear();
                }
                Err(error) => {
                    let valid = error.valid_up_to();
                    let good = self.loose.get(..valid).unwrap_or_default();
                    self.held.push_str(&String::from_utf8_lossy(good));
                    let Some(bad) = error.error_len() else {
                        self.loose.drain(..valid);
                        return;
                    };
                    self.held.push('\u{fffd}');
                    self.loose.drain(..valid + bad);
                }
            }
        }
    }

    /// How many bytes at the end may be the beginning of a stop sequence.
    fn suspects(&self) -> usize {
        let begins = |length: &usize| {
            let from = self.held.len() - length;
            let tail = self.held.get(from..);
            tail.is_some_and(|tail| self.stops.iter().any(|stop| stop.starts_with(tail)))
        };
        let longest = self.stops.iter().map(String::len).max().unwrap_or(0).min(self.held.len());
        (1..=longest).rev().find(begins).unwrap_or(0)
    }
}

#[cfg(test)]
mod tests;
