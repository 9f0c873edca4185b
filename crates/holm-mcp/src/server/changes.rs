//! Watches for changes that clients are notified about: tools, resources and prompts. It sends
//! nothing: `server_handler.rs` does. A change that clients cannot see causes no notice, and
//! cancelling a wait loses none.

use std::sync::Arc;

use holm_kernel::ToolSpec;
use holm_tools::registry::{RegistrySnapshot, ToolRegistry};
use tokio::sync::watch;

use super::server_handler::{ExposedToolKind, RegistryExposure, kind};

/// The list that changed, as clients of MCP see it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ListKind {
    /// Clients see agents as tools.
    Agents,
    Tools,
    Resources,
    Prompts,
}

/// All changes that a client can see.
#[derive(Default)]
pub(super) struct ListChanges {
    pub(super) agents: Option<watch::Receiver<u64>>,
    pub(super) tools: Option<ToolChanges>,
    pub(super) resources: Option<watch::Receiver<u64>>,
    pub(super) prompts: Option<watch::Receiver<u64>>,
}

impl ListChanges {
    /// Waits for the next change, or forever if none can come. Cancelling the wait loses no change.
    pub(super) async fn next(&mut self) -> ListKind {
        loop {
            let (tools, resources, prompts) =
                (tools(&mut self.tools), counted(&mut self.resources), counted(&mut self.prompts));
            let agents = counted(&mut self.agents);
            let (list, is_open) = tokio::select! {
                more = agents => (ListKind::Agents, more),
                more = tools => (ListKind::Tools, more.is_some()),
                more = resources => (ListKind::Resources, more),
                more = prompts => (ListKind::Prompts, more),
            };
            if is_open {
                return list;
            }
            match list {
                ListKind::Agents => self.agents = None,
                ListKind::Tools => self.tools = None,
                ListKind::Resources => self.resources = None,
                ListKind::Prompts => self.prompts = None,
            }
        }
    }
}

async fn tools(changes: &mut Option<ToolChanges>) -> Option<()> {
    match changes {
        Some(changes) => changes.next().await,
        None => std::future::pending().await,
    }
}

async fn counted(changes: &mut Option<watch::Receiver<u64>>) -> bool {
    match changes {
        Some(changes) => changes.changed().await.is_ok(),
        None => std::future::pending().await,
    }
}

/// Changes of a registry that clients can see. Folders are rescanned more often
/// than their tools change.
pub(super) struct ToolChanges {
    all: watch::Receiver<Arc<RegistrySnapshot>>,
    shows: RegistryExposure,
    seen: Vec<ToolSpec>,
}

impl ToolChanges {
    pub(super) fn of(registry: &ToolRegistry, shows: RegistryExposure) -> Self {
        let mut all = registry.changes();
        let seen = visible(&all.borrow_and_update(), shows);
        Self { all, shows, seen }
    }

    /// Waits for the next change; returns `None` if no more can come. Cancelling the
    /// wait loses no change.
    async fn next(&mut self) -> Option<()> {
        loop {
            self.all.changed().await.ok()?;
            let now = visible(&self.all.borrow_and_update(), self.shows);
            if now != self.seen {
                self.seen = now;
                return Some(());
            }
        }
    }
}

/// The part of a snapshot that clients may see.
fn visible(snapshot: &RegistrySnapshot, shows: RegistryExposure) -> Vec<ToolSpec> {
    let shown = snapshot.tools().filter_map(|(tool, _)| {
        let is_shown = match (kind(tool.as_ref()), shows) {
            (ExposedToolKind::Agent, _) | (ExposedToolKind::Tool, RegistryExposure::Everything) => true,
            (ExposedToolKind::Tool, RegistryExposure::Agents) | (ExposedToolKind::Kernel, _) => false,
        };
        is_shown.then(|| tool.declaration().clone())
    });
    shown.collect()
}
