//! Reads a git index: the submodules that it lists, also those that are not initialised, and the
//! paths that git itself would never put there.

use std::path::{Path, PathBuf};

use crate::plain_files::read_plain_within;

/// The largest index that is read: about half a million files.
const MAX_INDEX_BYTES: u64 = 64 * 1024 * 1024;
/// The mode of an entry that is a submodule.
const GITLINK: u32 = 0o160_000;
/// Bytes of an entry before its object's name.
const FIXED: usize = 40;
/// In the flags of an entry: more flags follow.
const EXTENDED: u16 = 0x4000;

/// The folders of the submodules, relative to the work tree. What cannot be read has none.
pub(crate) fn gitlinks(git_folder: &Path) -> Vec<PathBuf> {
    let Ok(bytes) = read_plain_within(&git_folder.join("index"), MAX_INDEX_BYTES) else { return Vec::new() };
    // The index does not store the length of object names. A wrong length is noticed at
    // the first invalid name.
    [20, 32].iter().find_map(|hash| read(&bytes, *hash)).unwrap_or_default()
}

fn read(bytes: &[u8], hash: usize) -> Option<Vec<PathBuf>> {
    (bytes.get(..4)? == b"DIRC").then_some(())?;
    let version = number(bytes, 4)?;
    let count = number(bytes, 8)?;
    let (mut at, mut name, mut found) = (12, Vec::new(), Vec::new());
    for _ in 0..count {
        let mode = number(bytes, at + 24)?;
        let flags_at = at + FIXED + hash;
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
        let is_sane = !name.is_empty() && matches!(mode >> 12, 0o4 | 0o10 | 0o12 | 0o16);
        is_sane.then_some(())?;
        if mode == GITLINK {
            found.extend(std::str::from_utf8(&name).ok().map(PathBuf::from));
        }
    }
    Some(found)
}

/// A name of version 4, which says how many letters of the name before it go, and what comes in their place.
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
