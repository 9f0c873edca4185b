mod invalid;
mod properties;
mod valid;

use super::{ArgumentFixKind, ArgumentRepair, repair};
use crate::json::Json;
use crate::schema::CompiledSchema;

fn schema(source: &str) -> CompiledSchema {
    let source = Json::parse(source).unwrap_or_else(|error| panic!("{source}: {error}"));
    CompiledSchema::compile(&source).unwrap_or_else(|error| panic!("{source}: {error}"))
}

/// An object schema with these properties, none required, nothing else allowed.
fn object(properties: &str) -> CompiledSchema {
    schema(&alloc::format!(r#"{{"type":"object","properties":{properties},"additionalProperties":false}}"#))
}
