//! The list of tools that requests carry since the last compaction.
//!
//! Providers cache a request by its beginning, and the tools come first: if their list changes, the
//! provider reads the whole transcript again. So the list stays as it is while the view only grows.
//! A note tells the model of tools that join later, and it calls them through the tool search.
//! After a compaction, which changes the prompt anyway, the list has all open tools.

use alloc::{collections::BTreeSet, string::String, sync::Arc, vec::Vec};

use holm_read::Read;
use serde::{Deserialize, Serialize};

use super::Run;
use crate::{FINDER, ToolSpec, envelope};

/// The tools that requests list, for one epoch of the view.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Read)]
pub(crate) struct PinnedOffer {
    /// The epoch of the view that the list was made for.
    pub(super) view: u64,
    pub(super) tools: Vec<Arc<ToolSpec>>,
    /// Tools that joined later and were announced to the model.
    announced: BTreeSet<String>,
}

impl PinnedOffer {
    pub(super) const fn new(view: u64, tools: Vec<Arc<ToolSpec>>) -> Self {
        Self { view, tools, announced: BTreeSet::new() }
    }

    /// The tools that joined since and were not announced yet. They count as announced from now on.
    pub(super) fn take_new(&mut self, open: Vec<Arc<ToolSpec>>) -> Vec<Arc<ToolSpec>> {
        let (listed, announced) = (&self.tools, &mut self.announced);
        let is_new = |tool: &Arc<ToolSpec>| {
            !listed.iter().any(|listed| listed.name == tool.name) && announced.insert(tool.name.clone())
        };
        open.into_iter().filter(is_new).collect()
    }
}

impl Run {
    /// Keeps the list of tools while the view only grows, and announces tools that joined since.
    pub(super) fn pin_offer(&mut self) {
        let before = Arc::clone(self.catalogue.offer());
        let late = self.catalogue.pin(self.state.view.epoch());
        if !Arc::ptr_eq(&before, self.catalogue.offer()) {
            self.shared.refresh(&self.state, &self.catalogue);
        }
        if !late.is_empty() {
            self.note(announcement(&late));
        }
    }
}

/// Announces tools that a request does not list. Their texts come from outside, so none may
/// look like an envelope.
fn announcement(tools: &[Arc<ToolSpec>]) -> String {
    let mut text = alloc::format!(
        "Tools that you can call from now on, with {{\"tool\":NAME,\"arguments\":{{…}}}} of `{FINDER}`:"
    );
    for tool in tools {
        text.push_str(&alloc::format!(
            "\n- {}: {}\n  arguments: {}",
            tool.name,
            tool.description,
            tool.schema.canonical()
        ));
    }
    envelope::defused(&text)
}
