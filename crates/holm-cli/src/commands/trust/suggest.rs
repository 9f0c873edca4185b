//! `holm trust suggest`: the smallest flags that would have covered what was approved in the
//! sessions of this folder. No flag is wider than what was approved: where the smallest one is, a
//! note says what it would cover. Commands are suggested as
//! rules, because grants for them (`exec:*`, `write:**`) cover much more than one command.
//!
//! It only reads journals (`holm-store`) and prints; nothing is granted. What one call would need
//! now is explained in `explain.rs`, and levels of folders are changed in `commands/trust.rs`. The
//! journal does not say whether a person or `--yes` approved a call, so both count.

use std::collections::{BTreeMap, BTreeSet};

use holm::{
    grants::{Grant, GrantSet, Level},
    kernel::{AskReason, Effect, Input, Proposal, QuestionId, Verdict, journal},
    runtime::JournalStore as _,
    store::{SessionQuery, Store},
};
use holm_tools::shell::{self, CommandRule, RUN_PROGRAM, SHELL};
use serde_json::json;

use crate::{
    command_rule,
    exit::CommandExit,
    holm_paths::{HolmPaths, quoted},
    screen::TerminalOutput,
    session_sidecar::SessionSidecar,
};

/// How many sessions are looked at, the latest first.
const MOST_SESSIONS: u32 = 200;
/// Grants something that was missing.
const GRANT: &str = "--grant";
/// Approves calls that the mode asks about, and grants what they need.
const YES: &str = "--yes";
/// Lets a command run without a question.
const ALLOW_COMMAND: &str = "--allow-command";

/// What was approved, each with how often.
#[derive(Debug, Default, PartialEq, Eq)]
struct ApprovedCalls {
    /// Grants, by the flag that gives them and by their text.
    grants: BTreeMap<(&'static str, String), (Grant, u64)>,
    commands: BTreeMap<CommandRule, u64>,
    /// Whether a command missed a grant, which a rule does not give.
    commands_miss_grants: bool,
    /// Needs that no flag can name: the name of the file looks like a pattern.
    unnamed: BTreeSet<String>,
    /// Flags that would cover more than was approved, with what they cover in words and how often a
    /// call that they cover was approved.
    wider: BTreeMap<(&'static str, String), (String, u64)>,
}

/// A flag with its value, and how often what it covers was approved.
#[derive(Debug, Clone, PartialEq, Eq)]
struct SuggestedFlag {
    flag: &'static str,
    value: String,
    approved: u64,
}

pub(super) async fn execute(
    places: &HolmPaths,
    screen: &TerminalOutput,
    as_json: bool,
) -> anyhow::Result<CommandExit> {
    let store = places.store_to_read().await?;
    let query = SessionQuery { limit: Some(MOST_SESSIONS), ..SessionQuery::default() };
    let mut approved = ApprovedCalls::default();
    for session in store.list(&query).await?.sessions {
        let began = SessionSidecar::of(places, &session.run).ok().flatten();
        if began.is_some_and(|began| began.check(places, &session.run).is_ok()) {
            approved.add_session(&store, &session.run).await;
        }
    }
    let flags = approved.flags();
    if as_json {
        let row = |flag: &SuggestedFlag| json!({ "flag": flag.flag, "value": flag.value, "approved": flag.approved });
        screen.line(&json!(flags.iter().map(row).collect::<Vec<_>>()).to_string());
        return Ok(CommandExit::Done);
    }
    for need in &approved.unnamed {
        screen
            .note(&format!("holm: no flag covers {need}, because the name of the file looks like a pattern"));
    }
    for ((flag, value), (covers, count)) in &approved.wider {
        let (value, times) = (quoted(value), times(*count));
        screen.note(&format!("holm: {flag} {value} would cover more than was approved ({times}): {covers}"));
    }
    if flags.is_empty() && approved.unnamed.is_empty() && approved.wider.is_empty() {
        screen.note(
            "holm: nothing to suggest: the sessions of this folder have no approval that a flag covers",
        );
    }
    for SuggestedFlag { flag, value, approved } in flags {
        screen.line(&format!("{flag} {}  # approved {}", quoted(&value), times(approved)));
    }
    if approved.commands_miss_grants {
        screen.note("holm: `--allow-command` also needs the level `edit`, which grants what commands need");
    }
    Ok(CommandExit::Done)
}

fn times(count: u64) -> String {
    if count == 1 { "once".into() } else { format!("{count} times") }
}

impl ApprovedCalls {
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
        let is_personal = |reason: &AskReason| matches!(reason, AskReason::LeavesPlan | AskReason::HookWants);
        if proposal.reasons.iter().any(is_personal) || !proposal.hands_on.is_empty() {
            return;
        }
        if [SHELL, RUN_PROGRAM].contains(&proposal.tool.as_str()) {
            return self.add_command(proposal);
        }
        // A grant for such a tool would cover all of its calls.
        if proposal.level == Level::Execute {
            return;
        }
        let is_granting = proposal.reasons.iter().all(|reason| *reason == AskReason::MissingGrant);
        let (flag, needs) = if is_granting {
            (GRANT, proposal.missing.clone())
        } else {
            (YES, shell::asked_needs(proposal).cloned().collect())
        };
        // What an answer for the session gives: a star in a name is a letter.
        let given = shell::session_grants(&Proposal { missing: needs.clone(), ..proposal.clone() });
        for (grant, need) in given.into_iter().zip(needs) {
            if !shell::admits(&std::iter::once(grant.clone()).collect(), &need) {
                self.unnamed.insert(need);
                continue;
            }
            let value = grant.to_string();
            if matches!(grant, Grant::Fetch(_)) {
                // A page cannot be granted without the pages below it.
                self.add_wider(flag, value, "the page and everything below it".into());
                continue;
            }
            self.grants.entry((flag, value)).or_insert((grant, 0)).1 += 1;
        }
    }

    fn add_wider(&mut self, flag: &'static str, value: String, covers: String) {
        self.wider.entry((flag, value)).or_insert((covers, 0)).1 += 1;
    }

    /// Adds a rule for exactly this command, if a rule can hold it.
    fn add_command(&mut self, proposal: &Proposal) {
        let Some(rule) = command_rule::rule_of(&proposal.tool, &proposal.arguments) else { return };
        self.commands_miss_grants |= !proposal.missing.is_empty();
        if rule.is_exact() {
            *self.commands.entry(rule).or_default() += 1;
        } else {
            self.add_wider(ALLOW_COMMAND, rule.to_string(), rule.scope());
        }
    }

    /// The flags, without grants that another one contains. The most frequent come first.
    fn flags(&self) -> Vec<SuggestedFlag> {
        let mut flags: Vec<SuggestedFlag> = [GRANT, YES].iter().flat_map(|flag| self.least(flag)).collect();
        flags.extend(self.commands.iter().map(|(rule, approved)| SuggestedFlag {
            flag: ALLOW_COMMAND,
            value: rule.to_string(),
            approved: *approved,
        }));
        flags.sort_by(|one, other| {
            other.approved.cmp(&one.approved).then_with(|| one.value.cmp(&other.value))
        });
        flags
    }

    /// The grants of a flag that no other one contains, each with the counts
    /// of those that it contains.
    fn least(&self, flag: &'static str) -> Vec<SuggestedFlag> {
        let given = self.grants.iter().filter(|((given_by, _), _)| *given_by == flag);
        let all: Vec<&(Grant, u64)> = given.map(|(_, grant)| grant).collect();
        let is_contained = |at: usize, grant: &Grant| {
            let others = all.iter().enumerate().filter(|(other, _)| *other != at);
            let others: GrantSet = others.map(|(_, (other, _))| other.clone()).collect();
            others.contains(grant)
        };
        let least = all.iter().enumerate().filter(|(at, (grant, _))| !is_contained(*at, grant));
        let flags = least.map(|(_, (grant, _))| {
            let one: GrantSet = std::iter::once(grant.clone()).collect();
            let approved = all.iter().filter(|(other, _)| one.contains(other)).map(|(_, count)| count).sum();
            SuggestedFlag { flag, value: grant.to_string(), approved }
        });
        flags.collect()
    }
}

#[cfg(test)]
mod tests {
    use holm::kernel::Marks;

    use super::*;

    /// An approved call: its tool and arguments, what it needs, and whether that was missing.
    fn proposal(tool: &str, level: Level, arguments: &serde_json::Value, needs: &[&str]) -> Proposal {
        let needs: Vec<String> = needs.iter().map(|need| (*need).to_owned()).collect();
        Proposal {
            call: QuestionId::new(1),
            tool_call: holm::kernel::ToolCallId::new(2),
            tool: tool.into(),
            digest: String::new(),
            arguments: arguments.to_string(),
            level,
            missing: needs.clone(),
            needs,
            hands_on: Vec::new(),
            reasons: vec![AskReason::MissingGrant],
            marks: Marks::default(),
        }
    }

    fn suggested(proposals: &[Proposal]) -> Vec<String> {
        let mut approved = ApprovedCalls::default();
        proposals.iter().for_each(|proposal| approved.add(proposal));
        let line = |flag: SuggestedFlag| format!("{} {} {}", flag.flag, flag.value, flag.approved);
        approved.flags().into_iter().map(line).collect()
    }

    fn read(path: &str) -> Proposal {
        let need = format!("read:{path}");
        proposal("read", Level::ReadOnly, &json!({ "path": path.trim_end_matches('*') }), &[&need])
    }

    fn write(path: &str) -> Proposal {
        let need = format!("write:{path}");
        let asked = proposal("write", Level::Write, &json!({ "path": path }), &[&need]);
        Proposal { reasons: vec![AskReason::MissingGrant, AskReason::Level], ..asked }
    }

    fn command(script: &str) -> Proposal {
        let needs = ["exec:*", "exec:./**", "read:**", "write:**"];
        proposal(SHELL, Level::Execute, &json!({ "script": script }), &needs)
    }

    #[test]
    fn what_another_grant_contains_is_left_out_and_counted_there() {
        let calls = [read("src/**"), read("src/b.rs"), read("src/b.rs"), write("src/a.rs")];
        assert_eq!(suggested(&calls), ["--grant read:src/** 3", "--yes write:src/a.rs 1"]);
    }

    #[test]
    fn a_name_that_looks_like_a_pattern_is_left_out_because_no_flag_covers_it() {
        assert_eq!(suggested(&[write("a*.txt"), write("b.txt")]), ["--yes write:b.txt 1"]);
        assert_eq!(suggested(&[write("src/**")]), [""; 0]);
    }

    #[test]
    fn a_write_that_only_the_mode_asked_about_is_suggested_too() {
        let asked = Proposal { missing: Vec::new(), reasons: vec![AskReason::Level], ..write("a.txt") };
        assert_eq!(suggested(&[asked]), ["--yes write:a.txt 1"]);
    }

    #[test]
    fn a_command_is_suggested_as_a_rule_and_never_as_a_grant() {
        let calls = [command("npm test"), command("npm test"), command("a && b"), command("echo $X")];
        assert_eq!(suggested(&calls), ["--allow-command npm test 2"]);
        assert_eq!(suggested(&[command("make CC=gcc")]), ["--allow-command make CC=gcc 1"]);
        for wider in ["npm '*'", "npm *"] {
            assert_eq!(suggested(&[command(wider)]), [""; 0], "{wider}");
        }
        let argv = json!({ "program": "npm", "args": ["test"] });
        let argv = proposal(RUN_PROGRAM, Level::Execute, &argv, &["exec:npm"]);
        assert_eq!(suggested(&[argv]), ["--allow-command npm test 1"]);
    }

    #[test]
    fn what_no_flag_covers_alone_is_told_with_what_the_flag_would_cover() {
        let url = "https://docs.rs/serde";
        let need = format!("fetch:{url}");
        let fetch = || proposal("fetch", Level::ReadOnly, &json!({ "url": url }), &[&need]);
        let calls = [command("git diff --output=a"), command("ls -l"), command("ls -l"), fetch()];
        assert_eq!(suggested(&calls), [""; 0]);
        let mut approved = ApprovedCalls::default();
        calls.iter().for_each(|proposal| approved.add(proposal));
        let told: Vec<String> = approved
            .wider
            .iter()
            .map(|((_, value), (covers, count))| format!("{value}: {covers}, {count}"))
            .collect();
        let expect = [
            "git diff --output=a: git diff --output=a with any names and further display options, 1",
            "ls -l: ls -l with any names, and no other options, 2",
            "fetch:https://docs.rs/serde: the page and everything below it, 1",
        ];
        assert_eq!(told, expect);
    }

    #[test]
    fn what_only_a_person_can_approve_is_not_suggested() {
        for reason in [AskReason::LeavesPlan, AskReason::HookWants] {
            assert_eq!(suggested(&[Proposal { reasons: vec![reason], ..write("a.txt") }]), [""; 0]);
        }
        assert_eq!(suggested(&[proposal("db__drop", Level::Execute, &json!({}), &[])]), [""; 0]);
    }
}
