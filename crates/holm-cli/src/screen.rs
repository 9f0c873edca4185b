//! What the command writes: answers to standard output, everything else to standard error.
//!
//! What a model or a tool says is never obeyed by the terminal: whatever does not show itself is written out.

use std::{
    io::{self, IsTerminal, Write},
    sync::{Mutex, PoisonError},
};

use holm::kernel::visible;

/// Both streams of the process, one writer at a time.
#[derive(Debug, Default)]
pub(crate) struct Screen {
    /// How the last thing on standard output ended.
    line: Mutex<Line>,
}

/// Where the cursor of standard output stands.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Line {
    #[default]
    Begun,
    Within,
}

impl Screen {
    /// Whether somebody reads the answer on a terminal.
    pub(crate) fn answers_to_a_person() -> bool {
        io::stdout().is_terminal()
    }

    /// Whether somebody reads the notes on a terminal.
    pub(crate) fn notes_to_a_person() -> bool {
        io::stderr().is_terminal()
    }

    /// Whether a person can be asked.
    pub(crate) fn can_ask() -> bool {
        io::stdin().is_terminal() && io::stderr().is_terminal()
    }

    /// A piece of an answer, as it comes.
    pub(crate) fn piece(&self, text: &str) {
        let mut line = self.line.lock().unwrap_or_else(PoisonError::into_inner);
        put(&visible(text), io::stdout().lock());
        *line = if text.ends_with('\n') { Line::Begun } else { Line::Within };
    }

    /// Ends a line that pieces have begun.
    pub(crate) fn end_line(&self) {
        let mut line = self.line.lock().unwrap_or_else(PoisonError::into_inner);
        if *line == Line::Within {
            put("\n", io::stdout().lock());
        }
        *line = Line::Begun;
    }

    /// A whole text on standard output.
    pub(crate) fn answer(&self, text: &str) {
        self.piece(text);
        self.end_line();
    }

    /// A line that a program reads, byte for byte; a terminal is still not obeyed.
    pub(crate) fn line(&self, text: &str) {
        if Self::answers_to_a_person() {
            return self.answer(text);
        }
        let _line = self.line.lock().unwrap_or_else(PoisonError::into_inner);
        put(&format!("{text}\n"), io::stdout().lock());
    }

    /// A note on standard error.
    pub(crate) fn note(&self, text: &str) {
        let _line = self.line.lock().unwrap_or_else(PoisonError::into_inner);
        put(&format!("{}\n", visible(text)), io::stderr().lock());
    }

    /// A question on standard error, whose answer follows on the same line.
    pub(crate) fn ask(&self, text: &str) {
        let _line = self.line.lock().unwrap_or_else(PoisonError::into_inner);
        put(&visible(text), io::stderr().lock());
    }
}

/// Writes and does not mind if nobody reads any more: the run goes on, and its journal has everything.
fn put(text: &str, mut out: impl Write) {
    let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
}
