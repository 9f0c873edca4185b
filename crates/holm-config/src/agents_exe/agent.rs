//! Parses one `agent.json` of agents-exe. It opens no file: `tree.rs` does, also for the agents
//! below. A key that Holm does not support is reported with its line and never dropped. Converting
//! an agent into Holm's own format is in `import.rs`.

use std::{
    fmt,
    path::{Path, PathBuf},
};

use holm_grants::escaped;

use super::api::{self, ExeApiEntry};
use super::json::{JsonNode, JsonNodeKind, JsonSource, alike};
use crate::{ConfigError, ConfigProblem};

/// The tag of an agent's file.
const TAG: &str = "OpenAIAgentDescription";

/// Members that Holm does not support.
const WITHOUT_A_PART: [(&str, &str); 2] = [
    ("postgrestToolboxes", "PostgREST toolboxes"),
    ("autoEnableSkills", "skills that are switched on by themselves"),
];

/// Members that are read.
const KNOWN: [&str; 14] = [
    "slug",
    "apiKeyId",
    "flavor",
    "modelUrl",
    "modelName",
    "announce",
    "systemPrompt",
    "toolDirectory",
    "bashToolboxes",
    "mcpServers",
    "openApiToolboxes",
    "builtinToolboxes",
    "extraAgents",
    "skillSources",
];

/// An agent of agents-exe.
///
/// ```
/// use holm_config::agents_exe::ExeAgent;
///
/// let text = r#"{"tag":"OpenAIAgentDescription","contents":{"slug":"main","apiKeyId":"k",
///     "flavor":"OpenAIv1","modelUrl":"https://api.openai.com/v1","modelName":"gpt-4o",
///     "announce":"Helps.","systemPrompt":["Be","brief."],
///     "toolDirectory":"tools"}}"#;
/// let agent = ExeAgent::parse(text, "/project/agent.json".as_ref())?;
/// assert_eq!(agent.system, "Be\nbrief.");
/// assert_eq!(agent.tools[0].path, std::path::Path::new("/project/tools"));
/// # Ok::<(), holm_config::ConfigError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExeAgent {
    pub path: PathBuf,
    /// The name of the agent.
    pub slug: String,
    /// The id of its key in the keys file.
    pub api_key_id: String,
    /// The API flavor of its provider; all are variants of one format.
    pub flavor: String,
    /// The URL of its provider.
    pub model_url: String,
    pub model_name: String,
    /// The description of the agent.
    pub announce: String,
    pub system: String,
    pub tools: Vec<ExeTools>,
    pub servers: Vec<ExeServer>,
    pub apis: Vec<ExeApiEntry>,
    /// Other agents that it refers to.
    pub extra: Vec<ExeAgentReference>,
    pub skills: Vec<PathBuf>,
    /// Settings that Holm does not support.
    pub unsupported: Vec<UnsupportedFeature>,
    /// Files and folders of tools that do not exist.
    pub missing: Vec<MissingTools>,
}

/// Programs of an agent: those of a folder, or a single one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExeTools {
    /// The folder, or the single program.
    pub path: PathBuf,
    /// Only files whose names contain this.
    pub filter: Option<String>,
    pub kind: ExeToolsKind,
    /// The path as the file has it.
    written: String,
    /// The line of the entry.
    pub line: usize,
}

/// How an agent names programs, which decides what a relative path is relative to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExeToolsKind {
    /// `toolDirectory`: beside the agent's file, else in the working folder.
    ToolDirectory,
    /// A toolbox with the programs of a folder: in the working folder, else beside the file.
    Folder,
    /// A toolbox with a single program: in the working folder, else beside the file.
    Single,
}

/// Tools that an agent names and that do not exist.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MissingTools {
    /// The file of the agent, and the line.
    pub path: PathBuf,
    pub line: usize,
    /// The path as the file has it.
    pub written: String,
}

impl fmt::Display for MissingTools {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (path, written) = (escaped(&self.path.to_string_lossy()), escaped(&self.written));
        let line = self.line;
        write!(
            out,
            "{path}:{line}: there are no tools at {written}, in the working folder or beside this file"
        )
    }
}

impl ExeTools {
    /// The folder to load, and the name that a file of it must contain.
    #[must_use]
    pub fn folder(&self) -> &Path {
        match self.kind {
            ExeToolsKind::ToolDirectory | ExeToolsKind::Folder => &self.path,
            ExeToolsKind::Single => self.path.parent().unwrap_or(Path::new("")),
        }
    }

    /// Whether a file is one of these programs.
    #[must_use]
    pub fn has(&self, file: &Path) -> bool {
        let name = file.file_name().map(|name| name.to_string_lossy()).unwrap_or_default();
        match self.kind {
            ExeToolsKind::Single => file == self.path,
            ExeToolsKind::ToolDirectory | ExeToolsKind::Folder => {
                file.parent() == Some(self.path.as_path())
                    && self.filter.as_ref().is_none_or(|part| name.contains(part.as_str()))
            }
        }
    }
}

/// An MCP server that is started as a program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExeServer {
    /// The prefix of its tools' names.
    pub name: String,
    pub executable: String,
    /// The arguments of the program.
    pub args: Vec<String>,
}

/// A reference to another agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExeAgentReference {
    /// The name that the agent must have.
    pub slug: String,
    pub path: PathBuf,
    /// The line of the reference.
    pub line: usize,
}

/// A setting that Holm does not support.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnsupportedFeature {
    pub path: PathBuf,
    pub what: String,
    /// The line, from 1.
    pub line: usize,
}

impl fmt::Display for UnsupportedFeature {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (path, feature) = (escaped(&self.path.to_string_lossy()), escaped(&self.what));
        write!(out, "{path}: not supported: {feature} at line {}", self.line)
    }
}

impl ExeAgent {
    /// Whether a text may be such a file.
    #[must_use]
    pub fn is_one(text: &str) -> bool {
        text.contains(TAG)
    }

    /// Parses the file. Relative paths are taken from the file's folder; those of tools are
    /// looked up by [`find_tools`](Self::find_tools).
    ///
    /// # Errors
    /// The first error, with its line.
    pub fn parse(text: &str, path: &Path) -> Result<Self, ConfigError> {
        let source = JsonSource { text, path };
        let document = source.parse()?;
        let tag = document.get("tag").and_then(JsonNode::text).unwrap_or_default();
        let contents = document.get("contents").filter(|_| tag == TAG);
        let contents = contents.ok_or_else(|| source.wrong(&document, &format!("an object tagged {TAG}")))?;
        let reading = ExeAgentReader { source, contents };
        let mut agent = reading.scalars()?;
        reading.tools(&mut agent)?;
        reading.servers(&mut agent)?;
        reading.apis(&mut agent)?;
        reading.others(&mut agent)?;
        reading.leftovers(&mut agent);
        agent.unsupported.sort_by_key(|feature| feature.line);
        Ok(agent)
    }

    /// Finds the tools as agents-exe does: toolboxes in the working folder, `toolDirectory` beside the
    /// file, and each in the other place if it does not exist there.
    pub fn find_tools(&mut self, work: &Path) {
        let beside = self.path.parent().unwrap_or(Path::new("")).to_owned();
        for tools in &mut self.tools {
            let (near, here) = (beside.join(&tools.written), work.join(&tools.written));
            let places = match tools.kind {
                ExeToolsKind::ToolDirectory => [near, here],
                ExeToolsKind::Folder | ExeToolsKind::Single => [here, near],
            };
            let is_there = |path: &PathBuf| match tools.kind {
                ExeToolsKind::Single => path.is_file(),
                ExeToolsKind::ToolDirectory | ExeToolsKind::Folder => path.is_dir(),
            };
            match places.into_iter().find(is_there) {
                Some(path) => tools.path = path,
                None => self.missing.push(MissingTools {
                    path: self.path.clone(),
                    line: tools.line,
                    written: tools.written.clone(),
                }),
            }
        }
    }
}

/// Reads the members of one file.
struct ExeAgentReader<'a> {
    source: JsonSource<'a>,
    contents: &'a JsonNode,
}

impl ExeAgentReader<'_> {
    fn scalars(&self) -> Result<ExeAgent, ConfigError> {
        let Some(prompt) = self.contents.get("systemPrompt") else {
            return Err(self.missing(self.contents, "systemPrompt"));
        };
        let lines = prompt.items().map(|lines| lines.iter().map(JsonNode::text).collect::<Option<Vec<_>>>());
        let lines = lines.flatten().ok_or_else(|| self.source.wrong(prompt, "a list of lines"))?;
        Ok(ExeAgent {
            path: self.source.path.to_owned(),
            slug: self.text(self.contents, "slug")?,
            api_key_id: self.text(self.contents, "apiKeyId")?,
            flavor: self.text(self.contents, "flavor")?,
            model_url: self.text(self.contents, "modelUrl")?,
            model_name: self.text(self.contents, "modelName")?,
            announce: self.text(self.contents, "announce")?,
            system: lines.join("\n"),
            tools: Vec::new(),
            servers: Vec::new(),
            apis: Vec::new(),
            extra: Vec::new(),
            skills: Vec::new(),
            unsupported: Vec::new(),
            missing: Vec::new(),
        })
    }

    fn tools(&self, agent: &mut ExeAgent) -> Result<(), ConfigError> {
        if let Some(folder) = self.contents.get("toolDirectory") {
            let text = folder.text().ok_or_else(|| self.source.wrong(folder, "the path of a folder"))?;
            agent.tools.push(self.named(text, None, ExeToolsKind::ToolDirectory, folder.line));
        }
        for node in self.list("bashToolboxes")? {
            let (tag, contents) = self.tagged(node)?;
            match tag {
                "FileSystemDirectory" => {
                    let path = self.text(contents, "path")?;
                    let filter = contents.get("basenameFilter").and_then(JsonNode::text).map(str::to_owned);
                    agent.tools.push(self.named(&path, filter, ExeToolsKind::Folder, contents.line));
                    self.activation(contents, agent);
                }
                "SingleTool" => {
                    let path = self.text(contents, "path")?;
                    agent.tools.push(self.named(&path, None, ExeToolsKind::Single, contents.line));
                    self.activation(contents, agent);
                }
                other => self.unsupported(agent, format!("the toolbox {other}"), node.line),
            }
        }
        for node in self.list("builtinToolboxes")? {
            let (tag, _) = self.tagged(node)?;
            self.unsupported(agent, format!("the toolbox {tag}"), node.line);
        }
        Ok(())
    }

    /// Tools at a path as the file writes it.
    fn named(&self, written: &str, filter: Option<String>, kind: ExeToolsKind, line: usize) -> ExeTools {
        ExeTools { path: self.beneath(written), filter, kind, written: written.to_owned(), line }
    }

    fn servers(&self, agent: &mut ExeAgent) -> Result<(), ConfigError> {
        for node in self.list("mcpServers")? {
            let (tag, contents) = self.tagged(node)?;
            if tag != "McpSimpleBinary" {
                self.unsupported(agent, format!("the MCP server {tag}"), node.line);
                continue;
            }
            let args = contents.get("args").and_then(JsonNode::items).unwrap_or_default();
            let args = args.iter().map(|arg| arg.text().map(str::to_owned).ok_or(arg));
            let args = args.collect::<Result<_, _>>().map_err(|arg| self.source.wrong(arg, "a text"))?;
            let (name, executable) = (self.text(contents, "name")?, self.text(contents, "executable")?);
            agent.servers.push(ExeServer { name, executable, args });
            self.activation(contents, agent);
        }
        Ok(())
    }

    fn apis(&self, agent: &mut ExeAgent) -> Result<(), ConfigError> {
        for node in self.list("openApiToolboxes")? {
            let (tag, contents) = self.tagged(node)?;
            match api::entry(self.source, tag, contents)? {
                Some(entry) => agent.apis.push(entry),
                None => self.unsupported(agent, format!("the toolbox {tag}"), node.line),
            }
            self.activation(contents, agent);
        }
        Ok(())
    }

    fn others(&self, agent: &mut ExeAgent) -> Result<(), ConfigError> {
        for node in self.list("extraAgents")? {
            let (slug, path) = (self.text(node, "slug")?, self.beneath(&self.text(node, "path")?));
            agent.extra.push(ExeAgentReference { slug, path, line: node.line });
        }
        for node in self.list("skillSources")? {
            let (tag, contents) = self.tagged(node)?;
            match (tag, contents.text()) {
                ("SkillDirectory", Some(folder)) => agent.skills.push(self.beneath(folder)),
                (other, _) => self.unsupported(agent, format!("the skill source {other}"), node.line),
            }
        }
        Ok(())
    }

    /// Reports members that were not read.
    fn leftovers(&self, agent: &mut ExeAgent) {
        for (key, node) in self.contents.members() {
            let empty = node.items().is_some_and(<[JsonNode]>::is_empty)
                || matches!(node.kind, JsonNodeKind::Plain(_));
            if let Some((_, feature)) = WITHOUT_A_PART.iter().find(|(name, _)| alike(name, key)) {
                if !empty {
                    self.unsupported(agent, (*feature).to_owned(), node.line);
                }
            } else if !KNOWN.iter().any(|name| alike(name, key)) {
                self.unsupported(agent, format!("the key `{key}`"), node.line);
            }
        }
    }

    /// Reports tools that are only shown on demand. Holm shows them from the start, or by search
    /// if there are many.
    fn activation(&self, contents: &JsonNode, agent: &mut ExeAgent) {
        let Some(activation) = contents.get("activation") else { return };
        if activation.text() != Some("always") {
            self.unsupported(agent, "an activation group".to_owned(), activation.line);
        }
    }

    fn unsupported(&self, agent: &mut ExeAgent, feature: String, line: usize) {
        agent.unsupported.push(UnsupportedFeature { path: self.source.path.to_owned(), what: feature, line });
    }

    fn list(&self, key: &str) -> Result<&[JsonNode], ConfigError> {
        match self.contents.get(key) {
            None => Ok(&[]),
            Some(node) => node.items().ok_or_else(|| self.source.wrong(node, "a list")),
        }
    }

    /// An object with a tag and contents.
    fn tagged<'n>(&self, node: &'n JsonNode) -> Result<(&'n str, &'n JsonNode), ConfigError> {
        let tag = node.get("tag").and_then(JsonNode::text);
        let contents = node.get("contents").unwrap_or(node);
        tag.map(|tag| (tag, contents)).ok_or_else(|| self.source.wrong(node, "an object with a tag"))
    }

    fn text(&self, node: &JsonNode, key: &str) -> Result<String, ConfigError> {
        let found = node.get(key).ok_or_else(|| self.missing(node, key))?;
        found.text().map(str::to_owned).ok_or_else(|| self.source.wrong(found, "a text"))
    }

    fn missing(&self, node: &JsonNode, key: &str) -> ConfigError {
        let problem = ConfigProblem::WrongValue(format!("`{key}` is missing"));
        ConfigError::at(self.source.path, node.line, problem)
    }

    fn beneath(&self, text: &str) -> PathBuf {
        self.source.path.parent().unwrap_or(Path::new("")).join(text)
    }
}
