//! Over the listed part of JSON Schema: the grammar admits nothing that the validator refuses, and everything that it
//! accepts, up to the order of members, white space and the notation of numbers.

use holm_guards::{json::Json, schema::CompiledSchema};
use proptest::prelude::*;

use super::{ReplyGrammar, admits, json, matcher};
use crate::prompt::spaced;

/// The longest reply of a walk; longer ones are not judged.
const LONGEST: usize = 400;

fn written(value: &Json) -> String {
    let mut out = String::new();
    spaced(value, &mut out);
    out
}

/// Schemas of the listed part.
fn schemas() -> impl Strategy<Value = Json> {
    let length = (0_u64..4, 0_u64..4);
    let leaf = prop_oneof![
        Just(json(r#"{"type":"string"}"#)),
        Just(json(r#"{"type":"boolean"}"#)),
        Just(json(r#"{"type":"null"}"#)),
        Just(json(r#"{"type":"integer"}"#)),
        Just(json(r#"{"type":"number"}"#)),
        Just(json(r#"{"type":["string","null"]}"#)),
        Just(json(r#"{"type":["integer","boolean"]}"#)),
        Just(json(r#"{"enum":["one","two words","\"three\"",4,null]}"#)),
        Just(json(r#"{"const":{"a":[1,true]}}"#)),
        Just(json(r#"{"type":"string","enum":["x","y"]}"#)),
        length.prop_map(|(min, more)| json(&format!(
            r#"{{"type":"string","minLength":{min},"maxLength":{}}}"#,
            min + more
        ))),
        (-30_i64..120, 0_i64..150).prop_map(|(min, more)| json(&format!(
            r#"{{"type":"integer","minimum":{min},"maximum":{}}}"#,
            min + more
        ))),
        (-30_i64..120, 2_i64..150).prop_map(|(min, more)| json(&format!(
            r#"{{"type":"integer","exclusiveMinimum":{min},"exclusiveMaximum":{}}}"#,
            min + more
        ))),
        (-9_i64..9, 1_i64..20).prop_map(|(min, more)| json(&format!(
            r#"{{"type":"number","minimum":{min}.5,"maximum":{}}}"#,
            min + more
        ))),
    ];
    leaf.prop_recursive(3, 12, 3, |inner| {
        let members = proptest::collection::btree_map("[a-d]|two words|q\"", (inner.clone(), any::<bool>()), 0..4);
        prop_oneof![
            (inner.clone(), 0_u64..3, 0_u64..3).prop_map(|(items, min, more)| {
                json(&format!(r#"{{"type":"array","items":{items},"minItems":{min},"maxItems":{}}}"#, min + more))
            }),
            members.prop_map(|members| {
                let required = members.iter().filter(|(_, (_, needed))| *needed);
                let required = Json::Array(required.map(|(name, _)| Json::from(name.as_str())).collect());
                let properties = Json::object(members.into_iter().map(|(name, (schema, _))| (name, schema)));
                json(&format!(r#"{{"type":"object","properties":{properties},"required":{required},"additionalProperties":false}}"#))
            }),
            (inner.clone(), inner).prop_map(|(a, b)| json(&format!(r#"{{"anyOf":[{a},{b}]}}"#))),
        ]
    })
}

/// Numbers from a seed.
struct Dice(u64);

impl Dice {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % bound.max(1)
    }

    fn of<'a, T>(&mut self, list: &'a [T]) -> &'a T {
        &list[self.below(list.len())]
    }
}

fn bound(schema: &Json, key: &str) -> Option<i64> {
    schema.get(key).and_then(Json::as_i64)
}

/// A value that the schema describes.
fn value(schema: &Json, dice: &mut Dice) -> Json {
    if let Some(branches) = schema.get("anyOf").and_then(Json::as_array) {
        return value(dice.of(branches), dice);
    }
    if let Some(constant) = schema.get("const") {
        return constant.clone();
    }
    if let Some(values) = schema.get("enum").and_then(Json::as_array) {
        return dice.of(values).clone();
    }
    let kind = match schema.get("type") {
        Some(Json::Array(kinds)) => dice.of(kinds).as_str().unwrap(),
        kind => kind.and_then(Json::as_str).unwrap(),
    };
    let from = |dice: &mut Dice, low: i64, high: i64| {
        low + i64::try_from(dice.below(usize::try_from(high - low + 1).unwrap())).unwrap()
    };
    match kind {
        "null" => Json::Null,
        "boolean" => Json::Bool(dice.below(2) == 0),
        "integer" => {
            let low = bound(schema, "minimum").or(bound(schema, "exclusiveMinimum").map(|low| low + 1));
            let high = bound(schema, "maximum").or(bound(schema, "exclusiveMaximum").map(|high| high - 1));
            Json::from(from(dice, low.unwrap_or(-1000), high.unwrap_or(100_000)))
        }
        "number" => match bound(schema, "maximum") {
            Some(high) => Json::from(high),
            None => json(dice.of::<&str>(&["0", "-3", "2.5", "-0.125", "1e3", "120"])),
        },
        "string" => {
            let alphabet = ['a', 'Z', ' ', '"', '\\', '\n', '7', 'é', '😀', '{', '/'];
            let low = bound(schema, "minLength").unwrap_or(0);
            let length = from(dice, low, bound(schema, "maxLength").unwrap_or(6));
            let text: String = (0..length).map(|_| *dice.of(&alphabet)).collect();
            Json::from(text.as_str())
        }
        "array" => {
            let count = from(dice, bound(schema, "minItems").unwrap(), bound(schema, "maxItems").unwrap());
            Json::Array((0..count).map(|_| value(schema.get("items").unwrap(), dice)).collect())
        }
        _ => {
            let required = schema.get("required").and_then(Json::as_array).unwrap();
            let members = schema.get("properties").and_then(Json::as_object).unwrap();
            let wanted = members.iter().filter(|(name, _)| {
                required.iter().any(|other| other.as_str() == Some(name)) || dice.below(2) == 0
            });
            let wanted: Vec<_> = wanted.map(|(name, schema)| (name.clone(), schema.clone())).collect();
            Json::object(
                wanted.into_iter().map(|(name, schema)| (name, value(&schema, dice))).collect::<Vec<_>>(),
            )
        }
    }
}

/// A value that differs in one place.
fn changed(value: &Json, dice: &mut Dice) -> Json {
    match value {
        Json::Array(items) if !items.is_empty() && dice.below(3) > 0 => {
            let at = dice.below(items.len());
            let mut items = items.clone();
            items[at] = changed(&items[at], dice);
            Json::Array(items)
        }
        Json::Object(members) if !members.is_empty() && dice.below(3) > 0 => {
            let mut members = members.clone();
            let name = members.keys().nth(dice.below(members.len())).unwrap().clone();
            let old = members.remove(&name).unwrap();
            match dice.below(4) {
                0 => {}
                1 => drop(members.insert(format!("{name}x"), old)),
                _ => drop(members.insert(name, changed(&old, dice))),
            }
            Json::Object(members)
        }
        _ => json(dice.of::<&str>(&[
            "null",
            "true",
            "5",
            "-2000",
            "1.5",
            r#""text""#,
            r#""""#,
            "[]",
            "{}",
            "[1, 2, 3, 4, 5, 6]",
            r#"{"z":1}"#,
        ])),
    }
}

/// Writes what the grammar admits, by chance; none if that does not end.
fn walked(grammar: &ReplyGrammar, dice: &mut Dice) -> Option<String> {
    let mut matcher = matcher(grammar.as_str());
    let mut bytes: Vec<u8> = Vec::new();
    while bytes.len() < LONGEST {
        if matcher.is_stopped() || matcher.is_accepting().unwrap() && dice.below(3) == 0 {
            return Some(String::from_utf8(bytes).unwrap());
        }
        let mask = matcher.compute_mask_or_eos().unwrap();
        let allowed: Vec<u8> = (0..=255_u8).filter(|byte| mask.is_allowed(u32::from(*byte))).collect();
        // Closing what is open, or else a walk in a text would seldom end.
        let closing: Vec<u8> = allowed.iter().copied().filter(|byte| b"\"]}".contains(byte)).collect();
        let byte = match (closing.is_empty(), allowed.is_empty()) {
            (_, true) => return matcher.is_accepting().unwrap().then(|| String::from_utf8(bytes).unwrap()),
            (false, _) if dice.below(4) == 0 => *dice.of(&closing),
            _ => *dice.of(&allowed),
        };
        matcher.consume_token(u32::from(byte)).unwrap();
        bytes.push(byte);
    }
    None
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, ..ProptestConfig::default() })]

    #[test]
    fn the_grammar_admits_everything_that_the_validator_accepts(schema in schemas(), seed: u64) {
        let (grammar, validator) = (ReplyGrammar::value(&schema), CompiledSchema::compile(&schema).unwrap());
        let mut dice = Dice(seed);
        for _ in 0..4 {
            let value = value(&schema, &mut dice);
            prop_assert!(validator.is_valid(&value), "the test's own value {value} of {schema}");
            prop_assert!(admits(&grammar, &written(&value)), "{} of {schema}", written(&value));
        }
    }

    #[test]
    fn the_grammar_admits_nothing_that_the_validator_refuses(schema in schemas(), seed: u64) {
        let (grammar, validator) = (ReplyGrammar::value(&schema), CompiledSchema::compile(&schema).unwrap());
        let mut dice = Dice(seed);
        for _ in 0..4 {
            let near = changed(&value(&schema, &mut dice), &mut dice);
            prop_assert!(validator.is_valid(&near) || !admits(&grammar, &written(&near)), "{near} of {schema}");
            if let Some(reply) = walked(&grammar, &mut dice) {
                let value = Json::parse(&reply);
                prop_assert!(value.is_ok_and(|value| validator.is_valid(&value)), "{reply} of {schema}");
            }
        }
    }
}
