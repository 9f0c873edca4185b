use super::{ArgumentRepair, object, repair, schema};
use crate::schema::CompiledSchema;

fn message(schema: &CompiledSchema, arguments: &str) -> alloc::string::String {
    match repair(schema, arguments) {
        ArgumentRepair::Invalid { message } => message,
        ArgumentRepair::Valid { value, .. } => panic!("{arguments} became {value}"),
    }
}

#[test]
fn malformed_json_is_shown_with_the_place() {
    let schema = object(r#"{"a":{"type":"integer"}}"#);
    assert_eq!(
        message(&schema, "{\"a\": 1,\n  b: 2}"),
        "the arguments are not valid JSON: line 2, column 3: expected a property name in double quotes, found 'b'\n    b: 2}\n    ^\nexpected: {a?: integer}"
    );
    assert_eq!(
        message(&schema, "{\"a\": "),
        "the arguments are not valid JSON: line 1, column 6: the text ends before the value is complete; send the whole value\n  {\"a\":\n       ^\nexpected: {a?: integer}"
    );
}

#[test]
fn a_long_line_is_cut_around_the_place() {
    let schema = object("{}");
    let text = message(&schema, &alloc::format!("{{\"a\":\"{}\" x {}", "y".repeat(500), "z".repeat(500)));
    assert!(text.len() < 400, "{text}");
    let lines: alloc::vec::Vec<_> = text.lines().collect();
    let column = lines[2].chars().count() - 1;
    assert_eq!(lines[1].chars().nth(column), Some('x'), "{text}");
}

#[test]
fn every_violation_is_listed_with_the_expected_shape() {
    let schema = schema(
        r#"{"type":"object","properties":{"path":{"type":"string"},"count":{"type":"integer"}},"required":["path"],"additionalProperties":false}"#,
    );
    assert_eq!(
        message(&schema, r#"{"pth":"a","count":"many"}"#),
        "the arguments do not fit the schema:\n- `path` is missing; add it (string)\n- `count` must be an integer, got the string \"many\"\n- unknown property `pth`; did you mean `path`?\nexpected: {count?: integer, path: string}"
    );
}

#[test]
fn what_could_mean_two_things_is_not_changed() {
    fn refused(source: &str, arguments: &str) {
        let text = message(&schema(source), arguments);
        assert!(text.starts_with("the arguments do not fit the schema:"), "{text}");
    }
    // A number or a boolean that could become either branch.
    refused(
        r#"{"properties":{"a":{"anyOf":[{"type":"integer","maximum":0},{"type":"boolean"}]}}}"#,
        r#"{"a":"5"}"#,
    );
    // Two lists could be meant.
    let lists = r#"{"properties":{"a":{"anyOf":[{"type":"array","items":{"type":"integer"}},{"type":"array","items":{"type":"string"}}]}}}"#;
    refused(lists, r#"{"a":"5"}"#);
    // A null in a required property says nothing about what was meant.
    refused(r#"{"properties":{"a":{"type":"string"}},"required":["a"]}"#, r#"{"a":null}"#);
    // Text that only resembles a number or a boolean.
    refused(r#"{"properties":{"a":{"type":"integer"}}}"#, r#"{"a":"5 apples"}"#);
    refused(r#"{"properties":{"a":{"type":"integer"}}}"#, r#"{"a":"5.5"}"#);
    refused(r#"{"properties":{"a":{"type":"boolean"}}}"#, r#"{"a":"yes"}"#);
    refused(r#"{"properties":{"a":{"type":"boolean"}}}"#, r#"{"a":1}"#);
    // An object is never turned into text.
    refused(r#"{"properties":{"a":{"type":"string"}}}"#, r#"{"a":{}}"#);
    // A wrapper whose inside carries another tag.
    refused(
        r#"{"oneOf":[{"type":"object","properties":{"kind":{"const":"a"},"x":{"type":"integer"}},"required":["kind","x"]}]}"#,
        r#"{"a":{"kind":"b","x":1}}"#,
    );
}

#[test]
fn a_null_under_a_name_that_no_variant_has_is_an_error() {
    let shapes = schema(
        r#"{"oneOf":[
            {"type":"object","properties":{"kind":{"const":"circle"},"radius":{"type":"number"}},"required":["kind","radius"],"additionalProperties":false},
            {"type":"object","properties":{"kind":{"const":"square"},"side":{"type":"number"}},"required":["kind","side"],"additionalProperties":false}]}"#,
    );
    let text = message(&shapes, r#"{"kind":"circle","radius":2,"colour":null}"#);
    assert!(text.contains("unknown property `colour`"), "{text}");
    // Where another variant has the name, the null is known to be that one's.
    assert!(matches!(
        repair(&shapes, r#"{"kind":"circle","radius":2,"side":null}"#),
        ArgumentRepair::Valid { .. }
    ));
}

#[test]
fn prose_around_the_arguments_is_an_error() {
    let schema = object(r#"{"a":{"type":"integer"}}"#);
    for text in
        ["Here you go: {\"a\":1}", "{\"a\":1} done", "```json\n{\"a\":1}\n``` done", "{\"a\":1}{\"a\":2}"]
    {
        assert!(message(&schema, text).starts_with("the arguments are not valid JSON"), "{text}");
    }
}

#[test]
fn a_hostile_union_ends_with_a_message() {
    let mut source = alloc::string::String::from(r#"{"type":"integer"}"#);
    for _ in 0..20 {
        source = alloc::format!(r#"{{"anyOf":[{source},{source2}]}}"#, source2 = r#"{"type":"boolean"}"#);
    }
    let text = message(&schema(&source), "\"no\"");
    assert!(text.len() < 4_000, "{text}");
    let bomb = r##"{"$ref":"#/$defs/a","$defs":{"a":{"anyOf":[{"$ref":"#/$defs/b"},{"$ref":"#/$defs/b"}]},"b":{"type":"array","items":{"$ref":"#/$defs/a"}}}}"##;
    let value = "[".repeat(60) + "1" + &"]".repeat(60);
    assert!(!message(&schema(bomb), &value).is_empty());
}
