//! A tool call as an editor shows it: a title, a kind, the files concerned, and the diff for
//! changes of files. When to send it is decided in `update_translator.rs` and `editor_user.rs`; the
//! chat has its own display in `chat/item.rs` and `chat/diff.rs`.
//!
//! Hidden characters are written out, in diffs too: a user who approves a change has seen all of
//! it. Text of tools is fenced, because editors render Markdown. Files are read with the rules of
//! the file tools, and not at all for past calls.

use std::path::{Path, PathBuf};

use agent_client_protocol::v1::schema::{Diff, ToolCall, ToolCallContent, ToolCallLocation, ToolKind};
use holm::{
    grants::patch_files,
    kernel::{ENTER_PLAN, EXIT_PLAN, visible},
};
use holm_tools::root::WorkspaceRoot;
use serde_json::Value;

/// How long a title may be: a line in a narrow panel.
const TITLE_CHARS: usize = 120;

/// The largest file that is shown beside what takes its place.
const MOST_BEFORE: u64 = 1 << 20;

/// The folder of a session, for code that displays its calls.
#[derive(Debug, Clone)]
pub(super) struct DisplayFolder {
    path: PathBuf,
    /// Whether the content of files can still be read as it was.
    files: FileFreshness,
}

/// Whether files on disk are as they were when a call was made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FileFreshness {
    /// They are: the call is made now.
    Present,
    /// They may have changed: the call is replayed.
    Past,
}

impl DisplayFolder {
    pub(super) fn new(path: &Path, files: FileFreshness) -> Self {
        Self { path: path.to_owned(), files }
    }

    /// A path of a call, as editors want it.
    fn whole(&self, path: &str) -> PathBuf {
        self.path.join(path)
    }

    /// The content of a file, with the same path rules and denials as for tools. `None` if it does
    /// not exist or is not text.
    fn before(&self, path: &str) -> Option<String> {
        if self.files == FileFreshness::Past {
            return None;
        }
        let root = WorkspaceRoot::open(&self.path).ok()?;
        let bytes = root.read(&root.path(path).ok()?).ok()?.bytes(MOST_BEFORE).ok()?;
        String::from_utf8(bytes).ok()
    }
}

/// A call in the words of the protocol; its status is the caller's.
pub(super) fn call(id: &str, tool: &str, arguments: &str, folder: &DisplayFolder) -> ToolCall {
    let said: Value = serde_json::from_str(arguments).unwrap_or_default();
    let places = places(&said, folder);
    let (kind, title) = kind_and_title(tool, &said, arguments);
    ToolCall::new(id.to_owned(), title)
        .name(visible(tool))
        .kind(kind)
        .locations(places)
        .content(content(tool, &said, folder))
        .raw_input(seen(said))
}

/// A text as the content of a call. Editors render Markdown, in which a tool could load a remote
/// picture or hide a link, so the text is fenced.
pub(super) fn words(text: &str) -> ToolCallContent {
    fenced("", &visible(text))
}

fn kind_and_title(tool: &str, said: &Value, arguments: &str) -> (ToolKind, String) {
    let text = |name: &str| said.get(name).and_then(Value::as_str);
    let (kind, verb, what) = match tool {
        "read" => (ToolKind::Read, "Read", text("path").or_else(|| text("reference"))),
        "list" => (ToolKind::Read, "List", text("path")),
        "glob" => (ToolKind::Search, "Find", text("pattern")),
        "grep" => (ToolKind::Search, "Search for", text("pattern")),
        "edit" => (ToolKind::Edit, "Edit", text("path")),
        "write" => (ToolKind::Edit, "Write", text("path")),
        "patch" => (ToolKind::Edit, "Patch", files(said).first().copied()),
        "shell" => (ToolKind::Execute, "Run", text("script")),
        "run_program" => (ToolKind::Execute, "Run", text("program")),
        "fetch" => (ToolKind::Fetch, "Fetch", text("url")),
        ENTER_PLAN => (ToolKind::SwitchMode, "Plan first", Some("")),
        EXIT_PLAN => (ToolKind::SwitchMode, "Carry out the plan", Some("")),
        _ => (ToolKind::Other, tool, Some(arguments)),
    };
    (kind, line(&format!("{verb} {}", what.unwrap_or(arguments))))
}

/// One line of a bounded length.
pub(super) fn line(text: &str) -> String {
    let text = visible(text.trim()).split_whitespace().collect::<Vec<_>>().join(" ");
    let short: String = text.chars().take(TITLE_CHARS).collect();
    if short.len() < text.len() { format!("{short}…") } else { short }
}

/// Where a call looks or changes something.
fn places(said: &Value, folder: &DisplayFolder) -> Vec<ToolCallLocation> {
    let one = said.get("path").and_then(Value::as_str);
    let paths = one.into_iter().chain(files(said)).filter(|path| visible(path) == **path);
    let first = said.get("offset").and_then(Value::as_u64).and_then(|line| u32::try_from(line).ok());
    paths.map(|path| ToolCallLocation::new(folder.whole(path)).line(first)).collect()
}

/// The files of a patch: those that the call lists, or else those that the patch names.
fn files(said: &Value) -> Vec<&str> {
    let listed = said.get("paths").and_then(Value::as_array);
    let listed: Vec<&str> = listed.into_iter().flatten().filter_map(Value::as_str).collect();
    let diff = said.get("diff").and_then(Value::as_str);
    if listed.is_empty() { diff.map(patch_files).unwrap_or_default() } else { listed }
}

/// What a call would change.
fn content(tool: &str, said: &Value, folder: &DisplayFolder) -> Vec<ToolCallContent> {
    let text = |said: &Value, name: &str| said.get(name).and_then(Value::as_str).map(visible);
    let path = || text(said, "path");
    let edit = |said: &Value| {
        let (path, old, new) = (path()?, text(said, "old")?, text(said, "new")?);
        Some(ToolCallContent::Diff(Diff::new(folder.whole(&path), new).old_text(old)))
    };
    let write = || {
        let (path, new) = (path()?, text(said, "content")?);
        let old = folder.before(&path).map(|old| visible(&old));
        Some(ToolCallContent::Diff(Diff::new(folder.whole(&path), new).old_text(old)))
    };
    match tool {
        "edit" => {
            let edits = said.get("edits").and_then(Value::as_array);
            edits.into_iter().flatten().filter_map(edit).chain(edit(said)).collect()
        }
        "write" => write().into_iter().collect(),
        "patch" => text(said, "diff").map(|diff| fenced("diff", &diff)).into_iter().collect(),
        EXIT_PLAN => text(said, "plan").map(|plan| fenced("markdown", &plan)).into_iter().collect(),
        _ => Vec::new(),
    }
}

/// A text that is code.
fn fenced(language: &str, text: &str) -> ToolCallContent {
    let fence = fence(text);
    let end = if text.ends_with('\n') { "" } else { "\n" };
    format!("{fence}{language}\n{text}{end}{fence}").into()
}

/// A fence that nothing in a text can end.
pub(super) fn fence(text: &str) -> String {
    let longest = text.split(|letter| letter != '`').map(str::len).max().unwrap_or(0);
    "`".repeat(longest.max(2) + 1)
}

/// The arguments with every text made visible.
fn seen(value: Value) -> Value {
    match value {
        Value::String(text) => Value::String(visible(&text)),
        Value::Array(items) => Value::Array(items.into_iter().map(seen).collect()),
        Value::Object(members) => {
            Value::Object(members.into_iter().map(|(name, value)| (visible(&name), seen(value))).collect())
        }
        plain @ (Value::Null | Value::Bool(_) | Value::Number(_)) => plain,
    }
}

#[cfg(test)]
mod tests;
