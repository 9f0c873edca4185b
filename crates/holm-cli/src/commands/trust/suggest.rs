//! `holm trust suggest`: the smallest grants that would have covered what the user approved in the
//! sessions of this folder. Nothing that is suggested is wider than what was approved.

use std::collections::BTreeMap;

use holm::{
    grants::{AccessRequest, Grant, GrantSet},
    kernel::{Effect, Input, Proposal, QuestionId, Verdict, journal},
    runtime::JournalStore as _,
    store::{SessionQuery, Store},
};
use serde_json::json;

use crate::{
    exit::CommandExit,
    holm_paths::{HolmPaths, quoted},
    screen::TerminalOutput,
    session_sidecar::SessionSidecar,
};

/// How many sessions are looked at, the latest first.
const MOST_SESSIONS: u32 = 200;

/// Approved needs, each with how often it was approved.
#[derive(Debug, Default, PartialEq, Eq)]
struct ApprovedNeeds(BTreeMap<String, u64>);

pub(super) async fn execute(
    places: &HolmPaths,
    screen: &TerminalOutput,
    as_json: bool,
) -> anyhow::Result<CommandExit> {
    let store = places.store().await?;
    let query = SessionQuery { limit: Some(MOST_SESSIONS), ..SessionQuery::default() };
    let mut approved = ApprovedNeeds::default();
    for session in store.list(&query).await?.sessions {
        let began = SessionSidecar::of(places, &session.run).ok().flatten();
        if began.is_some_and(|began| began.check(places, &session.run).is_ok()) {
            approved.add_session(&store, &session.run).await;
        }
    }
    let grants = approved.grants();
    if as_json {
        let rows: Vec<_> = grants
            .iter()
            .map(|(grant, count)| json!({ "grant": grant.to_string(), "approved": count }))
            .collect();
        screen.line(&json!(rows).to_string());
    } else if grants.is_empty() {
        screen.note("holm: you approved nothing in the sessions of this folder that a grant would cover");
    } else {
        for (grant, count) in grants {
            let times = if count == 1 { "once".into() } else { format!("{count} times") };
            screen.line(&format!("--grant {}  # approved {times}", quoted(&grant.to_string())));
        }
    }
    Ok(CommandExit::Done)
}

impl ApprovedNeeds {
    /// Adds what was approved in a session. A journal that cannot be read says nothing.
    async fn add_session(&mut self, store: &Store, session: &str) {
        let Ok(text) = store.read(session).await else { return };
        let Ok(tail) = journal::decode(&text) else { return };
        let mut asked: BTreeMap<QuestionId, Box<Proposal>> = BTreeMap::new();
        let _ = journal::replay_with(&tail.records, |_, effect| {
            if let Effect::Judge(proposal) = effect {
                asked.insert(proposal.call, proposal.clone());
            }
        });
        for record in &tail.records {
            if let Ok(Input::Judged { call, verdict: Verdict::Allow { .. } }) = record.payload().input()
                && let Some(proposal) = asked.remove(&call)
            {
                self.add(&proposal);
            }
        }
    }

    fn add(&mut self, proposal: &Proposal) {
        for need in &proposal.missing {
            *self.0.entry(need.clone()).or_default() += 1;
        }
    }

    /// One grant for each need, and those that another one
    /// contains are left out. The most frequent come first.
    fn grants(self) -> Vec<(Grant, u64)> {
        let exact = |(need, count): (String, u64)| {
            let grant = need.parse::<AccessRequest>().ok().and_then(|need| Grant::exactly(&need).ok());
            let pattern = || need.ends_with("**").then(|| need.parse::<Grant>().ok()).flatten();
            pattern().or(grant).map(|grant| (grant, count))
        };
        let all: Vec<(Grant, u64)> = self.0.into_iter().filter_map(exact).collect();
        let is_contained = |(at, grant): (usize, &Grant)| {
            let others = all.iter().enumerate().filter(|(other, _)| *other != at);
            let others: GrantSet = others.map(|(_, (other, _))| other.clone()).collect();
            others.contains(grant)
        };
        let mut least: Vec<(Grant, u64)> = all
            .iter()
            .enumerate()
            .filter(|(at, (grant, _))| !is_contained((*at, grant)))
            .map(|(_, kept)| kept.clone())
            .collect();
        for (grant, count) in &mut least {
            let one: GrantSet = std::iter::once(grant.clone()).collect();
            *count = all.iter().filter(|(other, _)| one.contains(other)).map(|(_, count)| count).sum();
        }
        least.sort_by(|(one, few), (other, many)| {
            many.cmp(few).then_with(|| one.to_string().cmp(&other.to_string()))
        });
        least
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn suggested(needs: &[(&str, u64)]) -> Vec<(String, u64)> {
        let approved = ApprovedNeeds(needs.iter().map(|(need, count)| ((*need).into(), *count)).collect());
        approved.grants().into_iter().map(|(grant, count)| (grant.to_string(), count)).collect()
    }

    #[test]
    fn what_another_grant_contains_is_left_out_and_counted_there() {
        let needs = [("write:src/a.rs", 2), ("read:src/**", 1), ("read:src/b.rs", 3), ("exec:cargo", 5)];
        let expect = [("exec:cargo", 5), ("read:src/**", 4), ("write:src/a.rs", 2)];
        assert_eq!(suggested(&needs), expect.map(|(grant, count)| (grant.to_owned(), count)));
    }

    #[test]
    fn a_star_in_a_name_is_a_letter() {
        assert_eq!(suggested(&[("write:a*.txt", 1)]), [("write:a[*].txt".to_owned(), 1)]);
    }
}
