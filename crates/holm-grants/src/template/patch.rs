//! Finds the files that a patch names, so that a call with a patch needs the right to write them.
//!
//! This only finds names. The tool that applies the patch reads it in full, and checks each file
//! that it opens again: a name that is overlooked here is refused there.
//!
//! Applying a patch is in `holm-tools/src/files/patch.rs`, reading one in full in
//! `holm-tools/src/files/diff.rs`.

use alloc::vec::Vec;

/// The form of a patch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PatchForm {
    /// `--- old`, `+++ new`, `@@ … @@`.
    Unified,
    /// `*** Begin Patch`, `*** Update File: path`, … `*** End Patch`.
    Sections,
}

/// The beginnings of the lines of [`PatchForm::Sections`] that name a file.
const NAMING: [&str; 4] = ["*** Add File:", "*** Update File:", "*** Delete File:", "*** Move to:"];

impl PatchForm {
    /// The form of a text. A line that names a file at its very beginning decides: no line of
    /// a unified diff does.
    ///
    /// ```
    /// use holm_grants::PatchForm;
    /// assert_eq!(PatchForm::of("*** Begin Patch\n*** Delete File: a\n*** End Patch"), PatchForm::Sections);
    /// assert_eq!(PatchForm::of("--- a\n+++ a\n@@ -1 +1 @@\n-x\n+y\n"), PatchForm::Unified);
    /// ```
    #[must_use]
    pub fn of(text: &str) -> Self {
        let is_section = |line: &str| line.starts_with("*** Begin Patch") || section_path(line).is_some();
        // Before the first file no line of a hunk can be meant, so blanks in front change nothing.
        let begins = text.trim_start().lines().next().is_some_and(is_section);
        if begins || text.lines().any(is_section) { Self::Sections } else { Self::Unified }
    }
}

/// The file of one part of a unified diff, from its `---` and `+++` lines without these marks;
/// `None` if both say that there is no file, or if they name two.
///
/// Git writes `a/` and `b/` in front of the same name. They are removed if both are present,
/// or one beside `/dev/null`.
///
/// ```
/// use holm_grants::patch_path;
/// assert_eq!(patch_path("a/src/x.rs", "b/src/x.rs\t2026-01-01"), Some("src/x.rs"));
/// assert_eq!(patch_path("a/x.rs", "a/x.rs"), Some("a/x.rs"));
/// assert_eq!(patch_path("/dev/null", "b/x.rs"), Some("x.rs"));
/// assert_eq!(patch_path("x.rs", "y.rs"), None);
/// ```
#[must_use]
pub fn patch_path<'a>(old: &'a str, new: &'a str) -> Option<&'a str> {
    let (old, new) = (bare(old), bare(new));
    let (git_old, git_new) = (old.strip_prefix("a/"), new.strip_prefix("b/"));
    match (old, new) {
        (NO_FILE, NO_FILE) => None,
        (NO_FILE, _) => Some(git_new.unwrap_or(new)),
        (_, NO_FILE) => Some(git_old.unwrap_or(old)),
        _ if old == new => Some(new),
        _ if git_old.is_some() && git_old == git_new => git_new,
        _ => None,
    }
}

/// The name that stands for a missing file.
const NO_FILE: &str = "/dev/null";

/// A name without the date that `diff` writes behind it.
fn bare(name: &str) -> &str {
    name.split('\t').next().unwrap_or_default().trim()
}

/// The file that a line of a patch in sections names.
fn section_path(line: &str) -> Option<&str> {
    NAMING.iter().find_map(|mark| line.strip_prefix(mark)).map(str::trim).filter(|path| !path.is_empty())
}

/// All files that a patch names, with repetitions.
///
/// ```
/// let patch = "*** Begin Patch\n*** Update File: a\n*** Move to: b\n*** End Patch";
/// assert_eq!(holm_grants::patch_files(patch), ["a", "b"]);
/// assert_eq!(holm_grants::patch_files(" *** Begin Patch\n  *** Update File: a\n@@\n-x\n"), ["a"]);
/// ```
#[must_use]
pub fn patch_files(text: &str) -> Vec<&str> {
    match PatchForm::of(text) {
        PatchForm::Sections => sections(text),
        PatchForm::Unified => unified(text),
    }
}

/// The files of a patch in sections. The first one may be named after blanks.
fn sections(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    for line in text.lines() {
        found.extend(section_path(if found.is_empty() { line.trim_start() } else { line }));
    }
    found
}

fn unified(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        let Some(old) = line.strip_prefix("--- ") else { continue };
        let Some(new) = lines.peek().and_then(|line| line.strip_prefix("+++ ")) else { continue };
        match patch_path(old, new) {
            Some(path) => found.push(path),
            // Two names count as two files until the tool reads the patch.
            None => found.extend([bare(old), bare(new)].into_iter().filter(|name| *name != NO_FILE)),
        }
    }
    found
}
