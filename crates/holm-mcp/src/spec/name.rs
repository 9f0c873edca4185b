//! The name of a server, which is the prefix of its tools' names.
//!
//! The rest of an entry is in `read.rs`. The rule about the underscore must stay: without it, a
//! server could take the name of another server's tool.

use std::fmt;
use std::str::FromStr;

use super::ServerSpecError;

/// The longest name. It leaves enough room for a tool's own name within the limits of providers.
const LONGEST: usize = 32;

/// A name of lower-case letters, digits and hyphens. It has no underscore, so the first underscore
/// of `server_tool` always ends it, and tools of two servers can never have the same name.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ServerName(String);

impl ServerName {
    /// The closest valid name to a text from another program's file; `None` if no
    /// valid character is left.
    ///
    /// ```
    /// use holm_mcp::ServerName;
    /// assert_eq!(
    ///     ServerName::near("My Server_2").map(|name| name.to_string()).as_deref(),
    ///     Some("my-server-2")
    /// );
    /// assert_eq!(ServerName::near("…"), None);
    /// ```
    #[must_use]
    pub fn near(text: &str) -> Option<Self> {
        let mut name = String::new();
        for character in text.chars() {
            let character = character.to_ascii_lowercase();
            if character.is_ascii_lowercase() || character.is_ascii_digit() {
                name.push(character);
            } else if !name.is_empty() && !name.ends_with('-') {
                name.push('-');
            }
        }
        name.truncate(LONGEST);
        name.trim_matches('-').parse().ok()
    }

    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for ServerName {
    type Err = ServerSpecError;

    fn from_str(text: &str) -> Result<Self, ServerSpecError> {
        let good = |character: char| {
            character.is_ascii_lowercase() || character.is_ascii_digit() || character == '-'
        };
        let ends = text.starts_with('-') || text.ends_with('-');
        if text.is_empty() || text.len() > LONGEST || ends || !text.chars().all(good) {
            return Err(ServerSpecError::Name(
                text.chars().filter(|character| !character.is_control()).take(64).collect(),
            ));
        }
        Ok(Self(text.to_owned()))
    }
}

impl fmt::Display for ServerName {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}
