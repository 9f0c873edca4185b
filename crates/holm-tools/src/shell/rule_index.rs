//! Indexes the rules of a deny list by their last name, so that a walk over many files checks few
//! of them.
//!
//! It only selects candidates: whether a rule hits a path is decided in `holm-grants` (`Denial`).
//! It may select too many rules, but never leave out one that hits. The walks that use it are in
//! `denied_paths.rs`, `toolchain.rs` and `undo/coverage.rs`; the rules come from
//! `root/deny_rules.rs`.

use std::collections::HashMap;

use holm_grants::{Denial, DenialSet};

/// A deny list, indexed for a walk from the outermost folder inwards.
pub(crate) struct RuleIndex {
    all: Vec<Denial>,
    /// Places in the list of all.
    named: HashMap<String, Vec<usize>>,
    /// Rules whose last name has a star, and rules that are not about files.
    starred: Vec<WildcardRule>,
}

/// A rule about all names with a certain beginning and end.
struct WildcardRule {
    begin: String,
    end: String,
    /// Its place in the list of all.
    rule: usize,
}

impl RuleIndex {
    pub(crate) fn new(denials: &DenialSet) -> Self {
        let all: Vec<Denial> = denials.iter().cloned().collect();
        let mut index = Self { all, named: HashMap::new(), starred: Vec::new() };
        for (place, rule) in denials.iter().enumerate() {
            let last = last_name(&rule.to_string());
            match last.split_once(['*', '[']) {
                None if last.is_ascii() => index.named.entry(last).or_default().push(place),
                Some((begin, end)) if last.is_ascii() => {
                    let end = if end.contains(['*', ']']) { "" } else { end };
                    index.starred.push(WildcardRule { begin: begin.into(), end: end.into(), rule: place });
                }
                None | Some(_) => {
                    index.starred.push(WildcardRule {
                        begin: String::new(),
                        end: String::new(),
                        rule: place,
                    });
                }
            }
        }
        index
    }

    pub(super) fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// The rules that may be about an entry of this name, whose folder none of them is about.
    /// Without a name all are.
    pub(crate) fn about(&self, name: Option<&str>) -> Vec<&Denial> {
        // Other letters than these are compared in more ways than by their case.
        let Some(name) = name.filter(|name| name.is_ascii()) else { return self.all.iter().collect() };
        let (whole, folded) = (name.to_ascii_lowercase(), folded(name));
        let named = self.named.get(&folded).into_iter().flatten();
        let fits = |starred: &&WildcardRule| {
            [&whole, &folded]
                .iter()
                .any(|name| name.starts_with(&starred.begin) && name.ends_with(&starred.end))
        };
        let places = named.chain(self.starred.iter().filter(fits).map(|starred| &starred.rule));
        places.filter_map(|place| self.all.get(*place)).collect()
    }
}

/// The last part of a rule's pattern, as names are compared.
fn last_name(rule: &str) -> String {
    let pattern = rule.split_once(':').map_or(rule, |(_, pattern)| pattern);
    let pattern = pattern.trim_end_matches("/**").trim_end_matches('/');
    let last = pattern.rsplit('/').next().unwrap_or_default();
    if last.contains(['*', '[']) { last.to_ascii_lowercase() } else { folded(last) }
}

/// Normalises a name as rules do: without case, and as file systems that drop
/// trailing characters open it.
fn folded(name: &str) -> String {
    let before_stream = name.split_once(':').map_or(name, |(name, _)| name);
    before_stream.trim_end_matches(['.', ' ']).to_ascii_lowercase()
}

#[cfg(test)]
mod tests {
    use holm_grants::AccessRequest;

    use super::*;
    use crate::root::DenyRules;

    #[test]
    fn no_rule_that_hits_an_entry_is_left_out() {
        let denials = DenyRules::of_commands().join(
            &DenialSet::parse([
                "path:secrets/**",
                "write:a/*/b",
                "path:/x/y",
                "path:**/É",
                "path:a[*]b",
                "path:**/q*r*s",
            ])
            .unwrap(),
        );
        let index = RuleIndex::new(&denials);
        for path in [
            ".env",
            "a/.ENV.",
            "a/.env:x",
            ".env.local",
            "x/.ssh",
            "secrets",
            "a/z/b",
            "/x/y",
            ".vscode",
            ".config/gcloud",
            ".docker/config.json",
            "É",
            "é",
            "id_rsa.old",
            "src/main.rs",
            "...",
            "a*b",
            "qrs.",
        ] {
            let request = AccessRequest::Read(path.parse().unwrap());
            let written = AccessRequest::Write(path.parse().unwrap());
            let last = path.rsplit('/').next();
            for request in [request, written] {
                let hit = denials.iter().any(|rule| rule.hits(&request));
                assert_eq!(index.about(last).iter().any(|rule| rule.hits(&request)), hit, "{path}");
            }
        }
        let usual = DenyRules::of_commands();
        assert!(RuleIndex::new(&usual).about(Some("main.rs")).is_empty(), "no rule is asked in vain");
    }
}
