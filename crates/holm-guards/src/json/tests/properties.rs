use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::cmp::Ordering;

use proptest::collection::{btree_map, vec};
use proptest::prelude::{Just, Strategy, any, prop_oneof, proptest};
use proptest::{prop_assert, prop_assert_eq};

use crate::json::{Json, JsonNumber};

/// Any number text that JSON allows.
pub(crate) fn any_number() -> impl Strategy<Value = JsonNumber> {
    "-?(0|[1-9][0-9]{0,25})(\\.[0-9]{1,12})?([eE][+-]?[0-9]{1,4})?"
        .prop_map(|text| text.parse().expect("a number"))
}

/// Any value of moderate size.
pub(crate) fn any_json() -> impl Strategy<Value = Json> {
    let leaf = prop_oneof![
        Just(Json::Null),
        any::<bool>().prop_map(Json::Bool),
        any_number().prop_map(Json::Number),
        any::<String>().prop_map(Json::String),
        "[a-c]{0,2}".prop_map(Json::String),
    ];
    leaf.prop_recursive(5, 40, 6, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..6).prop_map(Json::Array),
            btree_map(prop_oneof!["[a-d]", any::<String>()], inner, 0..6).prop_map(Json::object),
        ]
    })
}

/// Text that is nearly JSON more often than random text is.
fn scraps() -> impl Strategy<Value = String> {
    let scrap = prop_oneof![
        "[\\[\\]{}:,\" \\\\-]",
        "(true|false|null|nul|0|-1|1e5|0.5|01|1\\.)",
        "\"(a|é|\\\\n|\\\\u00e9|\\\\ud83d\\\\ude00|\\\\ud800|\\\\x)*\"",
        "\\PC",
    ];
    vec(scrap, 0..12).prop_map(|scraps| scraps.concat())
}

proptest! {
    #[test]
    fn what_is_written_reads_back_the_same(value in any_json()) {
        let text = value.canonical();
        let again = Json::parse(&text);
        prop_assert_eq!(again.as_ref(), Ok(&value));
        prop_assert_eq!(Json::parse_strict(&text), Ok(value));
    }

    #[test]
    fn white_space_changes_nothing(value in any_json(), space in "[ \t\r\n]{0,3}") {
        let text = alloc::format!("{space}{}{space}", value.canonical());
        prop_assert_eq!(Json::parse(&text), Ok(value));
    }

    #[test]
    fn every_truncation_is_an_error_or_a_value(value in any_json()) {
        let text = value.canonical();
        for end in (0..text.len()).filter(|end| text.is_char_boundary(*end)) {
            let cut = Json::parse(&text[..end]);
            // Only a bare number stays a value when its tail is cut off.
            prop_assert!(cut.is_err() || value.as_number().is_some(), "{}", &text[..end]);
            if let Err(error) = cut {
                prop_assert!(error.at.offset <= end);
            }
        }
    }

    #[test]
    fn we_agree_with_serde_json_about_what_json_is(text in scraps()) {
        let ours = Json::parse(&text);
        let theirs = serde_json::from_str::<&serde_json::value::RawValue>(&text);
        // Raw text is not looked into for surrogates; a string is.
        let theirs = theirs.is_ok() && serde_json::from_str::<serde_json::Value>(&text)
            .map_or_else(|error| error.to_string().contains("out of range"), |_| true);
        prop_assert_eq!(ours.is_ok(), theirs, "{}", text);
    }

    #[test]
    // An `e` after a number continues it, so no tail begins with one.
    fn a_prefix_takes_exactly_the_value(value in any_json(), tail in "([ \\]},a-df-z][ \\]},a-z]{0,4})?") {
        let text = value.canonical();
        let (read, taken) = Json::parse_prefix(&alloc::format!("{text}{tail}")).expect("a value stands there");
        prop_assert_eq!((read, taken), (value, text.len()));
    }

    #[test]
    fn no_text_makes_the_parser_panic(text in any::<String>()) {
        if let Err(error) = Json::parse(&text) {
            prop_assert!(text.is_char_boundary(error.at.offset));
        }
    }

    #[test]
    fn comparing_numbers_is_a_total_order(a in any_number(), b in any_number(), c in any_number()) {
        prop_assert_eq!(a.cmp_value(&b), b.cmp_value(&a).reverse());
        let mut sorted = [&a, &b, &c];
        sorted.sort_by(|a, b| a.cmp_value(b));
        prop_assert!(sorted[0].cmp_value(sorted[2]) != Ordering::Greater);
    }

    #[test]
    fn numbers_compare_as_integers_do(a in any::<i64>(), b in any::<i64>(), zeros in 0_usize..4) {
        let plain = JsonNumber::from(a);
        let spelt: JsonNumber = alloc::format!("{b}.{}e0", "0".repeat(zeros + 1)).parse().expect("a number");
        prop_assert_eq!(plain.cmp_value(&spelt), a.cmp(&b));
        prop_assert_eq!(spelt.as_i64(), Some(b));
        prop_assert!(spelt.is_integer());
    }

    #[test]
    fn scaled_numbers_compare_as_their_digits_do(a in any::<i32>(), b in any::<i32>(), scale in 0_u32..9) {
        let number = |value: i32| alloc::format!("{value}e-{scale}").parse::<JsonNumber>().expect("a number");
        prop_assert_eq!(number(a).cmp_value(&number(b)), a.cmp(&b));
        let power = 10_i64.pow(scale);
        prop_assert_eq!(number(a).is_integer(), i64::from(a) % power == 0);
    }

    #[test]
    fn multiples_agree_with_integer_arithmetic(a in any::<i64>(), b in 1_i64..1_000_000, scale in 0_u32..6) {
        let number = |value: i64| alloc::format!("{value}e-{scale}").parse::<JsonNumber>().expect("a number");
        prop_assert_eq!(number(a).is_multiple_of(&number(b)), Some(a % b == 0));
    }

    #[test]
    fn sameness_is_the_order_s_equality(values in vec(any_json(), 0..8)) {
        let mut sorted: Vec<_> = values.iter().collect();
        sorted.sort_by(|a, b| a.cmp_value(b));
        for pair in sorted.windows(2) {
            prop_assert!(pair[0].cmp_value(pair[1]) != Ordering::Greater);
            prop_assert_eq!(pair[0].same_value(pair[1]), pair[0].cmp_value(pair[1]) == Ordering::Equal);
        }
        for value in &values {
            prop_assert!(value.same_value(value));
        }
    }
}
