//! `edit` and `multi_edit`: exact replacements in one file.

use std::{fmt::Write, sync::Arc};

use holm_grants::{FilePath, Level};
use holm_runtime::{ClosureTool, Job, blocking_tool};
use schemars::JsonSchema;
use serde::Deserialize;

use super::{
    change::New,
    desk::{Desk, Failed, MOST_BYTES, declared, told},
    read::clipped,
    text::Text,
};
use crate::root::{Folders, RootError};

/// Replacements in one call: a longer list is a new file.
const MOST_EDITS: usize = 200;

/// Bytes of the text between two edits. In other encodings than UTF-8 a file of the largest size has up to three times as
/// many; what is written is measured again.
const MOST_TEXT: u64 = 3 * MOST_BYTES;

/// Lines shown before and after a change, so that the model sees where it landed.
const AROUND: usize = 3;

/// Lines of a change that are shown.
const MOST_SHOWN: usize = 20;

#[derive(Debug, Deserialize, JsonSchema)]
struct Single {
    /// The file, relative to the task's folder.
    path: String,
    /// The text to replace, exactly as it stands in the file, without line numbers. It must occur once.
    old: String,
    /// What takes its place.
    new: String,
    /// Whether every occurrence is replaced.
    all: Option<bool>,
}

#[derive(Debug, Deserialize, JsonSchema)]
struct Multiple {
    /// The file, relative to the task's folder.
    path: String,
    /// The replacements, made one after the other; if one cannot be made, none is.
    edits: Vec<Edit>,
}

#[derive(Debug, Clone, Deserialize, JsonSchema)]
struct Edit {
    /// The text to replace, exactly as it stands in the file then. It must occur once.
    old: String,
    /// What takes its place.
    new: String,
    /// Whether every occurrence is replaced.
    all: Option<bool>,
}

pub(super) fn single(desk: Arc<Desk>) -> ClosureTool<impl JsonSchema> {
    let text = "Replaces a text in a file by another. The old text must stand in the file exactly so, and once, \
                unless all is said. Refused if the file has changed since it was read.";
    let edit = blocking_tool("edit", text, move |arguments: Single, job: Job| {
        let Single { path, old, new, all } = arguments;
        run(&desk, &path, &[Edit { old, new, all }], &job)
    });
    declared(edit, Level::Write, &["read:{path}", "write:{path}"])
}

pub(super) fn multiple(desk: Arc<Desk>) -> ClosureTool<impl JsonSchema> {
    let text = "Makes several replacements in one file, in their order: all of them, or none.";
    let edit = blocking_tool("multi_edit", text, move |arguments: Multiple, job: Job| {
        run(&desk, &arguments.path, &arguments.edits, &job)
    });
    declared(edit, Level::Write, &["read:{path}", "write:{path}"])
}

fn run(desk: &Desk, path: &str, edits: &[Edit], job: &Job) -> Result<String, Failed> {
    if edits.is_empty() || edits.len() > MOST_EDITS {
        return Err(told(format!("give between 1 and {MOST_EDITS} edits")));
    }
    let path = desk.root.path(path)?;
    desk.root.permit(&job.needs).read(&path)?;
    desk.change(job, std::slice::from_ref(&path), Folders::Wanted, |befores| {
        let bytes = befores.first().and_then(|before| before.bytes.as_deref());
        let Some(bytes) = bytes else { return Err(RootError::Missing { path: path.to_string() }.into()) };
        let Some(text) = Text::read(bytes) else {
            return Err(told(format!("`{path}` is no text and cannot be edited")));
        };
        let (changed, count) = apply(&text, edits)?;
        let new = text.write(&changed).ok_or_else(|| {
            let encoding = text.remark().unwrap_or("UTF-8");
            told(format!(
                "`{path}` is written in {encoding}, which has no place for a character of the new text"
            ))
        })?;
        let said = report(&path, &text.text, &changed, count);
        Ok((vec![New::Bytes(new)], said))
    })
}

/// Makes the replacements, and counts them.
fn apply(text: &Text, edits: &[Edit]) -> Result<(String, usize), Failed> {
    let line_end = text.line_end();
    let mut now = text.text.clone();
    let mut count = 0;
    for (at, edit) in edits.iter().enumerate() {
        let which = if edits.len() == 1 { String::new() } else { format!("edit {}: ", at + 1) };
        let (old, new) = in_lines_of(&now, line_end, edit);
        if old.is_empty() {
            return Err(told(format!("{which}the old text is empty; to make a new file use write")));
        }
        if old == new {
            return Err(told(format!("{which}old and new text are the same")));
        }
        let found = now.matches(&old).count();
        count += match (found, edit.all == Some(true)) {
            (0, _) => {
                let text =
                    "the old text does not stand in the file; read it and copy it exactly, with its spaces";
                return Err(told(format!("{which}{text}; nothing was changed")));
            }
            (1, _) | (_, true) => found,
            (_, false) => {
                let text = format!(
                    "the old text stands in the file {found} times; give more of what is around it, or say all"
                );
                return Err(told(format!("{which}{text}; nothing was changed")));
            }
        };
        // Counted first: edits that double a text go past any memory within one call.
        if !has_room(now.len(), found, old.len(), new.len()) {
            let text = format!("the text would have more than {MOST_TEXT} bytes; nothing was changed");
            return Err(told(format!("{which}{text}")));
        }
        now = now.replace(&old, &new);
    }
    if now == text.text {
        return Err(told("the edits together change nothing"));
    }
    Ok((now, count))
}

/// Whether the text stays within its bound when so many pieces of one length become pieces of another.
fn has_room(text: usize, found: usize, old: usize, new: usize) -> bool {
    let rest = old.checked_mul(found).and_then(|gone| text.checked_sub(gone));
    let size = rest.zip(new.checked_mul(found)).and_then(|(rest, added)| rest.checked_add(added));
    size.is_some_and(|size| size as u64 <= MOST_TEXT)
}

/// Models write plain line ends; in a file that has others, so do the texts that are looked for.
fn in_lines_of(text: &str, line_end: &str, edit: &Edit) -> (String, String) {
    let plain = line_end == "\n" || edit.old.contains('\r') || edit.new.contains('\r');
    if plain || (text.contains(&edit.old) && !edit.new.contains('\n')) {
        return (edit.old.clone(), edit.new.clone());
    }
    (edit.old.replace('\n', line_end), edit.new.replace('\n', line_end))
}

/// What was changed, with the lines around the first place.
fn report(path: &FilePath, before: &str, after: &str, count: usize) -> String {
    let plural = if count == 1 { "" } else { "s" };
    let mut out = format!("`{path}`: {count} replacement{plural} made");
    let (old, new): (Vec<&str>, Vec<&str>) = (before.lines().collect(), after.lines().collect());
    let same = old.iter().zip(&new).take_while(|(old, new)| old == new).count();
    let same_end = old.iter().rev().zip(new.iter().rev()).take_while(|(old, new)| old == new).count();
    let end = new.len().saturating_sub(same_end).max(same);
    let first = same.saturating_sub(AROUND);
    let last = end.saturating_add(AROUND).min(new.len()).min(first.saturating_add(MOST_SHOWN));
    out.push('\n');
    for (at, line) in new.iter().enumerate().take(last).skip(first) {
        let _ = write!(out, "\n{:>6}\t{}", at + 1, clipped(line));
    }
    out
}
