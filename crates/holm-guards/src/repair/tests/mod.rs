mod invalid;
mod properties;
mod valid;

use super::{FixKind, Repaired, repair};
use crate::json::Json;
use crate::schema::Schema;

fn schema(source: &str) -> Schema {
    let source = Json::parse(source).unwrap_or_else(|error| panic!("{source}: {error}"));
    Schema::compile(&source).unwrap_or_else(|error| panic!("{source}: {error}"))
}

/// An object schema with these properties, none required, nothing else allowed.
fn object(properties: &str) -> Schema {
    schema(&alloc::format!(r#"{{"type":"object","properties":{properties},"additionalProperties":false}}"#))
}
