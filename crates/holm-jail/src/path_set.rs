//! A set of paths with lookups by ancestor and descendant, whose cost does not grow with the size
//! of the set.
//!
//! It compares texts and looks at no file. A job can have tens of thousands of protected paths, so
//! no operation may walk the whole set. What the paths mean is decided in `jail.rs` and
//! `launcher_side/protect.rs`.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::ops::Bound;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

/// A set of absolute paths without dots.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct PathSet(BTreeMap<Vec<u8>, PathBuf>);

impl PathSet {
    /// Whether the path, or a folder around it, is in the set.
    pub(crate) fn covers(&self, path: &Path) -> bool {
        let key = key(path);
        ends(&key).any(|end| self.has(key.get(..end)))
    }

    /// Whether a folder around the path is in the set.
    pub(crate) fn covers_parent(&self, path: &Path) -> bool {
        let key = key(path);
        ends(&key).skip(1).any(|end| self.has(key.get(..end)))
    }

    /// Whether the folder, or something in it, is in the set.
    pub(crate) fn reaches_into(&self, folder: &Path) -> bool {
        let key = key(folder);
        // The contents of a folder follow it directly.
        let mut from = self.0.range::<[u8], _>((Bound::Included(key.as_slice()), Bound::Unbounded));
        from.next()
            .and_then(|(found, _)| found.strip_prefix(key.as_slice()))
            .is_some_and(|rest| rest.first().is_none_or(|next| *next == 0))
    }

    /// The outermost folder around the path, or the path itself, that is in the set.
    pub(crate) fn outermost<'a>(&self, path: &'a Path) -> Option<&'a Path> {
        let key = key(path);
        let end = ends(&key).filter(|end| self.has(key.get(..*end))).last()?;
        let bytes = path.as_os_str().as_bytes().get(..end.max(1))?;
        Some(Path::new(OsStr::from_bytes(bytes)))
    }

    pub(crate) fn insert(&mut self, path: PathBuf) {
        self.0.insert(key(&path), path);
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &Path> {
        self.0.values().map(PathBuf::as_path)
    }

    fn has(&self, key: Option<&[u8]>) -> bool {
        key.is_some_and(|key| self.0.contains_key(key))
    }
}

/// The key of a path for comparisons: in the order of its parts, and in one step. The key of
/// the root is empty.
pub(crate) fn key(path: &Path) -> Vec<u8> {
    let bytes = path.as_os_str().as_bytes();
    let bytes = bytes.strip_suffix(b"/").unwrap_or(bytes);
    bytes.iter().map(|byte| if *byte == b'/' { 0 } else { *byte }).collect()
}

/// The ends of a path and of the folders around it in its key, innermost first.
fn ends(key: &[u8]) -> impl Iterator<Item = usize> {
    let inner = (0..key.len()).rev().filter(|at| key.get(*at) == Some(&0));
    std::iter::once(key.len()).chain(inner)
}

impl<P: Into<PathBuf>> FromIterator<P> for PathSet {
    fn from_iter<I: IntoIterator<Item = P>>(paths: I) -> Self {
        let mut set = Self::default();
        set.extend(paths);
        set
    }
}

impl<P: Into<PathBuf>> Extend<P> for PathSet {
    fn extend<I: IntoIterator<Item = P>>(&mut self, paths: I) {
        paths.into_iter().for_each(|path| self.insert(path.into()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_found_by_the_folders_around_it_and_by_what_lies_in_it() {
        let set: PathSet = ["/a/b", "/a/b/c", "/x"].into_iter().collect();
        let found = |path: &str| {
            let path = Path::new(path);
            (set.covers(path), set.covers_parent(path), set.reaches_into(path))
        };
        assert_eq!(found("/a"), (false, false, true));
        assert_eq!(found("/a/b"), (true, false, true));
        assert_eq!(found("/a/b/c/d"), (true, true, false));
        // A name that starts with another name is a different name, also where a dot sorts before
        // the slash.
        assert_eq!(found("/a/b.old"), (false, false, false));
        assert_eq!(found("/a/bc"), (false, false, false));
        assert_eq!(set.outermost(Path::new("/a/b/c/d")), Some(Path::new("/a/b")));
        assert_eq!(set.outermost(Path::new("/y")), None);
        let all: PathSet = ["/", "/a/b"].into_iter().collect();
        assert!(
            all.covers(Path::new("/")) && all.covers(Path::new("/x/y")) && all.reaches_into(Path::new("/"))
        );
        assert!(all.covers_parent(Path::new("/x")) && !all.covers_parent(Path::new("/")));
        assert_eq!(all.outermost(Path::new("/a/b")), Some(Path::new("/")));
        assert_eq!(all.iter().collect::<Vec<_>>(), [Path::new("/"), Path::new("/a/b")]);
    }
}
