//! One service.

use alloc::{format, string::String, vec::Vec};

use holm_read::Read;
use serde::{Deserialize, Serialize};

use super::Speech;

/// Where a service is, which key it wants and how it speaks.
///
/// ```
/// use holm_wire::{Format, services::Service};
///
/// let mine: Service = serde_json::from_str(r#"{"id":"mine","base_url":"http://10.0.0.7:8000/v1"}"#)?;
/// assert_eq!(mine.speaks.format(), Format::OpenaiChat);
/// assert_eq!(mine.endpoint(&|_| None).unwrap(), "http://10.0.0.7:8000/v1");
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Read)]
pub struct Service {
    /// The first half of `provider/model`.
    pub id: String,
    /// The name to show; empty means as `id`.
    #[serde(default)]
    pub name: String,
    /// The base URL; `{name}` stands for a [variable](Service::variables).
    pub base_url: String,
    /// The environment variable that replaces the base URL.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base_env: Option<String>,
    /// The environment variables that may hold the key; the first that is set counts. Where a request wants to be signed, a key
    /// from here goes as a bearer token instead.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub keys: Vec<String>,
    /// Whether it works without a key from the list.
    #[serde(default)]
    pub key: KeyNeed,
    /// What the base URL leaves open.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub variables: Vec<Variable>,
    /// Other names for it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub aliases: Vec<String>,
    #[serde(default)]
    pub speaks: Speech,
    /// The path that lists its models, if it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub models: Option<String>,
}

/// Whether a key must be there before anything is sent.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, Read)]
#[serde(rename_all = "snake_case")]
pub enum KeyNeed {
    /// It must, if the service names any.
    #[default]
    Needed,
    /// It need not: a local server, or another way to sign in.
    Optional,
}

/// A part of a base URL that each user fills in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Read)]
pub struct Variable {
    /// Its name between the braces.
    pub name: String,
    /// The environment variables that may hold it; the first that is set counts.
    pub env: Vec<String>,
}

impl Service {
    /// The name to show.
    pub fn title(&self) -> &str {
        if self.name.is_empty() { &self.id } else { &self.name }
    }

    /// Whether a key must be found among [`keys`](Service::keys).
    pub fn needs_key(&self) -> bool {
        self.key == KeyNeed::Needed && !self.keys.is_empty()
    }

    /// The base URL, with `env` to look up environment variables. A host without a scheme is taken for plain HTTP, as
    /// local servers' settings write it.
    ///
    /// # Errors
    /// [`MissingVariable`] with the names that would have served.
    pub fn endpoint(&self, env: &dyn Fn(&str) -> Option<String>) -> Result<String, MissingVariable> {
        let set = |name: &str| env(name).filter(|value| !value.trim().is_empty());
        if let Some(url) = self.base_env.as_deref().and_then(set) {
            let url = url.trim();
            return Ok(if url.contains("://") { url.into() } else { format!("http://{url}") });
        }
        let mut url = self.base_url.clone();
        for variable in &self.variables {
            let value = variable.env.iter().find_map(|name| set(name)).ok_or_else(|| MissingVariable {
                service: self.id.clone(),
                variable: variable.name.clone(),
                env: variable.env.join(" or "),
            })?;
            // Only what may stand in a host's name, so that a value cannot lead elsewhere.
            let value: String =
                value.chars().filter(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '.')).collect();
            url = url.replace(&format!("{{{}}}", variable.name), &value);
        }
        Ok(url)
    }
}

/// A base URL that cannot be filled in.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the service {service} needs its {variable}; set {env}")]
pub struct MissingVariable {
    pub service: String,
    pub variable: String,
    /// The environment variables that would have served.
    pub env: String,
}
