//! Serves folders of a workspace as static sites. Pages that an agent writes get an origin of their
//! own, never the server's, so they cannot read anything of the server.
//!
//! - A site is its folder and nothing else. Files are opened from the handle of the workspace.
//!   Links are not followed, names that begin with a dot are not served, and folders are not
//!   listed.
//! - Sites are read-only: they answer `GET` and `HEAD`, and media types are never guessed.
//! - A password is stored as a slow hash, and the number of attempts is limited.

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
