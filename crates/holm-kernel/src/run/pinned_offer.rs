//! The list of tools that requests carry since the last compaction.
//!
//! Providers cache a request by its beginning, and the tools come first: if their list changes, the
//! provider reads the whole transcript again. So the list stays as it is while the view only grows.
//! A note tells the model of tools that join later, and it calls them through the tool search.
//! After a compaction, which changes the prompt anyway, the list has all open tools.
//!
//! Which tools exist and which are open is decided in `run/catalogue.rs`; the tool search itself is
//! a tool of the host. Texts of late tools come from outside, so the note defuses them
//! (`envelope/defuse.rs`).

use alloc::{collections::BTreeSet, format, string::String, sync::Arc, vec::Vec};

use holm_guards::json::Json;
use holm_read::Read;
use serde::{Deserialize, Serialize};

use super::Run;
use crate::{FINDER, ToolSpec, envelope, visible_text};

/// The most characters of declarations in one announcement: about 4,000 tokens.
const MOST_ANNOUNCED_CHARS: usize = 16_000;
/// The most characters of one description. A longer one loses its middle.
const MOST_DESCRIPTION_CHARS: u64 = 2_000;
/// The most tools that an announcement names without their declarations.
const MOST_ANNOUNCED_NAMES: usize = 100;

/// The tools that requests list, for one epoch of the view.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Read)]
pub(crate) struct PinnedOffer {
    /// The epoch of the view that the list was made for.
    pub(super) view: u64,
    /// Their names. What a request says about them is their present declaration.
    names: Vec<String>,
    /// Tools that joined later and were announced to the model.
    announced: BTreeSet<String>,
}

impl PinnedOffer {
    pub(super) fn new(view: u64, tools: &[Arc<ToolSpec>]) -> Self {
        let names = tools.iter().map(|tool| tool.name.clone()).collect();
        Self { view, names, announced: BTreeSet::new() }
    }

    /// The tools of the list that are still open, in the order of the list.
    pub(super) fn listed(&self, open: &[Arc<ToolSpec>]) -> Vec<Arc<ToolSpec>> {
        let find = |name: &String| open.iter().find(|tool| tool.name == *name).cloned();
        self.names.iter().filter_map(find).collect()
    }

    /// The tools that joined since and were not announced yet. They count as announced from now on.
    pub(super) fn take_new(&mut self, open: Vec<Arc<ToolSpec>>) -> Vec<Arc<ToolSpec>> {
        let (listed, announced) = (&self.names, &mut self.announced);
        let is_new =
            |tool: &Arc<ToolSpec>| !listed.contains(&tool.name) && announced.insert(tool.name.clone());
        open.into_iter().filter(is_new).collect()
    }
}

impl Run {
    /// Keeps the list of tools while the view only grows, and announces tools that joined since.
    /// Says whether it announced any: the note takes room in the view.
    pub(super) fn pin_offer(&mut self) -> bool {
        let before = Arc::clone(self.catalogue.offer());
        let late = self.catalogue.pin(self.state.view.epoch());
        if !Arc::ptr_eq(&before, self.catalogue.offer()) {
            self.shared.refresh(&self.state, &self.catalogue);
        }
        if late.is_empty() {
            return false;
        }
        self.note(announcement(&late));
        true
    }
}

/// Announces tools that a request does not list. Their texts come from outside: each stands on one
/// line in quotes, so that none can continue the kernel's text, and none may look like an envelope.
fn announcement(tools: &[Arc<ToolSpec>]) -> String {
    let mut text = format!(
        "Tools that you can call from now on, with {{\"tool\":NAME,\"arguments\":{{…}}}} of `{FINDER}`. The \
         texts in quotes are the tools' own:"
    );
    let mut room = MOST_ANNOUNCED_CHARS;
    let mut unexplained = Vec::new();
    for tool in tools {
        let described = described(tool);
        match room.checked_sub(described.chars().count()) {
            Some(left) => {
                room = left;
                text.push_str(&described);
            }
            None => unexplained.push(format!("`{}`", tool.name)),
        }
    }
    text.push_str(&names_only(&unexplained));
    envelope::defused(&text)
}

fn described(tool: &ToolSpec) -> String {
    let description = visible_text::visible_bounded(&tool.description, MOST_DESCRIPTION_CHARS);
    format!(
        "\n- {}: {}\n  arguments: {}",
        tool.name,
        Json::from(description.as_str()).canonical(),
        tool.schema.canonical()
    )
}

/// The line for tools whose declarations do not fit.
fn names_only(names: &[String]) -> String {
    let (shown, rest) = names.split_at(names.len().min(MOST_ANNOUNCED_NAMES));
    if shown.is_empty() {
        return String::new();
    }
    let more = if rest.is_empty() { String::new() } else { format!(" and {} more", rest.len()) };
    format!("\n- Ask `{FINDER}` about these first: {}{more}", shown.join(", "))
}
