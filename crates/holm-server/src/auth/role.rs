//! The roles of tokens.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// What a token allows. Each role includes the ones before it.
///
/// ```
/// use holm_server::auth::Role;
///
/// assert!(Role::Viewer < Role::Operator && Role::Operator < Role::Admin);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// Can read, and change nothing.
    Viewer,
    /// Can also start, steer, answer and stop sessions.
    Operator,
    /// Can also manage tokens and read the audit log.
    Admin,
}
