//! The schema that a client wants its answer to fit.

use holm_runtime::AnswerSchema;
use holm_wire::server::Asked;

use crate::Refusal;

/// What the answer to a request must fit, if the request says so.
pub(super) fn schema_of(asked: &Asked) -> Result<Option<AnswerSchema>, Refusal> {
    let unusable = |why: String| {
        Refusal::bad("invalid_request_error", format!("the schema of the answer cannot be used: {why}"))
    };
    asked.format.as_ref().map(|format| AnswerSchema::new(format).map_err(unusable)).transpose()
}
