//! The rules of a deny list by the last name that they are about, so that a walk over many files asks few of them.

use std::collections::HashMap;

use holm_grants::{Denial, Denials};

/// A deny list, sorted for a walk from the outside in.
pub(super) struct RuleIndex<'a> {
    all: Vec<&'a Denial>,
    named: HashMap<String, Vec<&'a Denial>>,
    /// Rules whose last name holds a star, and those that are about no file.
    others: Vec<&'a Denial>,
}

impl<'a> RuleIndex<'a> {
    pub(super) fn new(denials: &'a Denials) -> Self {
        let mut index = Self { all: denials.iter().collect(), named: HashMap::new(), others: Vec::new() };
        for rule in denials.iter() {
            match last_name(&rule.to_string()) {
                Some(name) => index.named.entry(name).or_default().push(rule),
                None => index.others.push(rule),
            }
        }
        index
    }

    pub(super) fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// The rules that may be about an entry of this name, whose folder none of them is about. Without a name all are.
    pub(super) fn about(&self, name: Option<&str>) -> impl Iterator<Item = &'a Denial> {
        // Other letters than these are compared in more ways than by their case.
        let plain = name.filter(|name| name.is_ascii());
        let folded = plain.map(folded);
        let named = folded.and_then(|name| self.named.get(&name)).into_iter().flatten();
        let others = self.others.iter().filter(move |_| plain.is_some());
        let all = self.all.iter().filter(move |_| plain.is_none());
        named.chain(others).chain(all).copied()
    }
}

/// The name that the last part of a rule spells out.
fn last_name(rule: &str) -> Option<String> {
    let (_, pattern) = rule.split_once(':')?;
    let pattern = pattern.trim_end_matches("/**").trim_end_matches('/');
    let last = pattern.rsplit('/').next()?;
    let is_plain = last.is_ascii() && !last.is_empty() && !last.contains(['*', '[']) && last != ".";
    is_plain.then(|| folded(last))
}

/// As rules compare names: without case, and as file systems open them that drop what stands at the end.
fn folded(name: &str) -> String {
    let before_stream = name.split_once(':').map_or(name, |(name, _)| name);
    before_stream.trim_end_matches(['.', ' ']).to_ascii_lowercase()
}

#[cfg(test)]
mod tests {
    use holm_grants::Request;

    use super::*;
    use crate::root::Denies;

    #[test]
    fn no_rule_that_hits_an_entry_is_left_out() {
        let denials = Denies::of_commands()
            .join(&Denials::parse(["path:secrets/**", "write:a/*/b", "path:/x/y", "path:**/É"]).unwrap());
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
        ] {
            let request = Request::Read(path.parse().unwrap());
            let written = Request::Write(path.parse().unwrap());
            let last = path.rsplit('/').next();
            for request in [request, written] {
                let hit = denials.iter().any(|rule| rule.hits(&request));
                assert_eq!(index.about(last).any(|rule| rule.hits(&request)), hit, "{path}");
            }
        }
        assert!(index.about(Some("main.rs")).count() < 30, "most rules are not asked");
    }
}
