use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::{json, schema, tells_apart};
use crate::schema::index::MAX_NODES;
use crate::schema::{CompiledSchema, SchemaDialect, SchemaError, SupportGap, keywords};

#[test]
fn the_keyword_table_is_sorted() {
    assert!(keywords::known().is_sorted());
}

#[test]
fn broken_schemas_are_refused_with_the_place() {
    fn check(source: &str, expected: &str) {
        let error = CompiledSchema::compile(&json(source)).expect_err(source);
        assert_eq!(error.to_string(), expected, "{source}");
    }
    check("5", "schema at the root is neither an object nor a boolean; use `true` to allow everything");
    check(
        r#"{"properties":{"a/b":null}}"#,
        "schema at `/properties/a~1b` is neither an object nor a boolean; use `true` to allow everything",
    );
    check(
        r#"{"type":"text"}"#,
        "unknown type \"text\" at the root; use string, integer, number, boolean, array, object or null",
    );
    check(
        r#"{"properties":{"a":{"type":["string","strng"]}}}"#,
        "unknown type \"strng\" at `/properties/a`; use string, integer, number, boolean, array, object or null",
    );
    check(r#"{"type":7}"#, "`type` at the root must be a type name or a list of type names");
    check(r#"{"items":{"type":[1]}}"#, "`type` at `/items` must be a type name or a list of type names");
    check(
        r#"{"allOf":[true,{"minLength":-1}]}"#,
        "`minLength` at `/allOf/1` must be a whole number, zero or above",
    );
    check(r#"{"minLength":1.5}"#, "`minLength` at the root must be a whole number, zero or above");
    check(r#"{"minimum":"1"}"#, "`minimum` at the root must be a number");
    check(r#"{"multipleOf":0}"#, "`multipleOf` at the root must be a number above zero");
    check(r#"{"required":"a"}"#, "`required` at the root must be a list of property names");
    check(r#"{"required":[1]}"#, "`required` at the root must be a list of property names");
    check(r#"{"enum":"a"}"#, "`enum` at the root must be a list of values");
    check(r#"{"properties":[]}"#, "`properties` at the root must be an object of schemas");
    check(r#"{"anyOf":{}}"#, "`anyOf` at the root must be a list of schemas");
    check(r#"{"$ref":7}"#, "`$ref` at the root must be a reference in a string");
    check(r#"{"pattern":3}"#, "`pattern` at the root must be a regular expression in a string");
    check(r#"{"pattern":"("}"#, "pattern \"(\" at the root is not a regular expression: unclosed group");
    check(
        r##"{"properties":{"a":{"$ref":"#/$defs/ghost"}}}"##,
        "reference \"#/$defs/ghost\" at `/properties/a` leads nowhere; define it under `$defs`",
    );
    check(
        r##"{"$ref":"#nowhere"}"##,
        "reference \"#nowhere\" at the root leads nowhere; define it under `$defs`",
    );
}

#[test]
fn a_schema_that_only_refers_to_itself_is_refused() {
    for endless in [
        r##"{"$ref":"#"}"##,
        r##"{"allOf":[{"$ref":"#"}]}"##,
        r##"{"not":{"$ref":"#"}}"##,
        r##"{"if":true,"then":{"$ref":"#"}}"##,
        r##"{"dependentSchemas":{"a":{"$ref":"#"}}}"##,
        r##"{"$ref":"#/$defs/a","$defs":{"a":{"anyOf":[{"$ref":"#/$defs/b"}]},"b":{"oneOf":[{"$ref":"#/$defs/a"}]}}}"##,
        r##"{"properties":{"x":{"$ref":"#/$defs/a"}},"$defs":{"a":{"$ref":"#/$defs/a"}}}"##,
    ] {
        let error = CompiledSchema::compile(&json(endless)).expect_err(endless);
        assert!(matches!(error, SchemaError::EndlessReference { .. }), "{endless}: {error}");
    }
    for fine in [r##"{"properties":{"a":{"$ref":"#"}}}"##, r##"{"items":{"$ref":"#"},"allOf":[true,true]}"##]
    {
        assert!(CompiledSchema::compile(&json(fine)).is_ok(), "{fine}");
    }
}

#[test]
fn what_is_not_enforced_is_named() {
    fn check(source: &str, expected: &[(&str, &str, SupportGap)]) {
        let schema = schema(source);
        let named: Vec<_> =
            schema.unsupported().iter().map(|gap| (&*gap.pointer, &*gap.keyword, gap.gap)).collect();
        assert_eq!(named, expected, "{source}");
    }
    check(r#"{"type":"string","title":"t","description":"d","default":1,"examples":[],"x-hint":1}"#, &[]);
    check(r#"{"format":"email"}"#, &[]);
    check(r#"{"format":"colour"}"#, &[("", "format", SupportGap::UnknownFormat)]);
    check(
        r#"{"properties":{"a":{"nullable":true}}}"#,
        &[("/properties/a", "nullable", SupportGap::UnknownKeyword)],
    );
    check(r#"{"$ref":"https://example.com/x.json"}"#, &[("", "$ref", SupportGap::RemoteReference)]);
    check(r#"{"items":{"pattern":"(?=a)"}}"#, &[("/items", "pattern", SupportGap::LookAround)]);
    check(r#"{"pattern":"(a)\\1"}"#, &[("", "pattern", SupportGap::BackReference)]);
    check(r#"{"pattern":"\\p{L}"}"#, &[("", "pattern", SupportGap::UnicodeProperty)]);
    check(r#"{"pattern":"(.{1000}){1000}"}"#, &[("", "pattern", SupportGap::PatternTooLarge)]);
    check(r#"{"multipleOf":1.0000000000000000001}"#, &[("", "multipleOf", SupportGap::LongDivisor)]);
    check(r#"{"$schema":"https://example.com/my-own"}"#, &[("", "$schema", SupportGap::UnknownDialect)]);
    check(
        r#"{"patternProperties":{"(?!a)":true},"additionalProperties":false}"#,
        &[
            ("", "patternProperties", SupportGap::LookAround),
            ("", "additionalProperties", SupportGap::UnknownPattern),
        ],
    );
}

#[test]
fn a_gap_reads_as_a_sentence() {
    let schema = schema(r#"{"items":{"pattern":"(?=a)"}}"#);
    let messages = schema.unsupported().iter().map(ToString::to_string).collect::<Vec<_>>();
    assert_eq!(messages, ["`pattern` at `/items` is not enforced: the pattern looks ahead or behind"]);
}

#[test]
fn a_gap_never_refuses_what_might_be_fine() {
    let schema = schema(r#"{"patternProperties":{"^(?!b)":{"type":"string"}},"additionalProperties":false}"#);
    assert!(schema.is_valid(&json(r#"{"a":"x"}"#)));
}

#[test]
fn the_document_says_its_own_dialect() {
    let source = |draft: &str| {
        let rest = r##""definitions":{"a":{"type":"string"}},"properties":{"x":{"$ref":"#/definitions/a","minLength":2}}"##;
        json(&format!(r#"{{"$schema":"{draft}",{rest}}}"#))
    };
    let short = json(r#"{"x":"a"}"#);
    let old = CompiledSchema::compile(&source("http://json-schema.org/draft-07/schema#")).expect("a schema");
    assert!(old.is_valid(&short), "draft 7 ignores what stands beside a reference");
    let new = CompiledSchema::compile_as(
        SchemaDialect::Draft7,
        &source("https://json-schema.org/draft/2020-12/schema"),
    );
    assert!(!new.expect("a schema").is_valid(&short));
}

#[test]
fn a_reference_of_draft_7_demands_what_it_leads_to() {
    let source = r##"{"$schema":"http://json-schema.org/draft-07/schema#",
        "definitions":{"a":{"type":"string"}},"properties":{"x":{"$ref":"#/definitions/a"}}}"##;
    let schema = schema(source);
    assert!(schema.is_valid(&json(r#"{"x":"a"}"#)));
    assert!(!schema.is_valid(&json(r#"{"x":1}"#)));
}

#[test]
fn older_spellings_are_understood() {
    use super::tells_apart as check;
    check(r#"{"items":[{"type":"string"}],"additionalItems":false}"#, r#"["a"]"#, r#"["a",1]"#);
    check(
        r#"{"items":[{"type":"string"}],"additionalItems":{"type":"integer"}}"#,
        r#"["a",1]"#,
        r#"["a","b"]"#,
    );
    check(r#"{"dependencies":{"a":["b"]}}"#, r#"{"a":1,"b":1}"#, r#"{"a":1}"#);
    check(r#"{"dependencies":{"a":{"required":["b"]}}}"#, r#"{"b":1}"#, r#"{"a":1}"#);
    check(r#"{"minimum":3,"exclusiveMinimum":true}"#, "4", "3");
    check(r#"{"maximum":3,"exclusiveMaximum":false}"#, "3", "4");
    check(r##"{"definitions":{"a":{"type":"null"}},"$ref":"#/definitions/a"}"##, "null", "1");
}

#[test]
fn identifiers_are_resolved_inside_the_document() {
    let source = r##"{
        "$id": "https://example.com/root.json",
        "properties": {
            "byPointer": {"$ref": "#/$defs/odd%20name~1"},
            "byAnchor": {"$ref": "#tag"},
            "byName": {"$ref": "other.json"},
            "byFull": {"$ref": "https://example.com/other.json#inner"}
        },
        "$defs": {
            "odd name/": {"type": "string"},
            "anchored": {"$anchor": "tag", "type": "integer"},
            "other": {"$id": "/other.json", "type": "boolean", "$defs": {"i": {"$anchor": "inner", "type": "null"}}}
        }
    }"##;
    let schema = schema(source);
    assert!(schema.unsupported().is_empty());
    assert!(schema.is_valid(&json(r#"{"byPointer":"a","byAnchor":1,"byName":true,"byFull":null}"#)));
    for bad in [r#"{"byPointer":1}"#, r#"{"byAnchor":"a"}"#, r#"{"byName":1}"#, r#"{"byFull":1}"#] {
        assert!(!schema.is_valid(&json(bad)), "{bad}");
    }
}

#[test]
fn of_two_definitions_of_an_identifier_the_same_one_always_counts() {
    let twice = |keyword: &str, name: &str, reference: &str| {
        format!(
            r#"{{"$ref": "{reference}", "$defs": {{
                "first": {{"{keyword}": "{name}", "type": "string"}},
                "last": {{"{keyword}": "{name}", "type": "null"}}
            }}}}"#
        )
    };
    tells_apart(&twice("$id", "x.json", "x.json"), "null", r#""text""#);
    tells_apart(&twice("$anchor", "x", "#x"), r#""text""#, "null");
    let nested = |keyword: &str, name: &str, reference: &str| {
        format!(
            r#"{{"$ref": "{reference}", "$defs": {{"outer": {{
                "{keyword}": "{name}", "type": "string",
                "$defs": {{"inner": {{"{keyword}": "{name}", "type": "null"}}}}
            }}}}}}"#
        )
    };
    tells_apart(&nested("$id", "x.json", "x.json"), r#""text""#, "null");
    tells_apart(&nested("$anchor", "x", "#x"), "null", r#""text""#);
}

#[test]
fn a_document_with_too_many_parts_is_refused() {
    let many = |count: usize| {
        let parts: Vec<String> = (0..count).map(|n| format!(r#""p{n}":{{"type":"string"}}"#)).collect();
        CompiledSchema::compile(&json(&format!(r#"{{"properties":{{{}}}}}"#, parts.join(","))))
    };
    assert!(many(MAX_NODES - 1).is_ok());
    assert_eq!(many(MAX_NODES + 1), Err(SchemaError::TooLarge { limit: MAX_NODES, what: "subschemas" }));
    let patterns: Vec<String> = (0..300).map(|n| format!(r#""p{n}":true"#)).collect();
    let patterns = json(&format!(r#"{{"patternProperties":{{{}}}}}"#, patterns.join(",")));
    assert!(matches!(
        CompiledSchema::compile(&patterns),
        Err(SchemaError::TooLarge { what: "patterns", .. })
    ));
}
