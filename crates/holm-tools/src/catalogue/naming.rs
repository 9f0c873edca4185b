//! Gives tools unique names that providers accept, and reports each change. Names that differ only
//! in case count as the same, and the earlier entry keeps its name, so that a later source cannot
//! take the name of a trusted tool.
//!
//! Which names providers accept is decided in the kernel (`provider_names_beside`), and the order
//! of the sources in `registry/offer.rs`. The catalogue that uses the names is `list.rs`.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use holm_kernel::{name_key, provider_names_beside, visible_line};

use super::CatalogueEntry;

/// The origin of the tools that are part of the program.
const BUILT_IN: &str = "built in";

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

impl RenamedTool {
    /// Whether the tool has another name because the one it asked for is in use.
    #[must_use]
    pub fn is_collision(&self) -> bool {
        match self.cause {
            RenameCause::TakenBy { .. } | RenameCause::Reserved => true,
            RenameCause::NotAccepted => false,
        }
    }
}

impl fmt::Display for RenamedTool {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (origin, wanted) = (visible_line(&self.origin), visible_line(&self.wanted));
        write!(out, "{origin} asked for the name `{wanted}` and got `{}`: ", self.name)?;
        match &self.cause {
            RenameCause::NotAccepted => out.write_str("model providers do not accept that name"),
            RenameCause::TakenBy { origin } if origin == BUILT_IN => {
                out.write_str("one of Holm's own tools has that name")
            }
            RenameCause::TakenBy { origin } => {
                write!(out, "the tool of {} has that name", visible_line(origin))
            }
            RenameCause::Reserved => out.write_str("Holm reserves that name"),
        }
    }
}

/// Names for all entries, in their order, and the changes that were made.
///
/// If two names differ only in case, the earlier entry keeps its name. So a source's position in
/// the list is its precedence. No entry gets a reserved name.
pub(super) fn name(reserved: &[&str], entries: &[CatalogueEntry]) -> (Vec<String>, Vec<RenamedTool>) {
    let names = names(reserved, entries);
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

/// The names alone. An entry whose name is taken gets its other name, if it has one and no tool
/// asked for that; otherwise a number.
fn names(reserved: &[&str], entries: &[CatalogueEntry]) -> Vec<String> {
    let names = provider_names_beside(reserved, entries.iter().map(|entry| entry.wanted.as_str()));
    let is_taken = |entry: &CatalogueEntry, name: &str| name_key(&entry.wanted) != name_key(name);
    let (mut others, mut rest) = (Vec::new(), Vec::new());
    for (at, (entry, name)) in entries.iter().zip(&names).enumerate() {
        match &entry.if_taken {
            Some(other) if is_taken(entry, name) => others.push((at, other.as_str())),
            _ => rest.push((at, entry.wanted.as_str())),
        }
    }
    if others.is_empty() {
        return names;
    }
    // Those that keep their names or get a number come first, so a second name takes nothing away.
    let given = provider_names_beside(reserved, rest.iter().map(|(_, wanted)| *wanted));
    let taken: Vec<&str> = reserved.iter().copied().chain(given.iter().map(String::as_str)).collect();
    let second = provider_names_beside(&taken, others.iter().map(|(_, other)| *other));
    let all = rest.iter().zip(given).chain(others.iter().zip(second));
    let all: BTreeMap<usize, String> = all.map(|((at, _), name)| (*at, name)).collect();
    all.into_values().collect()
}
