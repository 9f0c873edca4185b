use alloc::string::{String, ToString};
use alloc::vec;
use core::cmp::Ordering;

use crate::json::{Json, JsonKind, JsonObject, write_string};

fn json(text: &str) -> Json {
    Json::parse(text).unwrap_or_else(|error| panic!("{text}: {error}"))
}

#[test]
fn accessors_answer_for_their_own_kind_only() {
    let value = json(r#"{"s":"x","b":true,"n":3,"a":[1],"o":{},"z":null}"#);
    let get = |name: &str| value.get(name).cloned().unwrap_or_default();
    assert_eq!(get("s").as_str(), Some("x"));
    assert_eq!(get("b").as_bool(), Some(true));
    assert_eq!((get("n").as_u64(), get("n").as_i64()), (Some(3), Some(3)));
    assert_eq!(get("a").as_array().map(<[Json]>::len), Some(1));
    assert_eq!(get("o").as_object().map(JsonObject::len), Some(0));
    assert!(get("z").is_null() && value.get("missing").is_none());
    assert_eq!((get("n").as_str(), get("s").as_u64(), get("a").get("0")), (None, None, None));
}

#[test]
fn kinds_have_the_names_of_json_schema() {
    for (text, name) in [
        ("null", "null"),
        ("true", "boolean"),
        ("1", "number"),
        ("\"\"", "string"),
        ("[]", "array"),
        ("{}", "object"),
    ] {
        assert_eq!(json(text).kind().to_string(), name);
    }
    assert!(JsonKind::Null < JsonKind::Object);
}

#[test]
fn rust_values_become_json() {
    let value = Json::object([
        ("text", Json::from("a")),
        ("owned", Json::from(String::from("b"))),
        ("yes", Json::from(true)),
        ("big", Json::from(u64::MAX)),
        ("low", Json::from(-1_i64)),
        ("list", Json::from(vec![Json::Null])),
        ("map", Json::from(JsonObject::new())),
    ]);
    let expected =
        r#"{"big":18446744073709551615,"list":[null],"low":-1,"map":{},"owned":"b","text":"a","yes":true}"#;
    assert_eq!(value.canonical(), expected);
    assert_eq!(expected.parse::<Json>(), Ok(value));
}

#[test]
fn equality_is_by_text_and_sameness_by_value() {
    fn check(a: &str, b: &str, equal: bool, same: bool) {
        assert_eq!((json(a) == json(b), json(a).same_value(&json(b))), (equal, same), "{a} and {b}");
    }
    check("1", "1", true, true);
    check("1", "1.0", false, true);
    check("[1,2]", "[1.0,20e-1]", false, true);
    check(r#"{"a":1,"b":2}"#, r#"{"b":2.0,"a":1}"#, false, true);
    check("0", "false", false, false);
    check("1", "\"1\"", false, false);
    check("[]", "{}", false, false);
    check("[1,2]", "[2,1]", false, false);
    check(r#"{"a":1}"#, r#"{"a":1,"b":null}"#, false, false);
    check(r#"{"a":1}"#, r#"{"b":1}"#, false, false);
}

#[test]
fn the_order_of_values_is_total() {
    let values =
        ["null", "false", "true", "-1", "0", "1.5", "\"a\"", "\"b\"", "[]", "[1]", "[2]", "{}", r#"{"a":1}"#];
    for (i, a) in values.iter().enumerate() {
        for (j, b) in values.iter().enumerate() {
            assert_eq!(json(a).cmp_value(&json(b)), i.cmp(&j), "{a} and {b}");
        }
    }
    assert_eq!(json("1").cmp_value(&json("1.0")), Ordering::Equal);
}

#[test]
fn pointers_lead_to_their_values() {
    let document = json(r#"{"":0,"a/b":1,"m~n":2,"foo":["bar",{"x":3}],"~1":4}"#);
    fn check(document: &Json, pointer: &str, expected: Option<&str>) {
        assert_eq!(document.pointer(pointer).map(Json::canonical).as_deref(), expected, "{pointer}");
    }
    check(&document, "/", Some("0"));
    check(&document, "/a~1b", Some("1"));
    check(&document, "/m~0n", Some("2"));
    check(&document, "/foo/1/x", Some("3"));
    check(&document, "/~01", Some("4"));
    check(&document, "/foo/2", None);
    check(&document, "/foo/00", None);
    check(&document, "/foo/+1", None);
    check(&document, "/foo/-", None);
    check(&document, "/foo/0/x", None);
    check(&document, "foo", None);
    assert_eq!(document.pointer(""), Some(&document));
}

#[test]
fn strings_are_escaped_as_little_as_possible() {
    let mut out = String::new();
    write_string("\u{0}\u{1f}\u{7f}\u{80}/é😀\"\\\u{8}\u{c}\n\r\t", &mut out)
        .expect("a string takes everything");
    assert_eq!(out, "\"\\u0000\\u001f\u{7f}\u{80}/é😀\\\"\\\\\\b\\f\\n\\r\\t\"");
}

#[test]
fn the_writer_gives_the_same_text_to_every_sink() {
    let value = json(r#"{"b":[1,"x\n"],"a":null}"#);
    let mut out = String::new();
    value.write_canonical(&mut out).expect("a string takes everything");
    assert_eq!(out, value.canonical());
}

#[test]
fn a_value_is_small() {
    assert!(size_of::<Json>() <= 4 * size_of::<usize>());
}
