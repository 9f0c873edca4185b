//! Imports extensions and recipes of goose. It converts texts and reads no file; the parser is
//! `yaml.rs`. What has no counterpart becomes a note, and nothing is granted.

use std::{fmt::Write as _, path::Path};

use serde_json::{Map, Value as Json, json};

use super::{ImportNotes as _, ImportedFile, ImportedServers, quoted, skill_name, yaml};
use crate::{ConfigError, TextTemplate, TextTemplatePiece};

/// The members of a recipe that are imported.
const READ: [&str; 8] =
    ["version", "title", "description", "instructions", "prompt", "parameters", "extensions", "author"];

/// The MCP servers of goose (`extensions` of its `config.yaml`), as an `mcpServers` object.
///
/// # Errors
/// If the file is not YAML, with the line.
pub fn goose_servers(text: &str, path: &Path) -> Result<ImportedServers, ConfigError> {
    let document = yaml::parse(text, path)?;
    let mut found = ImportedServers::none();
    for (name, entry) in document.get("extensions").and_then(Json::as_object).into_iter().flatten() {
        found.take(name, entry);
    }
    found.leave(&document, &["extensions"]);
    Ok(found)
}

/// Converts a recipe of goose into a skill that the user calls by name, with the
/// servers that it needs.
///
/// # Errors
/// If the file is neither YAML nor JSON, with the line.
pub fn goose_recipe(
    name: &str,
    text: &str,
    path: &Path,
) -> Result<(ImportedFile, ImportedServers), ConfigError> {
    let document = yaml::parse(text, path)?;
    let word = |key: &str| document.get(key).and_then(Json::as_str).unwrap_or_default().trim().to_owned();
    let mut servers = ImportedServers::none();
    for entry in document.get("extensions").and_then(Json::as_array).into_iter().flatten() {
        let name = entry.get("name").and_then(Json::as_str).unwrap_or_default();
        servers.take(name, entry);
    }
    let mut notes = Vec::new();
    let args = parameters(&document, &mut notes);
    let parts = [word("instructions"), word("prompt")];
    let body = parts.iter().filter(|part| !part.is_empty()).map(|part| filled_in(part, &args, &mut notes));
    let body = body.collect::<Vec<_>>().join("\n\n");
    let members = document.as_object().into_iter().flatten().filter(|(key, _)| !READ.contains(&key.as_str()));
    notes.extend(members.map(|(key, _)| format!("`{key}` has no equivalent in Holm; skipped")));
    let name = skill_name(name);
    let about = [word("description"), word("title")].into_iter().find(|about| !about.is_empty());
    let about = about.unwrap_or_else(|| format!("Does what the recipe {name} did."));
    let args = if args.is_empty() { String::new() } else { format!("args: [{}]\n", args.join(", ")) };
    let text =
        format!("---\nname: {name}\ndescription: {}\n{args}list: false\n---\n{body}\n", quoted(&about));
    Ok((ImportedFile { name, text, notes }, servers))
}

/// The names of the parameters, in order.
fn parameters(recipe: &Json, notes: &mut Vec<String>) -> Vec<String> {
    let mut names = Vec::new();
    for parameter in recipe.get("parameters").and_then(Json::as_array).into_iter().flatten() {
        let Some(key) = parameter.get("key").and_then(Json::as_str) else { continue };
        if let Some(value) = parameter.get("default").filter(|value| !value.is_null()) {
            notes.note(format!("`{key}` had the default {value}; pass `{key}=…` now"));
        }
        names.push(key.to_owned());
    }
    names
}

/// Rewrites goose's placeholders as Holm's.
fn filled_in(text: &str, names: &[String], notes: &mut Vec<String>) -> String {
    if text.contains("{%") {
        notes.note("template commands (`{% … %}`) are not supported; the agent sees them unchanged");
    }
    let template = TextTemplate::parse(text);
    let mut out = String::new();
    for part in template.pieces() {
        match part {
            TextTemplatePiece::Text(text) => out.push_str(text),
            TextTemplatePiece::Variable(name) if names.contains(name) => {
                out.push('$');
                out.push_str(name);
            }
            TextTemplatePiece::Variable(name) => {
                notes.note(format!("`{{{{{name}}}}}` has no value here; the agent sees it unchanged"));
                let _ = write!(out, "{{{{{name}}}}}");
            }
        }
    }
    out
}

impl ImportedServers {
    /// Converts one extension; an extension that is not a server becomes a note.
    fn take(&mut self, name: &str, entry: &Json) {
        let word = |key: &str| entry.get(key).and_then(Json::as_str);
        let kind = word("type").unwrap_or_default();
        let mut server = Map::new();
        match (kind, word("cmd"), word("uri").or_else(|| word("url"))) {
            ("stdio", Some(program), _) => {
                server.insert("command".into(), program.into());
                server.insert("args".into(), entry.get("args").cloned().unwrap_or_else(|| json!([])));
            }
            ("sse" | "streamable_http", _, Some(address)) => {
                server.insert("url".into(), address.into());
                server.extend(entry.get("headers").map(|headers| ("headers".to_owned(), headers.clone())));
            }
            _ => {
                self.notes.note(format!(
                    "the extension `{name}` of type `{kind}` has no equivalent in Holm; skipped"
                ));
                return;
            }
        }
        let mut env = entry.get("envs").and_then(Json::as_object).cloned().unwrap_or_default();
        // A secret in goose's keyring is only named here; its value comes from the environment.
        for key in
            entry.get("env_keys").and_then(Json::as_array).into_iter().flatten().filter_map(Json::as_str)
        {
            env.insert(key.to_owned(), format!("${{{key}}}").into());
            self.notes.note(format!("the server `{name}` takes {key} from the environment"));
        }
        if !env.is_empty() {
            server.insert("env".into(), Json::Object(env));
        }
        if entry.get("enabled") == Some(&Json::Bool(false)) {
            server.insert("enabled".into(), false.into());
        }
        self.add(name, server);
    }
}
