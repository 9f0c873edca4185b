//! Tool names in the form that every provider accepts, all different within one list.
//!
//! An acceptable name is never changed, since models and people know it. The same list gives the
//! same names on every host, because journals and prompts contain them. This is not about aliases
//! (`protocol/alias.rs`) or about names that are reserved for the run (`config/own_tools.rs`, which
//! callers pass in).

use alloc::{
    collections::{BTreeMap, BTreeSet},
    format,
    string::String,
    vec::Vec,
};

/// The longest name that the providers accept.
const LONGEST: usize = 64;

/// A tool's name as every provider accepts it: letters, digits, `_` and `-`, a letter or `_`
/// first, at most 64.
///
/// A name that is acceptable already is not changed. Different names may become equal: use
/// [`provider_names`] for a list.
///
/// ```
/// use holm_kernel::provider_name;
///
/// assert_eq!(provider_name("mcp__files__read"), "mcp__files__read");
/// assert_eq!(provider_name("files.read (fast)"), "files_read_fast_");
/// assert_eq!(provider_name("7zip"), "t7zip");
/// ```
#[must_use]
pub fn provider_name(name: &str) -> String {
    if is_accepted(name) {
        return String::from(name);
    }
    let mut out = String::with_capacity(LONGEST);
    let mut gap = false;
    for c in name.chars() {
        if out.len() >= LONGEST {
            break;
        }
        if is_plain(c) {
            if out.is_empty() && !is_first(c) {
                out.push('t');
            }
            out.push(c);
            gap = false;
        } else if !gap {
            out.push('_');
            gap = true;
        }
    }
    out.truncate(LONGEST);
    if out.chars().all(|c| c == '_') { String::from("tool") } else { out }
}

/// A key that is equal for two names that differ, after normalisation for providers, only in
/// the case of letters.
///
/// ```
/// use holm_kernel::name_key;
///
/// assert_eq!(name_key("READ"), name_key("read"));
/// assert_ne!(name_key("read"), name_key("write"));
/// ```
#[must_use]
pub fn name_key(name: &str) -> String {
    folded(provider_name(name))
}

/// The names of a list of tools, all different, in the same order. Names that differ only in case
/// count as equal, because people and models may overlook the difference.
///
/// Acceptable names are unchanged. Of the others, a name that would equal an earlier one gets `_2`,
/// `_3` and so on. The same list gives the same names on every host.
///
/// ```
/// use holm_kernel::provider_names;
///
/// assert_eq!(provider_names(["a.b", "a b", "a_b"]), ["a_b_2", "a_b_3", "a_b"]);
/// assert_eq!(provider_names(["read", "READ"]), ["read", "READ_2"]);
/// ```
#[must_use]
pub fn provider_names<'a>(names: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    provider_names_beside(&[], names)
}

/// As [`provider_names`], but avoids the names in `reserved`.
///
/// ```
/// use holm_kernel::{OWN_NAMES, provider_names_beside};
///
/// assert_eq!(provider_names_beside(OWN_NAMES, ["children", "chores"]), ["children_2", "chores"]);
/// ```
#[must_use]
pub fn provider_names_beside<'a>(reserved: &[&str], names: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    let names: Vec<&str> = names.into_iter().collect();
    let mut kept: BTreeSet<String> = reserved.iter().map(|name| name_key(name)).collect();
    let accepted = names.iter().filter(|name| is_accepted(name)).map(|name| name_key(name));
    let mut taken: BTreeSet<String> = kept.iter().cloned().chain(accepted).collect();
    let mut last: BTreeMap<String, u64> = BTreeMap::new();
    let mut out = Vec::with_capacity(names.len());
    for name in names {
        let wanted = provider_name(name);
        let key = folded(wanted.clone());
        let own = is_accepted(name) && kept.insert(key.clone());
        if own || taken.insert(key.clone()) {
            out.push(wanted);
            continue;
        }
        // Continuing from the last suffix keeps a list of equal names linear.
        let suffix = last.entry(key).or_insert(1);
        let free = loop {
            *suffix += 1;
            let candidate = numbered(&wanted, *suffix);
            if taken.insert(folded(candidate.clone())) {
                break candidate;
            }
        };
        out.push(free);
    }
    out
}

/// The form in which names are compared.
fn folded(mut name: String) -> String {
    name.make_ascii_lowercase();
    name
}

/// The name with a number after it, shortened so that both fit.
fn numbered(name: &str, number: u64) -> String {
    let suffix = format!("_{number}");
    let room = LONGEST.saturating_sub(suffix.len()).min(name.len());
    format!("{}{suffix}", name.get(..room).unwrap_or_default())
}

fn is_accepted(name: &str) -> bool {
    name.len() <= LONGEST && name.starts_with(is_first) && name.chars().all(is_plain)
}

const fn is_first(c: char) -> bool {
    c.is_ascii_alphabetic() || c == '_'
}

const fn is_plain(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_' || c == '-'
}
