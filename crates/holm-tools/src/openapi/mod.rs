//! The operations of an OpenAPI document (3.0 and 3.1, JSON or YAML) as tools.
//!
//! A document describes and never grants: each call states the URL that it needs, and `holm-net`
//! opens that URL and nothing else. Operations that read (`GET`, `HEAD`) have the level of a look;
//! all others can change something. A document is bounded: references are resolved up to a depth, a
//! circle ends, and a schema that is too large is simplified.
//!
//! Keys are not part of a document. A key is stored under the host that receives it, so no file can
//! send it elsewhere, and every output is searched for it (`auth.rs`).
//!
//! Where things are:
//! - `document.rs`: the text of a document and its references. `error.rs`: why it cannot be used.
//! - `schema.rs`: schemas for a model. `operation.rs`: one operation with its arguments.
//! - `request.rs`: the request of a call. `answer.rs`: what the model reads of the response.
//! - `auth.rs`: keys and tokens. `settings.rs`: what a sidecar says.
//! - `tool.rs`: the tool. `toolbox.rs`: all tools of a document. `loader.rs`: those of a tool folder.

mod answer;
mod auth;
mod document;
mod error;
mod loader;
mod operation;
mod request;
mod schema;
mod settings;
mod tool;
mod toolbox;

#[cfg(test)]
mod tests;

pub use auth::{OpenApiCredential, OpenApiKeyStore, host_key_name};
pub use error::OpenApiError;
pub use loader::{OpenApiLoader, is_openapi_file};
pub use settings::{OpenApiAuth, OpenApiAuthKind, OpenApiSettings};
pub use toolbox::{OpenApiNaming, OpenApiToolbox, OpenApiTools};
