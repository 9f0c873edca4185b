//! Tool lookup: if there are many tools, a model sees their names and asks for the few schemas that
//! it needs. The ranking is in `catalogue/search.rs`; which tools exist is the business of
//! `registry/`.
//!
//! The tools that a model asked for are in the transcript, so no other state is kept. Before every
//! model call the gate reads the request and offers the tools that were asked for in it. Like every
//! answer of a gate, this is a fact of the run. So a run that is resumed, forked or replayed offers
//! the same tools. If a compaction removed the request, the model has to look the tool up again.
//!
//! A tool that was found does not join the list of the requests, because that would void the
//! provider's prompt cache. The run announces it in a note, and the model calls it through the
//! search (see `pinned_offer` of the kernel).

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write as _,
    sync::{Arc, Mutex, PoisonError},
};

use holm_grants::Level;
use holm_guards::json::Json;
use holm_kernel::{ENTER_PLAN, EXIT_PLAN, Message, ToolSpec};
use holm_runtime::{
    BoxFuture, GateVisibility, Hook, HookSet, ToolGate, ToolInvocation, Toolbox, TypedTool, TypedToolAdapter,
};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::{
    catalogue::{
        CatalogueEntry, CatalogueQuery, CatalogueTool, DEFAULT_HITS, SchemaDisclosure, ToolCatalogue,
    },
    registry::RegistrySnapshot,
};

/// The name of the tool that searches for other tools.
pub const TOOL_SEARCH: &str = holm_kernel::FINDER;

/// How many tools are shown in full before any is held back. Forty schemas are
/// some ten thousand tokens.
pub const MOST_SHOWN: usize = 40;

/// How many names are listed for a model that has not searched yet; beyond them it has to.
const MOST_LISTED: usize = 300;

/// How many tools of one file or server are listed. Of more, a model sees their number only.
const MOST_OF_ONE: usize = 60;

/// Bytes of a description that are shown beside a name, if its first sentence is longer.
const LINE: usize = 160;

/// Decides which tools are shown in full.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolDisplayPolicy {
    /// With more tools than this, the model has to look them up.
    pub most: usize,
    /// Tools that are always shown in full.
    pub always: BTreeSet<String>,
    /// Those that are looked up however few tools there are.
    pub on_demand: BTreeSet<String>,
    /// Of these, tools that can be called without a search, because models know them from
    /// elsewhere. They should be [`Unlisted`](holm_kernel::Listing::Unlisted).
    pub callable: BTreeSet<String>,
    /// Tools that the run carries out itself, and that are looked up as others are.
    pub of_run: Vec<ToolSpec>,
}

impl Default for ToolDisplayPolicy {
    fn default() -> Self {
        Self {
            most: MOST_SHOWN,
            always: BTreeSet::new(),
            on_demand: BTreeSet::new(),
            callable: BTreeSet::new(),
            of_run: Vec::new(),
        }
    }
}

impl ToolDisplayPolicy {
    /// Always shows these tools in full.
    #[must_use]
    pub fn always<N: Into<String>>(mut self, names: impl IntoIterator<Item = N>) -> Self {
        self.always.extend(names.into_iter().map(Into::into));
        self
    }
}

impl ToolDisplayPolicy {
    /// Has these looked up however few tools there are.
    #[must_use]
    pub fn on_demand<N: Into<String>>(mut self, names: impl IntoIterator<Item = N>) -> Self {
        self.on_demand.extend(names.into_iter().map(Into::into));
        self
    }

    /// Lets these be called without a search.
    #[must_use]
    pub fn callable<N: Into<String>>(mut self, names: impl IntoIterator<Item = N>) -> Self {
        self.callable.extend(names.into_iter().map(Into::into));
        self
    }

    /// Has these looked up, which the run carries out itself.
    #[must_use]
    pub fn of_run(mut self, tools: impl IntoIterator<Item = ToolSpec>) -> Self {
        self.of_run.extend(tools);
        self
    }
}

/// Has an agent look tools up: a tool that searches, and the gate that holds the others back.
/// Clones are the same.
///
/// ```
/// use holm_tools::conversation::{ToolLookup, ToolDisplayPolicy};
/// # use holm_runtime::{Agent, AgentBuilder, Toolbox};
///
/// fn give(builder: AgentBuilder, tools: Toolbox) -> AgentBuilder {
///     let lookup = ToolLookup::new(ToolDisplayPolicy::default().always(["read_file"]));
///     builder.tools(lookup.of(tools)).hook(lookup)
/// }
/// # let _ = give;
/// ```
#[derive(Debug, Clone)]
pub struct ToolLookup {
    showing: Arc<ToolDisplayPolicy>,
    index: Arc<Mutex<Arc<HiddenToolIndex>>>,
}

impl ToolLookup {
    /// Nothing is held back before there are tools.
    pub fn new(showing: ToolDisplayPolicy) -> Self {
        Self { showing: Arc::new(showing), index: Arc::default() }
    }

    /// These tools, with the search if they are too many.
    #[must_use]
    pub fn of(&self, tools: Toolbox) -> Toolbox {
        let entries = tools.iter().map(|tool| entry(tool.declaration())).collect();
        self.give(tools, entries)
    }

    /// The tools of a registry, with the search tool if they are too many or some are disclosed
    /// on demand. This also works with [`keep_current`](crate::registry::keep_current): the gate
    /// uses the latest tools.
    #[must_use]
    pub fn of_snapshot(&self, snapshot: &RegistrySnapshot) -> Toolbox {
        let tools = snapshot.catalogue().tools().iter();
        let entries = tools.map(|tool| CatalogueEntry { wanted: tool.name.clone(), ..tool.entry.clone() });
        self.give(snapshot.toolbox(), entries.collect())
    }

    fn give(&self, tools: Toolbox, mut entries: Vec<CatalogueEntry>) -> Toolbox {
        let are_many = tools.len() > self.showing.most;
        let ToolDisplayPolicy { always, on_demand, callable, of_run, .. } = &*self.showing;
        let is_held = |entry: &CatalogueEntry| {
            are_many || entry.disclosure == SchemaDisclosure::OnDemand || on_demand.contains(&entry.wanted)
        };
        entries.retain(|entry| is_held(entry) && !always.contains(&entry.wanted));
        entries.extend(of_run.iter().map(self::entry));
        // If another source has a tool of that name, that tool is used, and nothing is held back.
        if tools.find(TOOL_SEARCH).is_some() {
            entries.clear();
        }
        let callable = callable.clone();
        let index = Arc::new(HiddenToolIndex { catalogue: ToolCatalogue::new(entries), callable });
        *self.index.lock().unwrap_or_else(PoisonError::into_inner) = Arc::clone(&index);
        if index.catalogue.tools().is_empty() {
            return tools;
        }
        Toolbox::new().with(TypedToolAdapter::new(ToolSearchTool { index })).join(tools)
    }
}

fn entry(tool: &ToolSpec) -> CatalogueEntry {
    let described = CatalogueEntry::new(&tool.name, "", tool.level, tool.schema.clone());
    CatalogueEntry { description: tool.description.clone(), ..described }
}

/// An index of the tools that are held back.
#[derive(Debug, Default)]
struct HiddenToolIndex {
    catalogue: ToolCatalogue,
    /// Those that can be called without a search.
    callable: BTreeSet<String>,
}

impl HiddenToolIndex {
    /// The tools that a search finds, by their own names.
    fn find(&self, query: &str) -> (Vec<&CatalogueEntry>, Vec<String>, usize) {
        let found = self.catalogue.search(&CatalogueQuery::parse(query), Level::Execute, DEFAULT_HITS);
        (found.hits.into_iter().map(|hit| &hit.tool.entry).collect(), found.unknown, found.left_out)
    }

    /// The description that a model reads before it has searched.
    fn description(&self) -> String {
        let mut text = String::from(
            "Finds tools that you do not see now, and calls them. First search: `query` has words, or \
            select:name,name. The next message then shows their arguments. To call one, give its name \
            as `tool`, and its `arguments`. The tools:",
        );
        let large = self.large_sources();
        let is_listed = |tool: &&CatalogueTool| !large.contains_key(tool.entry.origin.as_str());
        let tools: Vec<&CatalogueTool> = self.catalogue.tools().iter().filter(is_listed).collect();
        for tool in tools.iter().take(MOST_LISTED) {
            let line = first_sentence(&tool.entry.description);
            let _ = write!(text, "\n- {}: {line}", tool.entry.wanted);
        }
        if let Some(rest @ 1..) = tools.len().checked_sub(MOST_LISTED) {
            let _ = write!(text, "\nand {rest} more that a search finds");
        }
        for (first, count) in large.values() {
            let start = first.split_inclusive(['_', '-']).next().unwrap_or(first);
            let _ = write!(text, "\n- {start}…: {count} tools that a search finds");
        }
        text
    }

    /// The sources with more tools than are listed: the name of the first one, and their number.
    fn large_sources(&self) -> BTreeMap<&str, (&str, usize)> {
        let mut sources: BTreeMap<&str, (&str, usize)> = BTreeMap::new();
        // Tools without a source are a program's own.
        for tool in self.catalogue.tools().iter().filter(|tool| !tool.entry.origin.is_empty()) {
            sources.entry(&tool.entry.origin).or_insert((&tool.entry.wanted, 0)).1 += 1;
        }
        sources.retain(|_, (_, count)| *count > MOST_OF_ONE);
        sources
    }
}

/// The first sentence of a description. One that is too long ends with a whole word and an ellipsis.
fn first_sentence(description: &str) -> String {
    let line = description.lines().next().unwrap_or_default().trim();
    let end = line.find(". ").map_or(line.len(), |dot| dot + 1);
    let sentence = line.get(..end).unwrap_or(line);
    if sentence.len() <= LINE {
        return sentence.to_owned();
    }
    let cut = sentence.get(..sentence.floor_char_boundary(LINE)).unwrap_or_default();
    let words = cut.rsplit_once(' ').map_or(cut, |(words, _)| words);
    format!("{} …", words.trim_end_matches([',', ';', ':']))
}

/// The tool that searches for other tools.
struct ToolSearchTool {
    index: Arc<HiddenToolIndex>,
}

/// What a model may give: words to search with, or a tool to call.
const SEARCH_SCHEMA: &str = r#"{"type":"object","properties":{"query":{"type":"string"},"tool":{"type":"string"},"arguments":{"type":"object"}},"additionalProperties":false}"#;

/// What is looked for.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct ToolSearchArguments {
    /// Words that say what the tool should do, or `select:` and the exact names
    /// with commas between them.
    #[serde(default)]
    query: String,
}

impl TypedTool for ToolSearchTool {
    type Arguments = ToolSearchArguments;
    type Output = Result<String, String>;

    fn declare(&self) -> ToolSpec {
        let spec = Self::named(TOOL_SEARCH, self.index.description()).level(Level::None);
        // A call with `tool` never comes here: the run passes it on to that tool.
        let schema = Json::parse(SEARCH_SCHEMA).unwrap_or_else(|_| spec.schema.clone());
        ToolSpec { schema, ..spec }
    }

    async fn call(self: Arc<Self>, wanted: ToolSearchArguments, _: ToolInvocation) -> Result<String, String> {
        let (hits, unknown, left_out) = self.index.find(&wanted.query);
        let unknown = unknown.join(", ");
        if hits.is_empty() {
            let which = if unknown.is_empty() { String::new() } else { format!(" (there is no {unknown})") };
            return Err(format!("no tool found{which}; try other words"));
        }
        // The run announces them with their descriptions and arguments.
        let names: Vec<&str> = hits.iter().map(|hit| &*hit.wanted).collect();
        let mut text = format!("You can call {} from your next step on.", names.join(", "));
        // No list of a request has these, so nothing else shows their arguments.
        for hit in hits.iter().filter(|hit| self.index.callable.contains(&hit.wanted)) {
            let _ =
                write!(text, "\n{}: {} Arguments: {}", hit.wanted, hit.description, hit.schema.canonical());
        }
        if !unknown.is_empty() {
            let _ = write!(text, "\nThere is no {unknown}.");
        }
        if left_out > 0 {
            let _ = write!(text, "\n{left_out} more match; make the query more specific.");
        }
        Ok(text)
    }
}

impl HiddenToolIndex {
    /// The tools that are offered when a request shows these messages.
    fn offer(&self, offered: &[String], view: &[Arc<Message>]) -> BTreeSet<String> {
        let mut asked: BTreeSet<&str> = BTreeSet::new();
        for call in view.iter().flat_map(|message| message.tool_calls()) {
            if call.name != TOOL_SEARCH {
                // A tool that the model already calls is shown.
                asked.insert(&call.name);
            } else if let Ok(wanted) = serde_json::from_str::<ToolSearchArguments>(&call.arguments) {
                let (hits, ..) = self.find(&wanted.query);
                asked.extend(hits.into_iter().map(|hit| &*hit.wanted));
            }
        }
        // A model that may enter plan mode must be able to leave it.
        if asked.contains(ENTER_PLAN) {
            asked.insert(EXIT_PLAN);
        }
        let held: BTreeSet<&str> = self.catalogue.tools().iter().map(|tool| &*tool.entry.wanted).collect();
        let is_shown = |name: &&String| {
            !held.contains(name.as_str()) || asked.contains(name.as_str()) || self.callable.contains(*name)
        };
        offered.iter().filter(is_shown).cloned().collect()
    }
}

impl ToolGate for ToolLookup {
    fn tools<'a>(&'a self, offered: &'a [String]) -> BoxFuture<'a, Option<BTreeSet<String>>> {
        self.tools_seeing(offered, &[])
    }

    fn tools_seeing<'a>(
        &'a self,
        offered: &'a [String],
        view: &'a [Arc<Message>],
    ) -> BoxFuture<'a, Option<BTreeSet<String>>> {
        let index = Arc::clone(&self.index.lock().unwrap_or_else(PoisonError::into_inner));
        Box::pin(async move {
            let holds = !index.catalogue.tools().is_empty();
            holds.then(|| index.offer(offered, view))
        })
    }

    fn sight(&self) -> GateVisibility {
        GateVisibility::View
    }
}

impl Hook for ToolLookup {
    fn join(self: Arc<Self>, hooks: HookSet) -> HookSet {
        hooks.tool_gate(self)
    }
}
