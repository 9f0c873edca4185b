//! How far connections may go: anywhere that a grant allows, or only to this machine (`--offline`).
//! It gives every caller the connector for this scope; names are resolved and addresses checked in
//! `holm-net/src/connector.rs`. Models get their clients in `provider_access.rs`.

use std::sync::Arc;

use holm::grants::Url;
use holm_net::{Connector, SystemResolver};

use crate::exit::{CommandError, CommandExit};

/// How far connections may go, regardless of grants.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum NetworkScope {
    /// Anywhere that a grant allows.
    #[default]
    Anywhere,
    /// Only to this machine.
    ThisMachine,
}

impl NetworkScope {
    /// The one path of all connections.
    pub(crate) fn connector(self) -> Connector {
        let connector = Connector::new(Arc::new(SystemResolver));
        match self {
            Self::Anywhere => connector,
            Self::ThisMachine => connector.to_loopback_alone(),
        }
    }

    /// Refuses the service of a model that is further away.
    pub(crate) fn admits(self, name: &str, base: &str) -> Result<(), CommandError> {
        if self == Self::Anywhere || is_here(base) {
            return Ok(());
        }
        let message = format!("{name} is not on this machine, and --offline allows nothing else");
        Err(CommandError::new(CommandExit::Usage, message)
            .hint("name a model on this machine, such as local/smollm2"))
    }
}

/// Whether an address is this machine's own.
pub(crate) fn is_here(base: &str) -> bool {
    base.parse::<Url>().is_ok_and(|url| url.host().is_loopback())
}

#[cfg(test)]
mod tests;
