//! Support code for the expansion of `#[tool]`. It is not a public interface and changes without
//! notice.
//!
//! The macro is in `holm-macros` and must match this file. Functions for people who write tools by
//! hand are in `tool/typed_tool.rs`. An invalid need is a compile error of the macro; leaving one
//! out silently would let calls pass unasked.

use std::fmt::Display;

use holm_grants::NeedTemplate;
use holm_kernel::ToolOutput;
use serde::Serialize;

use super::{IntoOutput, JsonOutput, ToolInvocation, output::failed, typed_tool};
use crate::BoxFuture;

pub use holm_grants;
pub use holm_guards;
pub use holm_kernel;
pub use schemars;
pub use serde;

/// The templates of a tool's needs. The macro has parsed them, so an invalid one
/// is a compile error.
#[expect(
    clippy::expect_used,
    reason = "a need that were left out silently would be a call that nobody is asked about"
)]
pub fn needs(texts: &[&str]) -> Vec<NeedTemplate> {
    texts.iter().map(|text| text.parse().expect("the macro has read this need")).collect()
}

/// The output for arguments that the function's types reject.
pub fn failed_arguments(error: &super::ArgumentsError) -> ToolOutput {
    ToolOutput::failed(error.to_string())
}

/// Runs a plain function on a blocking thread.
pub fn block(
    job: ToolInvocation,
    work: impl FnOnce(ToolInvocation) -> ToolOutput + Send + 'static,
) -> BoxFuture<'static, ToolOutput> {
    Box::pin(typed_tool::block(job, work))
}

/// The return value of a function. The first matching trait below turns it into an
/// output; the number of borrows selects it: an output itself, a `Result` of a
/// serialisable value, a serialisable value. For everything else there is a compile error
/// that says what a tool may return.
pub struct ReturnValue<T>(pub Option<T>);

pub trait AsOutput {
    fn output(&mut self) -> ToolOutput;
}

impl<T: IntoOutput> AsOutput for &mut &mut &mut ReturnValue<T> {
    fn output(&mut self) -> ToolOutput {
        self.0.take().map_or_else(ToolOutput::default, IntoOutput::into_output)
    }
}

pub trait AsResult {
    fn output(&mut self) -> ToolOutput;
}

impl<T: Serialize, E: Display> AsResult for &mut &mut ReturnValue<Result<T, E>> {
    fn output(&mut self) -> ToolOutput {
        match self.0.take() {
            Some(Ok(value)) => JsonOutput(value).into_output(),
            Some(Err(error)) => failed(&error),
            None => ToolOutput::default(),
        }
    }
}

pub trait AsData {
    fn output(&mut self) -> ToolOutput;
}

impl<T: Serialize> AsData for &mut ReturnValue<T> {
    fn output(&mut self) -> ToolOutput {
        self.0.take().map_or_else(ToolOutput::default, |value| JsonOutput(value).into_output())
    }
}

pub trait AsAnything {
    type Value;

    fn output(&mut self) -> ToolOutput
    where
        Self::Value: IntoOutput;
}

impl<T> AsAnything for ReturnValue<T> {
    type Value = T;

    fn output(&mut self) -> ToolOutput
    where
        T: IntoOutput,
    {
        self.0.take().map_or_else(ToolOutput::default, IntoOutput::into_output)
    }
}
