//! Serves the OpenAPI document. It is generated from the types, stored next to them, and packed
//! into the program.
//!
//! Generating it at each request would add code for every described type to the program.

mod generator_hints;

use std::io::Read as _;

use axum::{Json, extract::State};
use flate2::read::GzDecoder;
use serde_json::{Value, json};

pub(crate) use generator_hints::GeneratorHints;

use crate::{ApiError, HolmServer};

/// The document, as gzip.
static PACKED: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/openapi.json.gz"));

/// Returns the document, with the server's base path.
pub(crate) async fn show(State(server): State<HolmServer>) -> Result<Json<Value>, ApiError> {
    let damaged = || ApiError::failed("the document in this program is damaged");
    let mut document = unpacked().ok_or_else(damaged)?;
    let base = server.config().base.as_str();
    if !base.is_empty()
        && let Some(fields) = document.as_object_mut()
    {
        fields.insert("servers".to_owned(), json!([{ "url": base }]));
    }
    Ok(Json(document))
}

fn unpacked() -> Option<Value> {
    let mut text = String::new();
    GzDecoder::new(PACKED).read_to_string(&mut text).ok()?;
    serde_json::from_str(&text).ok()
}

#[cfg(test)]
mod tests;
