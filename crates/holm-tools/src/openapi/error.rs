//! Why a document cannot be used as tools.

use thiserror::Error;

/// Why a document cannot be used as tools.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum OpenApiError {
    #[error("it is not UTF-8 text")]
    NotText,
    /// It is neither JSON nor YAML.
    #[error("line {line}: {reason}")]
    Syntax { line: usize, reason: String },
    /// It is JSON or YAML, but not a document.
    #[error("it is not an OpenAPI document: the member `openapi` is missing")]
    NotADocument,
    #[error("it is Swagger {0}; convert it to OpenAPI 3.0 or 3.1 first")]
    Swagger(String),
    #[error("its version is {0}; OpenAPI 3.0 and 3.1 are supported")]
    Version(String),
    #[error("`{0}` has the wrong type")]
    WrongType(&'static str),
    #[error("it names no server; set `server` under [api] in the file beside it")]
    NoServer,
    #[error("the server {server} cannot be used: {reason}")]
    Server { server: String, reason: String },
    /// A setting of the sidecar is wrong.
    #[error("[api]: {0}")]
    Setting(String),
    /// A key of the sidecar that only other tools have.
    #[error(
        "the file beside it sets `{0}`, which has no effect here: every operation has its own; remove it"
    )]
    Sidecar(&'static str),
    /// It has no operation that could be a tool.
    #[error("none of its operations can be a tool{}", first(.0))]
    NoOperation(Vec<String>),
}

fn first(notes: &[String]) -> String {
    notes.first().map(|note| format!(": {note}")).unwrap_or_default()
}
