//! The full name of a model, `provider/model`: parsed, checked and written. Whether the provider
//! exists is decided in `table.rs`, and whether the model exists only by the provider. A name has a
//! bounded length and no white space or control characters; some formats put it into a path.

use alloc::string::{String, ToString};
use core::{fmt, str::FromStr};

use holm_read::{Read, ReadError, Reader};
use serde::{Deserialize, Serialize};

use super::UnknownServiceError;

/// The longest name. The longest real ones are profiles of about a hundred characters.
const MAX_NAME: usize = 512;

/// A model's full name: a service, and the model's name there, which may contain slashes.
///
/// ```
/// use holm_wire::services::ModelName;
///
/// let name: ModelName = "openrouter/meta-llama/llama-4-scout".parse()?;
/// assert_eq!((name.provider(), name.model()), ("openrouter", "meta-llama/llama-4-scout"));
/// assert_eq!(name.to_string(), "openrouter/meta-llama/llama-4-scout");
/// # Ok::<(), holm_wire::services::ModelNameError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct ModelName {
    provider: String,
    model: String,
}

impl ModelName {
    pub fn provider(&self) -> &str {
        &self.provider
    }

    /// The model's name at the service.
    pub fn model(&self) -> &str {
        &self.model
    }
}

impl<'a> Read<'a> for ModelName {
    fn read(reader: &mut Reader<'a>) -> Result<Self, ReadError> {
        reader.string()?.parse().map_err(|error| reader.refused(&error))
    }
}

impl FromStr for ModelName {
    type Err = ModelNameError;

    fn from_str(text: &str) -> Result<Self, ModelNameError> {
        let text = text.trim();
        if text.len() > MAX_NAME {
            return Err(ModelNameError::TooLong { limit: MAX_NAME });
        }
        if text.chars().any(|c| c.is_control() || c.is_whitespace()) {
            return Err(ModelNameError::BadCharacter);
        }
        match text.split_once('/') {
            Some((provider, model)) if !provider.is_empty() && !model.is_empty() => {
                Ok(Self { provider: provider.into(), model: model.into() })
            }
            Some(_) | None => Err(ModelNameError::NotFull { name: text.into() }),
        }
    }
}

impl TryFrom<String> for ModelName {
    type Error = ModelNameError;

    fn try_from(text: String) -> Result<Self, ModelNameError> {
        text.parse()
    }
}

impl From<ModelName> for String {
    fn from(name: ModelName) -> Self {
        name.to_string()
    }
}

impl fmt::Display for ModelName {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}/{}", self.provider, self.model)
    }
}

/// A name that is not a valid model name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ModelNameError {
    /// The provider or the model is missing.
    #[error("{name:?} is not a full model name; write it as provider/model, such as openai/gpt-5-mini")]
    NotFull { name: String },
    /// The name contains white space or a control character.
    #[error("a model name holds no white space and no control characters")]
    BadCharacter,
    /// The name is longer than the limit.
    #[error("a model name has at most {limit} bytes")]
    TooLong {
        /// The limit in bytes.
        limit: usize,
    },
    /// The provider is unknown.
    #[error(transparent)]
    Unknown(#[from] UnknownServiceError),
}
