//! The known services as data: their base URLs, their keys, and their formats.
//!
//! A service with a known format is a line in a table, and never code. A user's own line has the
//! same effect, and replaces ours of the same name.

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
