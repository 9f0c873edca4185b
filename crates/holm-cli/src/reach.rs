//! How providers are reached: by which keys, and where, if not at their usual address.

use std::collections::BTreeMap;

use holm::{
    kernel::{Block, Media, Message, MessageId, Role, Source},
    models::{Client, ClientError, Endpoint, Keys, SecretString},
    wire::{
        NoMedia, Transcript,
        media::describe,
        services::{Service, Services},
    },
};
use holm_config::{KeyFile, KeyringError, Layer, ProviderSettings, Settings};

use crate::{
    bounds::{Bounds, is_here},
    exit::Trouble,
    keyring::Rings,
    model::Ways,
    places::Places,
    settings::refused,
};

/// Keys and addresses by the names of providers.
#[derive(Debug, Clone, Default)]
pub(crate) struct Reach {
    keys: Keys,
    providers: BTreeMap<String, ProviderSettings>,
    /// Providers whose keys the keyring does not give, and what to do.
    lost: BTreeMap<String, String>,
    ways: Ways,
}

impl Reach {
    /// What the environment and these settings say, and the keys that are kept here, where the environment has none.
    ///
    /// # Errors
    /// Where keys are kept in a file that cannot be used.
    pub(crate) fn here(settings: &Settings, places: &Places) -> Result<Self, Trouble> {
        let kept = KeyFile::load(&places.keys()).map_err(|error| refused(&error))?;
        let reach = Self::of(settings, |name| std::env::var(name).ok());
        let reach = kept.iter().fold(reach, |reach, (provider, key)| reach.with_key(provider, key.clone()));
        let keyring = Rings::here(&places.data);
        Ok(kept.in_keyring().fold(reach, |reach, provider| reach.with_ring(provider, keyring.get(provider))))
    }

    /// With a key of the keyring; that it has none any more is told when somebody needs it.
    fn with_ring(mut self, provider: &str, key: Result<Option<SecretString>, KeyringError>) -> Self {
        let why = match key {
            Ok(Some(key)) => return self.with_key(provider, key),
            Ok(None) => "the keyring has forgotten it, as it does when the machine starts anew".to_owned(),
            Err(error) => error.to_string(),
        };
        self.lost.insert(provider.to_owned(), format!("{why}; `holm keys add {provider}` keeps it again"));
        self
    }

    /// Why the key of a model's provider is not there although somebody has kept it.
    pub(crate) fn lost(&self, name: &str) -> Option<String> {
        self.lost.get(&known_as(name.split('/').next().unwrap_or_default())).cloned()
    }

    /// Whether a model of this name is shown a picture or a file as it is. What its format cannot say, its codec says in words.
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
        let mut said = Transcript::default();
        endpoint.codec().write_message(&message, &NoMedia, &mut said);
        let words = describe(&media);
        let said = [said.bytes(), said.tail()].concat();
        !String::from_utf8_lossy(&said).contains(&words)
    }

    /// What the environment and these settings say.
    fn of(settings: &Settings, env: impl Fn(&str) -> Option<String>) -> Self {
        let mut keys = Keys::from_lookup(&env);
        for (name, provider) in &settings.providers {
            let key = provider.key_env.as_ref().and_then(|variable| env(&variable.value));
            if let Some(key) = key.filter(|key| !key.trim().is_empty()) {
                keys = keys.with(&known_as(name), key.trim());
            }
        }
        Self { keys, providers: settings.providers.clone(), ..Self::default() }
    }

    /// In these ways.
    pub(crate) fn by(self, ways: Ways) -> Self {
        Self { ways, ..self }
    }

    /// In which ways.
    pub(crate) fn ways(&self) -> Ways {
        self.ways
    }

    /// With one more key. One of the environment stays: whoever set it means it.
    pub(crate) fn with_key(mut self, provider: &str, key: SecretString) -> Self {
        if self.keys.get(provider).is_none() {
            self.keys = self.keys.with(provider, key);
        }
        self
    }

    /// The keys.
    pub(crate) fn keys(&self) -> &Keys {
        &self.keys
    }

    /// A client for the provider of a model's name. A name that the catalogue does not have is a server that speaks like
    /// `OpenAI`'s, if the settings say where it is.
    pub(crate) fn client(&self, name: &str) -> Result<Client, ClientError> {
        let (provider, endpoint) = self.endpoint(name)?;
        Client::builder().endpoint(&provider, endpoint).keys(self.keys.clone()).build()
    }

    /// Refuses a provider that is further away than connections may go. One that is not known is told by whoever opens it.
    pub(crate) fn admits(&self, name: &str) -> Result<(), Trouble> {
        match (self.ways.bounds(), self.endpoint(name)) {
            (Bounds::ThisMachine, Ok((_, endpoint))) => Bounds::ThisMachine.admits(name, endpoint.base()),
            (Bounds::ThisMachine | Bounds::Anywhere, _) => Ok(()),
        }
    }

    /// Whether a model costs nothing: it works on this machine.
    pub(crate) fn is_free(&self, name: &str) -> bool {
        let here = ["local/", "scripted/"].iter().any(|own| name.starts_with(own));
        here || self.endpoint(name).is_ok_and(|(_, endpoint)| is_here(endpoint.base()))
    }

    fn endpoint(&self, name: &str) -> Result<(String, Endpoint), ClientError> {
        let env = |name: &str| std::env::var(name).ok();
        let services = Services::stock();
        match services.resolve(name) {
            Ok((full, service)) => {
                let endpoint = match self.base(service, env) {
                    Some(base) => Endpoint::of_service(service, &|_| Some("unused".into()))?.at(base),
                    None => Endpoint::of_service(service, &env)?,
                };
                Ok((full.provider().to_owned(), endpoint))
            }
            Err(error) => {
                let provider = name.split('/').next().unwrap_or_default();
                let own = self.providers.get(provider).and_then(|own| own.base_url.as_ref());
                let base = own.ok_or(error)?;
                Ok((provider.to_owned(), Endpoint::compatible(&base.value).keyless()))
            }
        }
    }

    /// The address that settings give a provider. The environment is over the user's file, and a policy over both.
    fn base(&self, service: &Service, env: impl Fn(&str) -> Option<String>) -> Option<&str> {
        let own = self.providers.iter().find(|(name, _)| known_as(name) == service.id);
        let base = own.and_then(|(_, own)| own.base_url.as_ref())?;
        let said = service.base_env.as_deref().and_then(env).filter(|url| !url.trim().is_empty());
        (said.is_none() || base.origin.layer() == Layer::Policy).then_some(&*base.value)
    }
}

/// A provider's own name, where it was named by another.
fn known_as(name: &str) -> String {
    Services::stock().find(name).map_or_else(|_| name.to_owned(), |service| service.id.clone())
}
