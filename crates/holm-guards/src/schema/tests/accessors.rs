use alloc::vec::Vec;

use super::schema;

#[test]
fn the_shape_of_a_schema_fits_one_line() {
    fn check(source: &str, expected: &str) {
        assert_eq!(schema(source).shape(), expected, "{source}");
    }
    check("true", "any");
    check("false", "nothing");
    check(r#"{"type":"string"}"#, "string");
    check(r#"{"type":["string","null"]}"#, "string | null");
    check(r#"{"type":["integer","number"]}"#, "number");
    check(r#"{"enum":["a",1,null]}"#, r#""a" | 1 | null"#);
    check(r#"{"const":{"b":1,"a":2}}"#, r#"{"a":2,"b":1}"#);
    check(r#"{"type":"array","items":{"type":"integer"}}"#, "array of integer");
    check(r#"{"properties":{"b":true,"a":{"type":"string"}},"required":["b"]}"#, "{a?: string, b: any}");
    check(r##"{"$ref":"#/$defs/x","$defs":{"x":{"type":"boolean"}}}"##, "boolean");
    check(
        r#"{"anyOf":[{"type":"string"},{"type":"array","items":{"type":"string"}}]}"#,
        "string | array of string",
    );
    check(r#"{"allOf":[{"type":"string"}]}"#, "string");
}

#[test]
fn the_shape_of_a_recursive_or_huge_schema_is_cut() {
    let tree = schema(r##"{"type":"object","properties":{"left":{"$ref":"#"},"right":{"$ref":"#"}}}"##);
    assert!(tree.shape().len() < 1_000 && tree.shape().contains('…'), "{}", tree.shape());
    let names: Vec<_> = (0..500).map(|n| alloc::format!(r#""property{n}":{{"type":"string"}}"#)).collect();
    let wide = schema(&alloc::format!(r#"{{"properties":{{{}}}}}"#, names.join(",")));
    assert!(wide.shape().len() < 600, "{}", wide.shape());
}

#[test]
fn root_properties_are_listed_with_their_need() {
    let schema = schema(r#"{"properties":{"b":true,"a":true},"required":["b","ghost"]}"#);
    assert_eq!(schema.properties().collect::<Vec<_>>(), [("a", false), ("b", true)]);
}

#[test]
fn schemas_are_equal_when_their_documents_are() {
    assert_eq!(schema(r#"{"a":1,"type":"string"}"#), schema(r#"{"type":"string","a":1}"#));
    assert_ne!(schema("true"), schema("{}"));
    assert_eq!(schema(r#"{"type":"string"}"#).source().canonical(), r#"{"type":"string"}"#);
}
