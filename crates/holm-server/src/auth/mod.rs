//! Authentication and authorization: users, roles and tokens. The server stores only the digest of
//! a token.
//!
//! The first token is the exception: the server creates it for its owner, who can read it from a
//! file.

mod keyring;
mod role;
mod token;
mod user;

#[cfg(test)]
mod tests;

pub use keyring::{AuthenticatedUser, TokenRecord, TokenRegistry, TokenScope};
pub(crate) use keyring::{private_folder, write_private};
pub use role::Role;
pub use token::{AccessToken, TokenDigest, TokenId};
pub use user::{UserAccount, UserName};
