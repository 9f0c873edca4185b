//! Parses patches and applies them to texts. It opens no file: `patch.rs` maps names to paths,
//! checks permissions and writes.
//!
//! Models miscount. So the numbers of a hunk only say where to look first, and its lines say how
//! long it is. The context lines must match, and in one place only; a hunk that fits several places
//! is refused, never guessed.
//!
//! Where things are:
//! - `diff/unified.rs`, `diff/sections.rs`: the two forms of a patch.
//! - `diff/hunk.rs`: one hunk, and the search for its place.

mod hunk;
mod sections;
mod unified;

use std::ops::Range;

use holm_grants::PatchForm;

use hunk::{HunkMatchError, PatchHunk};

use super::{comparison_budget::ComparisonBudget, line_comparison::MatchDifferences, lines::LineIndex};

/// Bytes of a patch: more is a new file.
const LONGEST: usize = 4 * 1024 * 1024;

/// The part of a patch that is about one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct FileDiff {
    pub(super) name: DiffTarget,
    pub(super) action: FileAction,
    hunks: Vec<PatchHunk>,
}

/// How a patch names a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum DiffTarget {
    /// The patch does not name it: the call says which file it is.
    Nowhere,
    Path(String),
    /// By the lines `---` and `+++`.
    Lines {
        old: String,
        new: String,
    },
}

/// What a patch does to a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum FileAction {
    Make,
    Change,
    /// Its text changes, if there are hunks, and it gets this path.
    Move(String),
    /// It is removed. All of its lines have to be named, unless the form names none.
    Remove {
        lines: bool,
    },
}

/// A text after all hunks were applied.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PatchedText {
    pub(super) text: String,
    /// Where it was changed.
    pub(super) places: Vec<Range<usize>>,
    /// In what the hunks differ from the file.
    pub(super) differences: MatchDifferences,
}

/// Reads a patch in either form. The error tells the author what is wrong.
pub(super) fn parse(text: &str) -> Result<Vec<FileDiff>, String> {
    if text.len() > LONGEST {
        return Err(format!("the diff is longer than {LONGEST} bytes"));
    }
    match PatchForm::of(text) {
        PatchForm::Unified => unified::parse(text),
        PatchForm::Sections => sections::parse(text),
    }
}

fn short(line: &str) -> String {
    line.chars().take(60).collect()
}

impl FileDiff {
    /// Adds the hunks of another part about the same file.
    pub(super) fn join(&mut self, other: Self) {
        self.hunks.extend(other.hunks);
    }

    /// Whether the text stays as it is.
    pub(super) fn is_unchanged(&self) -> bool {
        self.hunks.is_empty()
    }

    /// The text after all hunks. The error says which hunk does not fit, and why.
    pub(super) fn apply(
        &self,
        text: &str,
        line_end: &str,
        effort: &mut ComparisonBudget,
    ) -> Result<PatchedText, String> {
        let lines = LineIndex::of(text);
        let mut out = PatchedTextWriter { text: String::with_capacity(text.len()), line_end };
        let mut places = Vec::new();
        let mut differences = MatchDifferences::default();
        let mut done = 0;
        let mut shift = 0_isize;
        for (number, hunk) in self.hunks.iter().enumerate() {
            let placed = hunk.place(&lines, done, shift, effort).map_err(|misfit| {
                let number = number + 1;
                match misfit {
                    HunkMatchError::Nowhere => {
                        format!("hunk {number} does not match. {}", hunk.nearest(text))
                    }
                    HunkMatchError::Several(found) => format!(
                        "hunk {number} matches more than one place, at lines {}; include more surrounding \
                        lines",
                        found.join(", ")
                    ),
                    HunkMatchError::Unplaced => format!(
                        "hunk {number} only adds lines and does not say where; include surrounding lines, \
                        or line numbers"
                    ),
                    HunkMatchError::TooFar => format!(
                        "hunk {number} was not found: the line numbers are too far off; read the file again"
                    ),
                }
            })?;
            shift = placed.shift.unwrap_or(shift);
            differences = differences.and(placed.differences);
            out.keep(text.get(lines.start(done)..lines.start(placed.at)).unwrap_or_default());
            done = placed.at;
            let before = out.text.len();
            hunk.write(&mut out, text, &lines, &mut done, &placed);
            places.push(before..out.text.len());
        }
        out.keep(text.get(lines.start(done)..).unwrap_or_default());
        Ok(PatchedText { text: out.text, places, differences })
    }
}

/// Writes a text line by line.
struct PatchedTextWriter<'a> {
    text: String,
    line_end: &'a str,
}

impl PatchedTextWriter<'_> {
    /// Writes unchanged text. A last line without a line end gets one before anything follows.
    fn keep(&mut self, text: &str) {
        if !text.is_empty() {
            self.mend();
            self.text.push_str(text);
        }
    }

    /// Writes a new line.
    fn add(&mut self, line: &str, open: bool) {
        self.mend();
        self.text.push_str(line);
        self.text.push_str(if open { "" } else { self.line_end });
    }

    fn mend(&mut self) {
        if !self.text.is_empty() && !self.text.ends_with('\n') {
            self.text.push_str(self.line_end);
        }
    }
}
