//! The list of tools, the name under which each is offered, and the search with which a model finds
//! one of many.
//!
//! Tools come from many sources. They may want the same name, or a name that providers refuse. The
//! catalogue gives every tool a unique name and reports which names it changed and why. It finds
//! tools by name, keyword and description. Schemas can be held back: a tool that is disclosed on
//! demand takes one line of the context until it is asked for.
//!
//! It holds descriptions and no tools, so nothing can be called here. Tools that come and go are in
//! `registry/`; the search tool of a model is `conversation/search.rs`.
//!
//! Where things are:
//! - `entry.rs`: how a source describes a tool.
//! - `naming.rs`: unique names. `list.rs`: the catalogue. `search.rs`: the search in it.

mod entry;
mod list;
mod naming;
mod search;

pub use entry::{CatalogueEntry, SchemaDisclosure};
pub use list::{CatalogueTool, ToolCatalogue};
pub use naming::{RenameCause, RenamedTool};
pub use search::{CatalogueHit, CatalogueHits, CatalogueQuery, DEFAULT_HITS, MAX_HITS, MatchRank};

#[cfg(test)]
mod tests;
