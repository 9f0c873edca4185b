//! Names from the conventions. The conventions are still in development, so all names are in one
//! place.
//!
//! A change of the conventions is made here, together with the version in `SCHEMA`. What is
//! exported when is decided in `otel/spans.rs`.

use holm_kernel::{Ending, FailureClass, Outcome, StopReason};

/// The version of the conventions that is followed.
pub(super) const SCHEMA: &str = "https://opentelemetry.io/schemas/1.41.0";

pub(super) const OPERATION: &str = "gen_ai.operation.name";
pub(super) const PROVIDER: &str = "gen_ai.provider.name";
pub(super) const CONVERSATION: &str = "gen_ai.conversation.id";
pub(super) const AGENT: &str = "gen_ai.agent.name";
pub(super) const REQUEST_MODEL: &str = "gen_ai.request.model";
pub(super) const RESPONSE_MODEL: &str = "gen_ai.response.model";
pub(super) const FINISH_REASONS: &str = "gen_ai.response.finish_reasons";
pub(super) const INPUT_TOKENS: &str = "gen_ai.usage.input_tokens";
pub(super) const OUTPUT_TOKENS: &str = "gen_ai.usage.output_tokens";
pub(super) const CACHE_READ: &str = "gen_ai.usage.cache_read.input_tokens";
pub(super) const CACHE_WRITTEN: &str = "gen_ai.usage.cache_creation.input_tokens";
pub(super) const REASONING: &str = "gen_ai.usage.reasoning.output_tokens";
pub(super) const TOKEN_TYPE: &str = "gen_ai.token.type";
pub(super) const TOOL: &str = "gen_ai.tool.name";
pub(super) const TOOL_CALL: &str = "gen_ai.tool.call.id";
pub(super) const TOOL_TYPE: &str = "gen_ai.tool.type";
pub(super) const TOOL_ARGUMENTS: &str = "gen_ai.tool.call.arguments";
pub(super) const TOOL_RESULT: &str = "gen_ai.tool.call.result";
pub(super) const INPUT_MESSAGES: &str = "gen_ai.input.messages";
pub(super) const OUTPUT_MESSAGES: &str = "gen_ai.output.messages";
pub(super) const ERROR: &str = "error.type";

pub(super) const TOKEN_USAGE: &str = "gen_ai.client.token.usage";
pub(super) const DURATION: &str = "gen_ai.client.operation.duration";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum GenAiOperation {
    InvokeAgent,
    Chat,
    ExecuteTool,
}

impl GenAiOperation {
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::InvokeAgent => "invoke_agent",
            Self::Chat => "chat",
            Self::ExecuteTool => "execute_tool",
        }
    }
}

/// The provider's name in the conventions, and the model's name at that provider.
pub(super) fn provider_and_model(name: &str) -> (String, String) {
    let (provider, model) = name.split_once('/').unwrap_or(("", name));
    let provider = match provider {
        "" => "unknown",
        "azure" => "azure.ai.openai",
        "bedrock" => "aws.bedrock",
        "gemini" | "google" => "gcp.gemini",
        "mistral" => "mistral_ai",
        "vertex" => "gcp.vertex_ai",
        "xai" => "x_ai",
        other => other,
    };
    (provider.to_owned(), model.to_owned())
}

/// Why a reply ended.
pub(super) const fn finish_reason(stop: StopReason) -> &'static str {
    match stop {
        StopReason::EndTurn | StopReason::StopSequence => "stop",
        StopReason::ToolUse => "tool_call",
        StopReason::MaxTokens => "length",
        StopReason::Refusal | StopReason::ContentFilter => "content_filter",
        StopReason::Other => "other",
    }
}

/// How a model call failed.
pub(super) const fn failure(class: FailureClass) -> &'static str {
    match class {
        FailureClass::RateLimited => "rate_limited",
        FailureClass::Overloaded => "overloaded",
        FailureClass::Server => "server",
        FailureClass::Network => "network",
        FailureClass::Truncated => "truncated",
        FailureClass::Empty => "empty",
        FailureClass::ContextOverflow => "context_overflow",
        FailureClass::Auth => "auth",
        FailureClass::Quota => "quota",
        FailureClass::BadRequest => "bad_request",
        FailureClass::ContentFilter => "content_filter",
        FailureClass::HostCrash => "host_crash",
    }
}

/// How a call went wrong, if it did.
pub(super) const fn outcome(outcome: Outcome) -> Option<&'static str> {
    match outcome {
        Outcome::Succeeded => None,
        Outcome::Failed => Some("failed"),
        Outcome::Refused => Some("refused"),
        Outcome::Unknown => Some("outcome_unknown"),
        Outcome::Stopped => Some("stopped"),
    }
}

/// How a prompt went wrong, if it did.
pub(super) const fn ending(ending: &Ending) -> Option<&'static str> {
    match ending {
        Ending::Answered { .. } => None,
        Ending::Refused { .. } => Some("refused"),
        Ending::Rejected { .. } => Some("rejected"),
        Ending::Looping { .. } => Some("looping"),
        Ending::OverBudget { .. } => Some("over_budget"),
        Ending::OverLimit { .. } => Some("over_limit"),
        Ending::Cancelled { .. } => Some("cancelled"),
        Ending::Failed { .. } => Some("failed"),
    }
}
