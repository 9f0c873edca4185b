//! Users: their names and budgets. They are stored in `token_registry.rs`; what is left of a budget
//! is counted in `live/budget_reservations.rs`. A name becomes a folder, so it has no capital
//! letters, which some file systems ignore, and no separators.

use std::{fmt, str::FromStr};

use holm_kernel::NanoUsd;
use serde::{Deserialize, Serialize};

use crate::{ServerError, id::check_name};

/// The longest name: it becomes a folder name.
const LONGEST: usize = 32;

/// The name of a user.
///
/// ```
/// use holm_server::auth::UserName;
///
/// assert!("ada".parse::<UserName>().is_ok());
/// assert!("../ada".parse::<UserName>().is_err());
/// ```
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct UserName(String);

impl UserName {
    /// The user who started the server.
    pub fn owner() -> Self {
        Self("owner".into())
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for UserName {
    type Err = ServerError;

    fn from_str(text: &str) -> Result<Self, ServerError> {
        check_name("a user", text, LONGEST)?;
        // On some systems, two names that differ only in case are the same folder.
        if text.bytes().any(|byte| byte.is_ascii_uppercase()) {
            let reason = "it has capital letters";
            return Err(ServerError::Name { what: "a user", given: text.into(), reason });
        }
        Ok(Self(text.to_owned()))
    }
}

impl TryFrom<String> for UserName {
    type Error = ServerError;

    fn try_from(text: String) -> Result<Self, ServerError> {
        text.parse()
    }
}

impl From<UserName> for String {
    fn from(name: UserName) -> Self {
        name.0
    }
}

impl fmt::Display for UserName {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct UserAccount {
    pub name: UserName,
    /// The budget for all of their sessions together; `None` is unlimited. A run that would start
    /// beyond it is refused.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub budget: Option<NanoUsd>,
    /// The cost of their deleted sessions, which still counts as spent.
    #[serde(default)]
    pub forgotten: NanoUsd,
}
