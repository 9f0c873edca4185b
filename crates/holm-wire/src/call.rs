//! The input of a codec: the kernel's request, the messages it refers to, and the options of the
//! call.
//!
//! It encodes nothing: `encoder.rs` does, with the `request.rs` of the format. Options that only
//! one service needs belong in the `dialect.rs` of its format. What the kernel decides (model,
//! messages, tools, output limit) is not repeated here. In the last turn of a run no tool may be
//! called, whatever the options say.

use alloc::{borrow::Cow, string::String, sync::Arc, vec::Vec};

use holm_guards::json::Json;
use holm_kernel::{Message, Messages, Purpose, Request};
use holm_read::Read;
use serde::{Deserialize, Serialize};

/// One model call to encode.
#[derive(Clone, Copy)]
pub struct ModelCall<'a> {
    pub request: &'a Request,
    /// The run's view. It has at least as many messages as a [`Messages::View`] names, and is
    /// not read for [`Messages::Own`].
    pub view: &'a [Arc<Message>],
    /// Options that the kernel does not decide.
    pub options: &'a WireOptions,
    /// The source of the bytes of stored images and files.
    pub media: &'a dyn MediaSource,
}

impl ModelCall<'_> {
    /// The model's name at its provider: the part after the first slash of `provider/model`.
    pub fn model(&self) -> &str {
        provider_model(&self.request.model.name).1
    }

    /// The messages of the request.
    pub fn messages(&self) -> &[Arc<Message>] {
        match &self.request.messages {
            Messages::View { count, .. } => {
                let count = usize::try_from(*count).unwrap_or(usize::MAX).min(self.view.len());
                self.view.get(..count).unwrap_or(self.view)
            }
            Messages::Own(messages) => messages,
        }
    }

    /// Whether the model must or may not call tools: as the options say, but in the last turn of a
    /// run it may not.
    pub fn tool_choice(&self) -> &ToolChoice {
        // Providers refuse the choice where there is nothing to choose from.
        if self.request.purpose == Purpose::Answer && !self.request.tools.tools.is_empty() {
            return &ToolChoice::None;
        }
        &self.options.tool_choice
    }

    /// The output cap, if one was given.
    pub fn max_output(&self) -> Option<u64> {
        self.request.max_output.or(self.request.model.max_output)
    }
}

/// Splits `provider/model`. The model's own name may contain slashes. Without a slash,
/// the provider is empty.
///
/// ```
/// use holm_wire::provider_model;
///
/// assert_eq!(provider_model("openrouter/meta/llama-4"), ("openrouter", "meta/llama-4"));
/// assert_eq!(provider_model("llama-4"), ("", "llama-4"));
/// ```
pub fn provider_model(name: &str) -> (&str, &str) {
    name.split_once('/').unwrap_or(("", name))
}

/// Settings of a call that the kernel does not decide.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, Read)]
#[serde(default)]
pub struct WireOptions {
    /// Whether the reply comes in pieces.
    pub delivery: Delivery,
    /// Whether the model must or may not call tools.
    pub tool_choice: ToolChoice,
    /// Whether one reply may contain several calls.
    pub parallel: Parallel,
    /// How much the model may think.
    pub reasoning: Reasoning,
    /// Whether prompt-cache breakpoints are set where the format has them.
    pub caching: Caching,
    /// A name for prompts that begin alike, where the format has a place for it: the provider's
    /// cache is found by it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cache_key: Option<String>,
    /// Texts at which the model stops.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub stop: Vec<String>,
    /// Members of the request body that win over the codec's own, as an object.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub extra: Option<Json>,
}

/// How the reply is delivered.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, Read)]
#[serde(rename_all = "snake_case")]
pub enum Delivery {
    /// As a stream of pieces.
    #[default]
    Stream,
    /// The reply comes as one body, not as a stream.
    Whole,
}

/// Whether the model must call a tool.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, Read)]
#[serde(rename_all = "snake_case")]
pub enum ToolChoice {
    /// The model decides whether to call tools.
    #[default]
    Auto,
    /// The model may not call tools.
    None,
    /// It must call one.
    Required,
    /// It must call this one.
    Tool(String),
}

/// Whether one reply may hold several tool calls.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, Read)]
#[serde(rename_all = "snake_case")]
pub enum Parallel {
    /// As the provider likes it.
    #[default]
    Unsaid,
    /// The model may call several tools at once.
    Allowed,
    /// One call a reply.
    Forbidden,
}

/// How much the model may think before it answers.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, Read)]
#[serde(rename_all = "snake_case")]
pub enum Reasoning {
    /// As the provider likes it.
    #[default]
    Unsaid,
    /// Not at all, where that can be said.
    Off,
    /// This much, in words.
    Effort(Effort),
    /// This many tokens; formats that know only words take the nearest.
    Budget(u64),
}

impl Reasoning {
    /// The budget in tokens, if reasoning is requested.
    pub const fn budget(self) -> Option<u64> {
        match self {
            Self::Unsaid | Self::Off => None,
            Self::Effort(Effort::Low) => Some(2_048),
            Self::Effort(Effort::Medium) => Some(8_192),
            Self::Effort(Effort::High) => Some(24_576),
            Self::Budget(tokens) => Some(tokens),
        }
    }

    /// The effort level, if reasoning is requested.
    pub const fn effort(self) -> Option<Effort> {
        match self {
            Self::Unsaid | Self::Off => None,
            Self::Effort(effort) => Some(effort),
            Self::Budget(tokens) => Some(match tokens {
                0..4_096 => Effort::Low,
                4_096..16_384 => Effort::Medium,
                _ => Effort::High,
            }),
        }
    }
}

/// Effort in the words that providers share.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Read)]
#[serde(rename_all = "snake_case")]
pub enum Effort {
    Low,
    Medium,
    High,
}

impl Effort {
    /// The word on the wire.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
        }
    }
}

/// Whether cache breakpoints are set.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, Read)]
#[serde(rename_all = "snake_case")]
pub enum Caching {
    #[default]
    On,
    /// On, and prompts are kept for an hour where the format can say so. Writing to the cache costs
    /// more then, so it pays for sessions that pause for longer than five minutes.
    Hour,
    Off,
}

/// Provides the bytes of media that a message only refers to.
pub trait MediaSource {
    /// The content of a stored file in base64, or `None` if the file no longer exists.
    fn base64(&self, reference: &str) -> Option<Cow<'_, str>>;
}

/// A host that stores no media.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoMedia;

impl MediaSource for NoMedia {
    fn base64(&self, _: &str) -> Option<Cow<'_, str>> {
        None
    }
}
