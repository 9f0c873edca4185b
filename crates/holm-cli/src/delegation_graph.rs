//! Finds agents that delegate to one another in a cycle. None of them would ever finish, so they
//! are reported before anything runs, unless their files say `recursive: true`. It only reads the names in agent files that others have
//! loaded: `agents.rs` refuses a chosen agent with a cycle, and `agent_validator.rs` reports the
//! line.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
};

use holm_tools::agents::{AgentFile, AgentRecursion, AgentToolNames};

/// What to do about a circle.
pub(crate) const MEND: &str = "remove one of them from the other's `tools` or `manages`";

/// Which agents delegate to which.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct DelegationGraph {
    below: BTreeMap<String, Vec<String>>,
    /// The agents that may stand below themselves.
    recursive: BTreeSet<String>,
}

/// The agents of a cycle in order, with the first again at the end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct DelegationCycle(Vec<String>);

impl DelegationCycle {
    /// Whom the first hands work to.
    pub(crate) fn second(&self) -> &str {
        self.0.get(1).map_or("", String::as_str)
    }
}

impl fmt::Display for DelegationCycle {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "agents delegate in a cycle: {}", self.0.join(" -> "))
    }
}

impl DelegationGraph {
    /// Of these agents; of two with one name the first counts.
    pub(crate) fn among<'a>(agents: impl IntoIterator<Item = &'a AgentFile>) -> Self {
        let (mut below, mut recursive) = (BTreeMap::new(), BTreeSet::new());
        for agent in agents {
            if !below.contains_key(&agent.name) && agent.recursion == AgentRecursion::Bounded {
                recursive.insert(agent.name.clone());
            }
            below.entry(agent.name.clone()).or_insert_with(|| handed_to(agent));
        }
        Self { below, recursive }
    }

    /// The circle that an agent stands in and may not, if it stands in one.
    pub(crate) fn through(&self, agent: &str) -> Option<DelegationCycle> {
        if self.recursive.contains(agent) {
            return None;
        }
        let mut ways = vec![vec![agent.to_owned()]];
        let mut seen = BTreeSet::new();
        while let Some(way) = ways.pop() {
            for next in way.last().and_then(|last| self.below.get(last)).into_iter().flatten() {
                let longer = || way.iter().chain([next]).cloned().collect::<Vec<String>>();
                if next == agent {
                    return Some(DelegationCycle(longer()));
                }
                if seen.insert(next) {
                    ways.push(longer());
                }
            }
        }
        None
    }
}

/// The agents that an agent may delegate to. In its tool list, its own name means the tool. The
/// names that it manages are always agents, even if a tool has the same name.
fn handed_to(agent: &AgentFile) -> Vec<String> {
    let tools = match &agent.tools {
        AgentToolNames::These(names) => names.as_slice(),
        AgentToolNames::All => &[],
    };
    tools.iter().filter(|name| **name != agent.name).chain(&agent.manages).cloned().collect()
}
