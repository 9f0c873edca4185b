//! Makes the file paths of imported MCP servers absolute. Other programs start a server in the
//! folder of its project; Holm does not. The entries are converted in `holm-mcp/src/import.rs` and
//! written by `commands/mcp.rs`; this file opens no file.

use std::path::{Path, PathBuf};

use serde_json::Value;

/// The folder from which the servers of a file name their files: its own, or for a folder such as
/// `.codex`, the project above it. Paths in a user's own file are relative to the current folder.
pub(super) fn base(from: &Path) -> Option<PathBuf> {
    let real = from.canonicalize().ok()?;
    let folder = real.parent()?;
    let is_hidden = folder.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.'));
    let project = if is_hidden { folder.parent()? } else { folder };
    let home = std::env::var_os("HOME").and_then(|home| Path::new(&home).canonicalize().ok());
    Some(project).filter(|project| home.as_deref() != Some(*project)).map(Path::to_owned)
}

/// The entry of a server in which each word that names a file from a folder says where that lies.
pub(super) fn placed(mut entry: Value, folder: &Path) -> Value {
    // One that says where it starts finds its files from there.
    if entry.get("cwd").is_some() {
        return entry;
    }
    let place = |word: &mut Value| {
        if let Some(whole) = word.as_str().and_then(|word| whole(folder, word)) {
            *word = whole.into();
        }
    };
    // A bare name is looked for where programs are.
    let is_path = |command: &&mut Value| command.as_str().is_some_and(|word| word.contains('/'));
    if let Some(command) = entry.get_mut("command").filter(is_path) {
        place(command);
    }
    let args = entry.get_mut("args").and_then(Value::as_array_mut);
    args.into_iter().flatten().for_each(place);
    entry
}

/// The absolute path of a file that a word names relative to a folder. `None` if it names no file,
/// or is absolute already.
fn whole(folder: &Path, word: &str) -> Option<String> {
    let path = folder.join(word);
    let is_beside = Path::new(word).is_relative() && path.is_file();
    let real = is_beside.then(|| path.canonicalize().ok()).flatten()?;
    real.to_str().map(str::to_owned)
}
