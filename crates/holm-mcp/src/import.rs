//! Files of other programs that say which servers there are.

use serde_json::Value;
use thiserror::Error;

use crate::{ServerName, ServerSpec, SpecError};

/// The keys under which programs keep their servers: most of them, editors, and a few.
const KEYS: [&str; 4] = ["mcpServers", "servers", "mcp_servers", "context_servers"];

/// What came of a file.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Imported {
    /// The servers that can be used.
    pub servers: Vec<ServerSpec>,
    /// Their entries as they were written, in the same order, with no variable put in.
    pub entries: Vec<Value>,
    /// Their names as they were written, in the same order: what they are called here may differ.
    pub written: Vec<String>,
    /// Entries that cannot, with their name as it was written and why.
    pub refused: Vec<(String, SpecError)>,
    /// Entries that are switched off in the file.
    pub disabled: Vec<String>,
}

/// Why a file is of no use at all.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ImportError {
    /// It is not JSON.
    #[error("it is no JSON: {0}")]
    Json(String),
    /// It has no servers where programs keep them.
    #[error("it has no object `mcpServers`")]
    NoServers,
}

/// Reads the servers of a file such as `.mcp.json` or `claude_desktop_config.json`. Starts nothing.
///
/// ```
/// let text = r#"{"mcpServers":{"Time Keeper":{"command":"uvx","args":["mcp-server-time"]}}}"#;
/// let imported = holm_mcp::import(text, &|_| None)?;
/// assert_eq!(imported.servers[0].name.as_str(), "time-keeper");
/// # Ok::<(), holm_mcp::ImportError>(())
/// ```
///
/// # Errors
///
/// [`ImportError`] where there is nothing to read; single entries that are wrong are in [`Imported::refused`].
pub fn import(text: &str, env: &dyn Fn(&str) -> Option<String>) -> Result<Imported, ImportError> {
    let whole: Value = serde_json::from_str(text).map_err(|error| ImportError::Json(error.to_string()))?;
    let servers = KEYS.iter().find_map(|key| whole.get(key).and_then(Value::as_object));
    let servers = servers.ok_or(ImportError::NoServers)?;
    let mut imported = Imported::default();
    for (written, entry) in servers {
        let flag = |name: &str, value: bool| entry.get(name).and_then(Value::as_bool) == Some(value);
        if flag("disabled", true) || flag("enabled", false) {
            imported.disabled.push(written.clone());
            continue;
        }
        let spec = match ServerName::near(written) {
            Some(name) if imported.servers.iter().any(|spec| spec.name == name) => {
                Err(SpecError::Entry(format!("another server is called `{name}` already; rename one")))
            }
            Some(name) => ServerSpec::read(name, entry, env),
            None => Err(SpecError::Name(written.clone())),
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
