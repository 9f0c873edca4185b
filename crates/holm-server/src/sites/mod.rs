//! Serves folders of a workspace as static sites. Pages that an agent writes get an origin of their
//! own, never the server's, so they cannot read anything of the server.
//!
//! - A site is its folder and nothing else. Files are opened from the handle of the workspace.
//!   Links are not followed, names that begin with a dot are not served, and folders are not
//!   listed.
//! - Sites are read-only: they answer `GET` and `HEAD`, and media types are never guessed.
//! - A password is stored as a slow hash, and the number of attempts is limited.
//!
//! Where things are:
//! - `site.rs`, `site_registry.rs`: what a site is, and the list of all.
//! - `serve.rs`: listeners, host names and passwords. `password.rs`: the hash of a password.
//! - `page.rs`, `path.rs`, `byte_range.rs`, `content_type.rs`: one response.
//!
//! The routes to publish a folder are in `routes/sites.rs`.

mod byte_range;
mod content_type;
mod page;
mod password;
mod path;
mod serve;
mod site;
mod site_registry;

#[cfg(test)]
mod tests;

pub use password::PasswordHash;
pub use path::SitePath;
pub(crate) use serve::SiteServer;
pub use site::{PublishedSite, SiteName, SitePlace};
pub use site_registry::SiteRegistry;
