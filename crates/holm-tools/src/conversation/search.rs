//! Tools that are looked up: once there are many, a model sees their names and asks for the few whose schemas it needs.
//!
//! What a model has asked for stands in the transcript, so nothing else is remembered: before every model call the gate
//! looks at what the request shows, and offers what was asked for there. That is a fact of the run like every answer of a
//! gate; a run that is resumed, forked or replayed offers the same. What a compaction has taken out of sight is looked up
//! again.

use std::{collections::BTreeSet, fmt::Write as _, sync::Arc};

use holm_grants::Level;
use holm_kernel::{Message, Tool};
use holm_runtime::{BoxFuture, Builder, Hook, Hooks, Job, Sight, ToolGate, Toolbox, Typed, TypedTool};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::catalogue::{Catalogue, DEFAULT_HITS, Entry, Query};

/// The name of the tool that looks others up.
pub const TOOL_SEARCH: &str = "tool_search";

/// How many tools are shown in full before any is held back. Forty schemas are some ten thousand tokens.
pub const MOST_SHOWN: usize = 40;

/// How many names are listed for a model that has not searched yet; beyond them it has to.
const MOST_LISTED: usize = 300;

/// How much of a description stands beside a name.
const LINE: usize = 80;

/// Says which tools are shown in full.
///
/// ```
/// use holm_tools::conversation::Showing;
/// # use holm_runtime::Toolbox;
/// # let tools = Toolbox::new();
/// let shown = Showing { most: 40, ..Showing::default() }.always(["read_file"]).of(tools);
/// assert!(shown.gate.is_none(), "there are few enough");
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Showing {
    /// With more tools than this they are looked up.
    pub most: usize,
    /// Those that are shown in full all the same.
    pub always: BTreeSet<String>,
}

impl Default for Showing {
    fn default() -> Self {
        Self { most: MOST_SHOWN, always: BTreeSet::new() }
    }
}

impl Showing {
    /// Shows these in full whatever happens.
    #[must_use]
    pub fn always<N: Into<String>>(mut self, names: impl IntoIterator<Item = N>) -> Self {
        self.always.extend(names.into_iter().map(Into::into));
        self
    }

    /// Adds the search to tools that are too many, and a gate that holds the others back.
    #[must_use]
    pub fn of(&self, tools: Toolbox) -> Shown {
        if tools.len() <= self.most || tools.find(TOOL_SEARCH).is_some() {
            return Shown { tools, gate: None };
        }
        let held = tools.iter().map(|tool| tool.declaration());
        let held = held.filter(|tool| !self.always.contains(&tool.name)).map(entry);
        let index = Arc::new(Index { catalogue: Catalogue::new(held.collect()) });
        let search = Typed::new(ToolSearch { index: Arc::clone(&index) });
        Shown { tools: Toolbox::new().with(search).join(tools), gate: Some(SearchGate { index }) }
    }
}

fn entry(tool: &Tool) -> Entry {
    let described = Entry::new(&tool.name, "", tool.level, tool.schema.clone());
    Entry { description: tool.description.clone(), ..described }
}

/// Tools, and the gate that holds most of them back if there are many.
#[derive(Debug)]
pub struct Shown {
    /// All of them, with the search.
    pub tools: Toolbox,
    /// What holds them back.
    pub gate: Option<SearchGate>,
}

impl Shown {
    /// Gives them to an agent.
    pub fn give_to(self, builder: Builder) -> Builder {
        let builder = builder.tools(self.tools);
        match self.gate {
            Some(gate) => builder.hook(gate),
            None => builder,
        }
    }
}

/// The tools that are held back.
#[derive(Debug)]
struct Index {
    catalogue: Catalogue,
}

impl Index {
    /// The tools that a search finds, by their own names.
    fn find(&self, query: &str) -> (Vec<&Entry>, Vec<String>, usize) {
        let found = self.catalogue.search(&Query::parse(query), Level::Execute, DEFAULT_HITS);
        (found.hits.into_iter().map(|hit| &hit.tool.entry).collect(), found.unknown, found.left_out)
    }

    /// What a model is told before it has searched.
    fn description(&self) -> String {
        let mut text = String::from(
            "Makes tools available. There are more tools than are shown: search by words, or name those you want with \
             select:name,name. What is found can be called from your next step on. The tools:",
        );
        let tools = self.catalogue.tools();
        for tool in tools.iter().take(MOST_LISTED) {
            let line = tool.entry.description.lines().next().unwrap_or_default();
            let line = line.get(..line.floor_char_boundary(LINE)).unwrap_or_default();
            let _ = write!(text, "\n- {}: {line}", tool.entry.wanted);
        }
        if let Some(rest @ 1..) = tools.len().checked_sub(MOST_LISTED) {
            let _ = write!(text, "\nand {rest} more, which a search finds");
        }
        text
    }
}

/// The tool that looks others up.
struct ToolSearch {
    index: Arc<Index>,
}

/// What is looked for.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct Wanted {
    /// Words that say what the tool should do, or `select:` and the exact names with commas between them.
    query: String,
}

impl TypedTool for ToolSearch {
    type Arguments = Wanted;
    type Output = Result<String, String>;

    fn declare(&self) -> Tool {
        Self::named(TOOL_SEARCH, self.index.description()).level(Level::None)
    }

    async fn call(self: Arc<Self>, wanted: Wanted, _: Job) -> Result<String, String> {
        let (hits, unknown, left_out) = self.index.find(&wanted.query);
        let unknown = unknown.join(", ");
        if hits.is_empty() {
            let which = if unknown.is_empty() { String::new() } else { format!(" (there is no {unknown})") };
            return Err(format!("no tool was found{which}; try other words"));
        }
        let mut text = String::from("From your next step on you can call:");
        for hit in hits {
            let _ = write!(text, "\n- {}: {}", hit.wanted, hit.description);
        }
        if !unknown.is_empty() {
            let _ = write!(text, "\nThere is no {unknown}.");
        }
        if left_out > 0 {
            let _ = write!(text, "\n{left_out} more fit; say more to find them.");
        }
        Ok(text)
    }
}

/// Holds tools back that nobody has looked up.
#[derive(Debug, Clone)]
pub struct SearchGate {
    index: Arc<Index>,
}

impl SearchGate {
    /// What is on offer when a request shows these messages.
    fn offer(&self, offered: &[String], view: &[Arc<Message>]) -> BTreeSet<String> {
        let mut asked: BTreeSet<&str> = BTreeSet::new();
        for call in view.iter().flat_map(|message| message.tool_calls()) {
            if call.name != TOOL_SEARCH {
                // Whatever the model knows to call it may see.
                asked.insert(&*call.name);
            } else if let Ok(wanted) = serde_json::from_str::<Wanted>(&call.arguments) {
                let (hits, ..) = self.index.find(&wanted.query);
                asked.extend(hits.into_iter().map(|hit| &*hit.wanted));
            }
        }
        let held: BTreeSet<&str> =
            self.index.catalogue.tools().iter().map(|tool| &*tool.entry.wanted).collect();
        let is_shown = |name: &&String| !held.contains(name.as_str()) || asked.contains(name.as_str());
        offered.iter().filter(is_shown).cloned().collect()
    }
}

impl ToolGate for SearchGate {
    fn tools<'a>(&'a self, offered: &'a [String]) -> BoxFuture<'a, Option<BTreeSet<String>>> {
        self.tools_seeing(offered, &[])
    }

    fn tools_seeing<'a>(
        &'a self,
        offered: &'a [String],
        view: &'a [Arc<Message>],
    ) -> BoxFuture<'a, Option<BTreeSet<String>>> {
        Box::pin(async move { Some(self.offer(offered, view)) })
    }

    fn sight(&self) -> Sight {
        Sight::View
    }
}

impl Hook for SearchGate {
    fn join(self: Arc<Self>, hooks: Hooks) -> Hooks {
        hooks.tool_gate(self)
    }
}
