//! The roles of tokens.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// What a token lets its holder do. Each role may do what those before it may.
///
/// ```
/// use holm_server::auth::Role;
///
/// assert!(Role::Viewer < Role::Operator && Role::Operator < Role::Admin);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// Looks.
    Viewer,
    /// Starts, steers, answers and stops sessions.
    Operator,
    /// Gives and takes tokens, reads the audit log.
    Admin,
}
