//! The `edit` tool: replacements in one file. This file reads the arguments, applies the
//! replacements in memory and words the report.
//!
//! The old text must be in exactly one place, unless `all` is set. If one replacement fails, none
//! is made. The size of a result is computed before it is built, because edits that double a text
//! could exhaust the memory. A message about a failure says what the model should do. Whether a
//! call may run at all is decided by the kernel (`holm-kernel/src/run/permit.rs`), from the needs
//! that `tool` declares.
//!
//! Exact and similar text is found in `text_search.rs`. Its `exact_places` stops at 21 places,
//! enough for an error message; a replacement of all places therefore searches the text again. This
//! file opens and writes no file: locks, the check for changes since the last read and the undo
//! record are in `change.rs`, encodings in `text.rs`. The lines that a report shows come from
//! `changed_lines.rs`, and the most similar text after a failure from `nearest_text.rs`. Changes to
//! several files are `patch.rs`, whole files are `write.rs`.

use std::{ops::Range, sync::Arc};

use holm_grants::{FilePath, Level};
use holm_runtime::{ClosureTool, ToolInvocation, blocking_tool};
use schemars::JsonSchema;
use serde::Deserialize;

use super::{
    change::NewContent,
    changed_lines::{self, LineAllowance},
    comparison_budget::ComparisonBudget,
    file_tool_context::{FileToolContext, FileToolError, MOST_BYTES, declared, failed},
    line_comparison::MatchDifferences,
    lines::LineIndex,
    nearest_text,
    text::DecodedText,
    text_search::{self, TextMatchError},
};
use crate::root::{MissingFolderPolicy, WorkspaceRootError};

/// Replacements in one call: a longer list is a new file.
const MOST_EDITS: usize = 200;

/// The largest text after an edit, in bytes. In encodings other than UTF-8, the text of the largest
/// file has up to three times as many bytes. The written bytes are measured again.
const MOST_TEXT: u64 = 3 * MOST_BYTES;

/// Line numbers that are listed if a text occurs several times.
const MOST_LISTED: usize = 20;

/// Places of one edit that are shown to the model.
const MOST_SHOWN: usize = 100;

/// Places of one edit up to which the places of earlier edits are tracked.
const MOST_TRACKED: usize = 10_000;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct EditArguments {
    /// The file; relative paths start at the workspace.
    path: String,
    /// The text to replace, as it is in the file, without line numbers. It must occur once.
    old: Option<String>,
    /// The new text.
    new: Option<String>,
    /// Replace every occurrence.
    all: Option<bool>,
    /// In place of old and new: several replacements, made in this order. If one cannot
    /// be made, none is.
    edits: Option<Vec<TextEdit>>,
}

#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct TextEdit {
    /// The text to replace.
    old: String,
    /// The new text.
    new: String,
    /// Replace every occurrence.
    all: Option<bool>,
}

pub(super) fn tool(context: Arc<FileToolContext>) -> ClosureTool<impl JsonSchema> {
    let text = "Replaces text in a file: old with new, or several edits, all or none. The old text must \
        occur once, unless all is true. Fails if the file has changed since it was read. Shows the \
        changed lines.";
    let edit = blocking_tool("edit", text, move |arguments: EditArguments, invocation: ToolInvocation| {
        let edits = edits(&arguments)?;
        run(&context, &arguments.path, &edits, &invocation)
    });
    declared(edit, Level::Write, &["read:{path}", "write:{path}"])
}

/// The replacements of a call, in either form.
fn edits(arguments: &EditArguments) -> Result<Vec<TextEdit>, FileToolError> {
    match (&arguments.old, &arguments.new, &arguments.edits) {
        (Some(old), Some(new), None) => {
            Ok(vec![TextEdit { old: old.clone(), new: new.clone(), all: arguments.all }])
        }
        (None, None, Some(edits)) if edits.is_empty() || edits.len() > MOST_EDITS => {
            Err(failed(format!("give between 1 and {MOST_EDITS} edits")))
        }
        (None, None, Some(edits)) => {
            let all = |edit: &TextEdit| TextEdit { all: edit.all.or(arguments.all), ..edit.clone() };
            Ok(edits.iter().map(all).collect())
        }
        (_, _, Some(_)) => Err(failed("give old and new, or edits, not both")),
        (_, _, None) => Err(failed("give old and new, or edits")),
    }
}

fn run(
    context: &FileToolContext,
    path: &str,
    edits: &[TextEdit],
    invocation: &ToolInvocation,
) -> Result<String, FileToolError> {
    let path = context.root.path(path)?;
    context.root.permit(&invocation.needs).read(&path)?;
    context.change(invocation, std::slice::from_ref(&path), MissingFolderPolicy::Wanted, |befores| {
        let bytes = befores.first().and_then(|before| before.bytes.as_deref());
        let Some(bytes) = bytes else {
            return Err(WorkspaceRootError::Missing { path: path.to_string() }.into());
        };
        let Some(text) = DecodedText::read(bytes) else {
            return Err(failed(format!("`{path}` is not a text file and cannot be edited")));
        };
        let edited = apply(&path, &text, edits)?;
        let new = text.write(&edited.text).ok_or_else(|| {
            let encoding = text.remark().unwrap_or("UTF-8");
            failed(format!("`{path}` is encoded as {encoding}, which lacks a character of the new text"))
        })?;
        let summary = report(&path, &edited);
        Ok((vec![NewContent::Bytes(new)], summary))
    })
}

/// The text after the edits made so far in one call.
struct EditedText {
    text: String,
    /// How many replacements were made.
    count: usize,
    /// Where the replacements are in the text.
    places: Vec<Range<usize>>,
    differences: MatchDifferences,
}

fn apply(path: &FilePath, text: &DecodedText, edits: &[TextEdit]) -> Result<EditedText, FileToolError> {
    let line_end = text.line_end();
    let mut edited = EditedText {
        text: text.text.clone(),
        count: 0,
        places: Vec::new(),
        differences: MatchDifferences::default(),
    };
    let mut budget = ComparisonBudget::default();
    for (at, edit) in edits.iter().enumerate() {
        let prefix = if edits.len() == 1 { String::new() } else { format!("edit {}: ", at + 1) };
        edited
            .make_edit(path, edit, line_end, &mut budget)
            .map_err(|why| failed(format!("{prefix}{why}")))?;
    }
    if edited.text == text.text {
        return Err(failed("the edits together change nothing"));
    }
    Ok(edited)
}

impl EditedText {
    /// Makes one edit: exactly if the old text occurs, otherwise in the one similar place.
    fn make_edit(
        &mut self,
        path: &FilePath,
        edit: &TextEdit,
        line_end: &str,
        budget: &mut ComparisonBudget,
    ) -> Result<(), String> {
        if edit.old.is_empty() {
            return Err("the old text is empty; to create a file, use write".into());
        }
        if edit.old == edit.new {
            return Err("old and new text are the same".into());
        }
        let (old, new) = with_line_ends_of(&self.text, line_end, edit);
        let places = text_search::exact_places(&self.text, &old);
        if places.is_empty() {
            return self.replace_similar(path, edit, line_end, budget);
        }
        if places.len() > 1 && edit.all != Some(true) {
            let lines = LineIndex::of(&self.text);
            let line_numbers: Vec<usize> = places.iter().map(|place| lines.line_of(*place) + 1).collect();
            return Err(not_unique(path, &line_numbers));
        }
        let count = if edit.all == Some(true) { self.text.matches(&old).count() } else { 1 };
        self.differences.line_ends |= old != edit.old;
        let text = std::mem::take(&mut self.text);
        let starts = text.match_indices(&old).map(|(at, _)| at).take(count);
        if count > MOST_TRACKED {
            return self.replace_very_many(&text, starts, &old, &new, count);
        }
        self.replace(&text, starts, count, old.len(), &new)
    }

    /// Makes a replacement whose old text has no exact match, but one similar place.
    fn replace_similar(
        &mut self,
        path: &FilePath,
        edit: &TextEdit,
        line_end: &str,
        budget: &mut ComparisonBudget,
    ) -> Result<(), String> {
        let spot = match text_search::relaxed(&self.text, &edit.old, &edit.new, line_end, budget) {
            Ok(spot) => spot,
            Err(TextMatchError::Several(lines)) => {
                let text = "the old text does not occur exactly, and more than one place is similar";
                return Err(format!("{text}: {}; nothing was changed", list_lines(&lines)));
            }
            Err(TextMatchError::Nowhere | TextMatchError::TooFar) => {
                let wanted: Vec<&str> = edit.old.lines().collect();
                let near = nearest_text::describe(&self.text, &wanted, "the old text");
                return Err(format!("old text not found in `{path}`; nothing was changed. {near}"));
            }
        };
        if self.text.get(spot.range.clone()) == Some(spot.new.as_str()) {
            return Err(format!("`{path}` already contains the new text; nothing was changed"));
        }
        self.differences = self.differences.and(spot.differences);
        let Range { start, end } = spot.range;
        let text = std::mem::take(&mut self.text);
        self.replace(&text, std::iter::once(start), 1, end - start, &spot.new)
    }

    /// The same for very many places: only the first are shown, and the places of earlier
    /// edits are not tracked.
    fn replace_very_many(
        &mut self,
        before: &str,
        starts: impl Iterator<Item = usize>,
        old: &str,
        new: &str,
        count: usize,
    ) -> Result<(), String> {
        size_after(before.len(), count, old.len(), new.len())?;
        let now = |(at, start): (usize, usize)| start - at * old.len() + at * new.len();
        let starts = starts.take(MOST_SHOWN).enumerate().map(now);
        self.places = starts.map(|start| start..start + new.len()).collect();
        self.count += count;
        self.text = before.replace(old, new);
        Ok(())
    }

    /// Puts a new text into places of the old one, which all have one length.
    fn replace(
        &mut self,
        before: &str,
        starts: impl Iterator<Item = usize>,
        count: usize,
        length: usize,
        new: &str,
    ) -> Result<(), String> {
        let mut text = String::with_capacity(size_after(before.len(), count, length, new.len())?);
        let mut earlier = RangeShifter::new(&self.places);
        let mut places = Vec::new();
        let mut done = 0;
        for start in starts {
            earlier.kept(done..start, text.len());
            text.push_str(before.get(done..start).unwrap_or_default());
            let place = text.len()..text.len() + new.len();
            earlier.replaced(start..start + length, &place);
            text.push_str(new);
            if places.len() < MOST_SHOWN {
                places.push(place);
            }
            done = start + length;
        }
        earlier.kept(done..before.len(), text.len());
        text.push_str(before.get(done..).unwrap_or_default());
        places.extend(earlier.moved());
        self.places = places;
        self.count += count;
        self.text = text;
        Ok(())
    }
}

/// The length of a text after `count` pieces were replaced. It is computed before the text is made,
/// because edits that double a text could exhaust the memory within one call.
fn size_after(before: usize, count: usize, old: usize, new: usize) -> Result<usize, String> {
    let rest = old.checked_mul(count).and_then(|gone| before.checked_sub(gone));
    let size = rest.zip(new.checked_mul(count)).and_then(|(rest, more)| rest.checked_add(more));
    size.filter(|size| *size as u64 <= MOST_TEXT)
        .ok_or_else(|| format!("the text would have more than {MOST_TEXT} bytes; nothing was changed"))
}

/// Maps the places of earlier edits into the text that a later edit writes.
struct RangeShifter {
    /// Each end of each place: where it was, which place, whether it is its end, and where it is now.
    ends: Vec<(usize, usize, bool, usize)>,
    next: usize,
}

impl RangeShifter {
    fn new(places: &[Range<usize>]) -> Self {
        let both =
            |(at, place): (usize, &Range<usize>)| [(place.start, at, false, 0), (place.end, at, true, 0)];
        let mut ends: Vec<_> = places.iter().enumerate().flat_map(both).collect();
        ends.sort_unstable();
        Self { ends, next: 0 }
    }

    /// Maps a part of the text that stays to its position in the new text.
    fn kept(&mut self, part: Range<usize>, at: usize) {
        while let Some(end) = self.ends.get_mut(self.next).filter(|end| end.0 <= part.end) {
            end.3 = at + end.0.saturating_sub(part.start);
            self.next += 1;
        }
    }

    /// Maps a part of the text that is replaced. A place that began or ended inside it now begins or
    /// ends at the edge of the new text.
    fn replaced(&mut self, part: Range<usize>, new: &Range<usize>) {
        while let Some(end) = self.ends.get_mut(self.next).filter(|end| end.0 < part.end) {
            end.3 = if end.2 { new.end } else { new.start };
            self.next += 1;
        }
    }

    fn moved(self) -> impl Iterator<Item = Range<usize>> {
        let mut places = std::collections::BTreeMap::<usize, Range<usize>>::new();
        for (_, place, is_end, now) in self.ends {
            let range = places.entry(place).or_default();
            if is_end {
                range.end = now;
            } else {
                range.start = now;
            }
        }
        places.into_values()
    }
}

/// The error for a text that occurs in several lines and must occur once.
fn not_unique(path: &FilePath, lines: &[usize]) -> String {
    format!(
        "the old text occurs more than once in `{path}`: {}; include more surrounding lines, or set all: \
        true; nothing was changed",
        list_lines(lines)
    )
}

fn list_lines(lines: &[usize]) -> String {
    let mut distinct = lines.to_vec();
    distinct.dedup();
    let more = if lines.len() > MOST_LISTED { " and further on" } else { "" };
    let shown: Vec<String> = distinct.iter().take(MOST_LISTED).map(ToString::to_string).collect();
    match shown.as_slice() {
        [one] => format!("on line {one}, {} times{more}", lines.len()),
        [first, second] if more.is_empty() => format!("on lines {first} and {second}"),
        [rest @ .., last] if more.is_empty() => format!("on lines {} and {last}", rest.join(", ")),
        all => format!("on lines {}{more}", all.join(", ")),
    }
}

/// The old and new text of an edit with the line ends of the file. Models write plain line ends.
fn with_line_ends_of(text: &str, line_end: &str, edit: &TextEdit) -> (String, String) {
    let plain = line_end == "\n" || edit.old.contains('\r') || edit.new.contains('\r');
    if plain || (text.contains(&edit.old) && !edit.new.contains('\n')) {
        return (edit.old.clone(), edit.new.clone());
    }
    (edit.old.replace('\n', line_end), edit.new.replace('\n', line_end))
}

/// Reports the changes, with the lines around every place.
fn report(path: &FilePath, edited: &EditedText) -> String {
    let plural = if edited.count == 1 { "" } else { "s" };
    let mut out = format!("`{path}`: {} replacement{plural} made\n", edited.count);
    changed_lines::echo(&mut out, &edited.text, &edited.places, &mut LineAllowance::default());
    if let Some(note) = edited.differences.note("the old text") {
        out.push('\n');
        out.push_str(&note);
    }
    out
}
