//! Converts settings of other programs into Holm's formats. Pure functions: they take texts and
//! return texts and notes.
//!
//! Nothing is dropped silently: a setting without a counterpart becomes a note. Nothing is granted
//! either: if an agent could act unasked in the other program, the user has to grant that here.

mod goose;
mod hooks;
mod jsonc;
mod opencode;
mod yaml;

use std::{fmt::Write as _, path::Path};

use holm_grants::escaped;
use holm_tools::front::{Entry, Front, Value};
use serde_json::{Map, Value as Json, json};

use crate::{ConfigError, ConfigProblem, exe::ExeAgent, read::one_line};

pub use goose::{goose_recipe, goose_servers};
pub use hooks::{codex_hooks, hooks};
pub use opencode::{Opencode, opencode};

/// What Claude Code calls its tools, and what they are called here.
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

/// The tool that is there only where a person has named a service for it.
const SEARCH: &str = "web_search";

/// A text in Holm's form, and what did not fit into it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Converted {
    /// What it is called.
    pub name: String,
    /// The text of the file.
    pub text: String,
    /// What a person should know.
    pub notes: Vec<String>,
}

/// MCP servers in Holm's form, and what was not taken over beside them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Servers {
    /// An object with `mcpServers`.
    pub entries: Json,
    /// What a person should know.
    pub notes: Vec<String>,
}

/// Notes about a file from elsewhere. Names from it are printed on one line.
trait Notes {
    fn note(&mut self, text: impl AsRef<str>);
}

impl Notes for Vec<String> {
    fn note(&mut self, text: impl AsRef<str>) {
        self.push(escaped(text.as_ref()));
    }
}

impl Servers {
    fn none() -> Self {
        Self { entries: json!({ "mcpServers": {} }), notes: Vec::new() }
    }

    /// Whether there is no server.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entries.get("mcpServers").and_then(Json::as_object).is_none_or(Map::is_empty)
    }

    fn add(&mut self, name: &str, server: Map<String, Json>) {
        if let Some(entries) = self.entries.get_mut("mcpServers").and_then(Json::as_object_mut) {
            entries.insert(name.to_owned(), Json::Object(server));
        }
    }

    /// Says which members of a file are not taken over.
    fn leave(&mut self, whole: &Json, known: &[&str]) {
        let left = whole.as_object().into_iter().flatten().filter(|(key, _)| !known.contains(&key.as_str()));
        let left: Vec<String> = left.map(|(key, _)| format!("`{key}`")).collect();
        if !left.is_empty() {
            self.notes.note(format!("not taken over: {}", left.join(", ")));
        }
    }
}

/// The MCP servers of codex (`[mcp_servers.NAME]` of its `config.toml`), as an `mcpServers` object.
///
/// # Errors
/// Where the file is no TOML, with the line.
pub fn codex_servers(text: &str, path: &Path) -> Result<Servers, ConfigError> {
    let whole = codex(text, path)?;
    let mut found = Servers::none();
    for (name, entry) in whole.get("mcp_servers").and_then(Json::as_object).into_iter().flatten() {
        let mut entry = entry.as_object().cloned().unwrap_or_default();
        // codex names the variable that holds a token; an entry names it in its header.
        if let Some(Json::String(variable)) = entry.remove("bearer_token_env_var") {
            entry.insert("headers".into(), json!({ "Authorization": format!("Bearer ${{{variable}}}") }));
        }
        found.add(name, entry);
    }
    found.leave(&whole, &["mcp_servers", "hooks"]);
    Ok(found)
}

/// The `config.toml` of codex.
fn codex(text: &str, path: &Path) -> Result<Json, ConfigError> {
    let whole: toml::Table = toml::from_str(text).map_err(|error: toml::de::Error| {
        let line = crate::read::line_of(text, error.span().map_or(0, |span| span.start));
        ConfigError::at(path, line, ConfigProblem::Syntax(one_line(error.message())))
    })?;
    serde_json::to_value(whole)
        .map_err(|error| ConfigError::whole(path, ConfigProblem::Syntax(error.to_string())))
}

/// An agent of Claude Code or opencode (`agents/NAME.md`); one without a name is called by its file.
///
/// # Errors
/// What keeps it from being an agent, in words.
pub fn markdown_agent(file: &str, text: &str) -> Result<Converted, String> {
    let front = Front::parse(text).map_err(|error| escaped(&error.to_string()))?;
    let find = |key: &str| front.entries.iter().find(|entry| entry.key == key).map(|entry| &entry.value);
    let word = |key: &str| match find(key) {
        Some(Value::Text(text)) => Some(text.clone()),
        Some(Value::List(_) | Value::Map(_)) | None => None,
    };
    let name = word("name").unwrap_or_else(|| file.to_owned());
    let description = word("description").ok_or("`description` is missing")?;
    let mut notes = Vec::new();
    let tools = tools_of(find("tools"), &mut notes);
    if let Some(model) = word("model").filter(|model| model != "inherit") {
        notes.note(format!(
            "the model `{model}` is not taken over; add `model: provider/model` if you want one"
        ));
    }
    let known = ["name", "description", "tools", "model"];
    for entry in front.entries.iter().filter(|entry| !known.contains(&&*entry.key)) {
        notes.note(format!("`{}` at line {} has no counterpart; it is left out", entry.key, entry.line));
    }
    notes.push("it holds no grants yet; add `grants: [\"read:**\"]` or what it needs".to_owned());
    let text = agent_text(&name, &description, &tools, front.body);
    Ok(Converted { name, text, notes })
}

/// Our names of the tools that an agent has. opencode says of each tool whether it is there: what it switches off is a
/// note, because here everything is off that was not granted.
fn tools_of(value: Option<&Value>, notes: &mut Vec<String>) -> Vec<String> {
    let theirs: Vec<String> = match value {
        None => return vec!["*".to_owned()],
        Some(Value::Text(text)) => {
            text.split(',').map(str::trim).filter(|tool| !tool.is_empty()).map(str::to_owned).collect()
        }
        Some(Value::List(items)) => items.iter().map(|item| item.text.clone()).collect(),
        Some(Value::Map(entries)) => {
            let is_off = |entry: &&Entry| entry.value == Value::Text("false".into());
            let off: Vec<&str> = entries.iter().filter(is_off).map(|entry| entry.key.as_str()).collect();
            if !off.is_empty() {
                notes.note(format!(
                    "that {} are switched off is not taken over; grant nothing for them",
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
            None => notes.note(format!("there is no tool like `{tool}`; it is left out")),
            Some(SEARCH) => notes.note(format!(
                "`{SEARCH}` is there where HOLM_SEARCH names a service; without one the agent cannot be used, so set it or take \
                 `{SEARCH}` out of its tools"
            )),
            Some(_) => {}
        }
        ours
    };
    theirs.into_iter().filter_map(ours).collect()
}

/// A command of Claude Code, codex or opencode (`commands/NAME.md`), as a skill that a person names.
#[must_use]
pub fn command_skill(name: &str, text: &str) -> Converted {
    let (about, body) = match Front::parse(text) {
        Ok(front) => {
            let about = front.entries.iter().find(|entry| entry.key == "description");
            let about = about.and_then(|entry| match &entry.value {
                Value::Text(text) => Some(text.clone()),
                Value::List(_) | Value::Map(_) => None,
            });
            (about, front.body.to_owned())
        }
        Err(_) => (None, text.trim().to_owned()),
    };
    command_text(name, about, &body)
}

/// The skill of a command.
fn command_text(name: &str, about: Option<String>, body: &str) -> Converted {
    let name = skill_name(name);
    let mut notes = Vec::new();
    for (sign, what) in
        [("!`", "commands that run before the text is read"), ("@", "files that are put in by @")]
    {
        if body.lines().any(|line| line.split_whitespace().any(|word| word.starts_with(sign))) {
            notes.note(format!("{what} are not supported; the agent sees the words as they are"));
        }
    }
    let about = about.unwrap_or_else(|| format!("Does what the command {name} did."));
    let text = format!("---\nname: {name}\ndescription: {}\nlist: false\n---\n{body}\n", quoted(&about));
    Converted { name, text, notes }
}

/// An agent of agents-exe. Its tools stay where they are; what it brings beyond its prompt is noted.
#[must_use]
pub fn exe_agent(agent: &ExeAgent, model: &str) -> Converted {
    let mut notes: Vec<String> = agent.unsupported.iter().map(ToString::to_string).collect();
    for tools in &agent.tools {
        notes.note(format!("copy the programs of {} into your tools to use them", tools.path.display()));
    }
    notes.note(format!(
        "it spoke with {} by the key `{}`; `holm keys add` keeps keys",
        agent.model_url, agent.api_key_id
    ));
    let mut tools: Vec<String> = agent.extra.iter().map(|extra| extra.slug.clone()).collect();
    if tools.is_empty() {
        tools.push("*".to_owned());
    }
    let text = agent_text(&agent.slug, &agent.announce, &tools, &agent.system);
    let text = text.replacen("tools:", &format!("model: {}\ntools:", quoted(model)), 1);
    Converted { name: agent.slug.clone(), text, notes }
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

/// Rules of another program, each file's under its name, as one text of what a project or a person tells every agent.
#[must_use]
pub fn rules(files: &[(String, String)]) -> String {
    let part = |(name, text): &(String, String)| format!("<!-- from {name} -->\n\n{}\n", text.trim());
    files.iter().map(part).collect::<Vec<_>>().join("\n")
}

/// A file of JSON that people write by hand, perhaps with comments.
///
/// # Errors
/// Where it is no JSON, with the line.
fn parse_json(text: &str, path: &Path) -> Result<Json, ConfigError> {
    serde_json::from_str(&jsonc::plain(text))
        .map_err(|error| ConfigError::at(path, error.line().max(1), ConfigProblem::Syntax(error.to_string())))
}

/// A text in quotes on one line, as heads have it.
fn quoted(text: &str) -> String {
    let flat = text.split_whitespace().collect::<Vec<_>>().join(" ");
    format!("\"{}\"", flat.replace('\\', "\\\\").replace('"', "\\\""))
}

/// The nearest name that a skill can have.
fn skill_name(name: &str) -> String {
    let plain = name.to_ascii_lowercase();
    let words = plain.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join("-").chars().take(64).collect()
}

#[cfg(test)]
mod tests;
