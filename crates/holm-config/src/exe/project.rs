//! Where a project of agents-exe keeps its agents and keys.

use std::path::{Path, PathBuf};

use super::json::{Node, Source};
use crate::{ConfigError, ConfigProblem, Layer, read::text_of};

/// The file that says where agents are.
pub const CFG_FILE: &str = "agents-exe.cfg.json";

/// What `agents-exe.cfg.json` says, or what holds where there is none.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ExeProject {
    /// The file, if there is one.
    pub cfg: Option<PathBuf>,
    /// The files of agents, in their order.
    pub agents: Vec<PathBuf>,
    /// Where keys may be; the first file that is there counts.
    pub keys: Vec<PathBuf>,
}

impl ExeProject {
    /// Looks upward from the working folder; without a file there, in the usual place of the user's.
    ///
    /// # Errors
    /// Where the file is there and cannot be used.
    pub fn find(work: &Path, env: impl Fn(&str) -> Option<String>) -> Result<Self, ConfigError> {
        let home = env("HOME").filter(|home| !home.is_empty()).map(PathBuf::from);
        let usual = home.map(|home| home.join(".config/agents-exe"));
        let near = work.join("agents-exe.keys");
        let cfg = work.ancestors().map(|folder| folder.join(CFG_FILE)).find(|path| path.is_file());
        let Some(path) = cfg else {
            let agents = usual.iter().flat_map(|folder| files_of(&folder.join("default"))).collect();
            let keys = [near].into_iter().chain(usual.map(|folder| folder.join("secret-keys"))).collect();
            return Ok(Self { cfg: None, agents, keys });
        };
        let text = text_of(&path, Layer::Project)?.unwrap_or_default();
        let source = Source { text: &text, path: &path };
        let whole = source.parse()?;
        let folder = path.parent().unwrap_or(Path::new("")).to_owned();
        let own = texts(source, &whole, "agentsFiles")?.into_iter().map(|file| folder.join(file));
        let mut agents: Vec<PathBuf> = own.collect();
        for directory in texts(source, &whole, "agentsDirectories")? {
            agents.extend(files_of(&folder.join(directory)));
        }
        let named = whole.get("agentsConfigDir").and_then(Node::text).map(|dir| folder.join(dir));
        let keys = [folder.join("agents-exe.keys"), near].into_iter();
        let keys = keys.chain(named.or(usual).map(|folder| folder.join("secret-keys"))).collect();
        Ok(Self { cfg: Some(path.clone()), agents, keys })
    }
}

fn texts(source: Source<'_>, whole: &Node, key: &str) -> Result<Vec<String>, ConfigError> {
    let Some(node) = whole.get(key) else { return Ok(Vec::new()) };
    let items = node.items().ok_or_else(|| source.wrong(node, "a list of paths"))?;
    let text = |item: &Node| item.text().map(str::to_owned).ok_or_else(|| source.wrong(item, "a path"));
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
    /// That a file which is named is not there.
    pub(super) fn named(path: &Path) -> Self {
        Self::WrongValue(format!("there is no file {}", path.display()))
    }
}
