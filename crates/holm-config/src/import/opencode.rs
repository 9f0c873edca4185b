//! Imports the `opencode.json` of opencode. It converts texts and reads no file; comments are
//! removed in `jsonc.rs`, and single files of agents and commands are converted in `import.rs`.
//! What has no counterpart becomes a note, and nothing is granted.

use std::path::Path;

use holm_grants::escaped;
use serde_json::{Map, Value as Json, json};

use super::{ImportNotes as _, ImportedFile, ImportedServers, agent_text, command_text, parse_json};
use crate::ConfigError;

/// Everything that is imported from one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpencodeImport {
    /// Its servers, and notes about what was not imported.
    pub servers: ImportedServers,
    pub agents: Vec<ImportedFile>,
    /// Its commands, as skills.
    pub commands: Vec<ImportedFile>,
}

/// Imports `mcp`, `agent` and `command` of `opencode.json`.
///
/// # Errors
/// If the file is not JSON, with the line.
pub fn opencode(text: &str, path: &Path) -> Result<OpencodeImport, ConfigError> {
    let document = parse_json(text, path)?;
    let members = |key: &str| document.get(key).and_then(Json::as_object).into_iter().flatten();
    let mut servers = ImportedServers::none();
    members("mcp").for_each(|(name, entry)| servers.add(name, server(entry)));
    for file in document.get("instructions").and_then(Json::as_array).into_iter().flatten() {
        servers.notes.note(format!("rules in {file} were not imported; name the file: holm import FILE"));
    }
    servers.leave(&document, &["$schema", "mcp", "agent", "command", "instructions"]);
    let word = |entry: &Json, key: &str| entry.get(key).and_then(Json::as_str).unwrap_or_default().to_owned();
    let agents = members("agent").map(|(name, entry)| agent(name, entry)).collect();
    let command = |(name, entry): (&String, &Json)| {
        let about = Some(word(entry, "description")).filter(|about| !about.is_empty());
        command_text(name, about, &word(entry, "template"))
    };
    Ok(OpencodeImport { servers, agents, commands: members("command").map(command).collect() })
}

fn server(entry: &Json) -> Map<String, Json> {
    let mut server = Map::new();
    let command = entry.get("command").and_then(Json::as_array).map(Vec::as_slice).unwrap_or_default();
    if let [program, args @ ..] = command {
        server.insert("command".into(), program.clone());
        server.insert("args".into(), json!(args));
    }
    for (theirs, ours) in
        [("url", "url"), ("headers", "headers"), ("environment", "env"), ("enabled", "enabled")]
    {
        if let Some(value) = entry.get(theirs) {
            server.insert(ours.into(), value.clone());
        }
    }
    server
}

fn agent(name: &str, entry: &Json) -> ImportedFile {
    let word = |key: &str| entry.get(key).and_then(Json::as_str).map(str::to_owned);
    let about = word("description").unwrap_or_else(|| format!("The agent {name} of opencode."));
    let known = ["description", "prompt", "mode"];
    let left = entry.as_object().into_iter().flatten().filter(|(key, _)| !known.contains(&key.as_str()));
    let mut notes: Vec<String> = left.map(|(key, _)| escaped(&format!("`{key}` was not imported"))).collect();
    let prompt = word("prompt").unwrap_or_default();
    if prompt.contains("{file:") {
        notes.note("files included with {file:…} are not supported; the agent sees the text unchanged");
    }
    notes.push("it has no grants yet; add `grants: [\"read:**\"]` or what it needs".to_owned());
    ImportedFile { name: name.to_owned(), text: agent_text(name, &about, &["*".to_owned()], &prompt), notes }
}
