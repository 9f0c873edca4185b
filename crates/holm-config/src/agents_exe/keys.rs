//! Reads the keys file of agents-exe. It sends and stores no key: Holm's own keys are in
//! `holm-config/src/keys.rs`. Where the file is, is decided in `project.rs`.

use std::{collections::BTreeMap, fmt, path::Path};

use super::json::{JsonNode, JsonSource};
use crate::{ConfigError, ConfigLayer, read::text_of};

/// Keys by their ids. They are never shown: not in messages, and not by `Debug`.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct ExeKeys {
    by_id: BTreeMap<String, String>,
}

impl ExeKeys {
    /// Reads the file, if it exists.
    ///
    /// # Errors
    /// If it cannot be read, other users can write it, or it has the wrong format. The message
    /// contains nothing of its text.
    pub fn load(path: &Path) -> Result<Self, ConfigError> {
        let Some(text) = text_of(path, ConfigLayer::User)? else { return Ok(Self::default()) };
        let source = JsonSource { text: &text, path };
        let document = source.parse()?;
        let keys = document.get("keys").and_then(JsonNode::items);
        let keys = keys.ok_or_else(|| source.wrong(&document, "an object with a list `keys`"))?;
        let mut by_id = BTreeMap::new();
        for node in keys {
            let text = |key: &str| node.get(key).and_then(JsonNode::text);
            let (Some(id), Some(value)) = (text("id"), text("value")) else {
                return Err(source.wrong(node, "an object with `id` and `value`"));
            };
            by_id.insert(id.to_owned(), value.to_owned());
        }
        Ok(Self { by_id })
    }

    /// The key of an id.
    #[must_use]
    pub fn get(&self, id: &str) -> Option<&str> {
        self.by_id.get(id).map(String::as_str)
    }

    pub fn ids(&self) -> impl Iterator<Item = &str> {
        self.by_id.keys().map(String::as_str)
    }
}

impl fmt::Debug for ExeKeys {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_set().entries(self.ids()).finish()
    }
}
