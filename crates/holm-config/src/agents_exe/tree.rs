//! Loads an agent together with all agents below it. One file is parsed in `agent.rs`. Every file
//! must pass the trust check of the caller before it is parsed. The number of agents is bounded,
//! and an agent that is its own helper is an error.

use std::path::{Path, PathBuf};

use super::{ExeAgent, UnsupportedFeature, project::files_of};
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
}

impl ExeTree {
    /// Reads an agent's file and those of all agents below it: the named ones, and every JSON file
    /// of its tool folders. `admits` decides whether a person has trusted each file.
    ///
    /// # Errors
    /// The first file that is missing or invalid, or an agent that is its own helper.
    pub fn load(path: &Path, admits: &TrustCheck<'_>) -> Result<Self, ConfigError> {
        let mut count = 0;
        Self::load_below(path, admits, &mut Vec::new(), &mut count)
    }

    fn load_below(
        path: &Path,
        admits: &TrustCheck<'_>,
        above: &mut Vec<PathBuf>,
        count: &mut usize,
    ) -> Result<Self, ConfigError> {
        let text = text_of(path, ConfigLayer::Project)?;
        let text = text.ok_or_else(|| ConfigError::whole(path, ConfigProblem::Missing))?;
        admits(path, text.as_bytes())
            .map_err(|error| ConfigError::whole(path, ConfigProblem::Untrusted(error)))?;
        let agent = ExeAgent::parse(&text, path)?;
        *count += 1;
        let real = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        if *count > MOST_AGENTS {
            let problem = ConfigProblem::WrongValue(format!(
                "it has more than {MOST_AGENTS} agents below \
                                                             it"
            ));
            return Err(ConfigError::whole(above.first().map_or(path, PathBuf::as_path), problem));
        }
        above.push(real);
        let mut below: Vec<Self> = Vec::new();
        for (file, line) in children(&agent) {
            let target = file.canonicalize().map_err(|_| at(path, line, ConfigProblem::named(&file)))?;
            if above.contains(&target) {
                let slug = agent.slug.clone();
                return Err(at(path, line, ConfigProblem::Cycle { agent: slug }));
            }
            let child = Self::load_below(&file, admits, above, count)?;
            if !below.iter().any(|other| other.agent.slug == child.agent.slug) {
                below.push(child);
            }
        }
        for extra in &agent.extra {
            let named = below.iter().find(|child| child.agent.path == extra.path);
            if let Some(child) = named.filter(|child| child.agent.slug != extra.slug) {
                let other = &child.agent.slug;
                let message = format!("the agent is called `{}` here and `{other}` in its file", extra.slug);
                return Err(at(path, Some(extra.line), ConfigProblem::WrongValue(message)));
            }
        }
        above.pop();
        Ok(Self { agent, below })
    }

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
}

/// The files of the agents directly below one, with the line that names each.
fn children(agent: &ExeAgent) -> Vec<(PathBuf, Option<usize>)> {
    let named = agent.extra.iter().map(|extra| (extra.path.clone(), Some(extra.line)));
    let lying =
        agent.tools.iter().filter(|tools| tools.filter.is_none()).flat_map(|tools| files_of(&tools.path));
    // A folder may also hold unrelated JSON. agents-exe would fail there; Holm skips such files.
    let is_agent = |path: &PathBuf| read_plain_text(path).is_ok_and(|text| ExeAgent::is_one(&text));
    named.chain(lying.filter(is_agent).map(|path| (path, None))).collect()
}

fn at(path: &Path, line: Option<usize>, problem: ConfigProblem) -> ConfigError {
    ConfigError { path: path.to_owned(), line, problem }
}
