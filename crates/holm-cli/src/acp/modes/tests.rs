use super::*;

fn ids(most: Mode) -> Vec<String> {
    state(Mode::Plan, most).available_modes.iter().map(|mode| mode.id.0.to_string()).collect()
}

#[test]
fn no_mode_is_offered_that_the_policy_does_not_allow() {
    assert_eq!(ids(Mode::Full), ["plan", "default", "accept-edits", "full"]);
    assert_eq!(ids(Mode::Default), ["plan", "default"]);
    assert_eq!(&*state(Mode::Default, Mode::Full).current_mode_id.0, "default");
}

#[test]
fn a_mode_is_read_as_far_as_the_policy_goes() {
    let check = |text: &'static str, most, expect: Option<Mode>| {
        assert_eq!(read(&SessionModeId::new(text), most).ok(), expect, "{text} of {most}");
    };
    check("plan", Mode::Default, Some(Mode::Plan));
    check("accept-edits", Mode::Full, Some(Mode::AcceptEdits));
    check("full", Mode::AcceptEdits, None);
    check("root", Mode::Full, None);
}
