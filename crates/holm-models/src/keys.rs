//! The API keys of providers, in memory. Files and keyrings are read in `holm-config/src/keys.rs`
//! and `holm-config/src/keyring.rs`; a key is added to a request in `client.rs`. No file is read
//! here, in particular no `.env` of a project, and no key appears in `Debug`.

use std::collections::BTreeMap;

use holm_runtime::SecretRedactor;
use holm_wire::services::ServiceTable;
use secrecy::{ExposeSecret, SecretString};

/// The credential of a provider.
#[derive(Debug, Clone)]
pub enum ProviderCredential {
    /// A token that is sent in a header.
    Token(SecretString),
    /// The keys of an AWS account. They sign requests and are never sent.
    Aws {
        /// The access key's id.
        access: String,
        /// The secret access key.
        secret: SecretString,
        /// The session token of temporary keys.
        session: Option<SecretString>,
        /// The region of the service.
        region: String,
    },
}

/// API keys by provider name.
///
/// ```
/// use holm_models::ProviderKeys;
///
/// let keys = ProviderKeys::new().with("openai", "sk-secret-0123456789");
/// assert!(keys.get("openai").is_some());
/// assert!(!format!("{keys:?}").contains("0123456789"));
/// ```
#[derive(Debug, Clone, Default)]
pub struct ProviderKeys {
    by_provider: BTreeMap<String, ProviderCredential>,
}

impl ProviderKeys {
    pub fn new() -> Self {
        Self::default()
    }

    /// Reads keys from the environment variables that the catalogue of services names. It reads no
    /// file, and in particular no `.env` of an untrusted project.
    pub fn from_environment() -> Self {
        Self::from_lookup(|name| std::env::var(name).ok())
    }

    /// Like [`from_environment`](Self::from_environment), with any lookup function.
    pub fn from_lookup(look: impl Fn(&str) -> Option<String>) -> Self {
        let look = |name: &str| look(name).filter(|value| !value.trim().is_empty());
        let mut keys = Self::new();
        for service in ServiceTable::stock().iter() {
            if let Some(value) = service.keys.iter().find_map(|name| look(name)) {
                keys = keys.with(&service.id, value.trim());
            }
        }
        if let (Some(access), Some(secret)) = (look("AWS_ACCESS_KEY_ID"), look("AWS_SECRET_ACCESS_KEY"))
            && keys.get("bedrock").is_none()
        {
            let region = look("AWS_REGION").or_else(|| look("AWS_DEFAULT_REGION"));
            let session = look("AWS_SESSION_TOKEN").map(Into::into);
            let (secret, region) = (secret.into(), region.unwrap_or_else(|| "us-east-1".into()));
            keys = keys.with_key("bedrock", ProviderCredential::Aws { access, secret, session, region });
        }
        keys
    }

    /// Adds a provider's key.
    #[must_use]
    pub fn with(self, provider: &str, token: impl Into<SecretString>) -> Self {
        self.with_key(provider, ProviderCredential::Token(token.into()))
    }

    /// Adds a key of any kind.
    #[must_use]
    pub fn with_key(mut self, provider: &str, key: ProviderCredential) -> Self {
        self.by_provider.insert(provider.to_owned(), key);
        self
    }

    /// The key of a provider.
    pub fn get(&self, provider: &str) -> Option<&ProviderCredential> {
        self.by_provider.get(provider)
    }

    /// A [`SecretRedactor`] that knows exactly these keys, each under its provider's name. Finding
    /// other texts that look like keys is left to the code that stores the text.
    pub fn secrets(&self) -> SecretRedactor {
        self.told_to(SecretRedactor::only_known())
    }

    /// Adds these keys, each under its provider's name, to an existing set of secrets. For example,
    /// an agent whose [`SecretRedactor::new`] gets the keys never stores a key of its provider.
    #[must_use]
    pub fn told_to(&self, mut secrets: SecretRedactor) -> SecretRedactor {
        for (provider, key) in &self.by_provider {
            secrets = match key {
                ProviderCredential::Token(token) => secrets.know(provider, token.clone()),
                ProviderCredential::Aws { secret, session, .. } => {
                    let secrets = secrets.know(provider, secret.clone());
                    session.iter().fold(secrets, |secrets, session| secrets.know(provider, session.clone()))
                }
            };
        }
        secrets
    }
}

impl ProviderCredential {
    /// Whether the key is not blank.
    pub fn is_there(&self) -> bool {
        match self {
            Self::Token(token) => !token.expose_secret().trim().is_empty(),
            Self::Aws { access, secret, .. } => !access.is_empty() && !secret.expose_secret().is_empty(),
        }
    }
}
