//! The scripts of a project that its hooks name. A command that stays the same and runs a script that does not is a
//! changed command.

use std::{
    collections::BTreeSet,
    fmt,
    fs::{File, OpenOptions},
    io::{self, Read as _},
    os::unix::fs::OpenOptionsExt as _,
    path::{Component, Path, PathBuf},
};

use rustix::fs::OFlags;

use super::{HookFileError, NotDone};
use crate::trust::ContentHash;

/// The largest file that is looked at: hooks and their scripts are written by hand.
const MOST_BYTES: u64 = 1 << 20;

/// How a command may name its project in front of a script.
const PROJECT: [&str; 2] = ["$HOLM_PROJECT_DIR/", "${HOLM_PROJECT_DIR}/"];

/// A script as it was seen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Script {
    project: PathBuf,
    /// Below the project.
    path: PathBuf,
    hash: ContentHash,
}

impl Script {
    /// Where it lies, and what was in it.
    pub(super) fn seen(&self) -> (PathBuf, ContentHash) {
        (self.project.join(&self.path), self.hash)
    }

    /// Whether it is still what was seen, if the command names it.
    pub(super) fn check(&self, line: &str) -> Result<(), NotDone> {
        if !words(line).any(|word| below(word).is_some_and(|path| path == self.path)) {
            return Ok(());
        }
        match read(&self.project.join(&self.path)) {
            Ok(bytes) if ContentHash::of(&bytes) == self.hash => Ok(()),
            Ok(_) | Err(_) => Err(NotDone::Changed { path: self.path.clone() }),
        }
    }
}

impl fmt::Display for Script {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.path.display(), self.hash)
    }
}

/// The files of a project that are words of these commands.
pub(super) fn named<'a>(
    project: &Path,
    lines: impl Iterator<Item = &'a str>,
) -> Result<Vec<Script>, HookFileError> {
    let paths: BTreeSet<PathBuf> = lines.flat_map(words).filter_map(below).collect();
    let mut scripts = Vec::new();
    for path in paths.into_iter().filter(|path| project.join(path).is_file()) {
        let bytes = read(&project.join(&path))
            .map_err(|error| HookFileError::Unreadable { reason: format!("{}: {error}", path.display()) })?;
        scripts.push(Script { project: project.to_owned(), path, hash: ContentHash::of(&bytes) });
    }
    Ok(scripts)
}

/// Reads a small plain file; nothing that could keep whoever reads it waiting is opened for long.
pub(super) fn read(path: &Path) -> io::Result<Vec<u8>> {
    let flags = i32::try_from((OFlags::NONBLOCK | OFlags::NOCTTY).bits()).unwrap_or_default();
    let file: File = OpenOptions::new().read(true).custom_flags(flags).open(path)?;
    if !file.metadata()?.is_file() {
        return Err(io::Error::other("it is no plain file"));
    }
    let mut bytes = Vec::new();
    file.take(MOST_BYTES + 1).read_to_end(&mut bytes)?;
    if u64::try_from(bytes.len()).unwrap_or(u64::MAX) > MOST_BYTES {
        return Err(io::Error::other(format!("it is larger than {MOST_BYTES} bytes")));
    }
    Ok(bytes)
}

/// The words of a shell line, taken wider than a shell would: a word too many is looked at in vain, one too few is not
/// looked at.
fn words(line: &str) -> impl Iterator<Item = &str> {
    line.split(|c: char| c.is_whitespace() || "\"'`;|&()<>=,".contains(c)).filter(|word| !word.is_empty())
}

/// The path of a word below the project, if it is one that could be.
fn below(word: &str) -> Option<PathBuf> {
    let word = PROJECT.iter().find_map(|prefix| word.strip_prefix(prefix)).unwrap_or(word);
    let mut path = PathBuf::new();
    for component in Path::new(word).components() {
        match component {
            Component::Normal(name) => path.push(name),
            Component::CurDir => {}
            Component::ParentDir | Component::RootDir | Component::Prefix(_) => return None,
        }
    }
    (path != PathBuf::new()).then_some(path)
}
