//! The `grep` tool: finds lines by a pattern of their text, with ripgrep's own engine. Files are
//! walked and opened through `root/`. Pattern size, memory, file size and output are bounded,
//! because a model writes the pattern. Binary files are skipped, even if a match came before the
//! first zero byte.
//!
//! The notes about what a search left out are in `glob.rs`, which finds files by their names; the
//! walk is `root/walk.rs`. Long outputs of commands are searched through `file_tool_context.rs`.

use std::{fmt::Write, io, ops::ControlFlow, sync::Arc};

use grep_regex::{RegexMatcher, RegexMatcherBuilder};
use grep_searcher::{
    BinaryDetection, Searcher, SearcherBuilder, Sink, SinkContext, SinkContextKind, SinkMatch,
};
use holm_grants::Level;
use holm_runtime::{CancellationToken, ClosureTool, ToolInvocation, blocking_tool};
use schemars::JsonSchema;
use serde::Deserialize;

use super::{
    file_tool_context::{FileToolContext, FileToolError, SHOWN, declared, failed},
    glob,
};
use crate::root::{DirEntryKind, OpenedFile, WalkSummary, WorkspaceRootError, WorkspaceWalk};

/// Matches that are shown by default.
const MATCHES: u64 = 250;

/// The most that can be asked for.
const MOST_MATCHES: u64 = 2_000;

/// Lines around a match.
const MOST_CONTEXT: u64 = 20;

/// Characters of one line that are shown.
const LINE: usize = 500;

/// Bytes of one line that are read: more than its characters can take, so that a cut is noticed.
const LONGEST_LINE: usize = 4 * (LINE + 1);

/// Bytes of output: the part that a model sees, less the notes.
const MOST_OUT: usize = SHOWN - 4_000;

/// A larger file is data and not searched.
const MOST_FILE: u64 = 256 * 1024 * 1024;

/// Memory of one search: a line, or in multi-line mode a file, that needs more is not searched.
const HEAP: usize = 64 * 1024 * 1024;

/// The most memory of a compiled pattern. A pattern of counted repetitions can ask for gigabytes.
const PROGRAM: usize = 4 * 1024 * 1024;

/// Bytes of a pattern.
const LONGEST: usize = 4 * 1024;

/// The result if nothing matches. The tool `find` recognises it.
pub(crate) const NO_MATCHING_LINE: &str = "[nothing found]";

/// What is shown of what was found.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum GrepOutputMode {
    /// The lines, each with its file and number.
    #[default]
    Lines,
    /// The files that have one.
    Files,
    /// How many lines each file has.
    Counts,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct GrepArguments {
    /// The regular expression, in ripgrep's syntax.
    pattern: String,
    /// The file or folder; the workspace if left out.
    path: Option<String>,
    /// Only files that match this pattern, such as `*.rs` or `src/**/*.rs`.
    glob: Option<String>,
    /// Show the lines, the files that have one, or how many lines each file has.
    show: Option<GrepOutputMode>,
    /// The pattern is plain text.
    literal: Option<bool>,
    /// Ignore case.
    ignore_case: Option<bool>,
    /// A match may span lines.
    multiline: Option<bool>,
    /// Lines shown before and after each match.
    context: Option<u64>,
    /// Matches shown at most.
    limit: Option<u64>,
    /// Search files that git ignores too.
    ignored: Option<bool>,
}

pub(super) fn tool(file_context: Arc<FileToolContext>) -> ClosureTool<impl JsonSchema> {
    let text = "Searches text files with a regular expression. Skips binary files and files that git \
        ignores. Shows `path:line:text`; lines around a match have - instead of the colons.";
    let grep = blocking_tool("grep", text, move |arguments: GrepArguments, invocation: ToolInvocation| {
        run(&file_context, &arguments, &invocation)
    });
    declared(grep, Level::ReadOnly, &["read:{path=.}/**"])
}

fn run(
    file_context: &FileToolContext,
    arguments: &GrepArguments,
    invocation: &ToolInvocation,
) -> Result<String, FileToolError> {
    let start = file_context.root.path(arguments.path.as_deref().unwrap_or("."))?;
    file_context.root.permit(&invocation.needs).read(&start)?;
    let only =
        arguments.glob.as_deref().map(|pattern| glob::compile(file_context, &start, pattern)).transpose()?;
    let mut search = GrepSearch::new(arguments, &invocation.stop)?;
    let (root, inside) = file_context.place(&start)?;
    let walked = match root.kind(&inside)? {
        DirEntryKind::Folder => {
            let ignored = glob::ignored(arguments.ignored);
            let place = file_context.search_place(&start, &invocation.needs)?;
            let walk =
                WorkspaceWalk { root: place.root, permit: place.permit, ignored, stop: &invocation.stop };
            walk.beneath(&place.start, |entry| {
                let is_meant = || only.as_ref().is_none_or(|only| only.is_match(place.inner(entry.path)));
                if entry.kind == DirEntryKind::File && is_meant() {
                    search.file(&place.shown(entry.path), entry.open());
                }
                if search.is_full() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            })?
        }
        DirEntryKind::File
        | DirEntryKind::Link
        | DirEntryKind::Pipe
        | DirEntryKind::Socket
        | DirEntryKind::Device => {
            search.file(start.as_str(), Ok(root.read(&inside)?));
            WalkSummary::default()
        }
    };
    Ok(search.shown(walked))
}

/// A search over many files.
struct GrepSearch<'a> {
    matcher: RegexMatcher,
    searcher: Searcher,
    show: GrepOutputMode,
    /// Whether lines around matches are shown, so that files and blocks have to be told apart.
    apart: bool,
    limit: u64,
    stop: &'a CancellationToken,
    out: String,
    found: u64,
    unread: u64,
}

impl<'a> GrepSearch<'a> {
    fn new(arguments: &GrepArguments, stop: &'a CancellationToken) -> Result<Self, FileToolError> {
        if arguments.pattern.is_empty() || arguments.pattern.len() > LONGEST {
            return Err(failed(format!("a pattern has between 1 and {LONGEST} bytes")));
        }
        let multiline = arguments.multiline == Some(true);
        let mut builder = RegexMatcherBuilder::new();
        builder
            .case_insensitive(arguments.ignore_case == Some(true))
            .fixed_strings(arguments.literal == Some(true))
            .multi_line(true)
            .size_limit(PROGRAM)
            .dfa_size_limit(PROGRAM);
        if !multiline {
            builder.line_terminator(Some(b'\n'));
        }
        let matcher =
            builder.build(&arguments.pattern).map_err(|error| failed(unusable(&error.to_string())))?;
        let context = usize::try_from(arguments.context.unwrap_or(0).min(MOST_CONTEXT)).unwrap_or(0);
        let show = arguments.show.unwrap_or_default();
        let around = if show == GrepOutputMode::Lines { context } else { 0 };
        let searcher = SearcherBuilder::new()
            .binary_detection(BinaryDetection::quit(0))
            .heap_limit(Some(HEAP))
            .multi_line(multiline)
            .before_context(around)
            .after_context(around)
            .build();
        let limit = arguments.limit.unwrap_or(MATCHES).clamp(1, MOST_MATCHES);
        let apart = around > 0;
        Ok(Self { matcher, searcher, show, apart, limit, stop, out: String::new(), found: 0, unread: 0 })
    }

    fn is_full(&self) -> bool {
        self.found >= self.limit || self.out.len() >= MOST_OUT
    }

    fn file(&mut self, path: &str, opened: Result<OpenedFile, WorkspaceRootError>) {
        let Ok(opened) = opened else {
            self.unread += 1;
            return;
        };
        if opened.len() > MOST_FILE {
            self.unread += 1;
            return;
        }
        let mut lines = FileMatches {
            path,
            show: self.show,
            left: self.limit.saturating_sub(self.found),
            room: MOST_OUT.saturating_sub(self.out.len()),
            stop: self.stop,
            out: String::new(),
            found: 0,
            binary: false,
        };
        let searched = self.searcher.search_file(&self.matcher, opened.file(), &mut lines);
        if searched.is_err() {
            self.unread += 1;
        }
        // A match in a file that turns out to be binary does not count, even if it came before
        // the first zero byte.
        if lines.found == 0 || lines.binary {
            return;
        }
        match self.show {
            GrepOutputMode::Lines => {
                self.found += lines.found;
                if self.apart && !self.out.is_empty() {
                    self.out.push_str("--\n");
                }
                self.out.push_str(&lines.out);
            }
            GrepOutputMode::Files => {
                self.found += 1;
                let _ = writeln!(self.out, "{path}");
            }
            GrepOutputMode::Counts => {
                self.found += 1;
                let _ = writeln!(self.out, "{path}:{}", lines.found);
            }
        }
    }

    fn shown(mut self, walked: WalkSummary) -> String {
        let full = self.is_full();
        self.out.truncate(self.out.trim_end().len());
        if self.found == 0 {
            self.out.push_str(NO_MATCHING_LINE);
        }
        if full {
            let what = if self.show == GrepOutputMode::Lines { "lines" } else { "files" };
            let found = self.found;
            let _ = write!(self.out, "\n[{found} {what} shown, there may be more; narrow the search]");
        }
        if self.unread > 0 {
            let files = if self.unread == 1 { "file" } else { "files" };
            let _ = write!(self.out, "\n[{} {files} could not be searched]", self.unread);
        }
        glob::notes(&mut self.out, walked, full);
        self.out
    }
}

/// Says why a pattern cannot be used.
fn unusable(error: &str) -> String {
    for (what, named) in [("look-around", "look-around is"), ("backreference", "backreferences are")] {
        if error.contains(what) {
            return format!("{named} not supported; change the pattern, or use shell with `rg -P`");
        }
    }
    format!("not a valid pattern: {error}; escape it, or set literal: true")
}

/// The matches in one file.
struct FileMatches<'a> {
    path: &'a str,
    show: GrepOutputMode,
    left: u64,
    room: usize,
    stop: &'a CancellationToken,
    out: String,
    found: u64,
    binary: bool,
}

impl FileMatches<'_> {
    fn line(&mut self, number: Option<u64>, bytes: &[u8], mark: char) {
        let number = number.unwrap_or(0);
        // One match can be as long as its file, so only the part that is shown is copied.
        for (at, line) in bytes.split_inclusive(|byte| *byte == b'\n').enumerate() {
            if self.out.len() >= self.room {
                return;
            }
            let line = line.get(..LONGEST_LINE).unwrap_or(line);
            let line = line.strip_suffix(b"\n").unwrap_or(line);
            let line = String::from_utf8_lossy(line.strip_suffix(b"\r").unwrap_or(line));
            let number = number.saturating_add(at as u64);
            let _ = writeln!(self.out, "{}{mark}{number}{mark}{}", self.path, clipped(&line));
        }
    }

    fn goes_on(&self) -> bool {
        let wants = match self.show {
            GrepOutputMode::Lines => self.found < self.left && self.out.len() < self.room,
            // Every match counts, and only the first says that there is one.
            GrepOutputMode::Counts => true,
            GrepOutputMode::Files => self.found == 0,
        };
        wants && !self.stop.is_cancelled()
    }
}

impl Sink for FileMatches<'_> {
    type Error = io::Error;

    fn matched(&mut self, _: &Searcher, found: &SinkMatch<'_>) -> Result<bool, io::Error> {
        self.found += 1;
        if self.show == GrepOutputMode::Lines {
            self.line(found.line_number(), found.bytes(), ':');
        }
        Ok(self.goes_on())
    }

    fn context(&mut self, _: &Searcher, found: &SinkContext<'_>) -> Result<bool, io::Error> {
        match found.kind() {
            SinkContextKind::Before | SinkContextKind::After | SinkContextKind::Other => {
                self.line(found.line_number(), found.bytes(), '-');
            }
        }
        Ok(self.out.len() < self.room)
    }

    fn context_break(&mut self, _: &Searcher) -> Result<bool, io::Error> {
        self.out.push_str("--\n");
        Ok(true)
    }

    fn binary_data(&mut self, _: &Searcher, _: u64) -> Result<bool, io::Error> {
        self.binary = true;
        Ok(false)
    }
}

fn clipped(line: &str) -> String {
    match line.char_indices().nth(LINE) {
        None => line.to_owned(),
        Some((at, _)) => format!("{}…", line.split_at(at).0),
    }
}
