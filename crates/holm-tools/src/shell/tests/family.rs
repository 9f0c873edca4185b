//! What an answer for a family of calls covers, and for which calls there is none.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use holm_grants::{Grant, Level};
use holm_kernel::{AskReason, Marks, Proposal, QuestionId, ToolCallId, Verdict};
use holm_runtime::{Approver as _, BoxFuture};
use proptest::prelude::*;

use crate::shell::{AnswerFamily, ApprovalAnswer, ApprovalAsker, ApprovalGate, ApprovalOffer, CommandRules};

/// A question about a call with these needs, all of them missing.
fn proposal(needs: &[&str]) -> Proposal {
    let needs: Vec<String> = needs.iter().map(|need| (*need).to_owned()).collect();
    Proposal {
        call: QuestionId::new(1),
        tool_call: ToolCallId::new(2),
        tool: "edit".into(),
        digest: String::new(),
        arguments: "{}".into(),
        level: Level::Write,
        missing: needs.clone(),
        needs,
        hands_on: Vec::new(),
        reasons: vec![AskReason::MissingGrant, AskReason::Level],
        marks: Marks::default(),
    }
}

fn label(needs: &[&str]) -> Option<String> {
    AnswerFamily::of(&proposal(needs)).map(|family| family.label().to_owned())
}

#[test]
fn a_family_is_named_by_what_it_is_and_by_its_grants() {
    for (needs, expected) in [
        (vec!["read:README.md"], "reads here (read:**)"),
        (vec!["write:src/calc.py"], "writes under src/ (write:src/**)"),
        (vec!["write:src/a/x.rs", "write:src/b/y.rs"], "writes under src/ (write:src/**)"),
        (vec!["write:notes.txt"], "writes here (write:**)"),
        (
            vec!["read:src/calc.py", "write:src/calc.py"],
            "reads here and writes under src/ (read:** write:src/**)",
        ),
        (
            vec!["fetch:https://docs.rs/serde", "fetch:https://docs.rs/toml?q=1"],
            "everything at https://docs.rs (fetch:https://docs.rs)",
        ),
    ] {
        assert_eq!(label(&needs).as_deref(), Some(expected));
    }
}

#[test]
fn there_is_no_family_for_what_one_answer_must_not_cover() {
    for needs in [
        vec![],
        vec!["write:/etc/passwd"],
        vec!["write:../other/x"],
        vec!["write:.vscode/settings.json"],
        vec!["write:src/.cache/x"],
        vec!["write:a*b/x"],
        vec!["write:src/\\u{202e}x/y"],
        vec!["exec:*"],
        vec!["secret:TOKEN@https://a.example"],
        vec!["fetch:https://a.example/", "fetch:https://b.example/"],
        vec!["fetch:http://169.254.169.254/"],
        vec!["read:a", "fetch:https://a.example/"],
    ] {
        assert_eq!(label(&needs), None, "{needs:?}");
    }
    let changes: [fn(&mut Proposal); 4] = [
        |proposal| proposal.level = Level::Execute,
        |proposal| proposal.hands_on = vec!["read:**".into()],
        |proposal| proposal.reasons.push(AskReason::EgressAfterMark),
        |proposal| proposal.reasons.push(AskReason::LeavesPlan),
    ];
    for change in changes {
        let mut asked = proposal(&["write:src/a"]);
        change(&mut asked);
        assert_eq!(AnswerFamily::of(&asked), None, "{asked:?}");
    }
}

#[test]
fn a_host_can_be_allowed_after_something_was_read() {
    let mut asked = proposal(&["fetch:https://docs.rs/serde"]);
    asked.level = Level::ReadOnly;
    asked.reasons = vec![AskReason::MissingGrant, AskReason::EgressAfterMark];
    let family = AnswerFamily::of(&asked).expect("a family");
    assert_eq!(family.label(), "everything at https://docs.rs (fetch:https://docs.rs)");
    // A grant from before that is no answer, so it is asked about once more.
    asked.missing.clear();
    asked.reasons = vec![AskReason::EgressAfterMark];
    assert_eq!(AnswerFamily::of(&asked), Some(family));
    asked.reasons.push(AskReason::HookWants);
    assert_eq!(AnswerFamily::of(&asked), None);
}

/// Answers the first question for its family, and denies all others.
#[derive(Clone, Default)]
struct OneYes(Arc<AtomicUsize>);

impl ApprovalAsker for OneYes {
    fn ask(&self, _: Proposal, _: ApprovalOffer) -> BoxFuture<'static, ApprovalAnswer> {
        let is_first = self.0.fetch_add(1, Ordering::Relaxed) == 0;
        let no = ApprovalAnswer::No { reason: "no".into() };
        Box::pin(async move { if is_first { ApprovalAnswer::Family } else { no } })
    }
}

/// Whether the words of a label cover a need: "writes here" covers all files in the workspace,
/// "writes under a/" those with that beginning, and neither covers anything that is not a write.
fn is_named(label: &str, need: &str) -> bool {
    let Some(path) = need.strip_prefix("write:") else { return false };
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "." => {}
            ".." => {
                if parts.pop().is_none() {
                    return false;
                }
            }
            name => parts.push(name),
        }
    }
    let (words, _) = label.split_once(" (").expect("words and grants");
    match words.split_once("writes ") {
        Some((_, "here")) => true,
        Some((_, under)) => {
            let folder = under.strip_prefix("under ").expect("a folder");
            format!("{}/", parts[..parts.len() - 1].join("/")).starts_with(folder)
        }
        None => false,
    }
}

proptest! {
    #[test]
    fn a_family_covers_exactly_what_its_label_says(
        first in "(write|read):([a-c]{1,2}/){0,2}[a-c]",
        later in "(write|read|exec):([a-c]{1,2}/|\\.\\./|\\./){0,3}[a-c]",
        can_run in any::<bool>(),
        hands_on in any::<bool>(),
        misses in any::<bool>(),
    ) {
        let asker = OneYes::default();
        let gate = ApprovalGate::new(asker.clone(), CommandRules::default());
        let family = AnswerFamily::of(&proposal(&[&first])).expect("a family");
        let mut asked = proposal(&[&later]);
        if can_run {
            asked.level = Level::Execute;
        }
        if hands_on {
            asked.hands_on = vec!["read:**".into()];
        }
        if !misses {
            // The grant is held, and the mode asks.
            asked.reasons = vec![AskReason::Level];
            asked.missing.clear();
        }
        let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
        let (first_verdict, later_verdict) = runtime
            .block_on(async { (gate.judge(proposal(&[&first])).await, gate.judge(asked.clone()).await) });
        let given = Verdict::Allow { grants: family.grants().iter().cloned().collect(), until: None };
        prop_assert_eq!(first_verdict, given);
        let expected = is_named(family.label(), &later) && !can_run && !hands_on && !misses;
        let is_allowed = matches!(later_verdict, Verdict::Allow { .. });
        prop_assert_eq!(is_allowed, expected, "{} {}", family.label(), later);
        prop_assert_eq!(asker.0.load(Ordering::Relaxed), if expected { 1 } else { 2 });
        prop_assert_eq!(is_named(family.label(), &first), first.starts_with("write:"));
        let shown = family.grants().iter().map(Grant::to_string).collect::<Vec<_>>().join(" ");
        let is_shown = family.label().ends_with(&format!("({shown})"));
        prop_assert!(is_shown);
    }
}
