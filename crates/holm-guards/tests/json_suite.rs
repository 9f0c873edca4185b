//! The parser against `JSONTestSuite`: what must be accepted is, what must be refused is, and what
//! is left to the implementation is decided here and stays decided.

#![expect(clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

mod suites;

use std::collections::BTreeSet;

use holm_guards::json::{Json, MAX_DEPTH};

/// Cases that the suite leaves open and that we accept. Every other open case is refused.
const ACCEPTED: [&str; 10] = [
    // Number text is kept, so no number is too large, too small or too precise.
    "i_number_double_huge_neg_exp.json",
    "i_number_huge_exp.json",
    "i_number_neg_int_huge_exp.json",
    "i_number_pos_double_huge_exp.json",
    "i_number_real_neg_overflow.json",
    "i_number_real_pos_overflow.json",
    "i_number_real_underflow.json",
    "i_number_too_big_neg_int.json",
    "i_number_too_big_pos_int.json",
    "i_number_very_big_negative_int.json",
];

/// Open cases whose bytes are not UTF-8: the package holds them with replacement characters,
/// which are fine text.
const REPLACED: [&str; 10] = [
    "i_string_UTF-8_invalid_sequence.json",
    "i_string_UTF8_surrogate_U+D800.json",
    "i_string_invalid_utf-8.json",
    "i_string_iso_latin_1.json",
    "i_string_lone_utf8_continuation_byte.json",
    "i_string_not_in_unicode_range.json",
    "i_string_overlong_sequence_2_bytes.json",
    "i_string_overlong_sequence_6_bytes.json",
    "i_string_overlong_sequence_6_bytes_null.json",
    "i_string_truncated-utf-8.json",
];

#[test]
fn the_parser_decides_every_case_of_the_suite_as_it_should() {
    let cases = suites::read(&suites::folder("json").join("parsing.json"));
    let cases = cases.as_array().expect("a list of cases");
    let mut wrong = BTreeSet::new();
    let mut count = 0;
    for case in cases {
        let name = case.get("name").and_then(Json::as_str).expect("a name");
        let input = case.get("input").and_then(Json::as_str).expect("an input");
        let accepted = Json::parse(input).is_ok();
        let expected = match name.as_bytes().first() {
            Some(b'y') => true,
            Some(b'n') => false,
            _ => ACCEPTED.contains(&name) || REPLACED.contains(&name),
        };
        if accepted != expected {
            wrong.insert((name, accepted));
        }
        count += 1;
    }
    println!("{count} cases, {} wrong", wrong.len());
    assert!(count > 300, "the suite has shrunk to {count} cases");
    assert!(wrong.is_empty(), "decided otherwise than expected (name, accepted): {wrong:#?}");
}

#[test]
fn what_the_suite_accepts_survives_the_canonical_writer() {
    let cases = suites::read(&suites::folder("json").join("parsing.json"));
    for case in cases.as_array().expect("a list of cases") {
        let input = case.get("input").and_then(Json::as_str).expect("an input");
        let Ok(value) = Json::parse(input) else { continue };
        assert_eq!(Json::parse(&value.canonical()).as_ref(), Ok(&value), "{input}");
    }
}

#[test]
fn a_hundred_thousand_brackets_are_an_error_and_not_a_crash() {
    for open in ["[", "{\"a\":", "[{\"a\":"] {
        let error = Json::parse(&open.repeat(100_000)).expect_err("far too deep");
        assert!(error.at.offset <= open.len() * (usize::from(MAX_DEPTH) + 1), "{error}");
    }
}
