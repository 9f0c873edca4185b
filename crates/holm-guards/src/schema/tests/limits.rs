//! Hostile schemas and values: every one ends quickly, with a verdict.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use super::{json, schema};
use crate::json::Json;

fn stops(source: &str, value: &Json) {
    let violations = schema(source).validate(value).expect_err("the budget ends it");
    assert_eq!(violations.len(), 1);
    assert_eq!(violations[0].keyword, "$limit", "{}", violations[0]);
    assert!(!schema(source).is_valid(value));
}

#[test]
fn a_bomb_of_alternatives_ends_with_a_verdict() {
    // Each level tries both branches of the level below, on the same value.
    let levels: Vec<String> = (0..60)
        .map(|n| {
            format!(r##""l{n}":{{"anyOf":[{{"$ref":"#/$defs/l{0}"}},{{"$ref":"#/$defs/l{0}"}}]}}"##, n + 1)
        })
        .collect();
    let source =
        format!(r##"{{"$ref":"#/$defs/l0","$defs":{{{},"l60":{{"type":"null"}}}}}}"##, levels.join(","));
    stops(&source, &json("1"));
}

#[test]
fn a_bomb_under_not_is_not_valid_either() {
    let levels: Vec<String> = (0..60)
        .map(|n| {
            format!(r##""l{n}":{{"oneOf":[{{"$ref":"#/$defs/l{0}"}},{{"$ref":"#/$defs/l{0}"}}]}}"##, n + 1)
        })
        .collect();
    let source = format!(
        r##"{{"not":{{"$ref":"#/$defs/l0"}},"$defs":{{{},"l60":{{"type":"null"}}}}}}"##,
        levels.join(",")
    );
    stops(&source, &json("1"));
}

#[test]
fn a_long_chain_of_references_does_not_exhaust_the_stack() {
    let links: Vec<String> =
        (0..5_000).map(|n| format!(r##""l{n}":{{"$ref":"#/$defs/l{}"}}"##, n + 1)).collect();
    let source = format!(r##"{{"$ref":"#/$defs/l0","$defs":{{{},"l5000":true}}}}"##, links.join(","));
    stops(&source, &json("1"));
}

#[test]
fn the_deepest_value_is_checked_by_a_recursive_schema() {
    let tree = schema(r##"{"type":"array","items":{"anyOf":[{"type":"integer"},{"$ref":"#"}]}}"##);
    let nested =
        |depth: usize, inner: &str| json(&format!("{}{inner}{}", "[".repeat(depth), "]".repeat(depth)));
    assert!(tree.is_valid(&nested(60, "1")));
    assert!(!tree.is_valid(&nested(60, "null")));
    let plain = schema(r##"{"type":"array","items":{"$ref":"#"}}"##);
    assert!(plain.is_valid(&nested(127, "[]")));
}

#[test]
fn a_large_list_is_no_bomb() {
    let list = Json::Array((0..50_000_u64).map(Json::from).collect());
    let schema = schema(r#"{"type":"array","uniqueItems":true,"items":{"type":"integer","minimum":0}}"#);
    assert!(schema.is_valid(&list));
}

#[test]
fn nested_unevaluated_keywords_end_with_a_verdict() {
    let mut source = String::from(r#"{"properties":{"z":true},"unevaluatedProperties":false}"#);
    for n in 0..40 {
        source = format!(
            r#"{{"anyOf":[{source},{{"properties":{{"p{n}":true}},"unevaluatedProperties":false}}],"unevaluatedProperties":false}}"#
        );
    }
    let verdict = schema(&source).validate(&json(r#"{"q":1}"#));
    assert!(verdict.is_err());
}

#[test]
fn a_branch_is_looked_at_once_where_nothing_is_told() {
    // Looking twice at every level would take a thousand million steps.
    let mut source = String::from(r#"{"type":"string","minLength":3}"#);
    for _ in 0..30 {
        source = format!(r#"{{"anyOf":[{source},{{"type":"null"}}]}}"#);
    }
    let violations = schema(&source).validate(&json("\"a\"")).expect_err("too short");
    assert_eq!(violations.len(), 1);
    assert_eq!(violations[0].keyword, "minLength", "{}", violations[0]);
}

#[test]
fn a_hostile_pattern_takes_linear_time() {
    let schema = schema(r#"{"pattern":"^(a+)+$"}"#);
    let text = Json::from(format!("{}b", "a".repeat(100_000)));
    assert!(!schema.is_valid(&text));
}

#[test]
fn only_the_first_few_violations_are_told() {
    let list = Json::Array((0..1_000_u64).map(Json::from).collect());
    let violations = schema(r#"{"items":{"type":"string"}}"#).validate(&list).expect_err("numbers");
    assert_eq!(violations.len(), crate::schema::MAX_VIOLATIONS);
}

#[test]
fn messages_about_huge_values_are_short() {
    let long = "x".repeat(100_000);
    let value = Json::object([("s", Json::from(long.as_str())), (long.as_str(), Json::Null)]);
    let schema =
        schema(r#"{"properties":{"s":{"type":"integer"},"t":{"enum":["a"]}},"additionalProperties":false}"#);
    let violations = schema.validate(&value).expect_err("wrong");
    assert!(violations.iter().any(|violation| violation.keyword == "type" && violation.message.len() < 300));
    assert!(violations.iter().all(|violation| violation.message.len() < 600), "{violations:?}");
}

#[test]
fn large_constants_are_paid_for_by_their_size() {
    let list = format!("[{}]", ["1"; 2_000].join(","));
    let branches: Vec<String> =
        (0..2_000).map(|n| format!(r##"{{"allOf":[{{"$ref":"#/$defs/c"}},{{"const":{n}}}]}}"##)).collect();
    let source = format!(r##"{{"anyOf":[{}],"$defs":{{"c":{{"const":{list}}}}}}}"##, branches.join(","));
    stops(&source, &json(&list));
}

#[test]
fn an_endless_identifier_is_refused() {
    let source = Json::object([("$id", Json::from(format!("https://example.com/{}", "x".repeat(10_000))))]);
    let error = crate::schema::CompiledSchema::compile(&source).expect_err("too long");
    assert!(matches!(error, crate::schema::SchemaError::TooLarge { what: "bytes in an identifier", .. }));
}
