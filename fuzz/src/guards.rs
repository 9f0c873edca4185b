//! JSON and schemas.

use holm_guards::{
    json::Json,
    repair::{ArgumentRepair, repair},
    schema::{CompiledSchema, MAX_VIOLATIONS},
};
use serde::de::IgnoredAny;

/// JSON text: what we take `serde_json` takes and the other way round, and what we write we read.
pub fn json(data: &[u8]) {
    let Ok(text) = core::str::from_utf8(data) else { return };
    let ours = Json::parse(text);
    let theirs = serde_json::from_str::<IgnoredAny>(text);
    match &ours {
        Ok(value) => {
            assert!(theirs.is_ok(), "only we take this: {theirs:?}");
            let canonical = value.canonical();
            assert_eq!(Json::parse_strict(&canonical).as_ref(), Ok(value), "{canonical}");
            assert!(value.same_value(value));
        }
        // They refuse numbers out of their range and lone surrogates later than this; what they make a value of must be
        // a value for us too, down to the depth that both allow.
        Err(error) => {
            let value = serde_json::from_str::<serde_json::Value>(text);
            assert!(value.is_err() || text.matches(['[', '{']).count() > 100, "only they take this: {error}");
        }
    }
    if let Ok(strict) = Json::parse_strict(text) {
        assert_eq!(Ok(strict), ours, "strict and lenient differ");
    }
    if let Ok((value, taken)) = Json::parse_prefix(text) {
        assert_eq!(Json::parse(text.get(..taken).expect("a border")), Ok(value));
    }
}

/// A schema on the first line, a value on the rest: every question gets the same answer.
pub fn schema(data: &[u8]) {
    let Ok(text) = core::str::from_utf8(data) else { return };
    let (schema, value) = text.split_once('\n').unwrap_or((text, "{}"));
    let Some(schema) = Json::parse(schema).ok().and_then(|source| CompiledSchema::compile(&source).ok())
    else {
        return;
    };
    let _ = (schema.shape(), schema.unsupported(), schema.properties().count());
    if let Ok(value) = Json::parse(value) {
        match schema.validate(&value) {
            Ok(()) => assert!(schema.is_valid(&value), "valid only when nobody asks why"),
            Err(violations) => {
                assert!(!schema.is_valid(&value), "invalid without being so: {violations:?}");
                assert!(!violations.is_empty() && violations.len() as u64 <= MAX_VIOLATIONS as u64);
            }
        }
    }
    if let ArgumentRepair::Valid { value, .. } = repair(&schema, value) {
        assert!(schema.is_valid(&value), "repaired to something invalid");
    }
}
