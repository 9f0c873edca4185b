use alloc::{format, string::String, vec, vec::Vec};
use core::fmt::Debug;

use holm_read::{Read, ReadErrorKind};
use proptest::prelude::*;
use serde::Deserialize;

use super::{Cursor, FastRead, fast_read, read};
use crate::lenient::{LenientCount, LenientStr, LenientText, RawJson};

#[derive(Debug, Default, Deserialize, Read)]
#[serde(default)]
struct Shape<'a> {
    #[serde(borrow)]
    words: LenientText<'a>,
    #[serde(borrow)]
    text: Option<LenientStr<'a>>,
    #[serde(borrow)]
    count: LenientCount<'a>,
    #[serde(borrow)]
    raw: Option<RawJson<'a>>,
    #[serde(borrow, alias = "others")]
    inner: Option<Vec<Inner<'a>>>,
}

#[derive(Debug, Default, Deserialize, Read)]
#[serde(default)]
struct Inner<'a> {
    #[serde(borrow)]
    name: LenientStr<'a>,
}

fast_read!(Shape { b"words" => words, b"text" => text, b"count" => count, b"raw" => raw, b"inner" | b"others" => inner });
fast_read!(Inner { b"name" => name });

/// What is read leanly, the reader and serde read as the same; and plain frames are read leanly.
#[track_caller]
fn check(text: &str, fast_read: bool) {
    let ours = read::<Shape<'_>>(text.as_bytes());
    assert_eq!(ours.is_some(), fast_read, "{text}");
    same(text, ours);
}

#[track_caller]
fn same<'a, T: Debug + Deserialize<'a> + Read<'a>>(text: &'a str, ours: Option<T>) {
    let theirs = serde_json::from_str::<T>(text);
    let general = holm_read::from_str::<T>(text);
    match &general {
        // The one thing that is narrower on purpose: serde reads an object from a list, too.
        Err(error) if *error.kind() == ReadErrorKind::Expected("an object") => {}
        general => assert_eq!(
            general.as_ref().ok().map(|value| format!("{value:?}")),
            theirs.as_ref().ok().map(|value| format!("{value:?}")),
            "{general:?} {theirs:?}"
        ),
    }
    let Some(ours) = ours else { return };
    assert_eq!(
        Ok(format!("{ours:?}")),
        theirs.map(|value| format!("{value:?}")).map_err(|error| format!("{error}"))
    );
}

#[test]
fn plain_frames_are_read_as_serde_reads_them() {
    for text in [
        "{}",
        " { \"words\" : \"a\" , \"count\" : 0 } ",
        r#"{"words":null,"text":null,"count":null,"raw":null,"inner":null}"#,
        r#"{"words":"a\n\"\\\/\b\f\r\t\u00e9","text":"é😀"}"#,
        r#"{"count":-1.5e+3,"raw":{"a":[1,{"b":"]"}],"c":{}},"inner":[{"name":"x"},{}]}"#,
        r#"{"others":[],"unknown":[[],[[]],{"a":{}},"\ud800",1,true,false,null,0.5,1E9,"longer than eight bytes"]}"#,
        r#"{"unknown":1,"unknown":2,"":{"":""}}"#,
    ] {
        check(text, true);
    }
}

#[test]
fn what_is_not_plain_is_left_to_serde() {
    for text in [
        "",
        "[]",
        "null",
        "{",
        "{}x",
        "{,}",
        r#"{"a":1,}"#,
        r#"{"a":[1,]}"#,
        r#"{"a":[1}}"#,
        r#"{"a" 1}"#,
        r#"{"a":01}"#,
        r#"{"a":1.}"#,
        r#"{"a":-}"#,
        r#"{"a":+1}"#,
        r#"{"a":nul}"#,
        r#"{"a":"\x"}"#,
        r#"{"a":"\u12g4"}"#,
        "{\"a\":\"\n\"}",
        "{\"a\":\"\u{1}longer than eight bytes\"}",
        r#"{"words":"\ud83d\ude00"}"#,
        r#"{"words":"\u+123"}"#,
        r#"{"words":["a"]}"#,
        r#"{"words":1}"#,
        r#"{"words":{}}"#,
        r#"{"w\u006frds":"a"}"#,
        r#"{"words":"a","words":"b"}"#,
        r#"{"inner":[],"others":[]}"#,
        r#"{"inner":{}}"#,
        r#"{"inner":[[]]}"#,
    ] {
        check(text, false);
    }
}

#[test]
fn nesting_beyond_the_bits_is_left_to_serde() {
    let deep = |levels: usize| format!(r#"{{"a":{}{}}}"#, "[".repeat(levels), "]".repeat(levels));
    check(&deep(64), true);
    check(&deep(65), false);
    check(&deep(100_000), false);
}

#[test]
fn every_special_byte_is_found_at_every_place() {
    for special in ["\"", "\\n", "\\u0041", "\u{1f}", "\u{0}", "\u{7f}", "é", "\u{80}"] {
        for offset in 0..20 {
            let text = format!("{}{special}{}\"", "a".repeat(offset), "!#[]~ é".repeat(3));
            let json = format!("\"{text}");
            let ours =
                Cursor::new(json.as_bytes()).and_then(|mut cursor| LenientText::fast_read(&mut cursor));
            let theirs =
                serde_json::Deserializer::from_str(&json).into_iter::<LenientText<'_>>().next().unwrap();
            assert_eq!(ours, theirs.ok(), "{json}");
        }
    }
}

/// JSON as it might come, with many mistakes in it.
fn frames() -> impl Strategy<Value = String> {
    let token = prop_oneof![
        Just("{"),
        Just("}"),
        Just("["),
        Just("]"),
        Just(","),
        Just(":"),
        Just("\"words\":"),
        Just("\"count\":"),
        Just("\"raw\":"),
        Just("\"inner\":[{"),
        Just("\"name\":"),
        Just("\"text\":"),
        Just("\"x\":"),
        Just("\"a\""),
        Just("\"\\n\""),
        Just("null"),
        Just("1"),
        Just("-0.5e1"),
        Just("true"),
        Just(" "),
        Just("\"é long enough\""),
    ];
    let tokens = proptest::collection::vec(token, 0..24).prop_map(|tokens| tokens.concat());
    let member = prop_oneof![
        Just(r#""words":"a""#),
        Just(r#""count":3"#),
        Just(r#""raw":{"a":[1,"b"]}"#),
        Just(r#""inner":[{"name":"n"}]"#),
        Just(r#""text":null"#),
        Just(r#""x":[{},[],"\u00e9"]"#),
        Just(r#""words":[{"text":"p"}]"#),
    ];
    let members =
        proptest::collection::vec(member, 0..5).prop_map(|members| format!("{{{}}}", members.join(",")));
    prop_oneof![tokens.clone().prop_map(|rest| format!("{{{rest}")), tokens, members]
}

#[test]
fn bytes_that_are_no_text_are_taken_where_serde_takes_them() {
    let check = |frame: &[u8], fast_read: bool| {
        let (ours, theirs) = (read::<Shape<'_>>(frame), serde_json::from_slice::<Shape<'_>>(frame));
        let general = holm_read::from_slice::<Shape<'_>>(frame);
        assert_eq!(
            (ours.is_some(), theirs.is_ok(), general.is_ok()),
            (fast_read, fast_read, fast_read),
            "{frame:?}"
        );
    };
    check(b"{\"x\":\"\xff\",\"y\":{\"\xff\":1},\"words\":\"a\"}", true);
    check(b"{\"words\":\"\xff\"}", false);
    check(b"{\"raw\":\"\xff\"}", false);
    check(b"{\"count\":\"\xff\"}", false);
    check(b"{\"\xff\":1}", false);
}

proptest! {
    #[test]
    fn whatever_comes_serde_reads_the_same(text in frames()) {
        same(&text, read::<Shape<'_>>(text.as_bytes()));
    }
}
