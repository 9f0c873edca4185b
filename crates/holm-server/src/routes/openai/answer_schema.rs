//! The schema that a client wants its answer to fit.

use holm_runtime::AnswerSchema;
use holm_wire::server::CompletionRequest;

use crate::ApiError;

/// What the answer to a request must fit, if the request says so.
pub(super) fn schema_of(asked: &CompletionRequest) -> Result<Option<AnswerSchema>, ApiError> {
    let unusable = |reason: String| {
        ApiError::bad("invalid_request_error", format!("the schema of the answer cannot be used: {reason}"))
    };
    asked.format.as_ref().map(|format| AnswerSchema::new(format).map_err(unusable)).transpose()
}
