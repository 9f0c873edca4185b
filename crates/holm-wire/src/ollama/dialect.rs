//! What differs between servers, as data.

use alloc::{string::String, vec::Vec};

use holm_read::Read;
use serde::{Deserialize, Serialize};

use crate::Auth;

/// How the server is spoken to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Read)]
#[serde(default)]
pub struct Dialect {
    /// The path after the base URL.
    pub path: String,
    /// Headers beside the content type.
    pub headers: Vec<(String, String)>,
    /// How a key is sent; a local server wants none.
    pub auth: Auth,
    /// How much context the server shall keep room for.
    pub context: Context,
    /// How long the model stays loaded, such as `10m`; none leaves it to the server.
    pub keep_alive: Option<String>,
}

impl Default for Dialect {
    fn default() -> Self {
        Self {
            path: "/api/chat".into(),
            headers: Vec::new(),
            auth: Auth::None,
            context: Context::default(),
            keep_alive: None,
        }
    }
}

/// How much context the server keeps room for. It drops what does not fit without a word, so it must know what the run
/// counts on.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, Read)]
#[serde(rename_all = "snake_case")]
pub enum Context {
    /// The window that the model is declared with, if it is.
    #[default]
    Window,
    Tokens(u64),
    /// What the server likes.
    Unsaid,
}
