//! Names that providers accept and that differ from each other, and a report of what had to change.

use std::collections::{BTreeMap, BTreeSet};

use holm_kernel::{provider_name, provider_names};

use super::Entry;

/// A tool whose name in the catalogue is not the one it wanted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Renamed {
    /// Where the tool comes from.
    pub origin: String,
    /// What it wanted to be called.
    pub wanted: String,
    /// What it is called.
    pub name: String,
    /// Why.
    pub cause: Cause,
}

/// Why a tool is not called what it wanted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Cause {
    /// Providers take letters, digits, `_` and `-`, at most 64 of them.
    NotAccepted,
    /// Another tool has the name.
    TakenBy {
        /// Where the other one comes from.
        origin: String,
    },
}

/// Names for all entries, in their order, and what was changed.
///
/// Of two equal names the earlier entry keeps its own; so a source's place in the list is its precedence.
pub(super) fn name(entries: &[Entry]) -> (Vec<String>, Vec<Renamed>) {
    let names = provider_names(entries.iter().map(|entry| entry.wanted.as_str()));
    let owners: BTreeMap<&str, &str> =
        names.iter().map(String::as_str).zip(entries.iter().map(|entry| entry.origin.as_str())).collect();
    let mut renamed = Vec::new();
    for (entry, name) in entries.iter().zip(&names).filter(|(entry, name)| entry.wanted != **name) {
        let normal = provider_name(&entry.wanted);
        let owner = owners.get(normal.as_str()).filter(|_| normal != **name);
        let cause = match owner {
            Some(origin) => Cause::TakenBy { origin: (*origin).to_owned() },
            None => Cause::NotAccepted,
        };
        renamed.push(Renamed {
            origin: entry.origin.clone(),
            wanted: entry.wanted.clone(),
            name: name.clone(),
            cause,
        });
    }
    debug_assert_eq!(names.iter().collect::<BTreeSet<_>>().len(), names.len(), "names differ");
    (names, renamed)
}
