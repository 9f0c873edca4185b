//! Loads an agent together with all agents below it. One file is parsed in `agent.rs`. Every file
//! must pass the trust check of the caller before it is parsed. The number of agents is bounded.
//! Agents may call themselves and each other; how deep is decided where they run.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
};

use super::{ExeAgent, ExeToolsKind, MissingTools, UnsupportedFeature, project::files_of};
use crate::{ConfigError, ConfigLayer, ConfigProblem, read::text_of, read_plain_text};

/// The most agents of one tree: a larger one was not written by hand.
pub const MOST_AGENTS: usize = 256;

/// Decides whether a person has trusted a file with these bytes; if not, returns the reason.
type TrustCheck<'a> = dyn Fn(&Path, &[u8]) -> Result<(), String> + 'a;

/// An agent and its helpers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExeTree {
    pub agent: ExeAgent,
    /// Its helpers, in the order in which they are named.
    pub below: Vec<ExeTree>,
    /// The slugs of helpers that stand elsewhere in the tree, such as itself or an agent above it.
    pub elsewhere: Vec<String>,
}

/// What is read of a tree so far: the file of each agent, with its slug once that is known.
type FilesRead = BTreeMap<PathBuf, String>;

impl ExeTree {
    /// Reads an agent's file and those of all agents below it: the named ones, and every JSON file
    /// of its tool folders. Each file is read once, so agents may name each other. `work` is the
    /// working folder, and `admits` decides whether a person has trusted each file.
    ///
    /// # Errors
    /// The first file that is missing or invalid.
    pub fn load(path: &Path, work: &Path, admits: &TrustCheck<'_>) -> Result<Self, ConfigError> {
        TreeLoader { top: path, work, admits, read: FilesRead::new() }.load(path)
    }
}

/// Loads a tree file by file.
struct TreeLoader<'a> {
    top: &'a Path,
    work: &'a Path,
    admits: &'a TrustCheck<'a>,
    read: FilesRead,
}

impl TreeLoader<'_> {
    fn load(&mut self, path: &Path) -> Result<ExeTree, ConfigError> {
        let text = text_of(path, ConfigLayer::Project)?;
        let text = text.ok_or_else(|| ConfigError::whole(path, ConfigProblem::Missing))?;
        (self.admits)(path, text.as_bytes())
            .map_err(|error| ConfigError::whole(path, ConfigProblem::Untrusted(error)))?;
        let mut agent = ExeAgent::parse(&text, path)?;
        agent.find_tools(self.work);
        let real = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        self.read.insert(real, agent.slug.clone());
        if self.read.len() > MOST_AGENTS {
            let problem =
                ConfigProblem::WrongValue(format!("it has more than {MOST_AGENTS} agents below it"));
            return Err(ConfigError::whole(self.top, problem));
        }
        let mut tree = ExeTree { agent, below: Vec::new(), elsewhere: Vec::new() };
        for child in children(&tree.agent) {
            let missing = || at(path, child.line, ConfigProblem::named(&child.file));
            let target = child.file.canonicalize().map_err(|_| missing())?;
            let slug = match self.read.get(&target) {
                Some(slug) => {
                    let slug = slug.clone();
                    if !tree.elsewhere.contains(&slug) {
                        tree.elsewhere.push(slug.clone());
                    }
                    slug
                }
                None => {
                    let below = self.load(&child.file)?;
                    let slug = below.agent.slug.clone();
                    if !tree.below.iter().any(|other| other.agent.slug == slug) {
                        tree.below.push(below);
                    }
                    slug
                }
            };
            if let Some(named) = child.slug.filter(|named| *named != slug) {
                let message = format!("the agent is called `{named}` here and `{slug}` in its file");
                return Err(at(path, child.line, ConfigProblem::WrongValue(message)));
            }
        }
        let below: Vec<&str> = tree.below.iter().map(|child| child.agent.slug.as_str()).collect();
        tree.elsewhere.retain(|slug| !below.contains(&slug.as_str()));
        Ok(tree)
    }
}

impl ExeTree {
    /// All agents of the tree, this one first.
    #[must_use]
    pub fn agents(&self) -> Vec<&ExeAgent> {
        let below = self.below.iter().flat_map(Self::agents);
        [&self.agent].into_iter().chain(below).collect()
    }

    /// All settings of the tree that Holm does not support.
    #[must_use]
    pub fn unsupported(&self) -> Vec<&UnsupportedFeature> {
        self.agents().into_iter().flat_map(|agent| &agent.unsupported).collect()
    }

    /// All tools that the tree names and that do not exist.
    #[must_use]
    pub fn missing(&self) -> Vec<&MissingTools> {
        self.agents().into_iter().flat_map(|agent| &agent.missing).collect()
    }

    /// The slugs of the helpers that this agent can call.
    pub fn helpers(&self) -> impl Iterator<Item = &str> {
        let below = self.below.iter().map(|child| child.agent.slug.as_str());
        below.chain(self.elsewhere.iter().map(String::as_str))
    }

    /// Whether an agent of the tree calls the one at the top.
    #[must_use]
    pub fn is_called_below(&self) -> bool {
        let calls = |tree: &Self, slug: &str| tree.elsewhere.iter().any(|other| other == slug);
        self.trees().into_iter().any(|tree| calls(tree, &self.agent.slug))
    }

    /// Whether an agent of the tree stands below itself: it calls itself, or agents that call it.
    #[must_use]
    pub fn recurses(&self, slug: &str) -> bool {
        let trees = self.trees();
        let of = |slug: &str| trees.iter().find(|tree| tree.agent.slug == slug);
        let (mut seen, mut open) = (BTreeSet::new(), vec![slug]);
        while let Some(next) = open.pop() {
            for helper in of(next).into_iter().flat_map(|tree| tree.helpers()) {
                if helper == slug {
                    return true;
                }
                if seen.insert(helper) {
                    open.push(helper);
                }
            }
        }
        false
    }

    /// The tree and all trees in it.
    #[must_use]
    pub fn trees(&self) -> Vec<&Self> {
        [self].into_iter().chain(self.below.iter().flat_map(Self::trees)).collect()
    }
}

/// An agent directly below another one.
struct ChildReference {
    file: PathBuf,
    /// The slug and the line of the reference, if the file names it.
    slug: Option<String>,
    line: Option<usize>,
}

/// The agents directly below one: those that it names, and those in its tool folders.
fn children(agent: &ExeAgent) -> Vec<ChildReference> {
    let named = agent.extra.iter().map(|extra| ChildReference {
        file: extra.path.clone(),
        slug: Some(extra.slug.clone()),
        line: Some(extra.line),
    });
    let folders = agent.tools.iter().filter(|tools| tools.kind != ExeToolsKind::Single);
    let lying = folders.filter(|tools| tools.filter.is_none()).flat_map(|tools| files_of(&tools.path));
    // A folder may also hold unrelated JSON. agents-exe would fail there; Holm skips such files.
    let is_agent = |path: &PathBuf| read_plain_text(path).is_ok_and(|text| ExeAgent::is_one(&text));
    let lying = lying.filter(is_agent).map(|file| ChildReference { file, slug: None, line: None });
    named.chain(lying).collect()
}

fn at(path: &Path, line: Option<usize>, problem: ConfigProblem) -> ConfigError {
    ConfigError { path: path.to_owned(), line, problem }
}
