//! Patches in sections: `*** Begin Patch`, `*** Update File: path`, `@@ head of a function`, … `***
//! End Patch`.
//!
//! Hunks have no numbers. Lines after `@@` name the class or function that contains the hunk, the
//! outermost first. It only parses; places are found in `files/diff/hunk.rs`.
//! `holm-grants/src/template/patch.rs` reads the file names of a patch too, to know what a call
//! needs, so both must agree.

use super::{DiffTarget, FileAction, FileDiff, hunk::PatchHunk, short};

const BEGIN: &str = "*** Begin Patch";
const END: &str = "*** End Patch";
const END_OF_FILE: &str = "*** End of File";

pub(super) fn parse(text: &str) -> Result<Vec<FileDiff>, String> {
    let mut files: Vec<FileDiff> = Vec::new();
    let last = text.trim_end().lines().count();
    for (at, line) in text.lines().enumerate() {
        let wrong = |why: &str| format!("line {}: `{}` {why}", at + 1, short(line));
        // Blanks in front of a mark change nothing where it can be no line of a hunk: before the
        // first file, and at the very end.
        let line =
            if files.is_empty() || (at + 1 == last && line.trim() == END) { line.trim_start() } else { line };
        if line.starts_with(BEGIN) {
            continue;
        }
        if line.starts_with(END) {
            break;
        }
        if let Some((action, path)) = section(line) {
            if path.is_empty() {
                return Err(wrong("names no file"));
            }
            files.push(FileDiff { name: DiffTarget::Path(path.to_owned()), action, hunks: Vec::new() });
            continue;
        }
        let Some(file) = files.last_mut() else {
            if line.trim().is_empty() || line.starts_with("```") {
                continue;
            }
            return Err(wrong("comes before *** Update File:, *** Add File: or *** Delete File:"));
        };
        if let Some(path) = line.strip_prefix("*** Move to:") {
            if file.action != FileAction::Change || !file.hunks.is_empty() || path.trim().is_empty() {
                return Err(wrong("must follow *** Update File: directly"));
            }
            file.action = FileAction::Move(path.trim().to_owned());
            continue;
        }
        take(file, line).map_err(wrong)?;
    }
    for file in &mut files {
        file.finish()?;
    }
    if files.is_empty() {
        return Err("a patch names at least one file: *** Update File: path".into());
    }
    Ok(files)
}

fn section(line: &str) -> Option<(FileAction, &str)> {
    let of = |mark: &str, action: FileAction| line.strip_prefix(mark).map(|path| (action, path.trim()));
    of("*** Update File:", FileAction::Change)
        .or_else(|| of("*** Add File:", FileAction::Make))
        .or_else(|| of("*** Delete File:", FileAction::Remove { lines: false }))
}

/// Takes a line of a file's section.
fn take(file: &mut FileDiff, line: &str) -> Result<(), &'static str> {
    match &file.action {
        FileAction::Make => {
            if file.hunks.is_empty() {
                file.hunks.push(PatchHunk { at_end: true, ..PatchHunk::default() });
            }
            let added = line.starts_with('+') || line.starts_with('\\');
            let taken = added && file.hunks.last_mut().is_some_and(|hunk| hunk.take(line));
            if taken || line.trim().is_empty() {
                Ok(())
            } else {
                Err("must begin with +, like every line of a new file")
            }
        }
        FileAction::Remove { .. } => {
            if line.trim().is_empty() {
                Ok(())
            } else {
                Err("follows *** Delete File:, which takes no lines")
            }
        }
        FileAction::Change | FileAction::Move(_) => take_of_hunk(file, line),
    }
}

fn take_of_hunk(file: &mut FileDiff, line: &str) -> Result<(), &'static str> {
    if line.starts_with("@@") {
        let inner = line.trim_start_matches('@').trim();
        let anchor = inner.strip_suffix("@@").unwrap_or(inner).trim();
        // Consecutive heads belong to one hunk.
        if file.hunks.last().is_none_or(|hunk| !hunk.lines.is_empty()) {
            file.hunks.push(PatchHunk { appends: true, ..PatchHunk::default() });
        }
        if let Some(hunk) = file.hunks.last_mut().filter(|_| !anchor.is_empty()) {
            hunk.anchors.push(anchor.to_owned());
        }
        return Ok(());
    }
    if line.trim_end() == END_OF_FILE {
        return match file.hunks.last_mut() {
            Some(hunk) => {
                hunk.at_end = true;
                Ok(())
            }
            None => Err("does not follow a line"),
        };
    }
    // The first hunk needs no @@, and a hunk that is marked as the end of the file is complete.
    if file.hunks.last().is_none_or(|hunk| hunk.at_end) {
        if line.trim().is_empty() {
            return Ok(());
        }
        file.hunks.push(PatchHunk { appends: true, ..PatchHunk::default() });
    }
    let taken = file.hunks.last_mut().is_some_and(|hunk| hunk.take(line));
    if taken { Ok(()) } else { Err("must begin with a space, - or +, like every line of a hunk") }
}

impl FileDiff {
    /// Removes empty hunks, and checks that at least one change is left.
    fn finish(&mut self) -> Result<(), String> {
        self.hunks.retain(PatchHunk::is_change);
        let DiffTarget::Path(path) = &self.name else { return Ok(()) };
        match self.action {
            FileAction::Change if self.hunks.is_empty() => {
                Err(format!("`{path}`: the patch changes nothing; write - and + in front of lines"))
            }
            FileAction::Change | FileAction::Make | FileAction::Move(_) | FileAction::Remove { .. } => Ok(()),
        }
    }
}
