//! The two dialects in which Azure offers the models of `OpenAI`.
//!
//! Azure adds events to the streams: a first chunk about the prompt alone, and filter results with
//! or without a delta. The decoder ignores them. A reply that its filter stops is recognised by its
//! codes.

use alloc::vec;

use crate::{AuthScheme, openai_chat::OpenaiChatDialect};

/// Chat Completions under `/openai/v1`, where the model's name is that of the deployment. The base
/// URL ends with `/openai/v1`.
pub fn v1() -> OpenaiChatDialect {
    OpenaiChatDialect { auth: AuthScheme::Header("api-key".into()), ..OpenaiChatDialect::default() }
}

/// Chat Completions under a deployment and a dated version of the API.
///
/// ```
/// use holm_wire::services::deployments;
///
/// let dialect = deployments("2024-10-21");
/// assert_eq!(dialect.path, "/openai/deployments/{model}/chat/completions");
/// ```
pub fn deployments(api_version: &str) -> OpenaiChatDialect {
    OpenaiChatDialect {
        path: "/openai/deployments/{model}/chat/completions".into(),
        query: vec![("api-version".into(), api_version.into())],
        ..v1()
    }
}
