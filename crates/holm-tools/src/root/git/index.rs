//! Reads a git index: the submodules that it lists, also those that are not initialised, and the
//! paths that git itself would never put there.
//!
//! It never writes an index; an unsafe one is disabled in `shell/new_repository.rs`. A path counts
//! as safe only if git itself would add it on every file system. Anything that git would read
//! differently is unreadable.

use std::path::{Path, PathBuf};

use super::layout::is_named_git;
use crate::plain_files::read_plain_within;

/// The largest index that is read: about half a million files.
pub(crate) const MAX_INDEX_BYTES: u64 = 64 * 1024 * 1024;
/// The mode of an entry that is a submodule.
const GITLINK: u32 = 0o160_000;
/// Bytes of an entry before its object's name.
const FIXED: usize = 40;
/// In the flags of an entry: more flags follow.
const EXTENDED: u16 = 0x4000;
/// In the flags of an entry: the length of its name. A longer name has all of these bits.
const NAME_LENGTH: u16 = 0x0fff;
/// The mode of a folder that a sparse index lists as one entry.
const SPARSE_FOLDER: u32 = 0o40_000;

/// The bytes of an object's name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ObjectFormat {
    Sha1,
    Sha256,
}

impl ObjectFormat {
    fn bytes(self) -> usize {
        match self {
            Self::Sha1 => 20,
            Self::Sha256 => 32,
        }
    }
}

/// One entry of an index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct IndexEntry<'a> {
    pub(crate) name: &'a [u8],
    pub(crate) mode: u32,
    /// The name of its object, as bytes.
    pub(crate) object: &'a [u8],
    /// Zero, or the side of a conflict.
    pub(crate) stage: u16,
}

/// Visits the entries of an index file. Returns `None` if it cannot be read.
pub(crate) fn visit_index(file: &Path, visit: &mut dyn FnMut(&IndexEntry<'_>)) -> Option<()> {
    let bytes = read_plain_within(file, MAX_INDEX_BYTES).ok()?;
    let is_whole = |format: &ObjectFormat| read(&bytes, *format, |_| {}).is_some();
    let format = [ObjectFormat::Sha1, ObjectFormat::Sha256].into_iter().find(is_whole)?;
    read(&bytes, format, |entry| visit(entry))
}

/// Whether git can use an index without harm.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum IndexSafety {
    Safe,
    /// It names a path that git never adds: in `.git`, above the work tree, or absolute.
    ForeignPath(String),
    /// It is not an index, or git would read it differently.
    Unreadable,
}

/// The folders of the submodules, relative to the work tree. What cannot be read has none.
pub(crate) fn gitlinks(git_folder: &Path) -> Vec<PathBuf> {
    // A split index keeps most of its entries in another file.
    let names = std::fs::read_dir(git_folder).into_iter().flatten().flatten().map(|entry| entry.file_name());
    let shared = names.filter(|name| name.to_string_lossy().starts_with("sharedindex."));
    let files = std::iter::once("index".into()).chain(shared).map(|name| git_folder.join(name));
    files.flat_map(|file| gitlinks_in(&file)).collect()
}

fn gitlinks_in(file: &Path) -> Vec<PathBuf> {
    let Ok(bytes) = read_plain_within(file, MAX_INDEX_BYTES) else { return Vec::new() };
    // The index does not store the length of object names. A wrong length is noticed at
    // the first invalid name.
    let read = |format: ObjectFormat| {
        let mut found = Vec::new();
        let visit = |entry: &IndexEntry<'_>| {
            if entry.mode == GITLINK {
                found.extend(std::str::from_utf8(entry.name).ok().map(PathBuf::from));
            }
        };
        read(&bytes, format, visit).map(|()| found)
    };
    [ObjectFormat::Sha1, ObjectFormat::Sha256].into_iter().find_map(read).unwrap_or_default()
}

/// Checks all paths of an index. Git trusts an index: `git checkout` and `git stash`
/// write what it names.
pub(crate) fn check_index(bytes: &[u8], format: ObjectFormat) -> IndexSafety {
    let mut foreign = None;
    let read = read(bytes, format, |entry| {
        let (name, mode) = (entry.name, entry.mode);
        // In a split index, an entry without a name replaces one of the shared file.
        if foreign.is_none() && !name.is_empty() && !is_inside_work_tree(name, mode) {
            foreign = Some(String::from_utf8_lossy(name).into_owned());
        }
    });
    match (foreign, read) {
        (Some(name), _) => IndexSafety::ForeignPath(name),
        (None, Some(())) => IndexSafety::Safe,
        (None, None) => IndexSafety::Unreadable,
    }
}

/// Whether git itself would add a path: what its `verify_path` says for every file system.
fn is_inside_work_tree(name: &[u8], mode: u32) -> bool {
    let name = if mode == SPARSE_FOLDER { name.strip_suffix(b"/").unwrap_or(name) } else { name };
    name.split(|byte| *byte == b'/').all(|part| {
        let part = String::from_utf8_lossy(part);
        // As file systems that drop the end of a name open it.
        let opened = part.split(':').next().unwrap_or_default().trim_end_matches(['.', ' ']);
        !matches!(&*part, "" | "." | "..") && !is_named_git(opened) && !opened.eq_ignore_ascii_case("git~1")
    })
}

/// Visits each entry. Returns `None` if this is not an index as git writes it.
fn read(bytes: &[u8], format: ObjectFormat, mut visit: impl FnMut(&IndexEntry<'_>)) -> Option<()> {
    (bytes.get(..4)? == b"DIRC").then_some(())?;
    let version = number(bytes, 4)?;
    let count = number(bytes, 8)?;
    let (mut at, mut name) = (12, Vec::new());
    for _ in 0..count {
        let mode = number(bytes, at + 24)?;
        let object = bytes.get(at + FIXED..at + FIXED + format.bytes())?;
        let flags_at = at + FIXED + format.bytes();
        let flags = u16::from_be_bytes(bytes.get(flags_at..flags_at + 2)?.try_into().ok()?);
        let name_at = flags_at + if flags & EXTENDED == 0 { 2 } else { 4 };
        at = match version {
            2 | 3 => {
                let end = name_at + bytes.get(name_at..)?.iter().position(|byte| *byte == 0)?;
                name = bytes.get(name_at..end)?.to_vec();
                // An entry is padded to a multiple of eight bytes, with one zero at the least.
                at + (end - at) / 8 * 8 + 8
            }
            4 => compressed(bytes, name_at, &mut name)?,
            _ => return None,
        };
        // Git takes the length from the flags: another one would give it other names.
        let length = usize::from(flags & NAME_LENGTH);
        let has_length = length == name.len().min(usize::from(NAME_LENGTH));
        let is_sane = has_length && matches!(mode >> 12, 0o4 | 0o10 | 0o12 | 0o16);
        is_sane.then_some(())?;
        visit(&IndexEntry { name: &name, mode, object, stage: (flags >> 12) & 3 });
    }
    Some(())
}

/// A name of version 4, which says how many letters of the name before it go, and what
/// comes in their place.
fn compressed(bytes: &[u8], mut at: usize, name: &mut Vec<u8>) -> Option<usize> {
    let mut cut: usize = 0;
    loop {
        let byte = *bytes.get(at)?;
        at += 1;
        cut = cut.checked_shl(7)?.checked_add(usize::from(byte & 0x7f))?;
        if byte & 0x80 == 0 {
            break;
        }
        cut = cut.checked_add(1)?;
    }
    let end = at + bytes.get(at..)?.iter().position(|byte| *byte == 0)?;
    name.truncate(name.len().checked_sub(cut)?);
    name.extend_from_slice(bytes.get(at..end)?);
    Some(end + 1)
}

fn number(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_be_bytes(bytes.get(at..at.checked_add(4)?)?.try_into().ok()?))
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    /// A repository made by git itself, with two submodules that are not initialised.
    fn check(format: &str, version: &str) {
        let folder = tempfile::tempdir().unwrap();
        let git = |args: &[&str]| {
            let mut command = Command::new("git");
            command.arg("-C").arg(folder.path()).args(args);
            command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1");
            assert!(command.status().unwrap().success(), "{args:?}");
        };
        git(&["init", "-q", &format!("--object-format={format}"), "."]);
        for name in ["a", "b/longer-name.txt", "b/longer-name2.txt", "z"] {
            std::fs::create_dir_all(folder.path().join("b")).unwrap();
            std::fs::write(folder.path().join(name), name).unwrap();
        }
        git(&["add", "-A"]);
        let object = "1".repeat(if format == "sha1" { 40 } else { 64 });
        for sub in ["b/sub", "sub"] {
            git(&["update-index", "--add", "--cacheinfo", &format!("160000,{object},{sub}")]);
        }
        git(&["update-index", "--index-version", version]);
        let found = gitlinks(&folder.path().join(".git"));
        assert_eq!(found, [Path::new("b/sub"), Path::new("sub")], "{format}, version {version}");
        let bytes = std::fs::read(folder.path().join(".git/index")).unwrap();
        let format = if format == "sha1" { ObjectFormat::Sha1 } else { ObjectFormat::Sha256 };
        assert_eq!(check_index(&bytes, format), IndexSafety::Safe, "version {version}");
        // The same index with another path of the same length.
        let at = bytes.windows(17).position(|part| part == b"b/longer-name.txt");
        for name in [
            b".git/hooks/update",
            b"../../longer-name",
            b"/etc/longer-names",
            b"b/./longer-names2",
            b"b/.GIT. /x-names2",
        ] {
            let Some(at) = at else { continue };
            let mut bytes = bytes.clone();
            bytes[at..at + 17].copy_from_slice(name);
            let name = String::from_utf8_lossy(name).into_owned();
            assert_eq!(check_index(&bytes, format), IndexSafety::ForeignPath(name), "version {version}");
        }
        assert!(at.is_some() || version == "4");
        if format == ObjectFormat::Sha1 {
            git(&["update-index", "--split-index"]);
            std::fs::write(folder.path().join("a"), "changed").unwrap();
            git(&["add", "a"]);
            let bytes = std::fs::read(folder.path().join(".git/index")).unwrap();
            assert_eq!(check_index(&bytes, format), IndexSafety::Safe, "split, version {version}");
            let found = gitlinks(&folder.path().join(".git"));
            assert_eq!(found, [Path::new("b/sub"), Path::new("sub")], "split, version {version}");
        }
    }

    #[test]
    fn a_name_that_git_would_read_with_another_length_makes_an_index_unreadable() {
        let mut bytes = b"DIRC\0\0\0\x02\0\0\0\x01".to_vec();
        bytes.extend([0; 24]);
        bytes.extend(0o100_644_u32.to_be_bytes());
        bytes.extend([0; 12 + 20]);
        let with = |length: u16| [&bytes[..], &length.to_be_bytes(), b"name", &[0; 12]].concat();
        assert_eq!(check_index(&with(4), ObjectFormat::Sha1), IndexSafety::Safe);
        assert_eq!(check_index(&with(3), ObjectFormat::Sha1), IndexSafety::Unreadable);
        assert_eq!(check_index(b"x", ObjectFormat::Sha1), IndexSafety::Unreadable);
    }

    #[test]
    fn submodules_are_found_in_every_form_of_an_index() {
        for format in ["sha1", "sha256"] {
            for version in ["2", "4"] {
                check(format, version);
            }
        }
    }

    #[test]
    fn an_index_that_is_cut_or_none_has_no_submodules() {
        let folder = tempfile::tempdir().unwrap();
        assert!(gitlinks(folder.path()).is_empty());
        for bytes in [&b""[..], b"DIRC", b"DIRC\0\0\0\x02\xff\xff\xff\xff", &[0xff; 200]] {
            std::fs::write(folder.path().join("index"), bytes).unwrap();
            assert!(gitlinks(folder.path()).is_empty(), "{bytes:?}");
        }
    }
}
