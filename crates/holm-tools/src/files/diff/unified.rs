//! Unified diffs, as git, `diff -u` and models write them. It only parses; places are found in
//! `files/diff/hunk.rs`, and names become paths in `files/patch.rs`. The counts of a hunk are used
//! only where two readings are possible.

use super::{DiffTarget, FileAction, FileDiff, hunk::PatchHunk, short};

const NO_FILE: &str = "/dev/null";

pub(super) fn parse(text: &str) -> Result<Vec<FileDiff>, String> {
    let lines: Vec<&str> = text.lines().collect();
    let mut files: Vec<FileDiff> = Vec::new();
    let mut at = 0;
    while let Some(line) = lines.get(at).copied() {
        if let Some((old, new)) = header(&lines, at) {
            files.push(file(old, new));
            at += 2;
        } else if line.starts_with("--- ") {
            return Err(format!("line {}: expected +++ after ---", at + 1));
        } else if line.starts_with("@@") {
            let (hunk, next) = hunk(&lines, at)?;
            if files.is_empty() {
                files.push(FileDiff {
                    name: DiffTarget::Nowhere,
                    action: FileAction::Change,
                    hunks: Vec::new(),
                });
            }
            files.last_mut().into_iter().for_each(|file| file.hunks.push(hunk.clone()));
            at = next;
        } else {
            between(at, line)?;
            at += 1;
        }
    }
    if files.is_empty() || files.iter().any(|file| file.hunks.is_empty()) {
        return Err("a unified diff has ---, +++ and at least one @@ for each file".into());
    }
    Ok(files)
}

/// The two names, where a file begins.
fn header<'a>(lines: &[&'a str], at: usize) -> Option<(&'a str, &'a str)> {
    let old = lines.get(at)?.strip_prefix("--- ")?;
    Some((old, lines.get(at + 1)?.strip_prefix("+++ ")?))
}

fn file(old: &str, new: &str) -> FileDiff {
    let is_none = |name: &str| name.split('\t').next().unwrap_or_default().trim() == NO_FILE;
    let action = match (is_none(old), is_none(new)) {
        (true, _) => FileAction::Make,
        (false, true) => FileAction::Remove { lines: true },
        (false, false) => FileAction::Change,
    };
    FileDiff {
        name: DiffTarget::Lines { old: old.to_owned(), new: new.to_owned() },
        action,
        hunks: Vec::new(),
    }
}

/// Checks a line between hunks.
fn between(at: usize, line: &str) -> Result<(), String> {
    const PASSED: &[&str] =
        &["diff ", "index ", "new file mode ", "deleted file mode ", "similarity ", "```"];
    if line.trim().is_empty() || PASSED.iter().any(|start| line.starts_with(start)) {
        return Ok(());
    }
    Err(format!("line {}: `{}` does not belong in a unified diff", at + 1, short(line)))
}

/// A hunk, and the line after it. It ends at the next hunk, the next file or the end of the patch;
/// its counts are ignored.
fn hunk(lines: &[&str], at: usize) -> Result<(PatchHunk, usize), String> {
    let mut hunk = head(lines.get(at).copied().unwrap_or_default());
    let mut next = at + 1;
    while let Some(line) = lines.get(next).copied() {
        let ends = line.starts_with("@@") || line.starts_with("diff --git ") || line.starts_with("```");
        if ends || (header(lines, next).is_some() && !is_last_change(&hunk, lines, next)) {
            break;
        }
        if !hunk.take(line) {
            // Lines that git writes between files, once all lines of the hunk are there.
            if between(next, line).is_ok() {
                break;
            }
            return Err(format!(
                "line {}: `{}` must begin with a space, - or +, like every line of a hunk",
                next + 1,
                short(line)
            ));
        }
        next += 1;
    }
    if !hunk.is_change() {
        return Err(format!("line {}: the hunk changes nothing; write - and + in front of lines", at + 1));
    }
    Ok((hunk, next))
}

/// Whether two lines that look like the head of a file are the last change of a hunk, a `-- ` that
/// becomes a `++ `. They are only if exactly these two lines are still missing.
fn is_last_change(hunk: &PatchHunk, lines: &[&str], at: usize) -> bool {
    let (old, new) = hunk.counted();
    let begins_hunk = lines.get(at + 2).is_some_and(|line| line.starts_with("@@"));
    match hunk.counts {
        Some(counts) => counts == (old + 1, new + 1),
        None => !begins_hunk,
    }
}

/// The content of the line with which a hunk begins: numbers, the head of its
/// function, or nothing useful.
fn head(line: &str) -> PatchHunk {
    if let Some((start, old, new)) = numbers(line) {
        return PatchHunk { start: Some(start), counts: Some((old, new)), ..PatchHunk::default() };
    }
    let inner = line.trim_start_matches('@').trim();
    let anchor = inner.strip_suffix("@@").unwrap_or(inner).trim();
    let anchors = if anchor.is_empty() { Vec::new() } else { vec![anchor.to_owned()] };
    PatchHunk { anchors, ..PatchHunk::default() }
}

/// The first old line, and how many old and new lines follow.
fn numbers(header: &str) -> Option<(usize, usize, usize)> {
    let inner = header.strip_prefix("@@ -")?.split(" @@").next()?;
    let (old, new) = inner.split_once(" +")?;
    let pair = |text: &str| -> Option<(usize, usize)> {
        match text.split_once(',') {
            Some((start, count)) => Some((start.parse().ok()?, count.parse().ok()?)),
            None => Some((text.parse().ok()?, 1)),
        }
    };
    let ((start, old), (_, new)) = (pair(old)?, pair(new)?);
    Some((start, old, new))
}
