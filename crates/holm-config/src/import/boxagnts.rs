//! Converts the settings of BoxAgnts: its MCP servers, and its scheduled jobs as commands to type. Its
//! skills and compiled tools need no conversion.

use std::path::Path;

use holm_grants::escaped;
use serde_json::{Map, Value as Json, json};

use super::{ImportedServers, parse_json};
use crate::ConfigError;

/// The servers of its `settings.json`: a list `mcp_servers`, at the top or below `config`.
///
/// # Errors
/// If it is not JSON.
pub fn boxagnts_servers(text: &str, path: &Path) -> Result<ImportedServers, ConfigError> {
    let settings = parse_json(text, path)?;
    let (mut servers, mut notes) = (Map::new(), Vec::new());
    let lists = [settings.get("mcp_servers"), settings.pointer("/config/mcp_servers")];
    for entry in lists.into_iter().flatten().filter_map(Json::as_array).flatten() {
        let Some(name) = entry.get("name").and_then(Json::as_str) else { continue };
        let mut server = Map::new();
        for key in ["command", "args", "env", "url", "type"] {
            if let Some(value) = entry.get(key).filter(|value| !value.is_null()) {
                server.insert(key.to_owned(), value.clone());
            }
        }
        // The kind follows from the command or the address.
        if server.contains_key("command") {
            server.remove("type");
        }
        servers.insert(name.to_owned(), Json::Object(server));
    }
    if settings.pointer("/config/model").or(settings.get("model")).is_some_and(Json::is_string) {
        notes.push("the model is not imported; set one with `holm init`".to_owned());
    }
    Ok(ImportedServers { entries: json!({ "mcpServers": servers }), notes })
}

/// The commands that make the jobs of its `cron.config.json` in Holm: a job decides what may be
/// spent, so a person makes it.
///
/// # Errors
/// If it is not JSON.
pub fn boxagnts_jobs(text: &str, path: &Path) -> Result<Vec<String>, ConfigError> {
    let jobs = parse_json(text, path)?;
    let jobs = jobs.as_object().into_iter().flat_map(Map::values);
    let command = |job: &Json| {
        let text = |key: &str| job.get(key).and_then(Json::as_str).map(quoted);
        // Its patterns begin with seconds, which Holm does not have.
        let pattern = job.get("cron").and_then(Json::as_str)?.split_whitespace().collect::<Vec<_>>();
        let minutes = if pattern.len() > 5 { pattern.get(1..6)? } else { pattern.as_slice() };
        Some(format!(
            "holm job add {} {} --cron {} --zone UTC",
            text("name")?,
            text("prompt")?,
            quoted(&minutes.join(" "))
        ))
    };
    Ok(jobs.filter_map(command).collect())
}

/// A text as a word of a command line, on one line.
fn quoted(text: &str) -> String {
    let flat = text.split_whitespace().collect::<Vec<_>>().join(" ");
    format!("'{}'", escaped(&flat).replace('\'', "'\\''"))
}
