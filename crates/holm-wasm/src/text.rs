//! JSON text in and out, with faults that say what was expected.

use alloc::string::String;
use holm_guards::json::Json;
use holm_read::Read;
use serde::Serialize;

use crate::{Fault, FaultKind};

/// Reads JSON; `what` names the expected form.
pub(crate) fn read<'a, T: Read<'a>>(text: &'a str, what: &str) -> Result<T, Fault> {
    holm_read::from_str(text)
        .map_err(|error| Fault::new(FaultKind::BadJson, format_args!("this is no {what}: {error}")))
}

/// Reads open JSON, numbers to the letter.
pub(crate) fn open(text: &str, what: &str) -> Result<Json, Fault> {
    Json::parse(text)
        .map_err(|error| Fault::new(FaultKind::BadJson, format_args!("this is no {what}: {error}")))
}

/// Writes JSON. Our own forms always can be written: their keys are strings.
pub(crate) fn json(value: &impl Serialize) -> String {
    serde_json::to_string(value).unwrap_or_default()
}
