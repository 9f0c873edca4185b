//! The declaration of the guest, and the work of one call.

use std::io::Write;
use std::path::Path;

use globset::{Glob, GlobMatcher};
use grep_regex::{RegexMatcher, RegexMatcherBuilder};
use grep_searcher::{BinaryDetection, Searcher, SearcherBuilder};
use guest_kit::{GuestError, ParamKind, GuestToolLevel, GuestParam, GuestTool, ArgumentValues};
use ignore::WalkBuilder;

use crate::lines::{MatchCollector, MatchDisplay};

/// The declaration of the guest.
pub const TOOL: GuestTool = GuestTool {
    name: "grep",
    about: "Searches files for a regular expression; files that .gitignore names and binary files are left out",
    keywords: "grep, search, text, regex, find, content, code",
    level: GuestToolLevel::ReadOnly,
    params: &[
        GuestParam::position("pattern", "The regular expression"),
        GuestParam::position("path", "The file or folder to search").or("."),
        GuestParam::text("glob", "Only files whose name or path matches this pattern, such as *.rs").short('g'),
        GuestParam::text("show", "What to show").of(ParamKind::Choice(&["lines", "files", "count"])).or("lines"),
        GuestParam::flag("ignore_case", "Upper and lower case are the same").short('i'),
        GuestParam::flag("fixed", "The pattern is plain text").short('F'),
        GuestParam::flag("word", "Only whole words").short('w'),
        GuestParam::flag("multiline", "A match may span lines").short('U'),
        GuestParam::number("context", "0", "Lines to show around each match").short('C'),
        GuestParam::number("limit", "200", "The most matching lines to show"),
        GuestParam::flag("hidden", "Also what begins with a dot"),
        GuestParam::flag("ignored", "Also what .gitignore names"),
    ],
};

/// Does the work of one call.
///
/// # Errors
///
/// If the pattern is not valid or the path cannot be read.
pub fn work(values: &ArgumentValues, out: &mut dyn Write) -> Result<(), GuestError> {
    let (pattern, root) = (values.need("pattern")?, values.need("path")?);
    let matcher = matcher(pattern, values)?;
    let only = values.text("glob").map(only).transpose()?;
    let mut searcher = searcher(values);
    let show = match values.need("show")? {
        "files" => MatchDisplay::Files,
        "count" => MatchDisplay::Count,
        _ => MatchDisplay::Lines,
    };
    let mut lines = MatchCollector::new(out, show, values.number("limit").unwrap_or(usize::MAX));
    if std::fs::metadata(root).map_err(|error| GuestError::io("search", root, &error))?.is_file() {
        lines.search(&mut searcher, &matcher, Path::new(root), root)?;
        return lines.end(pattern);
    }
    for entry in walk(root, values) {
        let Ok(entry) = entry else { continue };
        if !entry.file_type().is_some_and(|kind| kind.is_file()) {
            continue;
        }
        let path = entry.path();
        let inner = path.strip_prefix(root).unwrap_or(path);
        let admitted = |only: &GlobMatcher| only.is_match(entry.file_name()) || only.is_match(inner);
        if !only.as_ref().is_none_or(admitted) {
            continue;
        }
        let shown = path.strip_prefix("./").unwrap_or(path).to_string_lossy();
        lines.search(&mut searcher, &matcher, path, &shown)?;
        if lines.full() {
            break;
        }
    }
    lines.end(pattern)
}

fn matcher(pattern: &str, values: &ArgumentValues) -> Result<RegexMatcher, GuestError> {
    RegexMatcherBuilder::new()
        .case_insensitive(values.flag("ignore_case"))
        .fixed_strings(values.flag("fixed"))
        .word(values.flag("word"))
        .multi_line(true)
        .dot_matches_new_line(values.flag("multiline"))
        .line_terminator((!values.flag("multiline")).then_some(b'\n'))
        .build(pattern)
        .map_err(|error| GuestError::Usage(format!("this is no regular expression: {error}")))
}

fn searcher(values: &ArgumentValues) -> Searcher {
    let context = values.number("context").unwrap_or(0);
    SearcherBuilder::new()
        .line_number(true)
        .multi_line(values.flag("multiline"))
        .before_context(context)
        .after_context(context)
        .binary_detection(BinaryDetection::quit(0))
        .build()
}

fn only(pattern: &str) -> Result<GlobMatcher, GuestError> {
    let glob = Glob::new(pattern).map_err(|error| GuestError::Usage(format!("this is no pattern: {error}")))?;
    Ok(glob.compile_matcher())
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
        .sort_by_file_name(Ord::cmp)
        .filter_entry(|entry| entry.file_name() != ".git")
        .build()
}
