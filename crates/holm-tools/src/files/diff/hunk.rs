//! One hunk: its lines, and the search for the one place where they fit. The forms of a patch are
//! parsed in `files/diff/unified.rs` and `files/diff/sections.rs`; how lines are compared is in
//! `files/line_comparison.rs`.
//!
//! Comparisons go from strict to loose, and the first that matches anywhere counts. Two places of
//! one strictness are an error, unless the lines above the hunk decide. The search spends a budget
//! (`files/comparison_budget.rs`), because the files are locked meanwhile.

use super::{
    super::{
        comparison_budget::{ComparisonBudget, ComparisonBudgetError},
        indents::IndentMapping,
        line_comparison::{LineComparison, MatchDifferences, normal, split_indent},
        lines::LineIndex,
        nearest_text,
    },
    PatchedTextWriter,
};

/// Lines that are named where a hunk fits several places.
const MOST_NAMED: usize = 10;

/// A hunk: changed lines together with the lines around them.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct PatchHunk {
    /// Where the old lines begin, counted from 1, if the hunk says so.
    pub(super) start: Option<usize>,
    /// How many old and new lines it says that it has.
    pub(super) counts: Option<(usize, usize)>,
    /// Lines above it, such as the head of its function. Each is inside the block that
    /// the previous one begins.
    pub(super) anchors: Vec<String>,
    /// Whether it says that it is the end of the file.
    pub(super) at_end: bool,
    /// Whether lines that go nowhere else go to the end.
    pub(super) appends: bool,
    pub(super) lines: Vec<PatchLine>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PatchLine {
    pub(super) change: LineChange,
    pub(super) text: String,
    /// Whether a note says that no line end follows.
    pub(super) open: bool,
    /// Whether the line is completely empty, without the leading blank. It may be there by mistake.
    pub(super) bare: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LineChange {
    Kept,
    Removed,
    Added,
}

/// Why no place was found for a hunk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum HunkMatchError {
    /// Its lines are not there.
    Nowhere,
    /// They occur more than once, at these lines.
    Several(Vec<String>),
    /// It has no lines that could be found.
    Unplaced,
    /// The search ends here.
    TooFar,
}

impl From<ComparisonBudgetError> for HunkMatchError {
    fn from(_: ComparisonBudgetError) -> Self {
        Self::TooFar
    }
}

/// The place where a hunk applies.
pub(super) struct HunkPlacement {
    /// The first line, counted from 0.
    pub(super) at: usize,
    /// The distance from the line that the hunk named, if it named one.
    pub(super) shift: Option<isize>,
    pub(super) differences: MatchDifferences,
    indents: Option<IndentMapping>,
    /// How many lines at its end do not count.
    dropped: usize,
}

/// The comparisons, from the strictest to the loosest. Those of one row are equally strict.
const TIERS: [&[(LineComparison, IndentComparison)]; 4] = [
    &[(LineComparison::Exact, IndentComparison::Same)],
    &[(LineComparison::Blanks, IndentComparison::Same)],
    &[
        (LineComparison::Characters, IndentComparison::Same),
        (LineComparison::Blanks, IndentComparison::Other),
    ],
    &[(LineComparison::Characters, IndentComparison::Other)],
];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum IndentComparison {
    Same,
    Other,
}

impl PatchHunk {
    /// Takes a line of a patch. False if the line is not part of a hunk.
    pub(super) fn take(&mut self, line: &str) -> bool {
        let (change, text) = match line.as_bytes().first() {
            None => (LineChange::Kept, line),
            Some(b' ') => (LineChange::Kept, line.get(1..).unwrap_or_default()),
            Some(b'-') => (LineChange::Removed, line.get(1..).unwrap_or_default()),
            Some(b'+') => (LineChange::Added, line.get(1..).unwrap_or_default()),
            Some(b'\\') => {
                if let Some(last) = self.lines.last_mut() {
                    last.open = true;
                }
                return true;
            }
            Some(_) => return false,
        };
        self.lines.push(PatchLine { change, text: text.to_owned(), open: false, bare: line.is_empty() });
        true
    }

    /// How many old and new lines it has.
    pub(super) fn counted(&self) -> (usize, usize) {
        let count = |change: LineChange| self.lines.iter().filter(|line| line.change != change).count();
        (count(LineChange::Added), count(LineChange::Removed))
    }

    pub(super) fn is_change(&self) -> bool {
        self.lines.iter().any(|line| line.change != LineChange::Kept)
    }

    /// The lines that are to be found.
    fn wanted(&self) -> Vec<&str> {
        let old = self.lines.iter().filter(|line| line.change != LineChange::Added);
        old.map(|line| line.text.trim_end_matches('\r')).collect()
    }

    fn added(&self) -> impl Iterator<Item = &str> {
        self.lines.iter().filter(|line| line.change == LineChange::Added).map(|line| line.text.as_str())
    }

    /// The part of a text that is most similar to the lines that were not found.
    pub(super) fn nearest(&self, text: &str) -> String {
        nearest_text::describe(text, &self.wanted(), "the hunk")
    }

    /// The one place after `from`.
    pub(super) fn place(
        &self,
        lines: &LineIndex<'_>,
        from: usize,
        shift: isize,
        effort: &mut ComparisonBudget,
    ) -> Result<HunkPlacement, HunkMatchError> {
        let wanted = self.wanted();
        if wanted.is_empty() {
            return self.place_added(lines, from, shift);
        }
        let expected = self.start.map(|start| start.saturating_sub(1).saturating_add_signed(shift));
        // A blank line between two parts of a patch belongs to neither. Where the numbers know,
        // they say which it is.
        let bare = self.lines.iter().rev().take_while(|line| line.bare).count().min(wanted.len() - 1);
        let (old, new) = self.counted();
        let too_many = self.counts.is_some_and(|counts| (1..=bare).any(|n| counts == (old - n, new - n)));
        let mut result = Err(HunkMatchError::Nowhere);
        let whole = (!too_many).then_some(0);
        for dropped in whole.into_iter().chain(1..=bare) {
            let kept = wanted.get(..wanted.len() - dropped).unwrap_or_default();
            result = self.place_lines(lines, kept, from, expected, effort).map(|mut placed| {
                placed.dropped = dropped;
                placed
            });
            if !matches!(result, Err(HunkMatchError::Nowhere)) {
                break;
            }
        }
        result
    }

    fn place_lines(
        &self,
        lines: &LineIndex<'_>,
        wanted: &[&str],
        from: usize,
        expected: Option<usize>,
        effort: &mut ComparisonBudget,
    ) -> Result<HunkPlacement, HunkMatchError> {
        let last = lines
            .len()
            .checked_sub(wanted.len())
            .filter(|last| *last >= from)
            .ok_or(HunkMatchError::Nowhere)?;
        let range = if self.at_end { last..=last } else { from..=last };
        for tier in TIERS {
            let mut found: Vec<(usize, Option<IndentMapping>)> = Vec::new();
            for (closeness, indent) in tier.iter().copied() {
                let compared = HunkMatcher::new(wanted, closeness, indent, self);
                // If the line numbers fit, no other place is tried.
                if let Some(at) = expected.filter(|at| range.contains(at))
                    && let Some(indents) = compared.fits(lines, at, effort)?
                {
                    found = vec![(at, indents)];
                    break;
                }
                let known = found.len();
                for at in range.clone() {
                    let Some(indents) = compared.fits(lines, at, effort)? else { continue };
                    let before = found.get(..known).unwrap_or_default();
                    if before.binary_search_by_key(&at, |(other, _)| *other).is_err() {
                        found.push((at, indents));
                    }
                    if self.anchors.is_empty() && found.len() > MOST_NAMED {
                        break;
                    }
                }
            }
            if found.is_empty() {
                continue;
            }
            let (at, indents) = self.one_of(lines, found)?;
            let mut differences = MatchDifferences::default();
            wanted.iter().enumerate().for_each(|(n, given)| differences.of_line(given, lines.body(at + n)));
            // Later numbers are probably off by as much as this one.
            let said = self.start.map(|start| start.saturating_sub(1));
            let shift = said.map(|said| 0_isize.saturating_add_unsigned(at).saturating_sub_unsigned(said));
            return Ok(HunkPlacement { at, shift, differences, indents, dropped: 0 });
        }
        Err(HunkMatchError::Nowhere)
    }

    /// The only place, or the only one within what the lines above the hunk begin.
    fn one_of(
        &self,
        lines: &LineIndex<'_>,
        mut found: Vec<(usize, Option<IndentMapping>)>,
    ) -> Result<(usize, Option<IndentMapping>), HunkMatchError> {
        if found.len() > 1 && !self.anchors.is_empty() {
            let blocks = blocks(lines, &self.anchors);
            let within = |at: usize| blocks.iter().any(|block| block.contains(&at));
            if found.iter().any(|(at, _)| within(*at)) {
                found.retain(|(at, _)| within(*at));
            }
        }
        if found.len() > 1 {
            let mut named: Vec<String> =
                found.iter().take(MOST_NAMED).map(|(at, _)| (at + 1).to_string()).collect();
            if found.len() > MOST_NAMED {
                named.push("…".into());
            }
            return Err(HunkMatchError::Several(named));
        }
        found.pop().ok_or(HunkMatchError::Nowhere)
    }

    /// The place of a hunk that only adds lines: after the line that its number names, after its
    /// anchor, or at the end.
    fn place_added(
        &self,
        lines: &LineIndex<'_>,
        from: usize,
        shift: isize,
    ) -> Result<HunkPlacement, HunkMatchError> {
        let placed = |at: usize, shift: Option<isize>| {
            let differences = MatchDifferences::default();
            let is_there = (from..=lines.len()).contains(&at);
            is_there
                .then_some(HunkPlacement { at, shift, differences, indents: None, dropped: 0 })
                .ok_or(HunkMatchError::Nowhere)
        };
        if let Some(start) = self.start {
            return placed(start.saturating_add_signed(shift), Some(shift));
        }
        if self.at_end || lines.len() == 0 {
            return placed(lines.len(), None);
        }
        match blocks(lines, &self.anchors).as_slice() {
            [block] => placed(block.start + 1, None),
            [] if self.appends && self.anchors.is_empty() => placed(lines.len(), None),
            _ => Err(HunkMatchError::Unplaced),
        }
    }

    /// Appends the lines of the hunk to the text.
    pub(super) fn write(
        &self,
        out: &mut PatchedTextWriter<'_>,
        text: &str,
        lines: &LineIndex<'_>,
        done: &mut usize,
        placed: &HunkPlacement,
    ) {
        let count = self.lines.len() - placed.dropped;
        for line in self.lines.iter().take(count) {
            match line.change {
                LineChange::Removed => *done += 1,
                LineChange::Kept => {
                    out.keep(text.get(lines.start(*done)..lines.start(*done + 1)).unwrap_or_default());
                    *done += 1;
                }
                LineChange::Added => {
                    let text = line.text.trim_end_matches('\r');
                    match &placed.indents {
                        Some(indents) => out.add(&indents.apply(text), line.open),
                        None => out.add(text, line.open),
                    }
                }
            }
        }
    }
}

/// The lines of a hunk, normalised for one kind of comparison.
struct HunkMatcher<'a> {
    wanted: Vec<std::borrow::Cow<'a, str>>,
    closeness: LineComparison,
    indent: IndentComparison,
    hunk: &'a PatchHunk,
}

impl<'a> HunkMatcher<'a> {
    fn new(
        wanted: &[&'a str],
        closeness: LineComparison,
        indent: IndentComparison,
        hunk: &'a PatchHunk,
    ) -> Self {
        let wanted = wanted.iter().map(|line| normal(line, closeness)).collect();
        Self { wanted, closeness, indent, hunk }
    }

    /// Whether the lines fit a place, and how they are indented there.
    fn fits(
        &self,
        lines: &LineIndex<'_>,
        at: usize,
        effort: &mut ComparisonBudget,
    ) -> Result<Option<Option<IndentMapping>>, ComparisonBudgetError> {
        let mut pairs: Vec<(&str, String)> = Vec::new();
        for (n, wanted) in self.wanted.iter().enumerate() {
            effort.spend()?;
            let there = normal(lines.body(at + n), self.closeness);
            match self.indent {
                IndentComparison::Same if there != *wanted => return Ok(None),
                IndentComparison::Same => {}
                IndentComparison::Other => {
                    let ((indent, wanted), (indent_there, there)) =
                        (split_indent(wanted), split_indent(&there));
                    if wanted != there {
                        return Ok(None);
                    }
                    if !wanted.is_empty() {
                        pairs.push((indent, indent_there.to_owned()));
                    }
                }
            }
        }
        if self.indent == IndentComparison::Same {
            return Ok(Some(None));
        }
        let pairs: Vec<(&str, &str)> =
            pairs.iter().map(|(indent, there)| (*indent, there.as_str())).collect();
        Ok(IndentMapping::fit(&pairs, self.hunk.added(), lines.uses_tabs()).map(Some))
    }
}

/// The blocks that the innermost anchor begins, wherever it occurs: from its line to the
/// end of its block.
fn blocks(lines: &LineIndex<'_>, anchors: &[String]) -> Vec<std::ops::Range<usize>> {
    if anchors.is_empty() {
        return Vec::new();
    }
    let whole = 0..lines.len();
    let mut blocks = Vec::from([whole]);
    for (depth, anchor) in anchors.iter().enumerate() {
        let heads = |is_head: fn(&str, &str) -> bool| -> Vec<std::ops::Range<usize>> {
            let within = blocks.iter().flat_map(|block| block.clone().skip(usize::from(depth > 0)));
            within
                .filter(|line| is_head(lines.body(*line).trim(), anchor))
                .map(|line| block(lines, line))
                .collect()
        };
        let found = heads(|line, anchor| line == anchor);
        blocks = if found.is_empty() { heads(begins) } else { found };
    }
    blocks
}

/// Whether a line begins with an anchor and not with a longer word.
fn begins(line: &str, anchor: &str) -> bool {
    let rest = line.strip_prefix(anchor);
    rest.is_some_and(|rest| !rest.starts_with(|next: char| next.is_alphanumeric() || next == '_'))
}

/// The block that a line begins: the lines with deeper indentation, and the line that closes them.
fn block(lines: &LineIndex<'_>, head: usize) -> std::ops::Range<usize> {
    let depth = |line: usize| split_indent(lines.body(line)).0.len();
    let goes_on = |line: &usize| {
        let text = lines.body(*line).trim();
        text.is_empty()
            || depth(*line) > depth(head)
            || text.starts_with(['{', '}', ')', ']'])
            || text.split(|letter: char| !letter.is_alphanumeric()).next() == Some("end")
    };
    let end = (head + 1..lines.len()).find(|line| !goes_on(line)).unwrap_or(lines.len());
    head..end
}
