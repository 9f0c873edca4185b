//! The catalogue, which is built once from all entries and then only read. Names are given in
//! `naming.rs`, words are searched in `search.rs`. The order of the entries is their precedence, so
//! a caller must pass the most trusted source first.

use std::collections::{BTreeMap, BTreeSet};

use holm_grants::Level;

use super::{CatalogueEntry, RenamedTool, SchemaDisclosure, naming};

/// All tools, each under a unique name, in the order of precedence.
///
/// ```
/// use holm_grants::Level;
/// use holm_guards::json::Json;
/// use holm_tools::catalogue::{ToolCatalogue, CatalogueEntry};
///
/// let entry = |name, origin| CatalogueEntry::new(name, origin, Level::ReadOnly, Json::object::<&str>([]));
/// let catalogue = ToolCatalogue::new(vec![entry("read", "built in"), entry("read", "tools/read.wasm")]);
/// assert_eq!(catalogue.names().collect::<Vec<_>>(), ["read", "read_2"]);
/// assert_eq!(catalogue.renamed()[0].origin, "tools/read.wasm");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ToolCatalogue {
    tools: Vec<CatalogueTool>,
    by_name: BTreeMap<String, usize>,
    renamed: Vec<RenamedTool>,
}

/// A tool and its name in the catalogue.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CatalogueTool {
    /// Its name. No other tool of the catalogue has the same name, not even with different case.
    pub name: String,
    /// The description by its source.
    pub entry: CatalogueEntry,
}

impl ToolCatalogue {
    /// Names all entries; of two that want one name the earlier keeps it.
    #[must_use]
    pub fn new(entries: Vec<CatalogueEntry>) -> Self {
        Self::beside(&[], entries)
    }

    /// Like [`new`](Self::new), but never uses the reserved names.
    #[must_use]
    pub fn beside(reserved: &[&str], entries: Vec<CatalogueEntry>) -> Self {
        let (names, renamed) = naming::name(reserved, &entries);
        let by_name = names.iter().cloned().enumerate().map(|(at, name)| (name, at)).collect();
        let tools =
            names.into_iter().zip(entries).map(|(name, entry)| CatalogueTool { name, entry }).collect();
        Self { tools, by_name, renamed }
    }

    /// The tools, in the order of their sources.
    #[must_use]
    pub fn tools(&self) -> &[CatalogueTool] {
        &self.tools
    }

    /// Their names, in the same order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.tools.iter().map(|tool| tool.name.as_str())
    }

    /// The tool of this name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&CatalogueTool> {
        self.tools.get(*self.by_name.get(name)?)
    }

    /// The tools that did not get the names that they asked for, for a person to see.
    #[must_use]
    pub fn renamed(&self) -> &[RenamedTool] {
        &self.renamed
    }

    /// The tools that can do at most as much as `level`.
    pub fn up_to(&self, level: Level) -> impl Iterator<Item = &CatalogueTool> {
        self.tools.iter().filter(move |tool| tool.entry.level <= level)
    }

    /// The tools whose schemas a model sees when it has already asked for those in `asked`.
    ///
    /// The others can still be found with [`search`](ToolCatalogue::search).
    pub fn disclosed<'a>(&'a self, asked: &'a BTreeSet<String>) -> impl Iterator<Item = &'a CatalogueTool> {
        self.tools.iter().filter(|tool| match tool.entry.disclosure {
            SchemaDisclosure::Full => true,
            SchemaDisclosure::OnDemand => asked.contains(&tool.name),
        })
    }
}
