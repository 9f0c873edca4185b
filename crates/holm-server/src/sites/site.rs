//! The definition of a published site: its name, folder, place and password. It is stored in
//! `site_registry.rs` and served in `serve.rs`. That a place is not one of the server's own is
//! checked in `routes/sites.rs`.

use std::{fmt, net::SocketAddr, str::FromStr};

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{PasswordHash, path::SitePath};
use crate::{ServerError, auth::UserName, id::check_name};

/// The longest name: it may be a label of a host name.
const LONGEST: usize = 63;
/// The longest host name.
const LONGEST_HOST: usize = 253;

/// The name of a site.
///
/// ```
/// use holm_server::sites::SiteName;
///
/// assert!("docs".parse::<SiteName>().is_ok());
/// assert!("../docs".parse::<SiteName>().is_err());
/// ```
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct SiteName(String);

impl SiteName {
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for SiteName {
    type Err = ServerError;

    fn from_str(text: &str) -> Result<Self, ServerError> {
        check_name("a site", text, LONGEST)?;
        Ok(Self(text.to_owned()))
    }
}

impl TryFrom<String> for SiteName {
    type Error = ServerError;

    fn try_from(text: String) -> Result<Self, ServerError> {
        text.parse()
    }
}

impl From<SiteName> for String {
    fn from(name: SiteName) -> Self {
        name.0
    }
}

impl fmt::Display for SiteName {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PublishedSite {
    pub name: SiteName,
    /// The user whose workspace contains the folder.
    pub user: UserName,
    /// The folder, relative to the workspace; empty for the workspace itself.
    pub folder: SitePath,
    /// The address or host name of the site.
    pub place: SitePlace,
    /// The password, if the site has one.
    #[serde(default)]
    pub password: Option<PasswordHash>,
}

/// Where a site is served. Each place is an origin of its own.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum SitePlace {
    /// At its own address.
    #[schema(value_type = String)]
    Listen(SocketAddr),
    /// Under its own host name, at the address that all such sites share.
    Host(String),
}

impl SitePlace {
    /// Checks that a host name is valid.
    ///
    /// # Errors
    /// [`ServerError::Name`] if it is not.
    pub(super) fn check(&self) -> Result<(), ServerError> {
        let Self::Host(host) = self else { return Ok(()) };
        let label = |label: &str| {
            let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
            (1..=LONGEST).contains(&label.len()) && label.bytes().all(plain) && !label.starts_with('-')
        };
        // An IP address belongs to the server itself or to another machine, never to a site.
        let is_name = host.parse::<std::net::IpAddr>().is_err();
        if is_name && host.len() <= LONGEST_HOST && host.split('.').all(label) {
            return Ok(());
        }
        let given = host.chars().filter(|character| !character.is_control()).take(LONGEST).collect();
        let reason = "use a host name in lower-case letters";
        Err(ServerError::Name { what: "the host of a site", given, reason })
    }
}
