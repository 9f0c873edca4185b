//! How providers are reached: their keys, and their addresses if not the usual ones. It builds
//! clients, but does not choose a model (`model.rs`), store keys (`commands/keys.rs`) or send
//! requests (`holm-models`).
//!
//! A key in the environment overrides a stored one, and a policy overrides the environment for
//! addresses. A keyring is read only when a key is needed (`provider_access/keyring_keys.rs`).
//! Connections are shared by all sessions of the process, so a key must belong to a request and
//! never to a connection.

mod keyring_keys;

use std::{
    collections::BTreeMap,
    sync::{Arc, OnceLock},
};

use holm::{
    kernel::{Block, Media, Message, MessageId, ModelSpec, NanoUsd, Price, Role, Source},
    models::{
        HttpTimeouts, HttpTransport, ModelClient, ModelClientError, ModelEndpoint, ProviderKeys, ProxyPolicy,
        SecretString, ToolCallMode,
    },
    wire::{
        Caching, MessageBuffer, NoMedia, WireOptions,
        media::describe,
        services::{KeyRequirement, ProviderService, ServiceTable},
    },
};
use holm_config::{ConfigLayer, ConfigSettings, KeyFile, ProviderSettings, SettingValue, ToolProtocol};

use crate::{
    exit::CommandError, holm_paths::HolmPaths, keyring::SystemKeyrings, model::ModelOptions,
    network_scope::NetworkScope, settings::refused,
};
use keyring_keys::KeyringKeys;

/// Keys and addresses of providers, by name.
#[derive(Debug, Clone, Default)]
pub(crate) struct ProviderAccess {
    keys: ProviderKeys,
    providers: BTreeMap<String, ProviderSettings>,
    /// The keys of the keyring, which are read when they are needed.
    ring: Option<Arc<KeyringKeys>>,
    ways: ModelOptions,
}

impl ProviderAccess {
    /// The access that the environment and these settings configure, with stored keys where the
    /// environment has none. The keyring is not read yet.
    ///
    /// # Errors
    /// If the file of stored keys cannot be used.
    pub(crate) fn here(settings: &ConfigSettings, places: &HolmPaths) -> Result<Self, CommandError> {
        let kept = KeyFile::load(&places.keys()).map_err(|error| refused(&error))?;
        let reach = Self::of(settings, |name| std::env::var(name).ok());
        let reach = kept.iter().fold(reach, |reach, (provider, key)| reach.with_key(provider, key.clone()));
        let ring = KeyringKeys::new(SystemKeyrings::here(&places.data), kept.in_keyring());
        Ok(Self { ring: Some(Arc::new(ring)), ..reach })
    }

    /// Why the stored key of a model's provider cannot be read.
    pub(crate) fn lost(&self, name: &str) -> Option<String> {
        let provider = known_as(name.split('/').next().unwrap_or_default());
        self.ring.as_ref()?.lost(&provider)
    }

    /// Whether a model of this name gets a picture or a file directly. The codec replaces
    /// unsupported content with text.
    pub(crate) fn shows(&self, name: &str, block: &Block) -> bool {
        let Ok((_, endpoint)) = self.endpoint(name) else { return false };
        // One like it, and small: only what it is decides.
        let small = |media: &Media| Media {
            media_type: media.media_type.clone(),
            source: Source::Base64("AA==".into()),
            name: None,
        };
        let (block, media) = match block {
            Block::Image(media) => (Block::Image(small(media)), small(media)),
            Block::File(media) => (Block::File(small(media)), small(media)),
            Block::Text(_)
            | Block::Thinking(_)
            | Block::ToolCall(_)
            | Block::ToolResult(_)
            | Block::Custom(_) => {
                return true;
            }
        };
        let message = Message { blocks: vec![block], ..Message::text(MessageId::new(1), Role::User, "") };
        let mut said = MessageBuffer::default();
        endpoint.codec().write_message(&message, &NoMedia, &mut said);
        let words = describe(&media);
        let said = [said.bytes(), said.tail()].concat();
        !String::from_utf8_lossy(&said).contains(&words)
    }

    /// What the environment and these settings say.
    fn of(settings: &ConfigSettings, env: impl Fn(&str) -> Option<String>) -> Self {
        let mut keys = ProviderKeys::from_lookup(&env);
        for (name, provider) in &settings.providers {
            let key = provider.key_env.as_ref().and_then(|variable| env(&variable.value));
            if let Some(key) = key.filter(|key| !key.trim().is_empty()) {
                keys = keys.with(&known_as(name), key.trim());
            }
        }
        Self { keys, providers: settings.providers.clone(), ..Self::default() }
    }

    /// Sets the options of models.
    pub(crate) fn by(self, ways: ModelOptions) -> Self {
        Self { ways, ..self }
    }

    pub(crate) fn ways(&self) -> ModelOptions {
        self.ways
    }

    /// Adds a key. An existing key stays, because the user set it on purpose.
    pub(crate) fn with_key(mut self, provider: &str, key: SecretString) -> Self {
        if !self.has_key(provider) {
            self.keys = self.keys.with(provider, key);
        }
        self
    }

    /// Whether there is a key of a provider. If only the keyring can have it, that is asked.
    pub(crate) fn has_key(&self, provider: &str) -> bool {
        let in_ring = || self.ring.as_ref().is_some_and(|ring| ring.key(provider).is_some());
        self.keys.get(provider).is_some() || in_ring()
    }

    /// The known keys: all except keyring keys that were not needed yet.
    pub(crate) fn keys(&self) -> ProviderKeys {
        let asked = self.ring.iter().flat_map(|ring| ring.known());
        asked.fold(self.keys.clone(), |keys, (provider, key)| {
            if keys.get(&provider).is_some() { keys } else { keys.with(&provider, key) }
        })
    }

    /// A note about a model whose key should be in a variable that is not set: its provider
    /// is called without one.
    pub(crate) fn keyless(&self, model: &str) -> Option<String> {
        let provider = model.split('/').next().unwrap_or_default();
        let variable = self.providers.get(provider)?.key_env.as_ref()?;
        let is_set = std::env::var(&variable.value).is_ok_and(|key| !key.trim().is_empty());
        (!is_set && !self.has_key(&known_as(provider))).then(|| {
            let SettingValue { value, origin } = variable;
            format!("{origin} takes the key of {provider} from ${value}, which is not set")
        })
    }

    /// Whether the provider of a model is called without a key: it takes none, and the
    /// settings name none either.
    pub(crate) fn is_keyless(&self, model: &str) -> bool {
        let provider = model.split('/').next().unwrap_or_default();
        match ServiceTable::stock().find(provider) {
            Ok(service) => service.key != KeyRequirement::Needed,
            Err(_) if matches!(provider, "local" | "scripted") => true,
            Err(_) => self.settings(model).is_some_and(|own| own.base_url.is_some() && own.key_env.is_none()),
        }
    }

    /// A client for the provider in a model's name. A provider that is not in the catalogue is an
    /// `OpenAI`-compatible server, if the settings name its address.
    pub(crate) fn client(&self, name: &str) -> Result<ModelClient, ModelClientError> {
        let (provider, endpoint) = self.endpoint(name)?;
        // Reads only this provider's key from the keyring, now that it is needed. The client
        // reports a missing key.
        let _ = self.has_key(&provider);
        let caching = if self.ways.cache.is_hour_at(&provider) { Caching::Hour } else { Caching::On };
        let options = WireOptions { caching, ..WireOptions::default() };
        let builder = ModelClient::builder().endpoint(&provider, endpoint).keys(self.keys()).options(options);
        builder.transport(Arc::new(connections()?)).build()
    }

    /// Refuses a provider outside of the network scope, and one of the settings without a model. An
    /// unknown provider is reported when it is opened.
    pub(crate) fn admits(&self, name: &str) -> Result<(), CommandError> {
        if self.providers.get(name).is_some_and(|own| own.base_url.is_some()) {
            return Err(crate::model::without_model(name));
        }
        match (self.ways.bounds(), self.endpoint(name)) {
            (NetworkScope::ThisMachine, Ok((_, endpoint))) => {
                NetworkScope::ThisMachine.admits(name, endpoint.base())
            }
            (NetworkScope::ThisMachine | NetworkScope::Anywhere, _) => Ok(()),
        }
    }

    /// Whether a model costs nothing: it works on this machine.
    #[cfg(feature = "local")]
    pub(crate) fn is_free(&self, name: &str) -> bool {
        let here = ["local/", "scripted/"].iter().any(|own| name.starts_with(own));
        here || self.endpoint(name).is_ok_and(|(_, endpoint)| crate::network_scope::is_here(endpoint.base()))
    }

    /// What the settings say of the models of a provider, on top of what is known of one.
    pub(crate) fn card(&self, known: &ModelSpec) -> ModelSpec {
        let Some(own) = self.settings(&known.name) else { return known.clone() };
        let said = |value: &Option<SettingValue<u64>>| value.as_ref().map(|value| value.value);
        let price = |value: &Option<SettingValue<NanoUsd>>| value.as_ref().map(|value| value.value.value());
        let price = match (price(&own.input_price), price(&own.output_price)) {
            (None, None) => known.price,
            (input, output) => {
                let before = known.price.unwrap_or_default();
                let (input, output) = (input.unwrap_or(before.input), output.unwrap_or(before.output));
                Some(Price { input, output, cached: None, cache_write: None })
            }
        };
        let window = said(&own.context).or(known.window);
        ModelSpec { window, max_output: said(&own.max_output).or(known.max_output), price, ..known.clone() }
    }

    /// The settings of a model's provider.
    fn settings(&self, model: &str) -> Option<&ProviderSettings> {
        let provider = known_as(model.split('/').next().unwrap_or_default());
        self.providers.iter().find(|(name, _)| known_as(name) == provider).map(|(_, own)| own)
    }

    fn endpoint(&self, name: &str) -> Result<(String, ModelEndpoint), ModelClientError> {
        let (provider, endpoint) = self.known_endpoint(name)?;
        let tools = self.settings(name).and_then(|own| own.tools.as_ref()).map(|tools| tools.value);
        Ok((
            provider,
            match tools {
                Some(ToolProtocol::Text) => endpoint.tool_calls(ToolCallMode::Text),
                Some(ToolProtocol::Native) | None => endpoint,
            },
        ))
    }

    fn known_endpoint(&self, name: &str) -> Result<(String, ModelEndpoint), ModelClientError> {
        let env = |name: &str| std::env::var(name).ok();
        let services = ServiceTable::stock();
        match services.resolve(name) {
            Ok((full, service)) => {
                let endpoint = match self.base(service, env) {
                    Some(base) => ModelEndpoint::of_service(service, &|_| Some("unused".into()))?.at(base),
                    None => ModelEndpoint::of_service(service, &env)?,
                };
                Ok((full.provider().to_owned(), endpoint))
            }
            Err(error) => {
                let provider = name.split('/').next().unwrap_or_default();
                let own = self.providers.get(provider).and_then(|own| own.base_url.as_ref());
                let base = own.ok_or(error)?;
                Ok((provider.to_owned(), ModelEndpoint::compatible(&base.value).keyless()))
            }
        }
    }

    /// The address of a provider in the settings. The environment overrides the user's file, and
    /// a policy overrides both.
    fn base(&self, service: &ProviderService, env: impl Fn(&str) -> Option<String>) -> Option<&str> {
        let own = self.providers.iter().find(|(name, _)| known_as(name) == service.id);
        let base = own.and_then(|(_, own)| own.base_url.as_ref())?;
        let said = service.base_env.as_deref().and_then(env).filter(|url| !url.trim().is_empty());
        (said.is_none() || base.origin.layer() == ConfigLayer::Policy).then_some(&*base.value)
    }
}

/// The connections to providers, shared by all sessions of this process. A server has thousands of
/// sessions, and each would load the trusted certificates and keep its own pool. Keys belong to a
/// request, not to a connection.
fn connections() -> Result<HttpTransport, ModelClientError> {
    static SHARED: OnceLock<HttpTransport> = OnceLock::new();
    if let Some(shared) = SHARED.get() {
        return Ok(shared.clone());
    }
    let made = HttpTransport::new(HttpTimeouts::default(), ProxyPolicy::default())?;
    Ok(SHARED.get_or_init(|| made).clone())
}

/// A provider's own name, where it was named by another.
fn known_as(name: &str) -> String {
    ServiceTable::stock().find(name).map_or_else(|_| name.to_owned(), |service| service.id.clone())
}
