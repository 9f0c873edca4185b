//! Converts settings of other programs into Holm's formats. Pure functions: they take texts and
//! return texts and notes.
//!
//! Nothing is dropped silently: a setting without a counterpart becomes a note. Nothing is granted
//! either: if an agent could act unasked in the other program, the user has to grant that here.
//!
//! Where things are:
//! - `import/goose.rs`, `import/opencode.rs`, `import/boxagnts.rs`, `import/hooks.rs`: one program or kind of file each;
//!   codex, Claude Code and agents-exe are here.
//! - `import/yaml.rs`, `import/jsonc.rs`: parsers.
//!
//! Files are found and written by `holm-cli/src/commands/import.rs`.

mod boxagnts;
mod goose;
mod hooks;
mod jsonc;
mod opencode;
mod yaml;

use std::{fmt::Write as _, path::Path};

use holm_grants::escaped;
use holm_tools::front_matter::{FrontMatter, FrontMatterEntry, FrontMatterValue};
use serde_json::{Map, Value as Json, json};

use crate::{ConfigError, ConfigProblem, agents_exe::ExeAgent, read::one_line};

pub use boxagnts::{boxagnts_jobs, boxagnts_servers};
pub use goose::{goose_recipe, goose_servers};
pub use hooks::{codex_hooks, hooks};
pub use opencode::{OpencodeImport, opencode};

/// The tool names of Claude Code, and the names of Holm's tools.
const TOOLS: [(&str, &str); 11] = [
    ("Read", "read"),
    ("Write", "write"),
    ("Edit", "edit"),
    ("MultiEdit", "edit"),
    ("Glob", "glob"),
    ("Grep", "grep"),
    ("LS", "list"),
    ("Bash", "shell"),
    ("WebFetch", "fetch"),
    ("WebSearch", SEARCH),
    ("TodoWrite", "todo"),
];

/// The tool that exists only if the user has configured a search service.
const SEARCH: &str = "web_search";

/// A converted file, and notes about what did not fit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImportedFile {
    /// The name of the skill or agent.
    pub name: String,
    /// The text of the file.
    pub text: String,
    /// Notes for the user.
    pub notes: Vec<String>,
}

/// Converted MCP servers, and notes about what was not imported.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImportedServers {
    /// An object with `mcpServers`.
    pub entries: Json,
    /// Notes for the user.
    pub notes: Vec<String>,
}

/// Collects notes about an imported file. Names from it are escaped to one line.
trait ImportNotes {
    fn note(&mut self, text: impl AsRef<str>);
}

impl ImportNotes for Vec<String> {
    fn note(&mut self, text: impl AsRef<str>) {
        self.push(escaped(text.as_ref()));
    }
}

impl ImportedServers {
    fn none() -> Self {
        Self { entries: json!({ "mcpServers": {} }), notes: Vec::new() }
    }

    /// Whether there are no servers.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entries.get("mcpServers").and_then(Json::as_object).is_none_or(Map::is_empty)
    }

    fn add(&mut self, name: &str, server: Map<String, Json>) {
        if let Some(entries) = self.entries.get_mut("mcpServers").and_then(Json::as_object_mut) {
            entries.insert(name.to_owned(), Json::Object(server));
        }
    }

    /// Notes which members of a file are not imported.
    fn leave(&mut self, document: &Json, known: &[&str]) {
        let left =
            document.as_object().into_iter().flatten().filter(|(key, _)| !known.contains(&key.as_str()));
        let left: Vec<String> = left.map(|(key, _)| format!("`{key}`")).collect();
        if !left.is_empty() {
            self.notes.note(format!("not imported: {}", left.join(", ")));
        }
    }
}

/// The MCP servers of codex (`[mcp_servers.NAME]` of its `config.toml`), as an `mcpServers` object.
///
/// # Errors
/// If the file is not TOML, with the line.
pub fn codex_servers(text: &str, path: &Path) -> Result<ImportedServers, ConfigError> {
    let document = codex(text, path)?;
    let mut found = ImportedServers::none();
    for (name, entry) in document.get("mcp_servers").and_then(Json::as_object).into_iter().flatten() {
        let mut entry = entry.as_object().cloned().unwrap_or_default();
        // codex names the variable with the token; an `mcpServers` entry refers to it in a header.
        if let Some(Json::String(variable)) = entry.remove("bearer_token_env_var") {
            entry.insert("headers".into(), json!({ "Authorization": format!("Bearer ${{{variable}}}") }));
        }
        found.add(name, entry);
    }
    found.leave(&document, &["mcp_servers", "hooks"]);
    Ok(found)
}

/// Parses the `config.toml` of codex.
fn codex(text: &str, path: &Path) -> Result<Json, ConfigError> {
    let table: toml::Table = toml::from_str(text).map_err(|error: toml::de::Error| {
        let line = crate::read::line_of(text, error.span().map_or(0, |span| span.start));
        ConfigError::at(path, line, ConfigProblem::Syntax(one_line(error.message())))
    })?;
    serde_json::to_value(table)
        .map_err(|error| ConfigError::whole(path, ConfigProblem::Syntax(error.to_string())))
}

/// Converts an agent of Claude Code or opencode (`agents/NAME.md`). Without a name it is
/// called like its file.
///
/// # Errors
/// A message that says why it is not a valid agent.
pub fn markdown_agent(file: &str, text: &str) -> Result<ImportedFile, String> {
    let front = FrontMatter::parse(text).map_err(|error| escaped(&error.to_string()))?;
    let find = |key: &str| front.entries.iter().find(|entry| entry.key == key).map(|entry| &entry.value);
    let word = |key: &str| match find(key) {
        Some(FrontMatterValue::Text(text)) => Some(text.clone()),
        Some(FrontMatterValue::List(_) | FrontMatterValue::Map(_) | FrontMatterValue::Records(_)) | None => {
            None
        }
    };
    let name = word("name").unwrap_or_else(|| file.to_owned());
    let description = word("description").ok_or("`description` is missing")?;
    let mut notes = Vec::new();
    let tools = tools_of(find("tools"), &mut notes);
    if let Some(model) = word("model").filter(|model| model != "inherit") {
        notes.note(format!("the model `{model}` was not imported; to set one, add `model: provider/model`"));
    }
    let known = ["name", "description", "tools", "model"];
    for entry in front.entries.iter().filter(|entry| !known.contains(&&*entry.key)) {
        notes.note(format!("`{}` at line {} has no equivalent in Holm; skipped", entry.key, entry.line));
    }
    notes.push("it has no grants yet; add `grants: [\"read:**\"]` or what it needs".to_owned());
    let text = agent_text(&name, &description, &tools, front.body);
    Ok(ImportedFile { name, text, notes })
}

/// Holm's names of an agent's tools. opencode lists tools that are switched off. They become a
/// note, because in Holm a tool needs a grant anyway.
fn tools_of(value: Option<&FrontMatterValue>, notes: &mut Vec<String>) -> Vec<String> {
    let theirs: Vec<String> = match value {
        None => return vec!["*".to_owned()],
        Some(FrontMatterValue::Text(text)) => {
            text.split(',').map(str::trim).filter(|tool| !tool.is_empty()).map(str::to_owned).collect()
        }
        Some(FrontMatterValue::List(items)) => items.iter().map(|item| item.text.clone()).collect(),
        Some(FrontMatterValue::Records(_)) => Vec::new(),
        Some(FrontMatterValue::Map(entries)) => {
            let is_off = |entry: &&FrontMatterEntry| entry.value == FrontMatterValue::Text("false".into());
            let off: Vec<&str> = entries.iter().filter(is_off).map(|entry| entry.key.as_str()).collect();
            if !off.is_empty() {
                notes.note(format!(
                    "Holm does not import that {} are switched off; do not grant them",
                    off.join(", ")
                ));
            }
            return vec!["*".to_owned()];
        }
    };
    let ours = |tool: String| {
        let bare = tool.split('(').next().unwrap_or(&tool);
        let ours = TOOLS.iter().find(|(theirs, _)| *theirs == bare).map(|(_, ours)| (*ours).to_owned());
        match ours.as_deref() {
            None => notes.note(format!("Holm has no tool like `{tool}`; skipped")),
            Some(SEARCH) => notes.note(format!(
                "`{SEARCH}` needs a search service: set HOLM_SEARCH, or remove `{SEARCH}` from the \
                 agent's tools; until then the agent does not load"
            )),
            Some(_) => {}
        }
        ours
    };
    theirs.into_iter().filter_map(ours).collect()
}

/// Converts a command of Claude Code, codex or opencode (`commands/NAME.md`) into a skill that the
/// user calls by name.
#[must_use]
pub fn command_skill(name: &str, text: &str) -> ImportedFile {
    let (about, body) = match FrontMatter::parse(text) {
        Ok(front) => {
            let about = front.entries.iter().find(|entry| entry.key == "description");
            let about = about.and_then(|entry| match &entry.value {
                FrontMatterValue::Text(text) => Some(text.clone()),
                FrontMatterValue::List(_) | FrontMatterValue::Map(_) | FrontMatterValue::Records(_) => None,
            });
            (about, front.body.to_owned())
        }
        Err(_) => (None, text.trim().to_owned()),
    };
    command_text(name, about, &body)
}

/// Builds the skill of a command.
fn command_text(name: &str, about: Option<String>, body: &str) -> ImportedFile {
    let name = skill_name(name);
    let mut notes = Vec::new();
    for (sign, feature) in
        [("!`", "commands that run before the text is read"), ("@", "files included with @")]
    {
        if body.lines().any(|line| line.split_whitespace().any(|word| word.starts_with(sign))) {
            notes.note(format!("{feature} are not supported; the agent sees the text unchanged"));
        }
    }
    let about = about.unwrap_or_else(|| format!("Does what the command {name} did."));
    let text = format!("---\nname: {name}\ndescription: {}\nlist: false\n---\n{body}\n", quoted(&about));
    ImportedFile { name, text, notes }
}

/// Whether an agent of agents-exe stands below itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExeNesting {
    Plain,
    /// It calls itself, or agents that call it.
    Recursive,
}

/// Converts an agent of agents-exe. Its tools are not copied; notes list what it
/// has beyond its prompt.
#[must_use]
pub fn exe_agent(agent: &ExeAgent, model: &str, nesting: ExeNesting) -> ImportedFile {
    let mut notes: Vec<String> = agent.unsupported.iter().map(ToString::to_string).collect();
    for tools in &agent.tools {
        notes.note(format!(
            "to use the programs of {}, copy them into your tools folder",
            tools.path.display()
        ));
    }
    notes.note(format!(
        "it used {} with the key `{}`; store the key with `holm keys add`",
        agent.model_url, agent.api_key_id
    ));
    let mut tools: Vec<String> = agent.extra.iter().map(|extra| extra.slug.clone()).collect();
    if tools.is_empty() {
        tools.push("*".to_owned());
    }
    let text = agent_text(&agent.slug, &agent.announce, &tools, &agent.system);
    let recursive = if nesting == ExeNesting::Recursive { "recursive: true\n" } else { "" };
    let text = text.replacen("tools:", &format!("model: {}\n{recursive}tools:", quoted(model)), 1);
    ImportedFile { name: agent.slug.clone(), text, notes }
}

/// The servers of an agent of agents-exe, as an `mcpServers` object.
#[must_use]
pub fn exe_servers(agent: &ExeAgent) -> Json {
    let servers = agent
        .servers
        .iter()
        .map(|server| (server.name.clone(), json!({ "command": server.executable, "args": server.args })));
    json!({ "mcpServers": servers.collect::<Map<_, _>>() })
}

fn agent_text(name: &str, description: &str, tools: &[String], body: &str) -> String {
    let mut text = format!("---\nname: {name}\ndescription: {}\n", quoted(description));
    match tools {
        [all] if all == "*" => text.push_str("tools: \"*\"\n"),
        tools => {
            let _ = writeln!(text, "tools: [{}]", tools.join(", "));
        }
    }
    let _ = write!(text, "---\n{}\n", body.trim());
    text
}

/// Joins rule files of another program into one instruction file, each under its file name.
#[must_use]
pub fn rules(files: &[(String, String)]) -> String {
    let part = |(name, text): &(String, String)| format!("<!-- from {name} -->\n\n{}\n", text.trim());
    files.iter().map(part).collect::<Vec<_>>().join("\n")
}

/// Parses JSON that may contain comments.
///
/// # Errors
/// If it is not JSON, with the line.
fn parse_json(text: &str, path: &Path) -> Result<Json, ConfigError> {
    serde_json::from_str(&jsonc::plain(text))
        .map_err(|error| ConfigError::at(path, error.line().max(1), ConfigProblem::Syntax(error.to_string())))
}

/// Quotes a text on one line, for front matter.
fn quoted(text: &str) -> String {
    let flat = text.split_whitespace().collect::<Vec<_>>().join(" ");
    format!("\"{}\"", flat.replace('\\', "\\\\").replace('"', "\\\""))
}

/// The most similar valid skill name.
fn skill_name(name: &str) -> String {
    let plain = name.to_ascii_lowercase();
    let words = plain.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join("-").chars().take(64).collect()
}

#[cfg(test)]
mod tests;
