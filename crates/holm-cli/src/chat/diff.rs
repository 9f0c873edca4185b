//! The diff of an edit, line by line, from the arguments of the call. It shows what a call
//! proposes, reads no file and checks nothing; the real change is made by `holm-tools/src/files/`,
//! and editors get their diff from `acp/call_display.rs`. The result is not sanitized yet:
//! `item.rs` does that. Long texts are not compared, because the cost is the product of both
//! lengths.

use serde_json::Value;

/// The most lines on either side that are compared: the table of a comparison is their product.
const MOST_LINES: usize = 400;

/// A line of a diff.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum DiffLine {
    /// The file, or the place in it.
    Place(String),
    Same(String),
    Added(String),
    Removed(String),
}

/// What a call would change, if it is one that edits files.
pub(super) fn of_call(tool: &str, arguments: &str) -> Option<Vec<DiffLine>> {
    let said: Value = serde_json::from_str(arguments).ok()?;
    let word = |value: &Value, key: &str| value.get(key).and_then(Value::as_str).map(str::to_owned);
    match tool {
        "edit" => {
            let mut lines = vec![DiffLine::Place(word(&said, "path")?)];
            if said.get("edits").is_none() {
                lines.extend(between(&word(&said, "old")?, &word(&said, "new")?));
                return Some(lines);
            }
            for (number, edit) in said.get("edits")?.as_array()?.iter().enumerate() {
                if number > 0 {
                    lines.push(DiffLine::Place("⋯".into()));
                }
                lines.extend(between(&word(edit, "old")?, &word(edit, "new")?));
            }
            Some(lines)
        }
        "write" => {
            let mut lines = vec![DiffLine::Place(word(&said, "path")?)];
            lines.extend(word(&said, "content")?.lines().map(|line| DiffLine::Added(line.into())));
            Some(lines)
        }
        "patch" => Some(unified(&word(&said, "diff")?)),
        _ => None,
    }
}

/// The lines of a patch.
fn unified(diff: &str) -> Vec<DiffLine> {
    let line = |line: &str| match line.as_bytes().first() {
        _ if ["+++ ", "--- ", "@@", "*** "].iter().any(|mark| line.starts_with(mark)) => {
            DiffLine::Place(line.into())
        }
        Some(b'+') => DiffLine::Added(line.get(1..).unwrap_or_default().into()),
        Some(b'-') => DiffLine::Removed(line.get(1..).unwrap_or_default().into()),
        _ => DiffLine::Same(line.strip_prefix(' ').unwrap_or(line).into()),
    };
    diff.lines().map(line).collect()
}

/// What makes the new text of the old one: lines that both have in the same order stay.
fn between(old: &str, new: &str) -> Vec<DiffLine> {
    let (old, new): (Vec<&str>, Vec<&str>) = (old.lines().collect(), new.lines().collect());
    let removed = |line: &&str| DiffLine::Removed((*line).into());
    let added = |line: &&str| DiffLine::Added((*line).into());
    if old.len() > MOST_LINES || new.len() > MOST_LINES {
        return old.iter().map(removed).chain(new.iter().map(added)).collect();
    }
    let common = common(&old, &new);
    let at = |i: usize, j: usize| common.get(i * (new.len() + 1) + j).copied().unwrap_or(0);
    let (mut i, mut j, mut lines) = (0, 0, Vec::new());
    loop {
        match (old.get(i), new.get(j)) {
            (None, None) => return lines,
            (Some(line), Some(other)) if line == other => {
                lines.push(DiffLine::Same((*line).into()));
                (i, j) = (i + 1, j + 1);
            }
            (Some(line), other) if other.is_none() || at(i + 1, j) >= at(i, j + 1) => {
                lines.push(removed(line));
                i += 1;
            }
            (_, Some(line)) => {
                lines.push(added(line));
                j += 1;
            }
            (Some(line), None) => {
                lines.push(removed(line));
                i += 1;
            }
        }
    }
}

/// How many lines the rests from (i, j) on have in common, row by row.
fn common(old: &[&str], new: &[&str]) -> Vec<u16> {
    let wide = new.len() + 1;
    let mut table = vec![0_u16; (old.len() + 1) * wide];
    for (i, line) in old.iter().enumerate().rev() {
        for (j, other) in new.iter().enumerate().rev() {
            let get = |at: usize| table.get(at).copied().unwrap_or(0);
            let value = if line == other {
                get((i + 1) * wide + j + 1).saturating_add(1)
            } else {
                get((i + 1) * wide + j).max(get(i * wide + j + 1))
            };
            if let Some(cell) = table.get_mut(i * wide + j) {
                *cell = value;
            }
        }
    }
    table
}

#[cfg(test)]
mod tests;
