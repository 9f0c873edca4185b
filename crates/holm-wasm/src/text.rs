//! Reads and writes JSON text, with errors that say what was expected.

use alloc::string::String;
use holm_guards::json::Json;
use holm_read::Read;
use serde::Serialize;

use crate::{BindingError, BindingErrorKind};

/// Reads JSON; `what` names the expected form.
pub(crate) fn read<'a, T: Read<'a>>(text: &'a str, what: &str) -> Result<T, BindingError> {
    holm_read::from_str(text).map_err(|error| {
        BindingError::new(BindingErrorKind::BadJson, format_args!("this is no {what}: {error}"))
    })
}

/// Parses JSON of any shape, and keeps numbers exactly as written.
pub(crate) fn open(text: &str, what: &str) -> Result<Json, BindingError> {
    Json::parse(text).map_err(|error| {
        BindingError::new(BindingErrorKind::BadJson, format_args!("this is no {what}: {error}"))
    })
}

/// Writes JSON. Our own types can always be written, because their keys are strings.
pub(crate) fn json(value: &impl Serialize) -> String {
    serde_json::to_string(value).unwrap_or_default()
}
