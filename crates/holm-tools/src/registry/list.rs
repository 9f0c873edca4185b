//! The registry: the offers of every source, and the snapshot that is made from them. It loads
//! nothing (`folders.rs`) and names nothing (`snapshot.rs` and `catalogue/`). All changes of one
//! edit become visible together, under one lock, so that their order is the order of the snapshots.
//! A tool that no run could use is left out and reported.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use holm_runtime::{Tool, Toolbox, ToolboxError};
use tokio::sync::watch;

use super::{RegistrySnapshot, SourceProblem, ToolOffer, ToolSource};

/// All tools and their later changes. Clones share the registry.
///
/// ```
/// use holm_guards::json::Json;
/// use holm_kernel::{ToolOutput, ToolSpec};
/// use holm_runtime::tool_fn;
/// use holm_tools::registry::{SourceRank, ToolOffer, ToolRegistry, ToolSource};
/// use std::sync::Arc;
///
/// let tool = ToolSpec::new("greet", "Says hello.", Json::object([("type", "object".into())]));
/// let greet = tool_fn(tool, |_| async { ToolOutput::text("hello") });
///
/// let registry = ToolRegistry::new();
/// let before = registry.snapshot();
/// registry.edit(|edit| {
///     edit.set(
///         ToolSource::new(SourceRank::BuiltIn, "built in"),
///         [ToolOffer::new(Arc::new(greet))],
///     )
/// });
/// assert!(registry.snapshot().find("greet").is_some());
/// assert!(before.find("greet").is_none(), "a snapshot never changes");
/// ```
#[derive(Clone)]
pub struct ToolRegistry(Arc<RegistryState>);

struct RegistryState {
    sources: Mutex<RegistrySources>,
    current: watch::Sender<Arc<RegistrySnapshot>>,
}

#[derive(Default)]
struct RegistrySources {
    offered: BTreeMap<ToolSource, Vec<ToolOffer>>,
    /// The problem of a source, and the remarks about its tools; both are kept as long
    /// as the source exists.
    told: BTreeMap<ToolSource, String>,
    remarks: BTreeMap<ToolSource, Vec<String>>,
    number: u64,
}

impl ToolRegistry {
    #[must_use]
    pub fn new() -> Self {
        let current = watch::Sender::new(Arc::new(RegistrySnapshot::default()));
        Self(Arc::new(RegistryState { sources: Mutex::default(), current }))
    }

    /// The tools as they are now.
    #[must_use]
    pub fn snapshot(&self) -> Arc<RegistrySnapshot> {
        Arc::clone(&self.0.current.borrow())
    }

    /// Tells of every change: the newest snapshot, those between may be missed.
    #[must_use]
    pub fn changes(&self) -> watch::Receiver<Arc<RegistrySnapshot>> {
        self.0.current.subscribe()
    }

    /// Makes changes that become visible together. Gives back the snapshot after them.
    pub fn edit(&self, change: impl FnOnce(&mut RegistryEdit<'_>)) -> Arc<RegistrySnapshot> {
        let mut sources = self.0.sources.lock().unwrap_or_else(PoisonError::into_inner);
        let mut edit = RegistryEdit { sources: &mut sources, changed: false };
        change(&mut edit);
        if !edit.changed {
            return self.snapshot();
        }
        sources.number += 1;
        let snapshot = Arc::new(sources.snapshot());
        // Still under the lock: the order of the swaps is the order of the changes.
        self.0.current.send_replace(Arc::clone(&snapshot));
        snapshot
    }
}

impl Default for ToolRegistry {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for ToolRegistry {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_tuple("ToolRegistry").field(&self.snapshot()).finish()
    }
}

/// Changes that are made together; see [`ToolRegistry::edit`].
pub struct RegistryEdit<'a> {
    sources: &'a mut RegistrySources,
    changed: bool,
}

impl RegistryEdit<'_> {
    /// Replaces all tools that the source offered before, and clears its reported problem.
    ///
    /// A tool that no run could use (a schema that does not compile, a need without its argument)
    /// is left out and reported.
    pub fn set(&mut self, source: ToolSource, offers: impl IntoIterator<Item = ToolOffer>) {
        let mut remarks = Vec::new();
        let usable = offers.into_iter().filter(|offer| match flaw(&offer.tool) {
            Some(flaw) => {
                remarks.push(flaw);
                false
            }
            None => true,
        });
        let usable: Vec<ToolOffer> = usable.collect();
        remarks.extend(usable.iter().flat_map(|offer| offer.notes.iter().cloned()));
        self.sources.told.remove(&source);
        if remarks.is_empty() {
            self.sources.remarks.remove(&source);
        } else {
            self.sources.remarks.insert(source.clone(), remarks);
        }
        self.sources.offered.insert(source, usable);
        self.changed = true;
    }

    /// Takes a source away, with its tools and its problems.
    pub fn remove(&mut self, source: &ToolSource) {
        let tools = self.sources.offered.remove(source).is_some();
        let told = self.sources.told.remove(source).is_some();
        let remarks = self.sources.remarks.remove(source).is_some();
        self.changed |= tools || told || remarks;
    }

    /// Reports a problem of a source; its tools stay as they are.
    pub fn report(&mut self, source: ToolSource, what: impl Into<String>) {
        let what = what.into();
        if self.sources.told.get(&source) != Some(&what) {
            self.sources.told.insert(source, what);
            self.changed = true;
        }
    }

    /// Whether the source offers any tool.
    #[must_use]
    pub fn offers(&self, source: &ToolSource) -> bool {
        self.sources.offered.get(source).is_some_and(|offers| !offers.is_empty())
    }
}

impl fmt::Debug for RegistryEdit<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("RegistryEdit").field("changed", &self.changed).finish_non_exhaustive()
    }
}

impl RegistrySources {
    fn snapshot(&self) -> RegistrySnapshot {
        let offered = self
            .offered
            .iter()
            .flat_map(|(source, offers)| offers.iter().map(move |offer| (source.clone(), offer.clone())));
        let told = self.told.iter().map(|(source, what)| (source, what.clone()));
        let remarks = self
            .remarks
            .iter()
            .flat_map(|(source, remarks)| remarks.iter().map(move |flaw| (source, flaw.clone())));
        let mut problems: Vec<SourceProblem> = told
            .chain(remarks)
            .map(|(source, what)| SourceProblem { source: source.clone(), what })
            .collect();
        problems.sort_by(|a, b| a.source.cmp(&b.source));
        RegistrySnapshot::new(self.number, offered, problems)
    }
}

/// Why no run could use the tool.
pub(super) fn flaw(tool: &Arc<dyn Tool>) -> Option<String> {
    let mut alone = Toolbox::new();
    let added = alone.add_shared(Arc::clone(tool));
    match added.and_then(|()| alone.check()) {
        // It gets a different name here.
        Ok(()) | Err(ToolboxError::Reserved { .. }) => None,
        Err(error @ (ToolboxError::Duplicate { .. } | ToolboxError::Flawed { .. })) => {
            Some(error.to_string())
        }
    }
}
