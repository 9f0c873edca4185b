//! Authentication and authorization: users, roles and tokens. The server stores only the digest of
//! a token.
//!
//! The first token is the exception: the server creates it for its owner, who can read it from a
//! file.
//!
//! Where things are:
//! - `token.rs`: one token and its digest. `token_registry.rs`: all tokens and users, in one file.
//! - `role.rs`: what a token allows. `user.rs`: names and budgets.
//!
//! Requests are checked in `request_guard.rs`, and sessions in `state.rs`.

mod role;
mod token;
mod token_registry;
mod user;

#[cfg(test)]
mod tests;

pub use role::Role;
pub use token::{AccessToken, TokenDigest, TokenId};
pub use token_registry::{AuthenticatedUser, TokenRecord, TokenRegistry, TokenScope};
pub(crate) use token_registry::{private_folder, write_private};
pub use user::{UserAccount, UserName};
