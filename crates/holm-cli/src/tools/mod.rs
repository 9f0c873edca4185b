//! The tools that the command has today: enough to look around a folder, to leave a note in it, to run commands there and
//! to look at the web.
//!
//! Each says what it needs, and the kernel decides whether it may. What the kernel cannot know is where a link leads, so
//! the tools refuse every path that is not what it says.

mod files;
mod folder;
mod native;
mod outside;

#[cfg(test)]
mod tests;

use holm::runtime::Toolbox;

pub(crate) use native::native;
pub(crate) use outside::{Confinement, Outside};

/// All of them.
pub(crate) fn all() -> Toolbox {
    Toolbox::new()
        .with(files::list_files)
        .with(files::read_file)
        .with(files::count_words)
        .with(files::write_file)
        .with(files::now)
}
