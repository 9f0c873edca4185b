//! Imports server lists from the configuration files of other programs. It starts no server and
//! writes no file. A single entry is read in `spec/read.rs`; the command that uses this is
//! `holm-cli/src/commands/mcp.rs`. One invalid entry never hides the others.

use serde_json::Value;
use thiserror::Error;

use crate::{McpServerSpec, ServerName, ServerSpecError};

/// The keys under which other programs store their servers.
const KEYS: [&str; 4] = ["mcpServers", "servers", "mcp_servers", "context_servers"];

/// The result of importing a file.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct McpImport {
    /// The servers that Holm can use.
    pub servers: Vec<McpServerSpec>,
    /// The entries as written, in the same order as `servers`, with no variables expanded.
    pub entries: Vec<Value>,
    /// The names as written, in the same order as `servers`. Holm's own name for
    /// a server may differ.
    pub written: Vec<String>,
    /// The entries that Holm cannot use, each with its name as written and the reason.
    pub refused: Vec<(String, ServerSpecError)>,
    /// Entries that the file disables.
    pub disabled: Vec<String>,
}

/// Why a file cannot be imported at all.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum McpImportError {
    /// It is not JSON.
    #[error("it is not valid JSON: {0}")]
    Json(String),
    /// The file has no servers under any known key.
    #[error("it has no object `mcpServers`")]
    NoServers,
}

/// Reads the servers from a file such as `.mcp.json` or `claude_desktop_config.json`.
/// It starts no server.
///
/// ```
/// let text = r#"{"mcpServers":{"Time Keeper":{"command":"uvx","args":["mcp-server-time"]}}}"#;
/// let imported = holm_mcp::import(text, &|_| None)?;
/// assert_eq!(imported.servers[0].name.as_str(), "time-keeper");
/// # Ok::<(), holm_mcp::McpImportError>(())
/// ```
///
/// # Errors
///
/// [`McpImportError`] if the file has no servers to read. Invalid single entries
/// are listed in [`McpImport::refused`].
pub fn import(text: &str, env: &dyn Fn(&str) -> Option<String>) -> Result<McpImport, McpImportError> {
    let document: Value =
        serde_json::from_str(text).map_err(|error| McpImportError::Json(error.to_string()))?;
    let servers = KEYS.iter().find_map(|key| document.get(key).and_then(Value::as_object));
    let servers = servers.ok_or(McpImportError::NoServers)?;
    let mut imported = McpImport::default();
    for (written, entry) in servers {
        let flag = |name: &str, value: bool| entry.get(name).and_then(Value::as_bool) == Some(value);
        if flag("disabled", true) || flag("enabled", false) {
            imported.disabled.push(written.clone());
            continue;
        }
        let spec = match ServerName::near(written) {
            Some(name) if imported.servers.iter().any(|spec| spec.name == name) => {
                Err(ServerSpecError::Entry(format!("another server is called `{name}` already; rename one")))
            }
            Some(name) => McpServerSpec::read(name, entry, env),
            None => Err(ServerSpecError::Name(written.clone())),
        };
        match spec {
            Ok(spec) => {
                imported.servers.push(spec);
                imported.entries.push(entry.clone());
                imported.written.push(written.clone());
            }
            Err(error) => imported.refused.push((written.clone(), error)),
        }
    }
    Ok(imported)
}

#[cfg(test)]
mod tests;
