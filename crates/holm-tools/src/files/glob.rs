//! The `glob` tool: finds files by a pattern of their paths. The walk with its permissions and
//! ignore rules is in `root/walk.rs`; patterns for content are `grep.rs`. A pattern cannot leave
//! its folder, and its size is bounded, since a model writes it. The notes about what a search left
//! out are shared with `grep.rs`.

use std::{fmt::Write, ops::ControlFlow, sync::Arc};

use globset::{GlobBuilder, GlobMatcher};
use holm_grants::{FilePath, Level};
use holm_runtime::{ClosureTool, ToolInvocation, blocking_tool};
use schemars::JsonSchema;
use serde::Deserialize;

use super::file_tool_context::{FileToolContext, FileToolError, declared, failed};
use crate::root::{DirEntryKind, IgnoredFilePolicy, WalkSummary, WorkspaceWalk};

/// Paths that are shown; a pattern that finds more was too wide.
const MOST: usize = 1_000;

/// Bytes of a pattern: people write far shorter ones, and it is compiled.
const LONGEST: usize = 1_024;

/// Braces within one pattern: each multiplies the compiled size.
const MOST_BRACES: usize = 16;

/// The result if no file matches. The tool `find` recognises it.
pub(crate) const NO_MATCHING_FILE: &str = "[no file matches]";

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct GlobArguments {
    /// The pattern: `*` within a name, `**` for any folders, `?`, `[a-z]`, `{a,b}`. Without a slash
    /// it matches names at any depth.
    pattern: String,
    /// The folder that the pattern starts from; the workspace if left out.
    path: Option<String>,
    /// Show files that git ignores too.
    ignored: Option<bool>,
}

pub(super) fn tool(context: Arc<FileToolContext>) -> ClosureTool<impl JsonSchema> {
    let text = "Finds files by a path pattern, such as `*.rs` or `src/**/*.rs`. Skips files that git \
        ignores unless ignored is true. Pass the paths to read unchanged.";
    let glob = blocking_tool("glob", text, move |arguments: GlobArguments, invocation: ToolInvocation| {
        run(&context, &arguments, &invocation)
    });
    declared(glob, Level::ReadOnly, &["read:{path=.}/**"])
}

fn run(
    context: &FileToolContext,
    arguments: &GlobArguments,
    invocation: &ToolInvocation,
) -> Result<String, FileToolError> {
    let start = context.root.path(arguments.path.as_deref().unwrap_or("."))?;
    context.root.permit(&invocation.needs).read(&start)?;
    let matcher = compile(context, &start, &arguments.pattern)?;
    let place = context.search_place(&start, &invocation.needs)?;
    let walk = WorkspaceWalk {
        root: place.root,
        permit: place.permit,
        ignored: ignored(arguments.ignored),
        stop: &invocation.stop,
    };
    let mut found = Vec::new();
    let walked = walk.beneath(&place.start, |entry| {
        if entry.kind == DirEntryKind::File && matcher.is_match(place.inner(entry.path)) {
            found.push(place.shown(entry.path));
        }
        if found.len() > MOST { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    })?;
    let more = found.len() > MOST;
    found.truncate(MOST);
    let mut out = found.join("\n");
    if found.is_empty() {
        out.push_str(NO_MATCHING_FILE);
    }
    if more {
        let _ = write!(out, "\n[more than {MOST} files match; use a narrower pattern]");
    }
    notes(&mut out, walked, more);
    Ok(out)
}

/// Compiles a pattern that a model wrote, counted from a folder. As for git and ripgrep, one
/// without a slash is the pattern of a name, at any depth. One that is spelled out from the top may
/// lead into the folder.
pub(super) fn compile(
    context: &FileToolContext,
    start: &FilePath,
    pattern: &str,
) -> Result<GlobMatcher, FileToolError> {
    if pattern.len() > LONGEST || pattern.matches('{').count() > MOST_BRACES {
        return Err(failed(format!("the pattern is longer than {LONGEST} bytes or has too many braces")));
    }
    let absolute = start.spelled_from_root(context.root.at()).unwrap_or_else(|| start.clone());
    let inner = pattern.strip_prefix(absolute.as_str()).and_then(|rest| rest.strip_prefix('/'));
    let pattern = inner.unwrap_or(pattern);
    if pattern.starts_with('/') || pattern.split('/').any(|name| name == "..") {
        return Err(failed(
            "a pattern cannot leave the folder; give the folder as path, and do not begin the pattern \
            with / or ..",
        ));
    }
    let is_name = inner.is_none() && !pattern.contains('/');
    let pattern = pattern.strip_prefix("./").unwrap_or(pattern);
    let pattern = if is_name { format!("**/{pattern}") } else { pattern.to_owned() };
    let glob = GlobBuilder::new(&pattern).literal_separator(true).build();
    glob.map(|glob| glob.compile_matcher()).map_err(|error| failed(format!("not a valid pattern: {error}")))
}

pub(super) fn ignored(shown: Option<bool>) -> IgnoredFilePolicy {
    if shown == Some(true) { IgnoredFilePolicy::Shown } else { IgnoredFilePolicy::Skipped }
}

/// Notes what a search left out.
pub(super) fn notes(out: &mut String, walked: WalkSummary, already_noted: bool) {
    if walked.cut && !already_noted {
        let _ = write!(out, "\n[stopped after {} entries; choose a smaller folder]", walked.looked);
    }
    for (count, why) in [
        (walked.denied, "hidden from tools by a rule"),
        (walked.unnamed, "the name cannot be written as a path"),
        (walked.unopened, "the folder could not be opened"),
    ] {
        if count > 0 {
            let _ = write!(out, "\n[{} not searched: {why}]", count_entries(count));
        }
    }
}

/// So many entries, in words.
pub(super) fn count_entries(count: usize) -> String {
    format!("{count} {}", if count == 1 { "entry" } else { "entries" })
}
