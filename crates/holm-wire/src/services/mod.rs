//! Which services there are, as data: where they are, which key they want, how they speak.
//!
//! A service that speaks a known format is a line in a table and never code; a user's own line counts like ours and
//! replaces ours of the same name.

mod azure;
mod name;
mod service;
mod speech;
mod suggest;
mod table;

#[cfg(test)]
mod tests;

pub use azure::{deployments, v1};
pub use name::{ModelName, NameError};
pub use service::{KeyNeed, MissingVariable, Service, Variable};
pub use speech::Speech;
pub use table::{BadServices, Services, UnknownService};
