//! Collects the matches to show, and stops when there are enough.

use std::io::{self, Write};
use std::path::Path;

use grep_regex::RegexMatcher;
use grep_searcher::{Searcher, Sink, SinkContext, SinkMatch};
use guest_kit::GuestError;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MatchDisplay {
    Lines,
    /// Each file with a match.
    Files,
    /// The number of matching lines in each file.
    Count,
}

/// The longest part of a line that is shown: longer ones are data.
const MAX_LINE: usize = 500;

/// Collects matches of one file after another.
pub(crate) struct MatchCollector<'a> {
    out: &'a mut dyn Write,
    show: MatchDisplay,
    limit: usize,
    /// Matches shown so far, in all files.
    shown: usize,
    files: usize,
}

impl<'a> MatchCollector<'a> {
    pub(crate) fn new(out: &'a mut dyn Write, show: MatchDisplay, limit: usize) -> Self {
        Self { out, show, limit, shown: 0, files: 0 }
    }

    /// Whether the limit is reached.
    pub(crate) fn full(&self) -> bool {
        self.shown >= self.limit
    }

    /// Searches one file. An unreadable file is skipped, because the call asked for the folder.
    pub(crate) fn search(
        &mut self,
        searcher: &mut Searcher,
        matcher: &RegexMatcher,
        path: &Path,
        name: &str,
    ) -> Result<(), GuestError> {
        let mut file = FileSink { lines: self, name, matches: 0, failed: None };
        let _ = searcher.search_path(matcher, path, &mut file);
        let (matches, failed) = (file.matches, file.failed.take());
        if let Some(error) = failed {
            return Err(GuestError::failed(format!("could not write the output: {error}")));
        }
        if matches == 0 {
            return Ok(());
        }
        self.files += 1;
        let wrong = |error: io::Error| GuestError::failed(error.to_string());
        match self.show {
            MatchDisplay::Lines => Ok(()),
            MatchDisplay::Files => {
                self.shown += 1;
                writeln!(self.out, "{name}").map_err(wrong)
            }
            MatchDisplay::Count => {
                self.shown += 1;
                writeln!(self.out, "{name}:{matches}").map_err(wrong)
            }
        }
    }

    /// Reports the matches that are not shown.
    pub(crate) fn end(self, pattern: &str) -> Result<(), GuestError> {
        let wrong = |error: io::Error| GuestError::failed(error.to_string());
        if self.files == 0 {
            writeln!(self.out, "nothing matches {pattern}").map_err(wrong)
        } else if self.full() {
            writeln!(self.out, "[cut after {} matches; there may be more]", self.limit).map_err(wrong)
        } else {
            Ok(())
        }
    }
}

struct FileSink<'a, 'b> {
    lines: &'b mut MatchCollector<'a>,
    name: &'b str,
    matches: usize,
    failed: Option<io::Error>,
}

impl FileSink<'_, '_> {
    /// Writes each matching line with its number.
    fn write(&mut self, bytes: &[u8], number: Option<u64>, mark: char) -> Result<bool, io::Error> {
        let text = String::from_utf8_lossy(bytes);
        for (index, line) in (0_u64..).zip(text.lines()) {
            let number = number.unwrap_or(0) + index;
            let line: String = line.chars().take(MAX_LINE).collect();
            if let Err(error) = writeln!(self.lines.out, "{}{mark}{number}{mark}{line}", self.name) {
                self.failed = Some(error);
                return Ok(false);
            }
        }
        Ok(true)
    }
}

impl Sink for FileSink<'_, '_> {
    type Error = io::Error;

    fn matched(&mut self, _: &Searcher, found: &SinkMatch<'_>) -> Result<bool, io::Error> {
        self.matches += 1;
        match self.lines.show {
            MatchDisplay::Files => Ok(false),
            MatchDisplay::Count => Ok(true),
            MatchDisplay::Lines => {
                self.lines.shown += 1;
                Ok(self.write(found.bytes(), found.line_number(), ':')? && !self.lines.full())
            }
        }
    }

    fn context(&mut self, _: &Searcher, found: &SinkContext<'_>) -> Result<bool, io::Error> {
        if self.lines.show != MatchDisplay::Lines {
            return Ok(true);
        }
        self.write(found.bytes(), found.line_number(), '-')
    }

    fn context_break(&mut self, _: &Searcher) -> Result<bool, io::Error> {
        if self.lines.show == MatchDisplay::Lines {
            writeln!(self.lines.out, "--")?;
        }
        Ok(true)
    }
}
