use super::*;

fn grants(texts: &[&str]) -> Vec<Grant> {
    texts.iter().map(|text| text.parse().unwrap()).collect()
}

fn terms(granted: &[&str], by_level: &[&str]) -> SessionTerms {
    let level = LevelTerms { grants: grants(by_level), mode: Some(Mode::AcceptEdits) };
    SessionTerms { granted: grants(granted), level, ..SessionTerms::default() }
}

#[test]
fn what_came_from_the_level_ends_with_it_also_where_it_was_narrowed() {
    let check = |began: SessionTerms, has: &[&str], now: SessionTerms, expect: &[&str]| {
        let (has, expect) = (set(&grants(has)), set(&grants(expect)));
        assert_eq!(began.narrowed(&has, &now), expect, "{began:?} {now:?}");
    };
    let (edit, look) = (["read:**", "write:**"], ["read:**"]);
    check(terms(&[], &edit), &edit, terms(&[], &edit), &edit);
    check(terms(&[], &edit), &edit, terms(&[], &look), &look);
    // A policy or a project had narrowed it.
    check(terms(&[], &edit), &["read:**", "write:src/**"], terms(&[], &look), &look);
    // The person gave it too, or gave it later.
    check(terms(&["write:**"], &edit), &edit, terms(&[], &look), &edit);
    check(terms(&[], &look), &["read:**", "exec:git"], terms(&[], &[]), &["exec:git"]);
    // The person now gives a part of it by settings.
    check(terms(&[], &edit), &edit, terms(&["write:src/**"], &look), &["read:**", "write:src/**"]);
}

#[test]
fn a_mode_that_came_from_the_level_ends_with_it() {
    let began = terms(&[], &["read:**"]);
    assert_eq!(began.lowered_mode(Mode::AcceptEdits, Mode::Default), Some(Mode::Default));
    assert_eq!(began.lowered_mode(Mode::AcceptEdits, Mode::AcceptEdits), None);
    // The person chose it since.
    assert_eq!(began.lowered_mode(Mode::Full, Mode::Default), None);
    assert_eq!(SessionTerms::default().lowered_mode(Mode::AcceptEdits, Mode::Default), None);
}

#[test]
fn a_level_chosen_in_a_chat_takes_the_place_of_what_gave_the_same_before() {
    let mut chosen = terms(&["write:**", "exec:git"], &["read:**"]);
    chosen.trust(TrustLevel::Look, Mode::Default);
    assert_eq!(chosen.granted, grants(&["exec:git"]));
    assert_eq!(chosen.level, LevelTerms { grants: TrustLevel::Look.grants(), mode: Some(Mode::Default) });
}
