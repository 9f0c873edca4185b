//! The declaration of the guest, and the work of one call.

use std::io::Write;
use std::path::Path;

use globset::{Glob, GlobMatcher};
use grep_regex::{RegexMatcher, RegexMatcherBuilder};
use grep_searcher::{BinaryDetection, Searcher, SearcherBuilder};
use guest_kit::{Fault, Kind, Level, Param, Tool, Values};
use ignore::WalkBuilder;

use crate::lines::{Lines, Show};

/// The declaration of the guest.
pub const TOOL: Tool = Tool {
    name: "grep",
    about: "Searches files for a regular expression; files that .gitignore names and binary files are left out",
    keywords: "grep, search, text, regex, find, content, code",
    level: Level::ReadOnly,
    params: &[
        Param::position("pattern", "The regular expression"),
        Param::position("path", "The file or folder to search").or("."),
        Param::text("glob", "Only files whose name or path matches this pattern, such as *.rs").short('g'),
        Param::text("show", "What to show").of(Kind::Choice(&["lines", "files", "count"])).or("lines"),
        Param::flag("ignore_case", "Upper and lower case are the same").short('i'),
        Param::flag("fixed", "The pattern is plain text").short('F'),
        Param::flag("word", "Only whole words").short('w'),
        Param::flag("multiline", "A match may span lines").short('U'),
        Param::number("context", "0", "Lines to show around each match").short('C'),
        Param::number("limit", "200", "The most matching lines to show"),
        Param::flag("hidden", "Also what begins with a dot"),
        Param::flag("ignored", "Also what .gitignore names"),
    ],
};

/// Does the work of one call.
///
/// # Errors
///
/// If the pattern is not valid or the path cannot be read.
pub fn work(values: &Values, out: &mut dyn Write) -> Result<(), Fault> {
    let (pattern, root) = (values.need("pattern")?, values.need("path")?);
    let matcher = matcher(pattern, values)?;
    let only = values.text("glob").map(only).transpose()?;
    let mut searcher = searcher(values);
    let show = match values.need("show")? {
        "files" => Show::Files,
        "count" => Show::Count,
        _ => Show::Lines,
    };
    let mut lines = Lines::new(out, show, values.number("limit").unwrap_or(usize::MAX));
    if std::fs::metadata(root).map_err(|error| Fault::io("search", root, &error))?.is_file() {
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

fn matcher(pattern: &str, values: &Values) -> Result<RegexMatcher, Fault> {
    RegexMatcherBuilder::new()
        .case_insensitive(values.flag("ignore_case"))
        .fixed_strings(values.flag("fixed"))
        .word(values.flag("word"))
        .multi_line(true)
        .dot_matches_new_line(values.flag("multiline"))
        .line_terminator((!values.flag("multiline")).then_some(b'\n'))
        .build(pattern)
        .map_err(|error| Fault::Usage(format!("this is no regular expression: {error}")))
}

fn searcher(values: &Values) -> Searcher {
    let context = values.number("context").unwrap_or(0);
    SearcherBuilder::new()
        .line_number(true)
        .multi_line(values.flag("multiline"))
        .before_context(context)
        .after_context(context)
        .binary_detection(BinaryDetection::quit(0))
        .build()
}

fn only(pattern: &str) -> Result<GlobMatcher, Fault> {
    let glob = Glob::new(pattern).map_err(|error| Fault::Usage(format!("this is no pattern: {error}")))?;
    Ok(glob.compile_matcher())
}

fn walk(root: &str, values: &Values) -> ignore::Walk {
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
