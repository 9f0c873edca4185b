//! Compares what a call of `write` would put into a file with the file as it is now, for the user
//! who is asked about the call. The result has the changed lines with a few lines around them, and
//! their number. All new lines are included, because the user approves them; of the removed lines
//! only the first ones are.
//!
//! It changes nothing and refuses nothing: writing is in `change.rs`, and the refusal of a file
//! that the model has not read is in `write.rs`, with the text of `not_read` below. The terminal
//! shows the result in `holm-cli/src/approve/call_summary.rs`.

use holm_grants::FilePath;
use holm_guards::json::Json;
use holm_kernel::visible;
use serde::{Deserialize, Serialize};

use crate::root::{WorkspaceRoot, WorkspaceRootError};

/// The largest file that is compared; of a larger one, only the size is shown.
const MOST_COMPARED: u64 = 1024 * 1024;
/// The most pairs of lines that are compared. Beyond it, all lines between the equal beginning and
/// the equal end count as changed.
const MOST_PAIRS: usize = 4_000_000;
/// The equal lines around a change.
const CONTEXT: usize = 3;
/// The removed lines of a file that are shown.
const MOST_REMOVED: u64 = 400;
/// The end of a text whose last line has no line break.
const NO_BREAK: &str = "\\ no line break at the end";

/// What a whole-file write does to the file as it is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ProposedChange {
    /// There is no such file yet.
    New,
    /// The file is replaced, and this is the difference.
    Replaced(LineDifference),
    /// The file is replaced, and its content is not compared: it is too large, or not text.
    Uncompared {
        /// Its size in bytes.
        size: u64,
    },
}

/// The difference between two texts, line by line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LineDifference {
    pub added: u64,
    pub removed: u64,
    /// Each begins with `+ `, `- ` or two blanks; a line that begins with `@@` stands for equal lines
    /// that are left out.
    pub lines: Vec<String>,
}

impl ProposedChange {
    /// The change of a call; `None` for other tools, and if the file cannot be read.
    pub(crate) fn of(root: &WorkspaceRoot, tool: &str, arguments: &str) -> Option<Self> {
        let (path, content) = written(root, tool, arguments)?;
        let opened = match root.read(&path) {
            Ok(opened) => opened,
            Err(WorkspaceRootError::Missing { .. }) => return Some(Self::New),
            Err(_) => return None,
        };
        let size = opened.len();
        let old = (size <= MOST_COMPARED).then(|| opened.bytes(MOST_COMPARED).ok()).flatten();
        let old = old.and_then(|bytes| String::from_utf8(bytes).ok());
        Some(match old.filter(|old| !old.contains('\0') && content.len() as u64 <= MOST_COMPARED) {
            Some(old) => Self::Replaced(LineDifference::between(&old, &content)),
            None => Self::Uncompared { size },
        })
    }
}

/// Why `write` would refuse to replace a file: the model has not read it, or not as it is now.
pub(crate) fn unread(root: &WorkspaceRoot, tool: &str, arguments: &str) -> Option<String> {
    let (path, _) = written(root, tool, arguments)?;
    let opened = root.read(&path).ok()?;
    if !root.seen().has(&path) {
        return Some(not_read(&path));
    }
    let bytes = (opened.len() <= MOST_COMPARED).then(|| opened.bytes(MOST_COMPARED).ok()).flatten()?;
    let is_changed = root.seen().is_same(&path, &bytes) == Some(false);
    is_changed.then(|| WorkspaceRootError::Changed { path: path.to_string() }.to_string())
}

/// The error for a model that would replace a file without having read it.
pub(super) fn not_read(path: &FilePath) -> String {
    format!("`{path}` exists and you have not read it; read it before you overwrite it")
}

fn written(root: &WorkspaceRoot, tool: &str, arguments: &str) -> Option<(FilePath, String)> {
    if tool != "write" {
        return None;
    }
    let arguments = Json::parse(arguments).ok()?;
    // A tool of this name with further arguments may do something else, such as append.
    let Json::Object(named) = &arguments else { return None };
    if named.keys().any(|name| !["path", "content"].contains(&name.as_str())) {
        return None;
    }
    let path = root.path(arguments.get("path")?.as_str()?).ok()?;
    Some((path, arguments.get("content")?.as_str()?.to_owned()))
}

/// One line of a comparison.
#[derive(Clone, Copy)]
enum ComparedLine<'a> {
    Equal(&'a str),
    Removed(&'a str),
    Added(&'a str),
}

impl LineDifference {
    /// The difference of two texts. Lines are equal only if their line breaks are.
    pub(crate) fn between(old: &str, new: &str) -> Self {
        let (old, new): (Vec<&str>, Vec<&str>) =
            (old.split_inclusive('\n').collect(), new.split_inclusive('\n').collect());
        let start = old.iter().zip(&new).take_while(|(old, new)| old == new).count();
        let (old_rest, new_rest) =
            (old.get(start..).unwrap_or_default(), new.get(start..).unwrap_or_default());
        let end =
            old_rest.iter().rev().zip(new_rest.iter().rev()).take_while(|(old, new)| old == new).count();
        let inner = |all: &[&'_ str]| all.len().saturating_sub(end);
        let (old_inner, kept) = old_rest.split_at(inner(old_rest));
        let new_inner = new_rest.get(..inner(new_rest)).unwrap_or_default();
        let mut compared: Vec<ComparedLine<'_>> =
            old.iter().take(start).map(|line| ComparedLine::Equal(line)).collect();
        compared.extend(middle(old_inner, new_inner));
        compared.extend(kept.iter().map(|line| ComparedLine::Equal(line)));
        Self::of(&compared)
    }

    fn of(compared: &[ComparedLine<'_>]) -> Self {
        let is_near = near_changes(compared);
        let mut found = Self { added: 0, removed: 0, lines: Vec::new() };
        let (mut left_out, mut unshown) = (0_usize, 0_usize);
        for (line, is_near) in compared.iter().zip(is_near) {
            if !is_near {
                left_out += 1;
                continue;
            }
            found.end_gap(&mut left_out);
            match line {
                ComparedLine::Equal(text) => found.push("  ", text),
                ComparedLine::Added(text) => {
                    found.added += 1;
                    found.push("+ ", text);
                }
                ComparedLine::Removed(text) => {
                    found.removed += 1;
                    if found.removed > MOST_REMOVED {
                        unshown += 1;
                    } else {
                        found.push("- ", text);
                    }
                }
            }
        }
        found.end_gap(&mut left_out);
        if unshown > 0 {
            found.lines.push(format!("@@ {unshown} more removed lines are not shown @@"));
        }
        found
    }

    fn end_gap(&mut self, left_out: &mut usize) {
        match std::mem::take(left_out) {
            0 => {}
            1 => self.lines.push("@@ 1 equal line @@".to_owned()),
            count => self.lines.push(format!("@@ {count} equal lines @@")),
        }
    }

    fn push(&mut self, mark: &str, line: &str) {
        // The file as it is may hold characters that a terminal obeys.
        let text = visible(line.strip_suffix('\n').unwrap_or(line));
        self.lines.push(format!("{mark}{text}"));
        if !line.ends_with('\n') {
            self.lines.push(format!("{mark}{NO_BREAK}"));
        }
    }
}

/// Which lines are changed, or close to one that is.
fn near_changes(compared: &[ComparedLine<'_>]) -> Vec<bool> {
    let is_changed = |line: &ComparedLine<'_>| !matches!(line, ComparedLine::Equal(_));
    let mut near = vec![false; compared.len()];
    let mark = |near: &mut Vec<bool>, order: &mut dyn Iterator<Item = usize>| {
        let mut left = 0;
        for at in order {
            let Some((line, near)) = compared.get(at).zip(near.get_mut(at)) else { continue };
            if is_changed(line) {
                left = CONTEXT + 1;
            }
            *near |= left > 0;
            left = left.saturating_sub(1);
        }
    };
    mark(&mut near, &mut (0..compared.len()));
    mark(&mut near, &mut (0..compared.len()).rev());
    near
}

/// The lines between the equal beginning and the equal end: a longest common subsequence, if it is
/// not too much work.
fn middle<'a>(old: &[&'a str], new: &[&'a str]) -> Vec<ComparedLine<'a>> {
    let mut all = Vec::with_capacity(old.len().saturating_add(new.len()));
    if old.len().saturating_mul(new.len()) > MOST_PAIRS {
        all.extend(old.iter().map(|line| ComparedLine::Removed(line)));
        all.extend(new.iter().map(|line| ComparedLine::Added(line)));
        return all;
    }
    let width = new.len() + 1;
    let lengths = common_lengths(old, new);
    let length = |old: usize, new: usize| lengths.get(old * width + new).copied().unwrap_or_default();
    let (mut at_old, mut at_new) = (0, 0);
    loop {
        match (old.get(at_old), new.get(at_new)) {
            (Some(one), Some(other)) if one == other => {
                all.push(ComparedLine::Equal(one));
                at_old += 1;
                at_new += 1;
            }
            (Some(one), other)
                if other.is_none() || length(at_old + 1, at_new) >= length(at_old, at_new + 1) =>
            {
                all.push(ComparedLine::Removed(one));
                at_old += 1;
            }
            (_, Some(other)) => {
                all.push(ComparedLine::Added(other));
                at_new += 1;
            }
            (_, None) => return all,
        }
    }
}

/// For each pair of positions, the length of the longest common subsequence after them.
fn common_lengths(old: &[&str], new: &[&str]) -> Vec<u32> {
    let width = new.len() + 1;
    let mut lengths = vec![0_u32; (old.len() + 1) * width];
    for (at_old, one) in old.iter().enumerate().rev() {
        for (at_new, other) in new.iter().enumerate().rev() {
            let at = |old: usize, new: usize| lengths.get(old * width + new).copied().unwrap_or_default();
            let found = if one == other {
                at(at_old + 1, at_new + 1) + 1
            } else {
                at(at_old + 1, at_new).max(at(at_old, at_new + 1))
            };
            if let Some(length) = lengths.get_mut(at_old * width + at_new) {
                *length = found;
            }
        }
    }
    lengths
}

#[cfg(test)]
mod tests;
