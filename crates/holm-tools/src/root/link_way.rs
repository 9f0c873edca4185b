//! Follows a path through links, and collects the links that it passes.
//!
//! A jail and a deny rule protect a name, not a link: a command that replaces a link on the way to
//! a protected name leads the user's programs elsewhere. So the links are protected too. The path
//! may end where nothing exists.
//!
//! It reads only links, opens no file and decides nothing: the collected paths are protected from
//! commands by `shell/denied_paths.rs`, and those that git names by `root/git/named_paths.rs`.

use std::collections::VecDeque;
use std::ffi::OsString;
use std::fs;
use std::path::{Component, Path, PathBuf};

/// The most links on one path: as many as Linux follows.
const MAX_LINKS: usize = 40;

/// The result of following a path: the links on it, and its end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct LinkWay {
    /// The links, each by a path that leads through no other link.
    pub(crate) links: Vec<PathBuf>,
    /// Where the path leads, also if nothing is there. `None` if the links lead in a circle.
    pub(crate) end: Option<PathBuf>,
}

impl LinkWay {
    /// Follows an absolute path.
    pub(crate) fn of(path: &Path) -> Self {
        let mut links = Vec::new();
        let mut open: VecDeque<WayStep> = steps(path).collect();
        let mut here = PathBuf::from("/");
        while let Some(step) = open.pop_front() {
            let name = match step {
                WayStep::Top => {
                    here = PathBuf::from("/");
                    continue;
                }
                WayStep::Up => {
                    here.pop();
                    continue;
                }
                WayStep::Into(name) => name,
            };
            let next = here.join(name);
            let Ok(text) = fs::read_link(&next) else {
                here = next;
                continue;
            };
            if links.len() >= MAX_LINKS {
                return Self { links, end: None };
            }
            links.push(next);
            steps(&text).rev().for_each(|step| open.push_front(step));
        }
        Self { links, end: Some(here) }
    }
}

/// One step of a path.
enum WayStep {
    Top,
    Up,
    Into(OsString),
}

fn steps(path: &Path) -> impl DoubleEndedIterator<Item = WayStep> {
    path.components().filter_map(|part| match part {
        Component::RootDir => Some(WayStep::Top),
        Component::ParentDir => Some(WayStep::Up),
        Component::Normal(name) => Some(WayStep::Into(name.to_owned())),
        Component::CurDir | Component::Prefix(_) => None,
    })
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn links_on_a_way_are_kept_also_where_it_ends_nowhere_or_in_a_circle() {
        let folder = tempfile::tempdir().unwrap();
        let base = folder.path().canonicalize().unwrap();
        fs::create_dir_all(base.join("real/hooks")).unwrap();
        symlink("real", base.join("mid")).unwrap();
        symlink(base.join("mid/hooks"), base.join("real/far")).unwrap();
        symlink("../nowhere", base.join("real/gone")).unwrap();
        symlink("circle", base.join("circle")).unwrap();
        let check = |path: &str, links: &[&str], end: Option<&str>| {
            let links = links.iter().map(|link| base.join(link)).collect();
            let expect = LinkWay { links, end: end.map(|end| base.join(end)) };
            assert_eq!(LinkWay::of(&base.join(path)), expect, "{path}");
        };
        check("real/hooks", &[], Some("real/hooks"));
        check("mid/hooks/x", &["mid"], Some("real/hooks/x"));
        check("mid/far", &["mid", "real/far", "mid"], Some("real/hooks"));
        check("mid/gone/x", &["mid", "real/gone"], Some("nowhere/x"));
        check("none/../real", &[], Some("real"));
        assert_eq!(LinkWay::of(&base.join("circle/x")).end, None);
    }
}
