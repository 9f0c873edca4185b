//! Gives tools unique names that providers accept, and reports each change. The rules for a name
//! that providers accept are those of the kernel. Names that differ only in case count as the same,
//! and the earlier entry keeps its name, so that a later source cannot take the name of a trusted
//! tool.

use std::collections::{BTreeMap, BTreeSet};

use holm_kernel::{name_key, provider_names_beside};

use super::CatalogueEntry;

/// A tool whose name in the catalogue differs from the name that it asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RenamedTool {
    /// Where the tool comes from.
    pub origin: String,
    /// The name that it asked for.
    pub wanted: String,
    /// The name that it got.
    pub name: String,
    pub cause: RenameCause,
}

/// Why a tool did not get the name that it asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RenameCause {
    /// Providers take letters, digits, `_` and `-`, at most 64 of them.
    NotAccepted,
    /// Another tool has the name.
    TakenBy {
        /// Where the other one comes from.
        origin: String,
    },
    /// The name belongs to no tool that a source offers.
    Reserved,
}

/// Names for all entries, in their order, and the changes that were made.
///
/// If two names differ only in case, the earlier entry keeps its name. So a source's position in
/// the list is its precedence. No entry gets a reserved name.
pub(super) fn name(reserved: &[&str], entries: &[CatalogueEntry]) -> (Vec<String>, Vec<RenamedTool>) {
    let names = provider_names_beside(reserved, entries.iter().map(|entry| entry.wanted.as_str()));
    let keys = names.iter().map(|name| name_key(name));
    let owners: BTreeMap<String, &str> =
        keys.zip(entries.iter().map(|entry| entry.origin.as_str())).collect();
    let reserved: BTreeSet<String> = reserved.iter().map(|name| name_key(name)).collect();
    let mut renamed = Vec::new();
    for (entry, name) in entries.iter().zip(&names).filter(|(entry, name)| entry.wanted != **name) {
        let wanted = name_key(&entry.wanted);
        let owner = owners.get(&wanted).filter(|_| wanted != name_key(name));
        let cause = match owner {
            Some(origin) => RenameCause::TakenBy { origin: (*origin).to_owned() },
            None if reserved.contains(&wanted) => RenameCause::Reserved,
            None => RenameCause::NotAccepted,
        };
        renamed.push(RenamedTool {
            origin: entry.origin.clone(),
            wanted: entry.wanted.clone(),
            name: name.clone(),
            cause,
        });
    }
    debug_assert_eq!(owners.len(), names.len(), "names differ");
    (names, renamed)
}
