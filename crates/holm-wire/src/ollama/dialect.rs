//! The differences between Ollama servers, as data. Nothing is written here: `request.rs` reads
//! these settings.

use alloc::{string::String, vec::Vec};

use holm_read::Read;
use serde::{Deserialize, Serialize};

use crate::AuthScheme;

/// The settings of an Ollama server.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Read)]
#[serde(default)]
pub struct OllamaDialect {
    /// The path after the base URL.
    pub path: String,
    /// Headers other than the content type.
    pub headers: Vec<(String, String)>,
    /// How the key is sent. A local server needs none.
    pub auth: AuthScheme,
    /// The context size that the server should reserve.
    pub context: OllamaContextSize,
    /// How long the model stays loaded, such as `10m`. `None` leaves it to the server.
    pub keep_alive: Option<String>,
}

impl Default for OllamaDialect {
    fn default() -> Self {
        Self {
            path: "/api/chat".into(),
            headers: Vec::new(),
            auth: AuthScheme::None,
            context: OllamaContextSize::default(),
            keep_alive: None,
        }
    }
}

/// The context size that the server reserves. The server silently drops what does not fit, so it
/// must know the size that the run expects.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, Read)]
#[serde(rename_all = "snake_case")]
pub enum OllamaContextSize {
    /// The declared context window of the model, if there is one.
    #[default]
    Window,
    Tokens(u64),
    /// The default of the server.
    Unsaid,
}
