use alloc::string::String;
use alloc::vec::Vec;

use proptest::collection::vec;
use proptest::prelude::{Just, Strategy, any, prop_oneof, proptest};
use proptest::{prop_assert, prop_assert_eq};

use crate::json::Json;
use crate::json::tests::properties::any_json;
use crate::schema::{CompiledSchema, EcmaPattern, format};

/// Schemas over a small vocabulary, so that values often hit their keywords; now and
/// then a broken one.
pub(crate) fn any_schema() -> impl Strategy<Value = Json> {
    let leaf = prop_oneof![
        any::<bool>().prop_map(Json::Bool),
        prop_oneof![
            Just("string"),
            Just("integer"),
            Just("number"),
            Just("boolean"),
            Just("null"),
            Just("array"),
            Just("object")
        ]
        .prop_map(|name| Json::object([("type", Json::from(name))])),
        vec(any_json(), 0..3).prop_map(|values| Json::object([("enum", Json::Array(values))])),
        any_json().prop_map(|value| Json::object([("const", value)])),
        (0_u64..4, 0_u64..4)
            .prop_map(|(a, b)| Json::object([("minLength", Json::from(a)), ("maxItems", Json::from(b))])),
        (-3_i64..3, 1_u64..4)
            .prop_map(|(a, b)| Json::object([("minimum", Json::from(a)), ("multipleOf", Json::from(b))])),
        "[a-c.^$*+()\\[\\]]{0,5}".prop_map(|text| Json::object([("pattern", Json::from(text))])),
        Just(Json::object([("$ref", Json::from("#"))])),
    ];
    leaf.prop_recursive(4, 24, 4, |inner| {
        let one = prop_oneof![
            Just("not"),
            Just("items"),
            Just("contains"),
            Just("additionalProperties"),
            Just("propertyNames"),
            Just("if"),
            Just("then"),
            Just("else"),
            Just("unevaluatedProperties"),
            Just("unevaluatedItems"),
        ];
        let list = prop_oneof![Just("allOf"), Just("anyOf"), Just("oneOf"), Just("prefixItems")];
        let map = prop_oneof![Just("properties"), Just("patternProperties"), Just("dependentSchemas")];
        let keyword = prop_oneof![
            (one, inner.clone()).prop_map(|(name, schema)| (name, schema)),
            (list, vec(inner.clone(), 1..4)).prop_map(|(name, schemas)| (name, Json::Array(schemas))),
            (map, vec(("[a-d]", inner), 0..4)).prop_map(|(name, schemas)| (name, Json::object(schemas))),
            vec("[a-d]", 0..3)
                .prop_map(|names| ("required", names.into_iter().map(Json::from).collect::<Vec<_>>().into())),
        ];
        vec(keyword, 1..4).prop_map(Json::object)
    })
}

proptest! {
    #[test]
    fn the_quick_answer_and_the_report_agree(source in any_schema(), value in any_json()) {
        let Ok(schema) = CompiledSchema::compile(&source) else { return Ok(()) };
        let report = schema.validate(&value);
        prop_assert_eq!(schema.is_valid(&value), report.is_ok());
        if let Err(violations) = report {
            prop_assert!(!violations.is_empty());
            for violation in violations {
                prop_assert!(!violation.message.is_empty());
                let found = value.pointer(&violation.pointer).is_some();
                prop_assert!(found, "{} is not in {}", violation.pointer, value);
            }
        }
    }

    #[test]
    fn a_negation_decides_the_other_way(source in any_schema(), value in any_json()) {
        // References to the root change their meaning when the root does.
        if source.canonical().contains("$ref") {
            return Ok(());
        }
        let (Ok(plain), Ok(negated)) = (CompiledSchema::compile(&source), CompiledSchema::compile(&Json::object([("not", source)]))) else {
            return Ok(());
        };
        prop_assert_ne_verdict(&plain, &negated, &value)?;
    }

    #[test]
    fn any_document_is_a_schema_or_an_error(source in any_json(), value in any_json()) {
        if let Ok(schema) = CompiledSchema::compile(&source) {
            let _ = schema.validate(&value);
            prop_assert!(schema.shape().len() < 4_000);
        }
    }

    #[test]
    fn a_constant_admits_itself_alone(value in any_json(), other in any_json()) {
        let schema = CompiledSchema::compile(&Json::object([("const", value.clone())])).expect("a schema");
        prop_assert!(schema.is_valid(&value));
        prop_assert_eq!(schema.is_valid(&other), value.same_value(&other));
    }

    #[test]
    fn no_pattern_and_no_text_make_the_engine_panic(pattern in "[\\PC]{0,12}|[a-c()\\[\\]{}^$.*+?|\\\\dwsbux0-9-]{0,12}", text in any::<String>()) {
        if let Ok(pattern) = EcmaPattern::compile(&pattern) {
            let _ = pattern.is_match(&text);
        }
    }

    #[test]
    fn an_escaped_text_matches_itself(text in "[ -~é😀]{0,8}") {
        let escaped: String = text.chars().fold(String::new(), |mut out, c| {
            if c.is_ascii_punctuation() {
                out.push('\\');
            }
            out.push(c);
            out
        });
        let pattern = EcmaPattern::compile(&alloc::format!("^{escaped}$")).expect("a pattern");
        prop_assert!(pattern.is_match(&text));
    }

    #[test]
    fn no_text_makes_a_format_check_panic(text in any::<String>()) {
        for name in ["date", "date-time", "email", "hostname", "ipv4", "ipv6", "time", "uri", "uuid"] {
            prop_assert!(format::check(name, &text).is_some());
        }
    }
}

fn prop_assert_ne_verdict(
    a: &CompiledSchema,
    b: &CompiledSchema,
    value: &Json,
) -> Result<(), proptest::test_runner::TestCaseError> {
    prop_assert!(a.is_valid(value) != b.is_valid(value), "{} and {}", a.source(), value);
    Ok(())
}
