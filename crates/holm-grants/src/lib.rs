//! Grants: what one allows, when one contains another, and which URL or address a network grant
//! admits.
//!
//! This crate does **not** open files, resolve names, follow links, read a clock or ask the user.
//! It decides about texts and numbers that it is given, the same way on every host. So three things
//! stay with the caller:
//!
//! - *Opening what was checked.* A [`AccessRequest`] is in normal form; the caller opens that form
//!   beneath a directory handle, because only the file system knows about links.
//! - *Connecting to what was checked.* The caller resolves a name once, asks [`GrantSet::reach`]
//!   about the address, and connects to that address.
//! - *Time.* [`GrantLease`]s are checked with the caller's clock.
//!
//! The parts, from small to large: [`Grant`] (a set of allowed actions, as one line of text),
//! [`AccessRequest`] (one such action), [`GrantSet`], [`DenialSet`] (what is refused even if
//! granted), [`GrantPolicy`] (both), [`NeedTemplate`] (what a tool declares that a call needs) and
//! [`Allowance`] (amounts that are used up). [`Level`] and [`Mode`] decide when the user is asked.
//!
//! Where things are (paths in all module comments are relative to `src/`):
//!
//! - `grant.rs`, `kind.rs`: one grant and the kinds of grants.
//! - `request.rs`: one concrete action.
//! - `set.rs`: a set of grants, and which address a connection may reach.
//! - `policy.rs`: grants and denials together.
//! - `denial.rs`: what is refused even if granted.
//! - `text.rs`: which characters are allowed, and how denials see through disguises.
//! - `path/`: files and patterns of them.
//! - `net/`: URLs, hosts and addresses.
//! - `program.rs`, `name.rs`, `secret.rs`: the other kinds of values.
//! - `glob.rs`: the `*` inside one name, which paths and names share.
//! - `template/`: what a tool declares that a call needs.
//! - `allowance.rs`, `amount.rs`: amounts that are used up.
//! - `authority.rs`: grants and amounts in one list.
//! - `lease.rs`: grants that end.
//! - `level.rs`, `mode.rs`: when the user is asked.
//! - `error.rs`: why a text is not a grant, a request or an amount.
//!
//! ```
//! use holm_grants::{PolicyDecision, DenialSet, GrantSet, GrantPolicy, NeedTemplate};
//!
//! let policy = GrantPolicy {
//!     grants: GrantSet::parse(["read:src/**", "fetch:https://api.example.com"])?,
//!     denials: DenialSet::parse(["path:**/.env"])?,
//! };
//! let template: NeedTemplate = "read:{path}".parse().unwrap();
//! for need in template.needs(|_| vec!["src/main.rs"]).unwrap() {
//!     assert!(matches!(policy.decide_need(&need), PolicyDecision::Granted(_)));
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

pub use allowance::{Allowance, AllowanceExhaustedError, AllowanceKind, Allowances};
pub use authority::{Authority, AuthorityEntryError, AuthorityError};
pub use denial::{Denial, DenialSet};
pub use error::{AllowanceError, GrantError, GrantNameError, HostError, PathError, UrlError};
pub use grant::Grant;
pub use kind::GrantKind;
pub use lease::{GrantLease, GrantLeases};
pub use level::{Level, UnknownLevelError};
pub use mode::{LevelDecision, Mode, UnknownModeError};
pub use name::{GrantName, NamePattern};
pub use net::{FetchPattern, HostName, HostPattern, Url, UrlHost, UrlScheme, address};
pub use path::{FilePath, PathPattern};
pub use policy::{GrantPolicy, PolicyDecision};
pub use program::{ProgramPattern, ProgramRef};
pub use request::AccessRequest;
pub use secret::{SecretPattern, SecretUse};
pub use set::{AddressDenied, GrantSet};
pub use template::{
    CallNeed, NeedTemplate, PatchForm, TemplateError, patch_files, patch_path, path_in_workspace,
};
pub use text::{escaped, is_hidden};
