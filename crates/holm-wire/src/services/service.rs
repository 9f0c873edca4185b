//! One service of the table: its base URL, its key's variables and its format.
//!
//! It reads no environment itself: the caller passes a function that looks up variables. Keys are
//! found in `holm-models/src/keys.rs`. A variable in a base URL keeps only characters of a host
//! name, so that its value cannot lead to another host.
//!
//! The table is `table.rs`, and the dialects are `service_dialect.rs`.

use alloc::{format, string::String, vec::Vec};

use holm_read::Read;
use serde::{Deserialize, Serialize};

use super::ServiceDialect;

/// The base URL, the key and the format of a service.
///
/// ```
/// use holm_wire::{Format, services::ProviderService};
///
/// let mine: ProviderService =
///     serde_json::from_str(r#"{"id":"mine","base_url":"http://10.0.0.7:8000/v1"}"#)?;
/// assert_eq!(mine.speaks.format(), Format::OpenaiChat);
/// assert_eq!(mine.endpoint(&|_| None).unwrap(), "http://10.0.0.7:8000/v1");
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Read)]
pub struct ProviderService {
    /// The first half of `provider/model`.
    pub id: String,
    /// The display name; if it is empty, `id` is shown.
    #[serde(default)]
    pub name: String,
    /// The base URL; `{name}` stands for a [variable](ProviderService::variables).
    pub base_url: String,
    /// The environment variable that replaces the base URL.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base_env: Option<String>,
    /// The environment variables that may contain the key. The first one that is set counts. If
    /// requests are normally signed, a key from here is sent as a bearer token instead.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub keys: Vec<String>,
    /// Whether the service works without a key from the list.
    #[serde(default)]
    pub key: KeyRequirement,
    /// The variables in the base URL.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub variables: Vec<UrlVariable>,
    /// Alternative names of the service.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub aliases: Vec<String>,
    #[serde(default)]
    pub speaks: ServiceDialect,
    /// The path of its model list, if it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub models: Option<String>,
}

/// Whether a key is required before anything is sent.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, Read)]
#[serde(rename_all = "snake_case")]
pub enum KeyRequirement {
    /// It is required, if the service names any variable for it.
    #[default]
    Needed,
    /// It is optional: a local server, or another way to sign in.
    Optional,
}

/// A part of a base URL that each user sets.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Read)]
pub struct UrlVariable {
    /// The name between the braces.
    pub name: String,
    /// The environment variables that may contain it. The first one that is set counts.
    pub env: Vec<String>,
}

impl ProviderService {
    /// The name to show.
    pub fn title(&self) -> &str {
        if self.name.is_empty() { &self.id } else { &self.name }
    }

    /// Whether one of [`keys`](ProviderService::keys) must be set.
    pub fn needs_key(&self) -> bool {
        self.key == KeyRequirement::Needed && !self.keys.is_empty()
    }

    /// The base URL. `env` looks up environment variables. A host without a scheme gets plain HTTP,
    /// as settings of local servers omit it.
    ///
    /// # Errors
    /// [`MissingVariableError`] with the names of the variables that could be set.
    pub fn endpoint(&self, env: &dyn Fn(&str) -> Option<String>) -> Result<String, MissingVariableError> {
        let set = |name: &str| env(name).filter(|value| !value.trim().is_empty());
        if let Some(url) = self.base_env.as_deref().and_then(set) {
            let url = url.trim();
            return Ok(if url.contains("://") { url.into() } else { format!("http://{url}") });
        }
        let mut url = self.base_url.clone();
        for variable in &self.variables {
            let value =
                variable.env.iter().find_map(|name| set(name)).ok_or_else(|| MissingVariableError {
                    service: self.id.clone(),
                    variable: variable.name.clone(),
                    env: variable.env.join(" or "),
                })?;
            // Keeps only characters of a host name, so that a value cannot lead to another host.
            let value: String =
                value.chars().filter(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '.')).collect();
            url = url.replace(&format!("{{{}}}", variable.name), &value);
        }
        Ok(url)
    }
}

/// A variable of the base URL is not set.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the service {service} needs its {variable}; set {env}")]
pub struct MissingVariableError {
    pub service: String,
    pub variable: String,
    /// The environment variables that could be set.
    pub env: String,
}
