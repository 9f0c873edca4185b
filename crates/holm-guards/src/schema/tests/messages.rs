//! The texts that models read. Each check is (schema, value, messages).

use alloc::string::ToString;
use alloc::vec::Vec;

use super::{json, schema};

fn check(source: &str, value: &str, expected: &[&str]) {
    let violations = schema(source).validate(&json(value)).expect_err(source);
    let messages: Vec<_> = violations.iter().map(ToString::to_string).collect();
    assert_eq!(messages, expected, "{source} with {value}");
}

#[test]
fn a_wrong_type_is_told_with_the_way_out() {
    let count = r#"{"properties":{"count":{"type":"integer"}}}"#;
    check(
        count,
        r#"{"count":"50"}"#,
        &["`count` must be an integer, got the string \"50\"; send 50 without quotes"],
    );
    check(count, r#"{"count":"many"}"#, &["`count` must be an integer, got the string \"many\""]);
    check(count, r#"{"count":1.5}"#, &["`count` must be an integer, got the number 1.5"]);
    check(count, r#"{"count":null}"#, &["`count` must be an integer, got null"]);
    check(count, r#"{"count":[1,2]}"#, &["`count` must be an integer, got an array of 2 items"]);
    check(
        r#"{"type":"boolean"}"#,
        "\"true\"",
        &["the value must be a boolean, got the string \"true\"; send true without quotes"],
    );
    check(
        r#"{"type":"string"}"#,
        "5",
        &["the value must be a string, got the number 5; send \"5\" in quotes"],
    );
    check(r#"{"type":["string","null"]}"#, "{}", &["the value must be a string or null, got an object"]);
    check(
        r#"{"type":"array"}"#,
        "{}",
        &["the value must be an array, got an object; put it in square brackets"],
    );
    check(
        r#"{"type":"object"}"#,
        r#""{\"a\":1}""#,
        &[
            r#"the value must be an object, got the string "{\"a\":1}"; send the object itself, not a string that holds it"#,
        ],
    );
}

#[test]
fn missing_and_unknown_properties_are_told_together() {
    let source = r#"{"type":"object","properties":{"path":{"type":"string"},"line":{"type":"integer"}},"required":["path"],"additionalProperties":false}"#;
    check(
        source,
        r#"{"pth":"a"}"#,
        &["`path` is missing; add it (string)", "unknown property `pth`; did you mean `path`?"],
    );
    check(source, r#"{"path":"a","Line":1}"#, &["unknown property `Line`; did you mean `line`?"]);
    check(source, r#"{"path":"a","colour":1}"#, &["unknown property `colour`; allowed: `line`, `path`"]);
    check(r#"{"additionalProperties":false}"#, r#"{"a":1}"#, &["unknown property `a`; leave it out"]);
    check(r#"{"required":["a"]}"#, "{}", &["`a` is missing; add it"]);
}

#[test]
fn places_are_written_as_people_write_them() {
    let source =
        r#"{"properties":{"filter":{"properties":{"tags":{"items":{"type":"string"}}},"required":["by"]}}}"#;
    check(
        source,
        r#"{"filter":{"tags":["a",1]}}"#,
        &[
            "`filter.by` is missing; add it",
            "`filter.tags[1]` must be a string, got the number 1; send \"1\" in quotes",
        ],
    );
    let violations = schema(source).validate(&json(r#"{"filter":{"tags":["a",1]}}"#)).expect_err("wrong");
    assert_eq!((&*violations[0].pointer, violations[0].keyword), ("/filter", "required"));
    assert_eq!((&*violations[1].pointer, violations[1].keyword), ("/filter/tags/1", "type"));
    let odd = schema(r#"{"additionalProperties":{"type":"null"}}"#);
    assert_eq!(odd.validate(&json(r#"{"a/b~c":1}"#)).expect_err("wrong")[0].pointer, "/a~1b~0c");
}

#[test]
fn allowed_values_are_listed() {
    check(
        r#"{"enum":["read","write"]}"#,
        "\"raed\"",
        &[r#"the value must be one of "read" | "write", got the string "raed"; did you mean "read"?"#],
    );
    check(r#"{"enum":[1,2]}"#, "3", &["the value must be one of 1 | 2, got the number 3"]);
    check(r#"{"const":"x"}"#, "\"y\"", &[r#"the value must be "x", got the string "y""#]);
}

#[test]
fn limits_are_told_in_their_units() {
    check(r#"{"minimum":1,"maximum":5}"#, "9", &["the value must be at most 5, got 9"]);
    check(r#"{"exclusiveMinimum":0}"#, "0", &["the value must be more than 0, got 0"]);
    check(r#"{"exclusiveMaximum":0.5}"#, "0.5", &["the value must be less than 0.5, got 0.5"]);
    check(r#"{"multipleOf":5}"#, "7", &["the value must be a multiple of 5, got 7"]);
    check(r#"{"minLength":1}"#, "\"\"", &["the value must have at least 1 character, got 0"]);
    check(r#"{"maxLength":2}"#, "\"äöü\"", &["the value must have at most 2 characters, got 3"]);
    check(r#"{"minItems":2}"#, "[1]", &["the value must have at least 2 items, got 1"]);
    check(r#"{"maxItems":1}"#, "[1,2]", &["the value must have at most 1 item, got 2"]);
    check(r#"{"minProperties":1}"#, "{}", &["the value must have at least 1 property, got 0"]);
    check(r#"{"maxProperties":0}"#, r#"{"a":1}"#, &["the value must have at most 0 properties, got 1"]);
    check(r#"{"pattern":"^a+$"}"#, "\"b\"", &["the value must match the pattern `^a+$`, got \"b\""]);
    check(
        r#"{"uniqueItems":true}"#,
        "[1,2,1.0]",
        &["the value must not repeat an item; items 0 and 2 are equal"],
    );
    check(
        r#"{"contains":{"type":"string"}}"#,
        "[1]",
        &["the value must hold at least 1 item of the form string, got 0"],
    );
    check(
        r#"{"contains":{"type":"string"},"maxContains":1}"#,
        r#"["a","b"]"#,
        &["the value must hold at most 1 item of the form string, got 2"],
    );
    check(
        r#"{"prefixItems":[true],"items":false}"#,
        "[1,2]",
        &["`[1]` is one item too many; send at most 1"],
    );
    check(
        r#"{"propertyNames":{"enum":["a"]}}"#,
        r#"{"b":1}"#,
        &[r#"`b` is not an allowed property name; names must be "a""#],
    );
    check(
        r#"{"dependentRequired":{"a":["b"]}}"#,
        r#"{"a":1}"#,
        &["`b` is missing; it must be given together with `a`"],
    );
    check(r#"{"not":{"type":"string"}}"#, "\"a\"", &["the value must not be string"]);
    check(r#"{"properties":{"a":false}}"#, r#"{"a":1}"#, &["`a` is not allowed here; leave it out"]);
    check(
        r#"{"unevaluatedProperties":false}"#,
        r#"{"a":1}"#,
        &["`a` is not known to the schema; leave it out"],
    );
}

#[test]
fn a_union_is_explained_by_the_branch_that_was_meant() {
    let shapes = r#"{"oneOf":[
        {"type":"object","properties":{"kind":{"const":"circle"},"radius":{"type":"number"}},"required":["kind","radius"]},
        {"type":"object","properties":{"kind":{"const":"square"},"side":{"type":"number"}},"required":["kind","side"]}]}"#;
    check(shapes, r#"{"kind":"circle","radius":"x"}"#, &["`radius` must be a number, got the string \"x\""]);
    check(shapes, r#"{"kind":"square"}"#, &["`side` is missing; add it (number)"]);
    check(
        shapes,
        r#"{"kind":"star"}"#,
        &[
            r#"the value must be {kind: "circle", radius: number} | {kind: "square", side: number}, got an object"#,
        ],
    );
    check(
        r#"{"anyOf":[{"type":"string"},{"type":"null"}]}"#,
        "5",
        &["the value must be string | null, got the number 5"],
    );
    check(
        r#"{"anyOf":[{"type":"string","minLength":3},{"type":"null"}]}"#,
        "\"a\"",
        &["the value must have at least 3 characters, got 1"],
    );
    check(
        r#"{"oneOf":[{"type":"number"},{"type":"string"},{"minimum":5}]}"#,
        "7",
        &["the value fits forms 1 and 3 at once; send what fits exactly one"],
    );
}

#[test]
fn conditions_are_explained_by_the_branch_that_applies() {
    let source =
        r#"{"if":{"properties":{"a":{"const":1}}},"then":{"required":["b"]},"else":{"required":["c"]}}"#;
    check(source, r#"{"a":1}"#, &["`b` is missing; add it"]);
    check(source, r#"{"a":2}"#, &["`c` is missing; add it"]);
}
