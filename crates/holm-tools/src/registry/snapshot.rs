//! All tools at one moment. A snapshot never changes, so its holder keeps working
//! with the same tools.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

use holm_grants::{Level, Template};
use holm_kernel::{OWN_NAMES, ToolKind, ToolOutput};
use holm_runtime::{BoxFuture, Job, Reveal, Tool, Toolbox};

use super::{Offer, Rank, Source};
use crate::catalogue::{Catalogue, Entry, Found, Query, Renamed};

/// All tools at one moment, each under a unique name that every provider accepts.
#[derive(Default)]
pub struct Snapshot {
    number: u64,
    catalogue: Catalogue,
    /// In the order of the catalogue.
    tools: Vec<Arc<dyn Tool>>,
    problems: Vec<Problem>,
}

/// A problem of a source that a person should know about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    pub source: Source,
    /// The problem, and what applies instead.
    pub what: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}: {}", holm_kernel::visible_line(&self.source.origin), self.what)
    }
}

impl Snapshot {
    pub(super) fn new(
        number: u64,
        offered: impl IntoIterator<Item = (Source, Offer)>,
        problems: Vec<Problem>,
    ) -> Self {
        let offered: Vec<(Source, Offer)> = offered.into_iter().collect();
        let reserved = reserved(&offered);
        let (entries, tools): (Vec<Entry>, Vec<Arc<dyn Tool>>) =
            offered.into_iter().map(|(source, offer)| (entry(&source, &offer), offer.tool)).unzip();
        let catalogue = Catalogue::beside(&reserved, entries);
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
    pub fn catalogue(&self) -> &Catalogue {
        &self.catalogue
    }

    /// The tools that did not get the names that they asked for.
    #[must_use]
    pub fn renamed(&self) -> &[Renamed] {
        self.catalogue.renamed()
    }

    /// The problems that a person should know about.
    #[must_use]
    pub fn problems(&self) -> &[Problem] {
        &self.problems
    }

    /// The tool of a name.
    #[must_use]
    pub fn find(&self, name: &str) -> Option<&Arc<dyn Tool>> {
        self.tools.iter().find(|tool| tool.declaration().name == name)
    }

    /// The tools with where they come from, in order.
    pub fn tools(&self) -> impl ExactSizeIterator<Item = (&Arc<dyn Tool>, &Entry)> {
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

    /// The tools that fit the query (`select:a,b` or words) and can do at most as much as `level`, at most `most`.
    #[must_use]
    pub fn search(&self, query: &str, level: Level, most: usize) -> Found<'_> {
        self.catalogue.search(&Query::parse(query), level, most)
    }

    fn some(&self, keep: impl Fn(&Entry) -> bool) -> Toolbox {
        let mut toolbox = Toolbox::new();
        for (tool, _) in self.tools().filter(|(_, entry)| keep(entry)) {
            add(&mut toolbox, tool);
        }
        toolbox
    }
}

impl fmt::Debug for Snapshot {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Snapshot")
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

/// The reserved names: those that a run answers itself, unless the program itself
/// offers exactly that tool.
fn reserved(offered: &[(Source, Offer)]) -> Vec<&'static str> {
    let is_offered = |name: &str| {
        offered.iter().filter(|(source, _)| source.rank == Rank::BuiltIn).any(|(_, offer)| {
            let declared = offer.tool.declaration();
            declared.name == name && declared.kind.own_name() == Some(name)
        })
    };
    OWN_NAMES.iter().copied().filter(|name| !is_offered(name)).collect()
}

fn entry(source: &Source, offer: &Offer) -> Entry {
    let declared = offer.tool.declaration();
    Entry {
        wanted: declared.name.clone(),
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
    let mut declaration = holm_kernel::Tool { name: name.into(), ..tool.declaration().clone() };
    if matches!(declaration.kind, ToolKind::Agent { .. }) {
        // The right to call an agent refers to the name under which it is called.
        let wanted = format!("spawn:{}", tool.declaration().name);
        let given = format!("spawn:{name}").parse::<Template>();
        for need in declaration.needs.iter_mut().filter(|need| need.to_string() == wanted) {
            // A name that cannot be granted is reported when a run begins, because its
            // grant is missing there.
            *need = given.clone().unwrap_or_else(|_| need.clone());
        }
    }
    Arc::new(Named { declaration, tool })
}

/// Wraps a tool whose name in the catalogue differs from the one that it asked for.
struct Named {
    declaration: holm_kernel::Tool,
    tool: Arc<dyn Tool>,
}

impl Tool for Named {
    fn declaration(&self) -> &holm_kernel::Tool {
        &self.declaration
    }

    fn run(&self, job: Job) -> BoxFuture<'static, ToolOutput> {
        self.tool.run(job)
    }

    fn reveal(&self) -> Reveal {
        self.tool.reveal()
    }
}
