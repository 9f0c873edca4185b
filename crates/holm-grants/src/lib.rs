//! Grants: what one allows, when one contains another, and which URL or address a network grant
//! admits.
//!
//! This crate does **not** open files, resolve names, follow links, read a clock or ask the user.
//! It decides about texts and numbers that it is given, the same way on every host. So three things
//! stay with the caller:
//!
//! - *Opening what was checked.* A [`Request`] is in normal form; the caller opens that form
//!   beneath a directory handle, because only the file system knows about links.
//! - *Connecting to what was checked.* The caller resolves a name once, asks [`GrantSet::reach`]
//!   about the address, and connects to that address.
//! - *Time.* [`Lease`]s are checked with the caller's clock.
//!
//! The parts, from small to large: [`Grant`] (a set of allowed actions, as one line of text),
//! [`Request`] (one such action), [`GrantSet`], [`Denials`] (what is refused even if granted),
//! [`Policy`] (both), [`Template`] (what a tool declares that a call needs) and [`Allowance`]
//! (amounts that are used up). [`Level`] and [`Mode`] decide when the user is asked.
//!
//! ```
//! use holm_grants::{Decision, Denials, GrantSet, Policy, Template};
//!
//! let policy = Policy {
//!     grants: GrantSet::parse(["read:src/**", "fetch:https://api.example.com"])?,
//!     denials: Denials::parse(["path:**/.env"])?,
//! };
//! let template: Template = "read:{path}".parse().unwrap();
//! for need in template.needs(|_| vec!["src/main.rs"]).unwrap() {
//!     assert!(matches!(policy.decide_need(&need), Decision::Granted(_)));
//! }
//! # Ok::<(), holm_grants::GrantError>(())
//! ```
//!
//! Containment is exact for every pair of grants: `a.contains(&b)` holds if and only if `a` admits
//! everything that `b` admits. Between sets it looks for one grant that contains the other, see
//! [`GrantSet`].

#![no_std]

extern crate alloc;

mod allowance;
mod amount;
mod authority;
mod denial;
mod error;
mod glob;
mod grant;
mod kind;
mod lease;
mod level;
mod mode;
mod name;
mod net;
mod path;
mod policy;
mod program;
mod request;
mod secret;
mod set;
mod template;
mod text;

#[cfg(test)]
mod properties;

pub use allowance::{Allowance, AllowanceKind, Allowances, Exhausted};
pub use authority::{Authority, AuthorityError, EntryError};
pub use denial::{Denial, Denials};
pub use error::{AllowanceError, GrantError, HostError, NameError, PathError, UrlError};
pub use grant::Grant;
pub use kind::Kind;
pub use lease::{Lease, Leases};
pub use level::{Level, UnknownLevel};
pub use mode::{Mode, Stance, UnknownMode};
pub use name::{Name, NamePattern};
pub use net::{FetchPattern, Host, HostName, HostPattern, Scheme, Url, address};
pub use path::{FilePath, PathPattern};
pub use policy::{Decision, Policy};
pub use program::{Program, ProgramPattern};
pub use request::Request;
pub use secret::{SecretPattern, SecretUse};
pub use set::{GrantSet, Unreachable};
pub use template::{Need, PatchForm, Template, TemplateError, patch_files, patch_path};
pub use text::{escaped, is_hidden};
