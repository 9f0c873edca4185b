//! All tools at one moment. A snapshot never changes, so its holder keeps working with the same
//! tools. Names are given by `catalogue/`; a tool under another name keeps its behaviour, and the
//! right to call an agent follows the new name. Names that a run answers itself are reserved.
//!
//! Offers are collected in `list.rs`, and runs get new snapshots through `follower.rs`.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

use holm_grants::{Level, NeedTemplate};
use holm_kernel::{OWN_NAMES, ToolKind, ToolOutput};
use holm_runtime::{BoxFuture, SecretReveal, Tool, ToolInvocation, Toolbox};

use super::{SourceRank, ToolOffer, ToolSource};
use crate::catalogue::{CatalogueEntry, CatalogueHits, CatalogueQuery, RenamedTool, ToolCatalogue};
use crate::shell::{RUN_PROGRAM, SHELL};

/// All tools at one moment, each under a unique name that every provider accepts.
#[derive(Default)]
pub struct RegistrySnapshot {
    number: u64,
    catalogue: ToolCatalogue,
    /// In the order of the catalogue.
    tools: Vec<Arc<dyn Tool>>,
    problems: Vec<SourceProblem>,
}

/// A problem of a source that a person should know about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceProblem {
    pub source: ToolSource,
    /// The problem, and what applies instead.
    pub what: String,
}

impl fmt::Display for SourceProblem {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}: {}", holm_kernel::visible_line(&self.source.origin), self.what)
    }
}

impl RegistrySnapshot {
    pub(super) fn new(
        number: u64,
        offered: impl IntoIterator<Item = (ToolSource, ToolOffer)>,
        problems: Vec<SourceProblem>,
    ) -> Self {
        let offered: Vec<(ToolSource, ToolOffer)> = offered.into_iter().collect();
        let reserved = reserved(&offered);
        let (entries, tools): (Vec<CatalogueEntry>, Vec<Arc<dyn Tool>>) =
            offered.into_iter().map(|(source, offer)| (entry(&source, &offer), offer.tool)).unzip();
        let catalogue = ToolCatalogue::beside(&reserved, entries);
        let tools = catalogue.names().zip(tools).map(|(name, tool)| named(name, tool)).collect();
        Self { number, catalogue, tools, problems }
    }

    /// How many changes there were before this one.
    #[must_use]
    pub fn number(&self) -> u64 {
        self.number
    }

    /// The names, descriptions and schemas, and how they are searched.
    #[must_use]
    pub fn catalogue(&self) -> &ToolCatalogue {
        &self.catalogue
    }

    /// The tools that did not get the names that they asked for.
    #[must_use]
    pub fn renamed(&self) -> &[RenamedTool] {
        self.catalogue.renamed()
    }

    /// The problems that a person should know about.
    #[must_use]
    pub fn problems(&self) -> &[SourceProblem] {
        &self.problems
    }

    /// The tool of a name.
    #[must_use]
    pub fn find(&self, name: &str) -> Option<&Arc<dyn Tool>> {
        self.tools.iter().find(|tool| tool.declaration().name == name)
    }

    /// The tools with where they come from, in order.
    pub fn tools(&self) -> impl ExactSizeIterator<Item = (&Arc<dyn Tool>, &CatalogueEntry)> {
        self.tools.iter().zip(self.catalogue.tools().iter().map(|tool| &tool.entry))
    }

    /// All tools, for a run.
    #[must_use]
    pub fn toolbox(&self) -> Toolbox {
        self.some(|_| true)
    }

    /// The tools that can do at most as much as `level`.
    #[must_use]
    pub fn up_to(&self, level: Level) -> Toolbox {
        self.some(|entry| entry.level <= level)
    }

    /// The tools up to `level` whose schemas a model sees after asking for those in `asked`. It
    /// finds the others with [`search`](Self::search).
    #[must_use]
    pub fn disclosed(&self, level: Level, asked: &BTreeSet<String>) -> Toolbox {
        let shown: BTreeSet<&str> = self.catalogue.disclosed(asked).map(|tool| tool.name.as_str()).collect();
        let mut toolbox = Toolbox::new();
        for (tool, entry) in self.tools() {
            if entry.level <= level && shown.contains(tool.declaration().name.as_str()) {
                add(&mut toolbox, tool);
            }
        }
        toolbox
    }

    /// The tools that fit the query (`select:a,b` or words) and can do at most as much as
    /// `level`, at most `most`.
    #[must_use]
    pub fn search(&self, query: &str, level: Level, most: usize) -> CatalogueHits<'_> {
        self.catalogue.search(&CatalogueQuery::parse(query), level, most)
    }

    fn some(&self, keep: impl Fn(&CatalogueEntry) -> bool) -> Toolbox {
        let mut toolbox = Toolbox::new();
        for (tool, _) in self.tools().filter(|(_, entry)| keep(entry)) {
            add(&mut toolbox, tool);
        }
        toolbox
    }
}

impl fmt::Debug for RegistrySnapshot {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("RegistrySnapshot")
            .field("number", &self.number)
            .field("tools", &self.catalogue.names().collect::<Vec<_>>())
            .field("problems", &self.problems)
            .finish()
    }
}

fn add(toolbox: &mut Toolbox, tool: &Arc<dyn Tool>) {
    let added = toolbox.add_shared(Arc::clone(tool));
    debug_assert!(added.is_ok(), "names of a catalogue differ");
}

/// The reserved names: those that a run answers itself, and those of the command tools, because
/// grants for commands name them. The program itself may offer exactly these tools.
fn reserved(offered: &[(ToolSource, ToolOffer)]) -> Vec<&'static str> {
    let built_in = |name: &str| {
        let built_in = offered.iter().filter(|(source, _)| source.rank == SourceRank::BuiltIn);
        built_in.map(|(_, offer)| offer.tool.declaration()).find(|declared| declared.name == name)
    };
    let is_own = |name: &&str| built_in(name).is_none_or(|tool| tool.kind.own_name() != Some(name));
    let is_command = |name: &&str| built_in(name).is_none();
    let own = OWN_NAMES.iter().copied().filter(is_own);
    own.chain([SHELL, RUN_PROGRAM].into_iter().filter(is_command)).collect()
}

fn entry(source: &ToolSource, offer: &ToolOffer) -> CatalogueEntry {
    let declared = offer.tool.declaration();
    CatalogueEntry {
        wanted: declared.name.clone(),
        if_taken: offer.if_taken.clone(),
        origin: source.origin.clone(),
        description: declared.description.clone(),
        keywords: offer.keywords.clone(),
        level: declared.level,
        schema: declared.schema.clone(),
        disclosure: offer.disclosure,
    }
}

/// The tool under this name.
fn named(name: &str, tool: Arc<dyn Tool>) -> Arc<dyn Tool> {
    if tool.declaration().name == name {
        return tool;
    }
    let mut declaration = holm_kernel::ToolSpec { name: name.into(), ..tool.declaration().clone() };
    if matches!(declaration.kind, ToolKind::Agent { .. }) {
        // The right to call an agent refers to the name under which it is called.
        let wanted = format!("spawn:{}", tool.declaration().name);
        let given = format!("spawn:{name}").parse::<NeedTemplate>();
        for need in declaration.needs.iter_mut().filter(|need| need.to_string() == wanted) {
            // A name that cannot be granted is reported when a run begins, because its
            // grant is missing there.
            *need = given.clone().unwrap_or_else(|_| need.clone());
        }
    }
    Arc::new(RenamedToolAdapter { declaration, tool })
}

/// Wraps a tool whose name in the catalogue differs from the one that it asked for.
struct RenamedToolAdapter {
    declaration: holm_kernel::ToolSpec,
    tool: Arc<dyn Tool>,
}

impl Tool for RenamedToolAdapter {
    fn declaration(&self) -> &holm_kernel::ToolSpec {
        &self.declaration
    }

    fn run(&self, job: ToolInvocation) -> BoxFuture<'static, ToolOutput> {
        self.tool.run(job)
    }

    fn reveal(&self) -> SecretReveal {
        self.tool.reveal()
    }
}
