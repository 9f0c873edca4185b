use super::*;

fn grants(texts: &[&str]) -> GrantSet {
    GrantSet::parse(texts.iter().copied()).unwrap()
}

#[test]
fn a_policy_narrows_what_a_session_has_and_never_widens_it() {
    let most = PolicyCeiling {
        mode: Some(Mode::AcceptEdits),
        grants: Some(grants(&["read:**", "write:**"])),
        budget: Some(NanoUsd::new(5_000)),
    };
    let has = |mode: Mode, texts: &[&str], budget: Option<u64>| SessionAuthority {
        mode,
        grants: grants(texts),
        budget: budget.map(NanoUsd::new),
    };
    let small = has(Mode::Plan, &["read:src/**", "spawn:kid"], Some(100));
    let bound = most.bind(ResumeChanges::default(), &small);
    assert_eq!((bound.mode, bound.budget), (None, None), "it keeps what is narrower");
    assert_eq!(bound.grants, Some(grants(&["read:src/**", "spawn:kid"])));
    let large = has(Mode::Full, &["read:**", "exec:*"], None);
    let bound = most.bind(ResumeChanges::default(), &large);
    assert_eq!(bound.mode, Some(Mode::AcceptEdits));
    assert_eq!(bound.grants, Some(grants(&["read:**"])));
    assert_eq!(bound.budget, Some(Budget { usd: Some(NanoUsd::new(5_000)) }));
    // A person who says so widens, within the policy.
    let given = ResumeChanges { mode: Some(Mode::Default), ..ResumeChanges::default() };
    assert_eq!(most.bind(given, &small).mode, Some(Mode::Default));
    assert_eq!(PolicyCeiling::default().bind(ResumeChanges::default(), &large), ResumeChanges::default());
}
