//! Links on the way to protected paths, as they were before a command. A jail cannot hold a link in
//! its place, so a link that a command replaces is put back, at once and after the command.
//!
//! What stands in the place of a link gets another name (`new_repository.rs`), so nothing is lost.
//! A link that is only gone stays gone: nothing is run through it, and the next command finds its
//! name protected as a missing one. Which links there are is found in `denied_paths.rs`.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use rustix::fs::{readlinkat, symlinkat};
use rustix::io::Errno;

use super::new_repository::{beneath, disable_file};

/// By its path, what each link says.
#[derive(Debug, Clone, Default)]
pub(super) struct HeldLinks {
    links: BTreeMap<PathBuf, PathBuf>,
}

/// What a look at one link has found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum HeldLinkState {
    /// It was replaced. Says what has become of the replacement, and whether the link is back.
    Replaced { fate: &'static str, is_back: bool },
    /// It is gone, and nothing is in its place.
    Gone,
}

impl HeldLinks {
    /// Remembers a link and where it leads.
    pub(super) fn add(&mut self, link: &Path) {
        if let Ok(text) = fs::read_link(link) {
            self.links.insert(link.to_owned(), text);
        }
    }

    /// Remembers what a link said.
    pub(super) fn insert(&mut self, link: &Path, text: &Path) {
        self.links.insert(link.to_owned(), text.to_owned());
    }

    /// The links, and what they say.
    pub(super) fn iter(&self) -> impl Iterator<Item = (&PathBuf, &PathBuf)> {
        self.links.iter()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.links.is_empty()
    }

    /// Puts back what was replaced, and returns the links that are not as they
    /// were. Outer links come first.
    pub(super) fn restore(&self, roots: &[PathBuf]) -> BTreeMap<PathBuf, HeldLinkState> {
        let mut found = BTreeMap::new();
        for (link, text) in &self.links {
            if let Some((path, state)) = restore(roots, link, text) {
                found.insert(path, state);
            }
        }
        found
    }
}

/// Looks at one link. Returns the path that was not as it should be.
fn restore(roots: &[PathBuf], link: &Path, text: &Path) -> Option<(PathBuf, HeldLinkState)> {
    let (folder, name) = (link.parent()?, link.file_name()?);
    let Some(handle) = beneath(roots, folder) else {
        // A folder on the way was no link before.
        let is_new_link = |part: &&Path| roots.iter().any(|root| part.starts_with(root)) && part.is_symlink();
        let parts: BTreeSet<&Path> = folder.ancestors().collect();
        let Some(part) = parts.into_iter().find(is_new_link) else {
            return Some((link.to_owned(), HeldLinkState::Gone));
        };
        let fate = disable_file(roots, part);
        return Some((part.to_owned(), HeldLinkState::Replaced { fate, is_back: false }));
    };
    match readlinkat(&handle, name, Vec::new()) {
        Ok(now) if now.as_bytes() == text.as_os_str().as_bytes() => return None,
        Err(Errno::NOENT) => return Some((link.to_owned(), HeldLinkState::Gone)),
        Ok(_) | Err(_) => {}
    }
    let fate = disable_file(roots, link);
    let is_back = symlinkat(text, &handle, name).is_ok();
    Some((link.to_owned(), HeldLinkState::Replaced { fate, is_back }))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn a_replaced_link_is_put_back_and_one_that_is_gone_stays_gone() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        let (link, deep) = (root.join("hooks"), root.join("a/b/hooks"));
        fs::create_dir_all(root.join("a/b")).unwrap();
        let mut held = HeldLinks::default();
        for link in [&link, &deep] {
            symlink("tools", link).unwrap();
            held.add(link);
        }
        let roots = [root.clone()];
        let states = |held: &HeldLinks| held.restore(&roots).into_values().collect::<Vec<_>>();
        assert_eq!(states(&held), []);
        fs::remove_file(&link).unwrap();
        assert_eq!(states(&held), [HeldLinkState::Gone]);
        fs::create_dir(&link).unwrap();
        fs::write(link.join("pre-commit"), "evil").unwrap();
        assert!(matches!(states(&held)[..], [HeldLinkState::Replaced { is_back: true, .. }]));
        assert_eq!(fs::read_link(&link).unwrap(), Path::new("tools"));
        assert!(root.join("hooks.disabled/pre-commit").exists());
        fs::remove_file(&link).unwrap();
        symlink("evil", &link).unwrap();
        assert!(matches!(states(&held)[..], [HeldLinkState::Replaced { is_back: true, .. }]));
        assert_eq!(fs::read_link(&link).unwrap(), Path::new("tools"));
        // A folder on the way becomes a link.
        fs::rename(root.join("a"), root.join("old")).unwrap();
        fs::create_dir_all(root.join("evil/b/hooks")).unwrap();
        symlink("evil", root.join("a")).unwrap();
        let found = held.restore(&roots);
        assert!(
            matches!(found[&root.join("a")], HeldLinkState::Replaced { is_back: false, .. }),
            "{found:?}"
        );
        assert!(root.join("a").symlink_metadata().is_err() && root.join("a.disabled").is_symlink());
    }
}
