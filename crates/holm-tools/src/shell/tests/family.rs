//! What an answer for a family of calls covers, and for which calls there is none.

use holm_grants::{AccessRequest, Grant, GrantSet, Level};
use holm_kernel::{AskReason, Marks, Proposal, QuestionId, ToolCallId};
use proptest::prelude::*;

use crate::shell::AnswerFamily;
use crate::shell::answer_family::covers;

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
fn a_host_that_was_not_granted_can_be_allowed_after_something_was_read() {
    let mut asked = proposal(&["fetch:https://docs.rs/serde"]);
    asked.level = Level::ReadOnly;
    asked.reasons = vec![AskReason::MissingGrant, AskReason::EgressAfterMark];
    let family = AnswerFamily::of(&asked).expect("a family");
    assert_eq!(family.label(), "everything at https://docs.rs (fetch:https://docs.rs)");
    // A host that was granted before anything was read is asked about each time.
    asked.missing.clear();
    asked.reasons = vec![AskReason::EgressAfterMark];
    assert_eq!(AnswerFamily::of(&asked), None);
}

proptest! {
    #[test]
    fn a_family_covers_exactly_what_its_grants_contain(
        first in "(write|read):([a-c]{1,2}/){0,2}[a-c]",
        later in "(write|read|exec):([a-c.]{1,2}/){0,3}[a-c]",
    ) {
        let family = AnswerFamily::of(&proposal(&[&first])).expect("a family");
        let grants: GrantSet = family.grants().iter().cloned().collect();
        prop_assert!(grants.admits(&first.parse::<AccessRequest>().expect("a need")));
        let mut asked = proposal(&[&later]);
        // The grant is held, and the mode asks.
        asked.reasons = vec![AskReason::Level];
        let is_read = later.starts_with("read:");
        asked.missing = if is_read { asked.needs.clone() } else { Vec::new() };
        let admitted = later.parse::<AccessRequest>().is_ok_and(|need| grants.admits(&need));
        prop_assert_eq!(covers(&grants, &asked), admitted);
        let shown = family.grants().iter().map(Grant::to_string).collect::<Vec<_>>().join(" ");
        let is_named = family.label().ends_with(&format!("({shown})"));
        prop_assert!(is_named);
    }
}
