mod accessors;
mod compile;
mod limits;
mod messages;
mod pattern;
pub(crate) mod properties;
mod uri;
mod validate;

use super::CompiledSchema;
use crate::json::Json;

fn json(text: &str) -> Json {
    Json::parse(text).unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn schema(text: &str) -> CompiledSchema {
    CompiledSchema::compile(&json(text)).unwrap_or_else(|error| panic!("{text}: {error}"))
}

/// One value that a schema allows, and one that it refuses.
#[track_caller]
fn tells_apart(source: &str, good: &str, bad: &str) {
    let schema = schema(source);
    assert!(schema.is_valid(&json(good)), "{source}: {good}");
    assert!(!schema.is_valid(&json(bad)), "{source}: {bad}");
}
