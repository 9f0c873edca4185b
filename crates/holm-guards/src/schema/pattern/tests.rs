//! Compares the engine with a larger one. `schema/tests/pattern.rs` tests what patterns mean in
//! JavaScript.

use alloc::borrow::ToOwned;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

use proptest::prelude::*;
use regex_automata::meta::Regex;

use super::EcmaPattern;
use crate::schema::SupportGap;

/// Both engines must say the same of every text.
#[track_caller]
fn check(pattern: &str, theirs: &str, texts: &[&str]) {
    let ours = EcmaPattern::compile(pattern).unwrap_or_else(|error| panic!("{pattern}: {error}"));
    let theirs = Regex::new(theirs).unwrap_or_else(|error| panic!("{theirs}: {error}"));
    for text in texts {
        assert_eq!(ours.is_match(text), theirs.is_match(text), "{pattern} on {text:?}");
    }
}

/// A part of a pattern, as written here and as the judge writes it.
fn parts() -> impl Strategy<Value = (String, String)> {
    let same = |text: &str| Just((String::from(text), String::from(text)));
    let leaf = prop_oneof![
        4 => "[ab_ é]".prop_map(|c: String| (c.clone(), c)),
        1 => same("[ab]"),
        1 => same("[^a]"),
        1 => same("[a-c_-]"),
        1 => same("^"),
        1 => same("$"),
        1 => same(""),
        1 => Just((r"\b".into(), r"(?-u:\b)".into())),
        1 => Just((r"\B".into(), r"(?-u:\B)".into())),
        1 => Just((r"\w".into(), "[0-9A-Za-z_]".into())),
        1 => Just((r"\W".into(), "[^0-9A-Za-z_]".into())),
        1 => Just((".".into(), r"[^\n\r\u{2028}\u{2029}]".into())),
    ];
    leaf.prop_recursive(5, 24, 3, |inner| {
        let repeat = prop_oneof![
            Just("*"),
            Just("+"),
            Just("?"),
            Just("*?"),
            Just("{2}"),
            Just("{1,}"),
            Just("{0,2}")
        ];
        prop_oneof![
            proptest::collection::vec(inner.clone(), 1..4)
                .prop_map(|row| row.into_iter().unzip::<_, _, Vec<_>, Vec<_>>())
                .prop_map(|(ours, theirs)| (ours.concat(), theirs.concat())),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| (
                alloc::format!("(?:{}|{})", a.0, b.0),
                alloc::format!("(?:{}|{})", a.1, b.1)
            )),
            (inner, repeat)
                .prop_map(|(a, r)| (alloc::format!("(?:{}){r}", a.0), alloc::format!("(?:{}){r}", a.1))),
        ]
    })
}

proptest! {
    #[test]
    fn a_larger_engine_says_the_same((ours, theirs) in parts(), texts in proptest::collection::vec("[abc_ é\n]{0,9}", 8)) {
        check(&ours, &theirs, &texts.iter().map(String::as_str).collect::<Vec<_>>());
    }

    #[test]
    fn no_pattern_and_no_text_break_it(pattern in "[ab()|*+?{}\\[\\]^$.,0-9\\\\bdwWsSu-]{0,20}", text in ".{0,20}") {
        if let Ok(pattern) = EcmaPattern::compile(&pattern) {
            let _ = pattern.is_match(&text);
        }
    }
}

#[test]
fn a_search_that_fills_its_memory_goes_on_with_less() {
    // One state for each of the last ten characters: a thousand, more than are kept.
    let texts: Vec<String> = (0..4_u32)
        .map(|seed| (0..3_000_u32).map(|n| if (n * n + seed * n) % 7 < 3 { 'a' } else { 'b' }).collect())
        .collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    check("a[ab]{10}a[ab]{10}bbbb", "a[ab]{10}a[ab]{10}bbbb", &texts);
    check("a[ab]{10}c", "a[ab]{10}c", &texts);
}

#[test]
fn classes_beyond_the_table_are_looked_up() {
    let many: String = (0..3_000_u32).filter_map(|n| char::from_u32(0x4e00 + 2 * n)).collect();
    let pattern = alloc::format!("^[{many}]+$");
    check(&pattern, &pattern, &["\u{4e00}\u{4e02}", "\u{4e00}\u{4e01}", "a", "", "\u{10ffff}", &many]);
}

#[test]
fn nothing_repeated_is_nothing() {
    for pattern in
        ["(?:){1000000000}", "(?:){0,1000000000}", "(?:(?:){9,}){9,}", "(?:^*$*)*", "(?:a*)*", "(?:a*b*)+"]
    {
        assert!(EcmaPattern::compile(pattern).is_ok_and(|pattern| pattern.is_match("")), "{pattern}");
    }
    let large = |text: &str| {
        EcmaPattern::compile(text) == Err(super::PatternError::Unsupported(SupportGap::PatternTooLarge))
    };
    assert!(large("a{1000000000}") && large("(?:a?){100000}") && !large("a{8000}"));
}

#[test]
fn stacked_quantifiers_end() {
    assert!(EcmaPattern::compile("a***").is_ok());
    assert!(EcmaPattern::compile(&("a".to_owned() + &"*".repeat(10_000))).is_err());
}
