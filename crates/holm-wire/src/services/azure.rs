//! Azure's two ways to serve the models of `OpenAI`.
//!
//! What it adds to the streams (a first chunk about the prompt alone, filter results beside or without a delta) is what the
//! decoder passes over anyway; what its filter stops is recognised by its codes.

use alloc::vec;

use crate::{Auth, openai_chat::Dialect};

/// Chat Completions under `/openai/v1`, where the model's name is the deployment's. The base URL ends with
/// `/openai/v1`.
pub fn v1() -> Dialect {
    Dialect { auth: Auth::Header("api-key".into()), ..Dialect::default() }
}

/// Chat Completions under a deployment and a dated version of the API.
///
/// ```
/// use holm_wire::services::deployments;
///
/// let dialect = deployments("2024-10-21");
/// assert_eq!(dialect.path, "/openai/deployments/{model}/chat/completions");
/// ```
pub fn deployments(api_version: &str) -> Dialect {
    Dialect {
        path: "/openai/deployments/{model}/chat/completions".into(),
        query: vec![("api-version".into(), api_version.into())],
        ..v1()
    }
}
