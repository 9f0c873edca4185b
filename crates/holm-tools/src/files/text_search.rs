//! Finds the old text of an edit: exactly, or in the one place that differs only in insignificant
//! ways. It changes nothing; `edit.rs` does. How lines are compared is in `line_comparison.rs`, and
//! indentation in `indents.rs`.
//!
//! Comparisons go from strict to loose, and the first that matches anywhere counts; two places are
//! an error, never a guess. The new text gets the line ends and the indentation of the file. The
//! search spends a budget (`comparison_budget.rs`), because the file is locked meanwhile.

use std::ops::Range;

use super::{
    comparison_budget::{ComparisonBudget, ComparisonBudgetError},
    indents::IndentMapping,
    line_comparison::{LineComparison, MatchDifferences, normal, split_indent},
    lines::LineIndex,
};

/// Places that are searched for: as many as a message lists, and one more.
const MOST_PLACES: usize = 21;

/// Lines of old and new text that are compared with each other: the table is their product.
const MOST_CELLS: usize = 250_000;

/// One place in a text, and its new content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct TextReplacement {
    pub(super) range: Range<usize>,
    pub(super) new: String,
    pub(super) differences: MatchDifferences,
}

/// Why there is not exactly one place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum TextMatchError {
    Nowhere,
    /// Several places fit, each in this line, counted from 1.
    Several(Vec<usize>),
    /// The file is too large to be searched.
    TooFar,
}

impl From<ComparisonBudgetError> for TextMatchError {
    fn from(_: ComparisonBudgetError) -> Self {
        Self::TooFar
    }
}

/// All exact matches of a text, including overlapping ones.
pub(super) fn exact_places(text: &str, old: &str) -> Vec<usize> {
    let mut places = Vec::new();
    let mut from = 0;
    while let Some(found) = text.get(from..).and_then(|rest| rest.find(old)) {
        let at = from + found;
        places.push(at);
        if places.len() == MOST_PLACES {
            break;
        }
        from = at + text.get(at..).and_then(|rest| rest.chars().next()).map_or(1, char::len_utf8);
    }
    places
}

/// The one place that matches the old text except for line ends, blanks, typographic characters,
/// indentation or line numbers. These are tried in order, and the first that matches anywhere
/// counts. If it matches more than one place, the edit is refused.
pub(super) fn relaxed(
    text: &str,
    old: &str,
    new: &str,
    line_end: &str,
    effort: &mut ComparisonBudget,
) -> Result<TextReplacement, TextMatchError> {
    if old.trim().is_empty() {
        return Err(TextMatchError::Nowhere);
    }
    let lines = LineIndex::of(text);
    let search = |old: &str, new: &str, numbers: bool, effort: &mut ComparisonBudget| {
        let search = TextSearch { text, lines: &lines, old: pieces(old), new: pieces(new), whole: numbers };
        let hit = search.run(effort)?;
        Ok(search.spot(&hit, old, line_end, numbers))
    };
    match search(old, new, false, effort) {
        Err(TextMatchError::Nowhere) => {}
        other => return other,
    }
    let Some(bare) = without_numbers(old).filter(|bare| !bare.trim().is_empty()) else {
        return Err(TextMatchError::Nowhere);
    };
    search(&bare, &numbers_taken_off(new), true, effort)
}

/// A text between its line ends.
fn pieces(text: &str) -> Vec<&str> {
    text.split('\n').map(|piece| piece.strip_suffix('\r').unwrap_or(piece)).collect()
}

/// The places of all pieces of the old text.
struct TextMatch {
    /// The range of each piece in the file, without the line ends between them.
    slices: Vec<Range<usize>>,
    indents: Option<IndentMapping>,
}

impl TextMatch {
    fn range(&self) -> Range<usize> {
        let start = self.slices.first().map_or(0, |slice| slice.start);
        start..self.slices.last().map_or(start, |slice| slice.end)
    }
}

struct TextSearch<'a> {
    text: &'a str,
    lines: &'a LineIndex<'a>,
    old: Vec<&'a str>,
    new: Vec<&'a str>,
    /// Whether the old text is known to be whole lines.
    whole: bool,
}

impl TextSearch<'_> {
    fn run(&self, effort: &mut ComparisonBudget) -> Result<TextMatch, TextMatchError> {
        for closeness in [LineComparison::Exact, LineComparison::Blanks] {
            if let Some(hit) = self.only(self.as_parts(closeness, effort)?)? {
                return Ok(hit);
            }
        }
        // Neither of these two is nearer than the other, so a place for each is two places.
        let mut hits = self.as_parts(LineComparison::Characters, effort)?;
        let starts: Vec<usize> = hits.iter().map(|hit| self.lines.line_of(hit.range().start)).collect();
        let indented = self.as_lines(LineComparison::Blanks, effort)?;
        hits.extend(
            indented.into_iter().filter(|hit| !starts.contains(&self.lines.line_of(hit.range().start))),
        );
        if let Some(hit) = self.only(hits)? {
            return Ok(hit);
        }
        self.only(self.as_lines(LineComparison::Characters, effort)?)?.ok_or(TextMatchError::Nowhere)
    }

    fn only(&self, mut hits: Vec<TextMatch>) -> Result<Option<TextMatch>, TextMatchError> {
        if hits.len() > 1 {
            let mut lines: Vec<usize> =
                hits.iter().map(|hit| self.lines.line_of(hit.range().start) + 1).collect();
            lines.sort_unstable();
            return Err(TextMatchError::Several(lines));
        }
        Ok(hits.pop())
    }

    /// Finds the old text as a part of the file: its first and last line may be parts of lines.
    fn as_parts(
        &self,
        closeness: LineComparison,
        effort: &mut ComparisonBudget,
    ) -> Result<Vec<TextMatch>, ComparisonBudgetError> {
        let wanted: Vec<_> = self.old.iter().map(|piece| normal(piece, closeness)).collect();
        let [first, inner @ ..] = wanted.as_slice() else { return Ok(Vec::new()) };
        let Some((last, inner)) = inner.split_last() else {
            return self.within_lines(first, closeness, effort);
        };
        // Where blanks were taken off its end, the last piece ends its line.
        let ends_line = self.whole || self.old.last().is_some_and(|piece| has_blanks_behind(piece, last));
        let mut hits = Vec::new();
        for line in 0..self.lines.len() {
            effort.spend()?;
            let body = self.lines.body(line);
            let there = normal(body, closeness);
            if !there.ends_with(first.as_ref()) || (self.whole && there != *first) {
                continue;
            }
            let Some(slices) = self.inner_lines(line + 1, inner, closeness, effort)? else { continue };
            let Some(end) = self.last_part(line + 1 + inner.len(), last, ends_line, closeness) else {
                continue;
            };
            let kept = there.chars().count() - first.chars().count();
            let range = self.lines.body_range(line);
            let start = range.start + bytes_of(body, kept);
            let slices = std::iter::once(start..range.end).chain(slices).chain([end]).collect();
            hits.push(TextMatch { slices, indents: None });
            if hits.len() == MOST_PLACES {
                break;
            }
        }
        Ok(hits)
    }

    fn inner_lines(
        &self,
        from: usize,
        wanted: &[std::borrow::Cow<'_, str>],
        closeness: LineComparison,
        effort: &mut ComparisonBudget,
    ) -> Result<Option<Vec<Range<usize>>>, ComparisonBudgetError> {
        let mut slices = Vec::new();
        for (at, wanted) in wanted.iter().enumerate() {
            effort.spend()?;
            if from + at >= self.lines.len() || normal(self.lines.body(from + at), closeness) != *wanted {
                return Ok(None);
            }
            slices.push(self.lines.body_range(from + at));
        }
        Ok(Some(slices))
    }

    /// The part of a line that the last piece covers. It is empty after the last line of a file
    /// without a final line end.
    fn last_part(
        &self,
        line: usize,
        wanted: &str,
        ends_line: bool,
        closeness: LineComparison,
    ) -> Option<Range<usize>> {
        if line >= self.lines.len() {
            let end = self.text.len();
            return (line == self.lines.len() && wanted.is_empty()).then_some(end..end);
        }
        let (body, range) = (self.lines.body(line), self.lines.body_range(line));
        let there = normal(body, closeness);
        if wanted.is_empty() && self.old.last() == Some(&"") {
            return Some(range.start..range.start);
        }
        if there == wanted {
            return Some(range);
        }
        (!ends_line && there.starts_with(wanted))
            .then(|| range.start..range.start + bytes_of(body, wanted.chars().count()))
    }

    /// Finds an old text of one line within lines.
    fn within_lines(
        &self,
        wanted: &str,
        closeness: LineComparison,
        effort: &mut ComparisonBudget,
    ) -> Result<Vec<TextMatch>, ComparisonBudgetError> {
        let ends_line = self.whole || self.old.first().is_some_and(|piece| has_blanks_behind(piece, wanted));
        let letters = wanted.chars().count();
        let mut hits = Vec::new();
        for line in 0..self.lines.len() {
            effort.spend()?;
            let (body, range) = (self.lines.body(line), self.lines.body_range(line));
            let there = normal(body, closeness);
            for at in exact_places(&there, wanted) {
                let behind = there.get(at + wanted.len()..).unwrap_or_default();
                if (ends_line && !behind.is_empty()) || (self.whole && at > 0) {
                    continue;
                }
                let before = there.get(..at).unwrap_or_default().chars().count();
                let start = range.start + bytes_of(body, before);
                let end = if ends_line { range.end } else { range.start + bytes_of(body, before + letters) };
                hits.push(TextMatch { slices: std::iter::once(start..end).collect(), indents: None });
            }
            if hits.len() >= MOST_PLACES {
                break;
            }
        }
        Ok(hits)
    }

    /// Finds the old text as whole lines that are indented otherwise.
    fn as_lines(
        &self,
        closeness: LineComparison,
        effort: &mut ComparisonBudget,
    ) -> Result<Vec<TextMatch>, ComparisonBudgetError> {
        let (last, before) = match self.old.split_last() {
            Some((last, before)) if last.is_empty() && !before.is_empty() => (Some(last), before),
            _ => (None, self.old.as_slice()),
        };
        let normals: Vec<_> = before.iter().map(|piece| normal(piece, closeness)).collect();
        let wanted: Vec<(&str, &str)> = normals.iter().map(|piece| split_indent(piece)).collect();
        let mut hits = Vec::new();
        for line in 0..(self.lines.len() + 1).saturating_sub(wanted.len()) {
            let Some(there) = self.same_lines(line, &wanted, closeness, effort)? else { continue };
            let pairs: Vec<(&str, &str)> = wanted
                .iter()
                .zip(&there)
                .filter(|((_, rest), _)| !rest.is_empty())
                .map(|((indent, _), there)| (*indent, there.as_str()))
                .collect();
            let mut slices: Vec<_> = (0..wanted.len()).map(|at| self.lines.body_range(line + at)).collect();
            let Some(indents) = self.indents(&pairs, &mut slices) else { continue };
            slices.extend(last.map(|_| {
                let next = self.lines.start(line + wanted.len());
                next..next
            }));
            hits.push(TextMatch { slices, indents: Some(indents) });
            if hits.len() == MOST_PLACES {
                break;
            }
        }
        Ok(hits)
    }

    /// The indentation of the lines from one on, if these are the wanted ones but for it.
    fn same_lines(
        &self,
        line: usize,
        wanted: &[(&str, &str)],
        closeness: LineComparison,
        effort: &mut ComparisonBudget,
    ) -> Result<Option<Vec<String>>, ComparisonBudgetError> {
        let mut indents = Vec::new();
        for (at, (_, rest)) in wanted.iter().enumerate() {
            effort.spend()?;
            let there = normal(self.lines.body(line + at), closeness);
            let (indent, rest_there) = split_indent(&there);
            if rest_there != *rest {
                return Ok(None);
            }
            indents.push(indent.to_owned());
        }
        Ok(Some(indents))
    }

    /// How the old text becomes indented like the file. Its first line may have been copied from
    /// where its text begins: then the place begins there too.
    fn indents(&self, pairs: &[(&str, &str)], slices: &mut [Range<usize>]) -> Option<IndentMapping> {
        let fit = |pairs: &[(&str, &str)]| {
            IndentMapping::fit(pairs, self.new.iter().copied(), self.lines.uses_tabs())
        };
        if let Some(indents) = fit(pairs) {
            return Some(indents);
        }
        let [("", there), rest @ ..] = pairs else { return None };
        let begins_with_text = self.old.first().is_some_and(|first| !first.trim().is_empty());
        let indents = fit(rest).filter(|indents| begins_with_text && indents.keeps_columns())?;
        let first = slices.first_mut()?;
        let line = self.text.get(first.clone()).unwrap_or_default();
        first.start += bytes_of(line, there.chars().count());
        Some(indents)
    }

    /// Adapts the new text to a match. Lines that the old and the new text share stay as the file
    /// has them. Other lines get the file's line ends and indentation.
    fn spot(&self, hit: &TextMatch, old: &str, line_end: &str, numbers: bool) -> TextReplacement {
        let slice = |range: &Range<usize>| self.text.get(range.clone()).unwrap_or_default();
        let between = |at: usize| match (hit.slices.get(at), hit.slices.get(at + 1)) {
            (Some(one), Some(next)) => self.text.get(one.end..next.start),
            _ => None,
        };
        let ends: Vec<&str> =
            (0..hit.slices.len()).filter_map(between).filter(|end| !end.is_empty()).collect();
        let line_end = ends.first().copied().unwrap_or(line_end);
        let final_end = self.old.len() > 1
            && self.old.last() == Some(&"")
            && !self.text.ends_with('\n')
            && hit.range().end == self.text.len();
        let mut differences = MatchDifferences { numbers, final_end, ..MatchDifferences::default() };
        differences.line_ends =
            !ends.is_empty() && ends.iter().any(|end| (*end == "\r\n") != old.contains("\r\n"));
        for (given, there) in self.old.iter().zip(&hit.slices) {
            differences.of_line(given, slice(there));
        }
        let shared = shared(&self.old, &self.new);
        let starts_within = hit.slices.first().is_some_and(|first| {
            hit.indents.is_some() && first.start > self.lines.start(self.lines.line_of(first.start))
        });
        let mut out = String::new();
        for (at, (piece, same)) in self.new.iter().zip(&shared).enumerate() {
            match same.and_then(|same| hit.slices.get(same)) {
                Some(there) => out.push_str(slice(there)),
                None => match &hit.indents {
                    Some(indents) if at > 0 || !starts_within => out.push_str(&indents.apply(piece)),
                    _ => out.push_str(piece),
                },
            }
            if at + 1 < self.new.len() {
                out.push_str(same.and_then(between).unwrap_or(line_end));
            }
        }
        // A file whose last line has no end keeps it so.
        let past_end = self.old.last() == Some(&"") && hit.range().end == self.text.len();
        if past_end && !self.text.ends_with('\n') && self.new.last() == Some(&"") {
            let kept = out.strip_suffix(line_end).unwrap_or(&out).len();
            out.truncate(kept);
        }
        TextReplacement { range: hit.range(), new: out, differences }
    }
}

/// Whether a piece lost blanks at its end when it was brought into the form that is compared.
fn has_blanks_behind(piece: &str, compared: &str) -> bool {
    piece.chars().count() > compared.chars().count()
}

/// How many bytes the first characters of a line take.
fn bytes_of(line: &str, letters: usize) -> usize {
    line.char_indices().nth(letters).map_or(line.len(), |(at, _)| at)
}

/// For each new line the old one that it is, in order.
fn shared(old: &[&str], new: &[&str]) -> Vec<Option<usize>> {
    let mut same = vec![None; new.len()];
    let front = old.iter().zip(new).take_while(|(old, new)| old == new).count();
    let most = old.len().min(new.len()) - front;
    let back = old.iter().rev().zip(new.iter().rev()).take(most).take_while(|(old, new)| old == new).count();
    for at in 0..front {
        if let Some(place) = same.get_mut(at) {
            *place = Some(at);
        }
    }
    for at in 1..=back {
        if let Some(place) = same.get_mut(new.len() - at) {
            *place = Some(old.len() - at);
        }
    }
    let (old_middle, new_middle) = (
        old.get(front..old.len() - back).unwrap_or_default(),
        new.get(front..new.len() - back).unwrap_or_default(),
    );
    if old_middle.len().saturating_mul(new_middle.len()) <= MOST_CELLS {
        for (new_at, old_at) in in_common(old_middle, new_middle) {
            if let Some(place) = same.get_mut(front + new_at) {
                *place = Some(front + old_at);
            }
        }
    }
    same
}

/// The longest list of lines that both have in the same order, as pairs of a new and an old one.
fn in_common(old: &[&str], new: &[&str]) -> Vec<(usize, usize)> {
    let wide = new.len() + 1;
    let mut table = vec![0_u32; (old.len() + 1) * wide];
    for (i, line) in old.iter().enumerate().rev() {
        for (j, other) in new.iter().enumerate().rev() {
            let get = |at: usize| table.get(at).copied().unwrap_or(0);
            let longest = if line == other {
                get((i + 1) * wide + j + 1) + 1
            } else {
                get((i + 1) * wide + j).max(get(i * wide + j + 1))
            };
            if let Some(cell) = table.get_mut(i * wide + j) {
                *cell = longest;
            }
        }
    }
    let get = |i: usize, j: usize| table.get(i * wide + j).copied().unwrap_or(0);
    let (mut i, mut j, mut pairs) = (0, 0, Vec::new());
    while let (Some(line), Some(other)) = (old.get(i), new.get(j)) {
        if line == other {
            pairs.push((j, i));
            (i, j) = (i + 1, j + 1);
        } else if get(i + 1, j) >= get(i, j + 1) {
            i += 1;
        } else {
            j += 1;
        }
    }
    pairs
}

/// The text without the line numbers that `read` writes. Returns `None` unless every line has a
/// number, each one more than the last. An empty line may lack the tab after its number.
fn without_numbers(text: &str) -> Option<String> {
    let mut last = None;
    let mut bare = Vec::new();
    let (body, end) = match text.strip_suffix('\n') {
        Some(body) => (body, "\n"),
        None => (text, ""),
    };
    for line in body.split('\n') {
        let (number, rest) = number_of(line).or_else(|| Some((line.trim().parse().ok()?, "")))?;
        if last.is_some_and(|last: u64| last.checked_add(1) != Some(number)) {
            return None;
        }
        last = Some(number);
        bare.push(rest);
    }
    last.map(|_| bare.join("\n") + end)
}

/// The text with numbers taken off those lines that have one.
fn numbers_taken_off(text: &str) -> String {
    let bare: Vec<&str> =
        text.split('\n').map(|line| number_of(line).map_or(line, |(_, rest)| rest)).collect();
    bare.join("\n")
}

/// The number before a line, and the rest of the line.
fn number_of(line: &str) -> Option<(u64, &str)> {
    let (number, rest) = line.split_once('\t')?;
    let number = number.trim_start_matches(' ');
    let is_number = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| number.parse().ok()).flatten().map(|number| (number, rest))
}
