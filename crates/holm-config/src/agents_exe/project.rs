//! Locates the agents, keys and named prompts of an agents-exe project. Agents are read in
//! `tree.rs`, and keys in `keys.rs`. A key of the file that Holm does not support is reported with
//! its line.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use super::{
    UnsupportedFeature,
    json::{JsonNode, JsonSource, alike},
};
use crate::{ConfigError, ConfigLayer, ConfigProblem, PromptAlias, read::text_of};

/// The file that locates the agents.
pub const CFG_FILE: &str = "agents-exe.cfg.json";

/// Keys that are read.
const KNOWN: [&str; 4] = ["agentsConfigDir", "agentsDirectories", "agentsFiles", "promptAliases"];

/// Keys that Holm does not support, with their replacements.
const WITHOUT_A_PART: [(&str, &str); 5] = [
    ("agentsLogs", "logs in the form of agents-exe"),
    ("selfDescribeSlug", "the name of `describe` (say `holm describe --slug`)"),
    ("selfDescribeDescription", "the text of `describe` (say `holm describe --description`)"),
    ("keymap", "a map of keys"),
    ("sessions", "places of sessions (they lie in Holm's data folder)"),
];

/// The content of `agents-exe.cfg.json`, or the defaults if there is no such file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ExeProject {
    /// The file, if there is one.
    pub cfg: Option<PathBuf>,
    /// The files of agents, in order.
    pub agents: Vec<PathBuf>,
    /// Possible key files; the first that exists is used.
    pub keys: Vec<PathBuf>,
    pub aliases: BTreeMap<String, PromptAlias>,
    /// Settings that Holm does not support.
    pub unsupported: Vec<UnsupportedFeature>,
}

impl ExeProject {
    /// Searches upward from the working folder, then in the user's default folder.
    ///
    /// # Errors
    /// If the file exists and cannot be used.
    pub fn find(work: &Path, env: impl Fn(&str) -> Option<String>) -> Result<Self, ConfigError> {
        let home = env("HOME").filter(|home| !home.is_empty()).map(PathBuf::from);
        let usual = home.map(|home| home.join(".config/agents-exe"));
        let near = work.join("agents-exe.keys");
        let cfg = work.ancestors().map(|folder| folder.join(CFG_FILE)).find(|path| path.is_file());
        let Some(path) = cfg else {
            let agents = usual.iter().flat_map(|folder| files_of(&folder.join("default"))).collect();
            let keys = [near].into_iter().chain(usual.map(|folder| folder.join("secret-keys"))).collect();
            return Ok(Self { agents, keys, ..Self::default() });
        };
        let text = text_of(&path, ConfigLayer::Project)?.unwrap_or_default();
        let source = JsonSource { text: &text, path: &path };
        let document = source.parse()?;
        let folder = path.parent().unwrap_or(Path::new("")).to_owned();
        let own = texts(source, &document, "agentsFiles")?.into_iter().map(|file| folder.join(file));
        let mut agents: Vec<PathBuf> = own.collect();
        for directory in texts(source, &document, "agentsDirectories")? {
            agents.extend(files_of(&folder.join(directory)));
        }
        let named = document.get("agentsConfigDir").and_then(JsonNode::text).map(|dir| folder.join(dir));
        let keys = [folder.join("agents-exe.keys"), near].into_iter();
        let keys = keys.chain(named.or(usual).map(|folder| folder.join("secret-keys"))).collect();
        let mut project = Self {
            cfg: Some(path.clone()),
            agents,
            keys,
            unsupported: leftovers(source, &document),
            ..Self::default()
        };
        project.read_aliases(source, &document)?;
        project.unsupported.sort_by_key(|feature| feature.line);
        Ok(project)
    }

    /// The input mode of an alias is ignored: the flags of a run say whether the prompt comes from
    /// a file or from standard input.
    fn read_aliases(&mut self, source: JsonSource<'_>, document: &JsonNode) -> Result<(), ConfigError> {
        let Some(aliases) = document.get("promptAliases") else { return Ok(()) };
        if !aliases.is_object() {
            return Err(source.wrong(aliases, "an object with a prompt for each name"));
        }
        for (name, node) in aliases.members() {
            let template = node.get("template");
            let Some(template) = template.and_then(JsonNode::text) else {
                return Err(source.wrong(template.unwrap_or(node), "an object with a text `template`"));
            };
            let description = node.get("description").and_then(JsonNode::text).unwrap_or_default().to_owned();
            self.aliases.insert(name.clone(), PromptAlias { description, template: template.to_owned() });
            let known = ["description", "template", "inputMode"];
            for (key, value) in
                node.members().iter().filter(|(key, _)| !known.iter().any(|known_key| alike(known_key, key)))
            {
                let feature = format!("the key `{key}` of the prompt `{name}`");
                self.unsupported.push(UnsupportedFeature {
                    path: source.path.to_owned(),
                    what: feature,
                    line: value.line,
                });
            }
        }
        Ok(())
    }
}

/// Lists keys that were not read.
fn leftovers(source: JsonSource<'_>, document: &JsonNode) -> Vec<UnsupportedFeature> {
    let unread = document.members().iter().filter(|(key, _)| !KNOWN.iter().any(|known| alike(known, key)));
    let named = unread.filter(|(_, node)| !node.is_nothing()).map(|(key, node)| {
        let part = WITHOUT_A_PART.iter().find(|(name, _)| alike(name, key));
        let feature = part.map_or_else(|| format!("the key `{key}`"), |(_, feature)| (*feature).to_owned());
        UnsupportedFeature { path: source.path.to_owned(), what: feature, line: node.line }
    });
    named.collect()
}

fn texts(source: JsonSource<'_>, document: &JsonNode, key: &str) -> Result<Vec<String>, ConfigError> {
    let Some(node) = document.get(key) else { return Ok(Vec::new()) };
    let items = node.items().ok_or_else(|| source.wrong(node, "a list of paths"))?;
    let text = |item: &JsonNode| item.text().map(str::to_owned).ok_or_else(|| source.wrong(item, "a path"));
    items.iter().map(text).collect()
}

/// The JSON files of a folder, by name.
pub(super) fn files_of(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let is_json = |path: &PathBuf| path.extension().is_some_and(|ending| ending == "json") && path.is_file();
    let mut files: Vec<PathBuf> = entries.filter(is_json).collect();
    files.sort();
    files
}

impl ConfigProblem {
    /// The error for a file that is named and does not exist.
    pub(super) fn named(path: &Path) -> Self {
        Self::WrongValue(format!("there is no file {}", path.display()))
    }
}
