//! The known services as data: their base URLs, their keys, and their formats.
//!
//! A service with a known format is a line in a table, and never code. A user's own line has the
//! same effect, and replaces ours of the same name.
//!
//! Where things are:
//! - `table.rs`: all services, from `data/services.json`. `service.rs`: one of them.
//!   `service_dialect.rs`: its format.
//! - `name.rs`: `provider/model`. `suggest.rs`: the closest known name.
//! - `azure.rs`: Azure's dialects as functions.
//!
//! No key is read here: `holm-models/src/keys.rs` does. Windows and prices are in `catalogue/`.

mod azure;
mod name;
mod service;
mod service_dialect;
mod suggest;
mod table;

#[cfg(test)]
mod tests;

pub use azure::{deployments, v1};
pub use name::{ModelName, ModelNameError};
pub use service::{KeyRequirement, MissingVariableError, ProviderService, UrlVariable};
pub use service_dialect::ServiceDialect;
pub use table::{ServiceTable, ServiceTableError, UnknownServiceError};
