//! Folders of a workspace as static sites. What an agent writes is shown under an origin of its own, never under the
//! server's: a page there can read nothing of what is here.
//!
//! - A site is its folder and nothing else: files are opened from the handle of the workspace, no link is followed, no name
//!   that begins with a dot is served, nothing is listed.
//! - It is looked at, never changed: `GET` and `HEAD`, nothing is guessed about what a file is.
//! - Its password is kept as a slow hash, and tried so often that nobody guesses it.

mod book;
mod kind;
mod page;
mod part;
mod password;
mod path;
mod serve;
mod site;

#[cfg(test)]
mod tests;

pub use book::Sites;
pub use password::PasswordHash;
pub use path::SitePath;
pub(crate) use serve::Hosting;
pub use site::{Site, SiteName, SitePlace};
