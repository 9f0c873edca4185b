use alloc::string::ToString;
use alloc::vec::Vec;

use super::{ArgumentFixKind, ArgumentRepair, object, repair, schema};
use crate::schema::CompiledSchema;

fn check(schema: &CompiledSchema, arguments: &str, expected: &str, fixes: &[(&str, ArgumentFixKind)]) {
    match repair(schema, arguments) {
        ArgumentRepair::Valid { value, fixes: made } => {
            assert_eq!(value.canonical(), expected, "{arguments}");
            let made: Vec<_> = made.iter().map(|fix| (&*fix.pointer, fix.kind)).collect();
            assert_eq!(made, fixes, "{arguments}");
        }
        ArgumentRepair::Invalid { message } => panic!("{arguments}: {message}"),
    }
}

#[test]
fn valid_arguments_are_left_alone() {
    let schema = object(r#"{"a":{"type":["string","integer","null"]},"b":{"type":"array"}}"#);
    for arguments in ["{}", r#"{"a":"50"}"#, r#"{"a":50}"#, r#"{"a":null}"#, r#"{"a":"null","b":[null]}"#] {
        check(&schema, arguments, arguments, &[]);
    }
    check(&super::schema("true"), "null", "null", &[]);
}

#[test]
fn missing_arguments_are_the_empty_object() {
    let schema = object(r#"{"a":{"type":"string"}}"#);
    for nothing in ["", "  \n", "null", "\u{feff}"] {
        check(&schema, nothing, "{}", &[("", ArgumentFixKind::Empty)]);
    }
}

#[test]
fn a_code_fence_around_the_arguments_is_removed() {
    let schema = object(r#"{"a":{"type":"integer"}}"#);
    for fenced in [
        "```json\n{\"a\":1}\n```",
        "```\n{\"a\":1}\n```",
        "```{\"a\":1}```",
        "  ```JSON\r\n{\"a\":1}\r\n```  ",
    ] {
        check(&schema, fenced, r#"{"a":1}"#, &[("", ArgumentFixKind::Fence)]);
    }
}

#[test]
fn commas_before_closing_brackets_are_removed() {
    let schema = object(r#"{"a":{"type":"array"},"b":{"type":"string"}}"#);
    let fix = [("", ArgumentFixKind::TrailingComma)];
    check(&schema, r#"{"a":[1,2,],}"#, r#"{"a":[1,2]}"#, &fix);
    check(&schema, "{\"a\":[1 ,\n ] ,\n }", r#"{"a":[1]}"#, &fix);
    check(&schema, r#"{"b":",]\",}",}"#, r#"{"b":",]\",}"}"#, &fix);
}

#[test]
fn nulls_of_optional_properties_are_left_out() {
    let schema = schema(
        r#"{"type":"object","properties":{"a":{"type":"string"},"b":{"type":["string","null"]},
            "c":{"properties":{"d":{"type":"integer"}}},"e":{"enum":["x"]}},"required":["b"]}"#,
    );
    check(&schema, r#"{"a":null,"b":null}"#, r#"{"b":null}"#, &[("/a", ArgumentFixKind::NullDropped)]);
    check(
        &schema,
        r#"{"b":"x","c":{"d":null},"e":null}"#,
        r#"{"b":"x","c":{}}"#,
        &[("/c/d", ArgumentFixKind::NullDropped), ("/e", ArgumentFixKind::NullDropped)],
    );
}

#[test]
fn scalars_in_strings_lose_their_quotes() {
    fn one(property: &str, sent: &str, expected: &str) {
        let schema = object(&alloc::format!(r#"{{"a":{property}}}"#));
        let arguments = alloc::format!(r#"{{"a":{sent}}}"#);
        check(
            &schema,
            &arguments,
            &alloc::format!(r#"{{"a":{expected}}}"#),
            &[("/a", ArgumentFixKind::Unquoted)],
        );
    }
    one(r#"{"type":"integer"}"#, "\"50\"", "50");
    one(r#"{"type":"integer"}"#, "\" -5 \"", "-5");
    one(r#"{"type":"integer"}"#, "\"5.0\"", "5.0");
    one(r#"{"type":"number"}"#, "\"1.50\"", "1.50");
    one(r#"{"type":"boolean"}"#, "\"true\"", "true");
    one(r#"{"type":"boolean"}"#, "\"False\"", "false");
    one(r#"{"type":["integer","null"]}"#, "\"null\"", "null");
    one(r#"{"enum":[1,2]}"#, "\"2\"", "2");
    one(r#"{"const":true}"#, "\"true\"", "true");
    one(r#"{"anyOf":[{"type":"integer"},{"type":"null"}]}"#, "\"7\"", "7");
    one(r#"{"allOf":[{"type":"integer"},{"minimum":1}]}"#, "\"7\"", "7");
}

#[test]
fn numbers_and_booleans_gain_quotes_where_only_a_string_is_allowed() {
    fn one(property: &str, sent: &str, expected: &str) {
        let schema = object(&alloc::format!(r#"{{"a":{property}}}"#));
        let arguments = alloc::format!(r#"{{"a":{sent}}}"#);
        check(
            &schema,
            &arguments,
            &alloc::format!(r#"{{"a":{expected}}}"#),
            &[("/a", ArgumentFixKind::Quoted)],
        );
    }
    one(r#"{"type":"string"}"#, "5", "\"5\"");
    one(r#"{"type":"string"}"#, "1.50", "\"1.50\"");
    one(r#"{"type":["string","null"]}"#, "true", "\"true\"");
    one(r#"{"enum":["1","2"]}"#, "1", "\"1\"");
}

#[test]
fn json_inside_strings_is_unfolded_where_it_is_expected() {
    let schema = object(
        r#"{"o":{"type":"object","properties":{"n":{"type":"integer"}}},"l":{"type":"array","items":{"type":"string"}}}"#,
    );
    check(&schema, r#"{"o":"{\"n\":1}"}"#, r#"{"o":{"n":1}}"#, &[("/o", ArgumentFixKind::Unfolded)]);
    check(
        &schema,
        r#"{"o":"{\"n\":\"1\"}"}"#,
        r#"{"o":{"n":1}}"#,
        &[("/o", ArgumentFixKind::Unfolded), ("/o/n", ArgumentFixKind::Unquoted)],
    );
    check(&schema, r#"{"l":"[\"a\"]"}"#, r#"{"l":["a"]}"#, &[("/l", ArgumentFixKind::Unfolded)]);
    check(&schema, r#""{\"l\":[]}""#, r#"{"l":[]}"#, &[("", ArgumentFixKind::Unfolded)]);
}

#[test]
fn a_single_value_becomes_a_list_where_one_is_expected() {
    let schema = object(
        r#"{"l":{"type":"array","items":{"type":"integer"}},"s":{"type":"array","items":{"type":"string"}}}"#,
    );
    check(&schema, r#"{"s":"a"}"#, r#"{"s":["a"]}"#, &[("/s", ArgumentFixKind::Listed)]);
    check(&schema, r#"{"l":5}"#, r#"{"l":[5]}"#, &[("/l", ArgumentFixKind::Listed)]);
    check(
        &schema,
        r#"{"l":"5"}"#,
        r#"{"l":[5]}"#,
        &[("/l", ArgumentFixKind::Listed), ("/l/0", ArgumentFixKind::Unquoted)],
    );
    check(&schema, r#"{"l":["5",6]}"#, r#"{"l":[5,6]}"#, &[("/l/0", ArgumentFixKind::Unquoted)]);
}

#[test]
fn a_list_of_one_is_the_last_resort_of_a_union() {
    let schema = object(r#"{"a":{"anyOf":[{"type":"integer"},{"type":"array","items":{"type":"string"}}]}}"#);
    check(&schema, r#"{"a":"5"}"#, r#"{"a":5}"#, &[("/a", ArgumentFixKind::Unquoted)]);
    check(&schema, r#"{"a":"five"}"#, r#"{"a":["five"]}"#, &[("/a", ArgumentFixKind::Listed)]);
}

const SHAPES: &str = r##"{"type":"object","properties":{"shape":{"oneOf":[{"$ref":"#/$defs/circle"},{"$ref":"#/$defs/square"}]}},
    "$defs":{
        "circle":{"type":"object","properties":{"kind":{"const":"circle"},"radius":{"type":"number"}},"required":["kind","radius"],"additionalProperties":false},
        "square":{"type":"object","properties":{"kind":{"enum":["square"]},"side":{"type":"number"}},"required":["kind","side"],"additionalProperties":false}}}"##;

#[test]
fn wrapped_variants_are_flattened() {
    let schema = schema(SHAPES);
    let fix = [("/shape", ArgumentFixKind::Flattened)];
    let flat = r#"{"shape":{"kind":"circle","radius":2}}"#;
    check(&schema, r#"{"shape":{"circle":{"radius":2}}}"#, flat, &fix);
    check(&schema, r#"{"shape":{"kind":"circle","value":{"radius":2}}}"#, flat, &fix);
    check(&schema, r#"{"shape":{"kind":"circle","params":{"kind":"circle","radius":2}}}"#, flat, &fix);
    check(&schema, r#"{"shape":{"kind":"circle","radius":2,"side":null}}"#, flat, &fix);
    check(&schema, r#"{"shape":{"square":{"side":1}}}"#, r#"{"shape":{"kind":"square","side":1}}"#, &fix);
    check(
        &schema,
        r#"{"shape":{"circle":{"radius":"2"}}}"#,
        flat,
        &[("/shape", ArgumentFixKind::Flattened), ("/shape/radius", ArgumentFixKind::Unquoted)],
    );
    check(
        &schema,
        r#"{"shape":{"kind":"circle","radius":"2"}}"#,
        flat,
        &[("/shape/radius", ArgumentFixKind::Unquoted)],
    );
}

#[test]
fn repairs_reach_through_conditions_and_patterns() {
    let conditional = schema(
        r#"{"properties":{"k":{"type":"string"}},"if":{"properties":{"k":{"const":"n"}},"required":["k"]},
            "then":{"properties":{"v":{"type":"integer"}}},"else":{"properties":{"v":{"type":"string"}}}}"#,
    );
    check(&conditional, r#"{"k":"n","v":"1"}"#, r#"{"k":"n","v":1}"#, &[("/v", ArgumentFixKind::Unquoted)]);
    check(&conditional, r#"{"k":"s","v":1}"#, r#"{"k":"s","v":"1"}"#, &[("/v", ArgumentFixKind::Quoted)]);
    let patterned = schema(
        r#"{"patternProperties":{"^n":{"type":"integer"}},"additionalProperties":{"type":"boolean"}}"#,
    );
    check(
        &patterned,
        r#"{"n~1":"5","x":"true"}"#,
        r#"{"n~1":5,"x":true}"#,
        &[("/n~01", ArgumentFixKind::Unquoted), ("/x", ArgumentFixKind::Unquoted)],
    );
}

#[test]
fn fixes_read_as_sentences_and_are_stable_when_stored() {
    let ArgumentRepair::Valid { fixes, .. } = repair(&object(r#"{"a":{"type":"integer"}}"#), r#"{"a":"1"}"#)
    else {
        panic!()
    };
    assert_eq!(fixes[0].to_string(), "/a: quotes around a value were removed");
    let stored = serde_json::to_string(&fixes).expect("text");
    assert_eq!(stored, r#"[{"pointer":"/a","kind":"unquoted"}]"#);
    assert_eq!(serde_json::from_str::<Vec<crate::repair::ArgumentFix>>(&stored).expect("fixes"), fixes);
}
