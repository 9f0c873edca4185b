//! The types that a typed tool may return, and how each becomes text for the model.
//!
//! Limits and secrets are applied later, in `tool/containment.rs`. An `Err` is a failed call and
//! not an error of the run. The choice among return types of `#[tool]` functions is in
//! `tool/support.rs`.

use std::fmt::Display;

use holm_guards::json::Json;
use holm_kernel::ToolOutput;
use serde::Serialize;

/// A value that can become a tool's output.
///
/// Text is unchanged, numbers and booleans are formatted, `()` reads `done`, and an `Err` is
/// a failed call with the error as text. For your own types, return [`JsonOutput`], which the
/// model reads as JSON.
#[diagnostic::on_unimplemented(
    message = "a tool cannot return `{Self}`",
    label = "Holm cannot turn this into text for the model",
    note = "return a text, a number, nothing, `Json`, `ToolOutput`, or a `Result` of these whose error is `Display`",
    note = "a type of your own has to be `Serialize`; where a plain function of the runtime takes it, wrap it in `JsonOutput(…)`"
)]
pub trait IntoOutput {
    fn into_output(self) -> ToolOutput;
}

/// A value that the model reads as JSON.
///
/// ```
/// use holm_runtime::{JsonOutput, IntoOutput};
///
/// #[derive(serde::Serialize)]
/// struct Weather { degrees: i32, sky: &'static str }
///
/// let output = JsonOutput(Weather { degrees: 21, sky: "clear" }).into_output();
/// assert_eq!(output.text, r#"{"degrees":21,"sky":"clear"}"#);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct JsonOutput<T>(pub T);

impl<T: Serialize> IntoOutput for JsonOutput<T> {
    fn into_output(self) -> ToolOutput {
        match serde_json::to_value(&self.0) {
            Ok(serde_json::Value::String(text)) => ToolOutput::text(text),
            Ok(serde_json::Value::Null) => ().into_output(),
            Ok(value) => ToolOutput::text(value.to_string()),
            Err(error) => ToolOutput::failed(format!("the tool's result cannot be written as JSON: {error}")),
        }
    }
}

impl IntoOutput for ToolOutput {
    fn into_output(self) -> ToolOutput {
        self
    }
}

impl IntoOutput for () {
    fn into_output(self) -> ToolOutput {
        ToolOutput::text("done")
    }
}

impl IntoOutput for Json {
    fn into_output(self) -> ToolOutput {
        ToolOutput::text(self.canonical())
    }
}

impl IntoOutput for serde_json::Value {
    fn into_output(self) -> ToolOutput {
        JsonOutput(self).into_output()
    }
}

impl<T: IntoOutput, E: Display> IntoOutput for Result<T, E> {
    fn into_output(self) -> ToolOutput {
        match self {
            Ok(value) => value.into_output(),
            Err(error) => failed(&error),
        }
    }
}

/// A failed call. If the error has an alternate form, that also names its causes.
pub(super) fn failed(error: &dyn Display) -> ToolOutput {
    ToolOutput::failed(format!("{error:#}"))
}

macro_rules! written_out {
    ($($type:ty)*) => {
        $(impl IntoOutput for $type {
            fn into_output(self) -> ToolOutput {
                ToolOutput::text(self.to_string())
            }
        })*
    };
}

written_out!(bool char &'static str String u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize f32 f64);
