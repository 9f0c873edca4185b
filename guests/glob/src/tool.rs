//! The declaration of the guest, and the work of one call.

use std::io::Write;
use std::path::Path;
use std::time::SystemTime;

use globset::GlobBuilder;
use guest_kit::{GuestError, GuestToolLevel, GuestParam, GuestTool, ArgumentValues};
use ignore::WalkBuilder;

/// The declaration of the guest.
pub const TOOL: GuestTool = GuestTool {
    name: "glob",
    about: "Finds files whose path matches a pattern, newest first; files that .gitignore names are left out",
    keywords: "glob, find, files, names, pattern, list, search",
    level: GuestToolLevel::ReadOnly,
    params: &[
        GuestParam::position("pattern", "The pattern, such as **/*.rs or src/*.{c,h}"),
        GuestParam::position("path", "The folder to search").or("."),
        GuestParam::number("limit", "100", "The most files to list"),
        GuestParam::flag("hidden", "Also what begins with a dot"),
        GuestParam::flag("ignored", "Also what .gitignore names"),
    ],
};

/// Does the work of one call.
///
/// # Errors
///
/// If the pattern is not valid or the folder cannot be read.
pub fn work(values: &ArgumentValues, out: &mut dyn Write) -> Result<(), GuestError> {
    let (pattern, root) = (values.need("pattern")?, values.need("path")?);
    let limit = values.number("limit").unwrap_or(usize::MAX);
    let mut found = find(pattern, root, values)?;
    // Names decide if times are equal or unknown, so that the order never depends on the disk's.
    found.sort_by(|left, right| right.0.cmp(&left.0).then_with(|| left.1.cmp(&right.1)));
    let wrong = |error: std::io::Error| GuestError::failed(error.to_string());
    if found.is_empty() {
        return writeln!(out, "no file matches {pattern}").map_err(wrong);
    }
    for (_, path) in found.iter().take(limit) {
        writeln!(out, "{path}").map_err(wrong)?;
    }
    match found.len().saturating_sub(limit) {
        0 => Ok(()),
        more => writeln!(out, "[{more} files more; a narrower pattern finds fewer]").map_err(wrong),
    }
}

fn find(pattern: &str, root: &str, values: &ArgumentValues) -> Result<Vec<(Option<SystemTime>, String)>, GuestError> {
    let matcher = GlobBuilder::new(pattern.strip_prefix("./").unwrap_or(pattern))
        .literal_separator(true)
        .build()
        .map_err(|error| GuestError::Usage(format!("this is no pattern: {error}")))?
        .compile_matcher();
    // A pattern without a slash is about names, wherever they are; with one it is about paths from
    // the folder on.
    let by_name = !pattern.contains('/');
    std::fs::read_dir(root).map_err(|error| GuestError::io("search", root, &error))?;
    let mut found = Vec::new();
    for entry in walk(root, values) {
        // An unreadable entry is skipped.
        let Ok(entry) = entry else { continue };
        if !entry.file_type().is_some_and(|kind| kind.is_file() || kind.is_symlink()) {
            continue;
        }
        let path = entry.path();
        let inner = path.strip_prefix(root).unwrap_or(path);
        let subject = if by_name { Path::new(entry.file_name()) } else { inner };
        if matcher.is_match(subject) {
            let time = entry.metadata().ok().and_then(|data| data.modified().ok());
            let shown = path.strip_prefix("./").unwrap_or(path);
            found.push((time, shown.to_string_lossy().into_owned()));
        }
    }
    Ok(found)
}

fn walk(root: &str, values: &ArgumentValues) -> ignore::Walk {
    let respect = !values.flag("ignored");
    WalkBuilder::new(root)
        .hidden(!values.flag("hidden"))
        .parents(false)
        .ignore(respect)
        .git_ignore(respect)
        .git_global(false)
        .git_exclude(respect)
        .require_git(false)
        .filter_entry(|entry| entry.file_name() != ".git")
        .build()
}
