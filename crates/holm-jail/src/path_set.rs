//! Paths that are looked up by their place in the tree, in a time that does not grow with their number.

use std::collections::BTreeSet;
use std::ops::Bound;
use std::path::{Path, PathBuf};

/// A set of absolute paths.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct PathSet(BTreeSet<PathBuf>);

impl PathSet {
    /// Whether the path, or a folder around it, is in the set.
    pub(crate) fn covers(&self, path: &Path) -> bool {
        path.ancestors().any(|place| self.0.contains(place))
    }

    /// Whether a folder around the path is in the set.
    pub(crate) fn covers_parent(&self, path: &Path) -> bool {
        path.parent().is_some_and(|parent| self.covers(parent))
    }

    /// Whether the folder, or something in it, is in the set.
    pub(crate) fn reaches_into(&self, folder: &Path) -> bool {
        // Paths are sorted by their parts, so what lies in a folder follows it at once.
        let mut from = self.0.range::<Path, _>((Bound::Included(folder), Bound::Unbounded));
        from.next().is_some_and(|path| path.starts_with(folder))
    }

    /// The outermost folder around the path, or the path itself, that is in the set.
    pub(crate) fn outermost<'a>(&self, path: &'a Path) -> Option<&'a Path> {
        path.ancestors().filter(|place| self.0.contains(*place)).last()
    }

    pub(crate) fn insert(&mut self, path: PathBuf) {
        self.0.insert(path);
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &Path> {
        self.0.iter().map(PathBuf::as_path)
    }
}

impl<P: Into<PathBuf>> FromIterator<P> for PathSet {
    fn from_iter<I: IntoIterator<Item = P>>(paths: I) -> Self {
        Self(paths.into_iter().map(Into::into).collect())
    }
}

impl<P: Into<PathBuf>> Extend<P> for PathSet {
    fn extend<I: IntoIterator<Item = P>>(&mut self, paths: I) {
        self.0.extend(paths.into_iter().map(Into::into));
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
        // A name that another one begins with is another name, also where a dot sorts before the slash.
        assert_eq!(found("/a/b.old"), (false, false, false));
        assert_eq!(found("/a/bc"), (false, false, false));
        assert_eq!(set.outermost(Path::new("/a/b/c/d")), Some(Path::new("/a/b")));
        assert_eq!(set.outermost(Path::new("/y")), None);
    }
}
