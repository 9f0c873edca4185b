//! Opens a path beneath a directory handle without following a single link.
//!
//! On Linux the kernel does this in one call and no race is possible. Elsewhere each component is
//! opened by itself, with the same result: each step starts at a handle and refuses a link.
//!
//! It asks no policy: callers in `files/` have asked before. Both ways must open and refuse the
//! same, which the test below checks.

use std::os::fd::{AsFd, OwnedFd};

use rustix::fs::{Mode, OFlags, openat};
use rustix::io::Errno;

/// Opens `path` beneath `root`. Fails with [`Errno::LOOP`] if a component is a link.
pub(super) fn open(root: impl AsFd, path: &str, flags: OFlags, mode: Mode) -> Result<OwnedFd, Errno> {
    let flags = flags | OFlags::CLOEXEC | OFlags::NOFOLLOW;
    #[cfg(target_os = "linux")]
    {
        use rustix::fs::{ResolveFlags, openat2};
        let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_MAGICLINKS | ResolveFlags::NO_SYMLINKS;
        for _ in 0..ATTEMPTS {
            match openat2(root.as_fd(), path, flags, mode, resolve) {
                // The kernel lost a race against a rename and asks to try again.
                Err(Errno::AGAIN) => {}
                // An old kernel, or a filter that knows no such call.
                Err(Errno::NOSYS) => return walk(root, path, flags, mode),
                done => return done,
            }
        }
        Err(Errno::AGAIN)
    }
    #[cfg(not(target_os = "linux"))]
    walk(root, path, flags, mode)
}

/// How often a lost race is retried: more than chance would need.
#[cfg(target_os = "linux")]
const ATTEMPTS: u32 = 16;

/// The same one component at a time. The path has no `..`, and never leaves because
/// no link is followed.
fn walk(root: impl AsFd, path: &str, flags: OFlags, mode: Mode) -> Result<OwnedFd, Errno> {
    let step = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let mut names = path.split('/').filter(|name| !name.is_empty()).peekable();
    let mut dir: Option<OwnedFd> = None;
    while let Some(name) = names.next() {
        if name == ".." {
            return Err(Errno::PERM);
        }
        let here = dir.as_ref().map_or_else(|| root.as_fd(), AsFd::as_fd);
        if names.peek().is_none() {
            return openat(here, name, flags, mode);
        }
        // Opening a link as a directory fails as "not a directory". Report the link, so that the
        // caller can look up its target.
        let next = openat(here, name, step, Mode::empty()).map_err(|error| match error {
            Errno::NOTDIR if is_link(here, name) => Errno::LOOP,
            error => error,
        })?;
        dir = Some(next);
    }
    openat(root, ".", flags, mode)
}

fn is_link(dir: impl AsFd, name: &str) -> bool {
    use rustix::fs::{AtFlags, FileType, statat};
    statat(dir, name, AtFlags::SYMLINK_NOFOLLOW)
        .is_ok_and(|stat| FileType::from_raw_mode(stat.st_mode) == FileType::Symlink)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_ways_open_the_same_and_refuse_the_same() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(dir.path().join("a/b")).unwrap();
        std::fs::write(dir.path().join("a/b/file"), "x").unwrap();
        std::os::unix::fs::symlink("b", dir.path().join("a/link")).unwrap();
        std::os::unix::fs::symlink("/etc", dir.path().join("out")).unwrap();
        let root = std::fs::File::open(dir.path()).unwrap();
        for (path, expect) in [
            ("a/b/file", None),
            (".", None),
            ("a/link/file", Some(Errno::LOOP)),
            ("a/link", Some(Errno::LOOP)),
            ("out/passwd", Some(Errno::LOOP)),
            ("a/none", Some(Errno::NOENT)),
            ("a/b/file/x", Some(Errno::NOTDIR)),
        ] {
            let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NOFOLLOW;
            assert_eq!(open(&root, path, flags, Mode::empty()).err(), expect, "{path}");
            assert_eq!(walk(&root, path, flags, Mode::empty()).err(), expect, "walking {path}");
        }
        assert_eq!(walk(&root, "../x", OFlags::RDONLY, Mode::empty()).err(), Some(Errno::PERM));
    }
}
