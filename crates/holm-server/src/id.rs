//! Names that clients send, parsed once. No code after this module joins an unchecked client text
//! to a path.
//!
//! Names of users, jobs and sites are in `auth/user.rs`, `jobs/id.rs` and `sites/site.rs`, and use
//! `check_name` of this file.

use std::{fmt, str::FromStr};

use holm_runtime::check_run_name;
use serde::{Deserialize, Serialize};

use crate::{ApiError, ServerError};

/// The name of a session. The runtime defines which names are valid, for all kinds of journals.
///
/// ```
/// use holm_server::SessionId;
///
/// assert!("chat-2026.01_a".parse::<SessionId>().is_ok());
/// assert!("../etc/passwd".parse::<SessionId>().is_err());
/// ```
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct SessionId(String);

impl SessionId {
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for SessionId {
    type Err = ApiError;

    fn from_str(text: &str) -> Result<Self, ApiError> {
        check_run_name(text).map_err(|error| ApiError::bad("bad_id", error.to_string()))?;
        Ok(Self(text.to_owned()))
    }
}

impl TryFrom<String> for SessionId {
    type Error = ApiError;

    fn try_from(text: String) -> Result<Self, ApiError> {
        text.parse()
    }
}

impl From<SessionId> for String {
    fn from(id: SessionId) -> Self {
        id.0
    }
}

impl fmt::Display for SessionId {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

/// The longest part name: what every provider accepts for a tool.
const LONGEST_PART: usize = 64;

/// The name of an agent, a tool, a skill, an MCP server or a provider. It is a plain word that can
/// name a file but cannot lead to another folder.
///
/// ```
/// use holm_server::PartName;
///
/// assert!("read_file".parse::<PartName>().is_ok());
/// assert!("../keys".parse::<PartName>().is_err());
/// ```
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PartName(String);

impl PartName {
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for PartName {
    type Err = ApiError;

    fn from_str(text: &str) -> Result<Self, ApiError> {
        check_name("this", text, LONGEST_PART)?;
        Ok(Self(text.to_owned()))
    }
}

impl fmt::Display for PartName {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

/// Checks a short plain name: letters, digits, `-` and `_`, beginning with a letter or digit.
pub(crate) fn check_name(what: &'static str, text: &str, most: usize) -> Result<(), ServerError> {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    let reason = if text.is_empty() {
        "it is empty"
    } else if text.len() > most {
        "it is too long"
    } else if !text.bytes().all(plain) {
        "use only letters, digits, `-` and `_`"
    } else if !text.starts_with(|first: char| first.is_ascii_alphanumeric()) {
        "it must start with a letter or a digit"
    } else {
        return Ok(());
    };
    let given = text.chars().filter(|character| !character.is_control()).take(most).collect();
    Err(ServerError::Name { what, given, reason })
}
