//! The forms of stored inputs and events.
//!
//! A change that shows up here changes what is stored. Adding a field that may be missing is fine;
//! anything else needs a new journal version, or new semantics.

mod events;
mod inputs;

use holm_guards::json::Json;

/// Open JSON for a sample.
fn json(text: &str) -> Json {
    Json::parse(text).unwrap_or_default()
}
