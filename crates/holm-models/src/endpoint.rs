//! The base URL and the codec of a provider. It opens no connection (`client.rs` does) and stores
//! no key (`keys.rs` does). The services that Holm knows are data in
//! `holm-wire/src/services/table.rs`.

use std::sync::Arc;

use holm_wire::{
    Format, ProviderCodec, openai_chat,
    services::{KeyRequirement, MissingVariableError, ProviderService},
};

use crate::{ProviderCredential, ProviderKeys, ToolCallMode};

/// One service: a base URL and a codec.
///
/// ```
/// use holm_models::ModelEndpoint;
///
/// // A proxy, a gateway or a local server that speaks OpenaiChatCodec Completions.
/// let proxy = ModelEndpoint::compatible("http://127.0.0.1:8080/v1");
/// assert_eq!(proxy.base(), "http://127.0.0.1:8080/v1");
/// ```
#[derive(Debug, Clone)]
pub struct ModelEndpoint {
    base: String,
    codec: Arc<dyn ProviderCodec>,
    listing: Option<String>,
    key: KeyRequirement,
    tools: ToolCallMode,
    /// The service's own name, under which its key is also looked up.
    id: Option<String>,
}

impl ModelEndpoint {
    /// A service at a base URL. Its list of models is at the path that the format defines.
    pub fn new(base: impl Into<String>, codec: impl ProviderCodec + 'static) -> Self {
        Self::with_codec(base, Arc::new(codec))
    }

    /// Like [`new`](Self::new), with a shared codec.
    pub fn with_codec(base: impl Into<String>, codec: Arc<dyn ProviderCodec>) -> Self {
        let listing = match codec.format() {
            Format::OpenaiChat | Format::OpenaiResponses | Format::Gemini => Some("/models"),
            Format::Anthropic | Format::Cohere => Some("/v1/models"),
            Format::Ollama => Some("/api/tags"),
            // The model list belongs to another AWS service at another address.
            Format::Bedrock => None,
        };
        Self {
            base: base.into(),
            codec,
            listing: listing.map(Into::into),
            key: KeyRequirement::Needed,
            tools: ToolCallMode::Native,
            id: None,
        }
    }

    /// A service of which only the base URL is known: a remote proxy, a gateway or a local server.
    /// It uses the conservative dialect of Chat Completions.
    pub fn compatible(base: impl Into<String>) -> Self {
        Self::new(base, openai_chat::OpenaiChatCodec::new(openai_chat::OpenaiChatDialect::compatible()))
    }

    /// The same service at another base URL, for example behind a proxy.
    #[must_use]
    pub fn at(mut self, base: impl Into<String>) -> Self {
        self.base = base.into();
        self
    }

    /// The same service with its model list at another path. `None` means that it has no list.
    #[must_use]
    pub fn listing(mut self, path: Option<String>) -> Self {
        self.listing = path;
        self
    }

    /// A service of the catalogue. `env` gives the variables of its base URL, and a base
    /// URL that replaces it.
    ///
    /// # Errors
    /// [`MissingVariableError`] with the names of the variables that could be set.
    pub fn of_service(
        service: &ProviderService,
        env: &dyn Fn(&str) -> Option<String>,
    ) -> Result<Self, MissingVariableError> {
        Ok(Self {
            base: service.endpoint(env)?,
            codec: service.speaks.codec(),
            listing: service.models.clone(),
            key: if service.needs_key() { KeyRequirement::Needed } else { KeyRequirement::Optional },
            tools: ToolCallMode::Native,
            id: Some(service.id.clone()),
        })
    }

    pub fn base(&self) -> &str {
        &self.base
    }

    pub fn codec(&self) -> &Arc<dyn ProviderCodec> {
        &self.codec
    }

    /// The same service, usable without a key.
    #[must_use]
    pub fn keyless(mut self) -> Self {
        self.key = KeyRequirement::Optional;
        self
    }

    /// The same service, whose models call tools in this way.
    #[must_use]
    pub fn tool_calls(mut self, tools: ToolCallMode) -> Self {
        self.tools = tools;
        self
    }

    pub(crate) const fn tools(&self) -> ToolCallMode {
        self.tools
    }

    pub(crate) const fn key_need(&self) -> KeyRequirement {
        self.key
    }

    /// The key for this service, whose name here is `provider`.
    pub(crate) fn key_from<'k>(
        &self,
        provider: &str,
        keys: &'k ProviderKeys,
    ) -> Option<&'k ProviderCredential> {
        keys.get(provider).or_else(|| keys.get(self.id.as_deref()?))
    }

    pub(crate) fn listing_path(&self) -> Option<&str> {
        self.listing.as_deref()
    }
}
