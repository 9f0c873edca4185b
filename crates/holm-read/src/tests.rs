//! serde judges: from the same attributes the same values must come, and the same texts must be refused.

use alloc::borrow::ToOwned as _;
use alloc::boxed::Box;
use alloc::collections::{BTreeMap, BTreeSet, VecDeque};
use alloc::format;
use alloc::string::{String, ToString as _};
use alloc::sync::Arc;
use alloc::vec;
use alloc::vec::Vec;
use core::fmt::Debug;

use proptest::prelude::*;
use serde::Deserialize;

use crate::{JsonText, MAX_DEPTH, Read, ReadErrorKind, from_slice, from_str};

#[derive(Debug, PartialEq, Deserialize, Read)]
struct Whole {
    id: u64,
    name: String,
    note: Option<String>,
    #[serde(default)]
    tags: BTreeSet<String>,
    #[serde(default, rename = "type")]
    kind: Kind,
    #[serde(default, alias = "old")]
    list: Vec<Part>,
    #[serde(skip)]
    unseen: u64,
    #[serde(default)]
    r#box: Option<Box<Whole>>,
}

#[derive(Debug, Default, PartialEq, Deserialize, Read)]
#[serde(default, rename_all = "camelCase")]
struct Part {
    first_name: Arc<str>,
    is_small: bool,
    pairs: Vec<(u8, String)>,
    by_number: BTreeMap<u64, u32>,
    queue: VecDeque<u16>,
}

#[derive(Debug, Default, PartialEq, Deserialize, Read)]
#[serde(rename_all = "snake_case")]
enum Kind {
    #[default]
    PlainOne,
    Text(String),
    Two(u64, Marks),
    Named {
        from: u64,
        to: Option<u64>,
    },
    #[serde(rename = "other")]
    Renamed,
}

#[derive(Debug, PartialEq, Deserialize, Read)]
#[serde(transparent)]
struct Marks(BTreeMap<String, bool>);

/// Ours reads what serde reads; what serde refuses is refused.
#[track_caller]
fn check<'a, T: Debug + PartialEq + Deserialize<'a> + Read<'a>>(text: &'a str) {
    let (ours, theirs) = (from_str::<T>(text), serde_json::from_str::<T>(text));
    match (&ours, &theirs) {
        (Ok(ours), Ok(theirs)) => assert_eq!(ours, theirs, "{text}"),
        (Err(_), Err(_)) => {}
        // An object is not read from a list.
        (Err(error), Ok(_)) if *error.kind() == ReadErrorKind::Expected("an object") => {}
        _ => panic!("{text}: {ours:?}, serde says {theirs:?}"),
    }
    assert_eq!(from_slice::<T>(text.as_bytes()), ours);
}

#[test]
fn what_serde_reads_is_read_the_same() {
    for text in [
        r#"{"id":1,"name":"a"}"#,
        r#" { "name" : "a\n\"\\\/\b\f\r\té😀" , "id" : 18446744073709551615 , "note" : null } "#,
        r#"{"id":0,"name":"","note":"n","tags":["b","a","b"],"type":"other","list":[{}],"box":{"id":2,"name":"x"}}"#,
        r#"{"id":1,"name":"a","old":[{"firstName":"f","isSmall":true,"pairs":[[255,"x"]],"byNumber":{"7":8},"queue":[1,2]}]}"#,
        r#"{"id":1,"name":"a","type":{"text":"t"}}"#,
        r#"{"id":1,"name":"a","type":{"two":[5,{"m":true}]}}"#,
        r#"{"id":1,"name":"a","type":{"named":{"from":1}}}"#,
        r#"{"id":1,"name":"a","type":{"plain_one":null}}"#,
        r#"{"id":1,"name":"a","unknown":{"deep":[[],{},"\ud800",-1.5e+3,true,false,null]}}"#,
    ] {
        check::<Whole>(text);
        assert!(from_str::<Whole>(text).is_ok(), "{text}");
    }
}

#[test]
fn what_serde_refuses_is_refused() {
    for text in [
        "",
        "null",
        "[]",
        "{",
        "{}",
        "{}x",
        r#"{"id":1}"#,
        r#"{"id":1,"id":1,"name":"a"}"#,
        r#"{"id":1,"name":"a",}"#,
        r#"{"id":1 "name":"a"}"#,
        r#"{"id":-1,"name":"a"}"#,
        r#"{"id":1.0,"name":"a"}"#,
        r#"{"id":1e3,"name":"a"}"#,
        r#"{"id":01,"name":"a"}"#,
        r#"{"id":"1","name":"a"}"#,
        r#"{"id":18446744073709551616,"name":"a"}"#,
        r#"{"id":1,"name":null}"#,
        r#"{"id":1,"name":"\ud800"}"#,
        r#"{"id":1,"name":"\udc00"}"#,
        r#"{"id":1,"name":"\ud800\ud800"}"#,
        r#"{"id":1,"name":"\x"}"#,
        "{\"id\":1,\"name\":\"\n\"}",
        r#"{"id":1,"name":"a","type":"text"}"#,
        r#"{"id":1,"name":"a","type":"none"}"#,
        r#"{"id":1,"name":"a","type":{}}"#,
        r#"{"id":1,"name":"a","type":{"text":"a","text":"b"}}"#,
        r#"{"id":1,"name":"a","type":{"other":1}}"#,
        r#"{"id":1,"name":"a","type":{"two":[5]}}"#,
        r#"{"id":1,"name":"a","type":{"two":[5,{},1]}}"#,
        r#"{"id":1,"name":"a","list":[{"pairs":[[256,"x"]]}]}"#,
        r#"{"id":1,"name":"a","list":[{"byNumber":{"x":1}}]}"#,
        r#"{"id":1,"name":"a","unknown":[1,]}"#,
        r#"{"id":1,"name":"a","unknown":[1}}"#,
        r#"{"id":1,"name":"a","unknown":01}"#,
        r#"{"id":1,"name":"a","unknown":tru}"#,
        r#"{"id":1,"name":"a","unknown":"\u12g4"}"#,
        r#"{"id":1,"name":"a","unknown":{"a" 1}}"#,
    ] {
        check::<Whole>(text);
        assert!(from_str::<Whole>(text).is_err(), "{text}");
    }
}

#[test]
fn an_error_says_what_and_where() {
    let check = |text: &str, message: &str| {
        assert_eq!(from_str::<Whole>(text).map_err(|error| error.to_string()), Err(message.to_owned()));
    };
    check("{\"id\":1}", "missing field `name` at line 1 column 9");
    check("{\n\"id\":1,\"id\":2}", "duplicate field `id` at line 2 column 13");
    check(r#"{"id":"1"}"#, "expected a whole number in range at line 1 column 7");
    check(
        r#"{"type":"none"}"#,
        "unknown variant `none`, expected `plain_one`, `text`, `two`, `named`, `other` at line 1 column 15",
    );
    check(r#"{"id":1"#, "the text ends too early at line 1 column 8");
    check(r#"{"id":1,"name":"a"} 2"#, "text follows the complete value at line 1 column 21");
}

#[test]
fn a_text_that_is_cut_short_is_an_end() {
    let text_uncut =
        r#"{"id":12,"name":"a\n\u00e9","unknown":[true,null,{"a":-1.5e3}],"type":{"two":[1,{"m":false}]}}"#;
    for (cut, _) in text_uncut.char_indices() {
        let text = text_uncut.get(..cut).unwrap_or_default();
        assert!(from_str::<Whole>(text).is_err_and(|error| error.is_end()), "{text}");
    }
}

#[test]
fn nesting_ends_where_types_recurse_and_not_where_values_are_stepped_over() {
    let boxes = |levels: usize| {
        let open = r#"{"id":1,"name":"a","box":"#.repeat(levels);
        format!("{open}null{}", "}".repeat(levels))
    };
    check::<Whole>(&boxes(usize::from(MAX_DEPTH)));
    assert!(from_str::<Whole>(&boxes(usize::from(MAX_DEPTH))).is_ok());
    check::<Whole>(&boxes(usize::from(MAX_DEPTH) + 1));
    let error = from_str::<Whole>(&boxes(usize::from(MAX_DEPTH) + 1)).unwrap_err();
    assert_eq!(*error.kind(), ReadErrorKind::TooDeep);
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    assert_eq!(from_str::<JsonText<'_>>(&deep).map(JsonText::get), Ok(deep.as_str()));
}

#[test]
fn only_wanted_strings_must_be_text() {
    assert!(from_slice::<Whole>(b"{\"id\":1,\"name\":\"a\",\"x\":\"\xff\"}").is_ok());
    assert!(from_slice::<Whole>(b"{\"id\":1,\"name\":\"\xff\"}").is_err());
}

#[test]
fn raw_values_are_cut_out_as_they_stand() {
    assert_eq!(
        from_str::<Vec<JsonText<'_>>>(r#"[ {"a" : 1.0} , "x\n" ]"#)
            .map(|all| all.into_iter().map(JsonText::get).collect()),
        Ok(vec![r#"{"a" : 1.0}"#, r#""x\n""#])
    );
    assert_eq!(from_str::<&str>(r#""plain""#), Ok("plain"));
    assert!(from_str::<&str>(r#""a\n""#).is_err(), "nothing to borrow");
}

/// Texts with many mistakes in them, of the pieces that matter here.
fn texts() -> impl Strategy<Value = String> {
    let token = prop::sample::select(vec![
        "{",
        "}",
        "[",
        "]",
        ",",
        ":",
        "\"id\":",
        "\"name\":",
        "\"type\":",
        "\"list\":[{",
        "\"box\":",
        "\"x\":",
        "\"a\"",
        "\"text\"",
        "\"plain_one\"",
        "{\"text\":",
        "null",
        "1",
        "-0.5e1",
        "01",
        "true",
        " ",
        "\"\\u00e9\"",
        "\"é long enough for a word\"",
        "\"\\",
    ]);
    let member = prop::sample::select(vec![
        r#""id":1"#,
        r#""name":"a""#,
        r#""note":null"#,
        r#""tags":["x"]"#,
        r#""type":{"named":{"from":1,"to":2}}"#,
        r#""list":[{"isSmall":false}]"#,
        r#""old":[]"#,
        r#""box":{"id":2,"name":"b"}"#,
        r#""x":[{},"\u00e9"]"#,
    ]);
    prop_oneof![
        prop::collection::vec(token, 0..16).prop_map(|tokens| tokens.concat()),
        prop::collection::vec(member, 0..8).prop_map(|members| format!("{{{}}}", members.join(","))),
    ]
}

proptest! {
    #[test]
    fn whatever_comes_serde_says_the_same(text in texts()) {
        check::<Whole>(&text);
        check::<Kind>(&text);
    }

    #[test]
    fn every_string_comes_back(text in any::<String>()) {
        let json = serde_json::to_string(&text).unwrap();
        prop_assert_eq!(from_str::<String>(&json), Ok(text.clone()));
        prop_assert_eq!(from_str::<JsonText<'_>>(&json).map(JsonText::get), Ok(json.as_str()));
    }
}
