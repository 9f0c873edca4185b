//! Who somebody is and what they may do: users, roles, tokens. A token is known by its digest alone; only the first one,
//! which the server makes for whoever starts it, lies readable in a file for its owner.

mod keyring;
mod role;
mod token;
mod user;

#[cfg(test)]
mod tests;

pub use keyring::{Card, Keyring, Scope, Who};
pub(crate) use keyring::{private_folder, write_private};
pub use role::Role;
pub use token::{Digest, Token, TokenId};
pub use user::{User, UserName};
