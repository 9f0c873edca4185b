//! Reads a file so that the loaded bytes are the hashed bytes, and a partial file is never taken
//! for a complete one. Links are refused, and pipes are not waited for. Whether the bytes may be
//! used is decided by the gate (`trust_gate.rs`). Files outside of tool folders are read with
//! `plain_files.rs`.

use std::fs::{self, File, Metadata};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use sha2::{Digest, Sha256};
use thiserror::Error;

use super::{SidecarError, ToolSidecar};

/// The largest file that is read: several times the largest honest tool.
pub const MAX_FILE: u64 = 256 << 20;

/// How much of a file is shown to loaders that have to say whether it is theirs.
pub(super) const HEAD: usize = 512;

/// The content of a file at one moment.
#[derive(Debug)]
pub(super) struct ToolFileContent {
    pub(super) file: File,
    pub(super) bytes: Vec<u8>,
    pub(super) sha256: [u8; 32],
}

/// Why a file was not read.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub(super) enum ToolFileReadError {
    #[error("it no longer exists")]
    Gone,
    #[error("it is a link, which could lead to a file that tools can write; put the file itself here")]
    Link,
    #[error("it is not a regular file")]
    NotAFile,
    #[error("it has more than {MAX_FILE} bytes")]
    TooLarge,
    #[error("it changed while Holm read it; Holm retries once it stops changing")]
    Moving,
    #[error("it cannot be read: {0}")]
    System(String),
    #[error(transparent)]
    Sidecar(#[from] SidecarError),
}

/// Reads a file that is not being written: its state before and after reading must be the same.
pub(super) fn whole(path: &Path) -> Result<ToolFileContent, ToolFileReadError> {
    let seen = ordinary(path)?;
    let mut file = open(path)?;
    let opened = file.metadata().map_err(|error| system(&error))?;
    // Between the check and the opening, a link may have replaced it.
    if state(&opened) != state(&seen) {
        return Err(ToolFileReadError::Moving);
    }
    let mut bytes = Vec::with_capacity(usize::try_from(seen.len()).unwrap_or(0));
    Read::by_ref(&mut file).take(MAX_FILE + 1).read_to_end(&mut bytes).map_err(|error| system(&error))?;
    if bytes.len() as u64 > MAX_FILE {
        return Err(ToolFileReadError::TooLarge);
    }
    let after = file.metadata().map_err(|error| system(&error))?;
    if state(&after) != state(&seen) || bytes.len() as u64 != seen.len() {
        return Err(ToolFileReadError::Moving);
    }
    let sha256 = Sha256::digest(&bytes).into();
    Ok(ToolFileContent { file, bytes, sha256 })
}

/// Opens a file that was seen to be an ordinary one. It does not wait for a pipe that replaced the
/// file since, and does not follow a link.
fn open(path: &Path) -> Result<File, ToolFileReadError> {
    let mut options = File::options();
    options.read(true);
    #[cfg(unix)]
    {
        use rustix::fs::OFlags;
        use std::os::unix::fs::OpenOptionsExt;
        options.custom_flags((OFlags::NOFOLLOW | OFlags::NONBLOCK).bits().cast_signed());
    }
    options.open(path).map_err(|error| system(&error))
}

/// The sidecar of a tool with the hash of its bytes, if it has one.
pub(super) fn sidecar(path: &Path) -> Result<Option<(ToolSidecar, [u8; 32])>, ToolFileReadError> {
    match whole(&sidecar_path(path)) {
        Ok(whole) => Ok(Some((ToolSidecar::read(&whole.bytes)?, whole.sha256))),
        Err(ToolFileReadError::Gone) => Ok(None),
        Err(error) => Err(error),
    }
}

/// The path of a tool's sidecar.
pub(super) fn sidecar_path(path: &Path) -> PathBuf {
    path.with_extension("toml")
}

/// Whether the last write to the file is so long ago that its writer must have finished.
pub(super) fn rests_for(path: &Path, patience: Duration) -> bool {
    let modified = fs::symlink_metadata(path).and_then(|metadata| metadata.modified());
    modified.is_ok_and(|time| SystemTime::now().duration_since(time).is_ok_and(|age| age >= patience))
}

/// Whether a file of a tool folder could be a tool. Sidecars, hidden files, and temporary files of
/// editors and copiers are not.
pub(super) fn is_candidate(path: &Path) -> bool {
    const UNFINISHED: [&str; 8] = ["toml", "tmp", "part", "partial", "new", "swp", "bak", "crdownload"];
    let Some(name) = path.file_name().and_then(|name| name.to_str()) else { return false };
    let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
    !name.starts_with('.') && !name.ends_with('~') && !UNFINISHED.contains(&ending)
}

fn ordinary(path: &Path) -> Result<Metadata, ToolFileReadError> {
    let seen = fs::symlink_metadata(path).map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => ToolFileReadError::Gone,
        _ => system(&error),
    })?;
    if seen.file_type().is_symlink() {
        return Err(ToolFileReadError::Link);
    }
    if !seen.is_file() {
        return Err(ToolFileReadError::NotAFile);
    }
    if seen.len() > MAX_FILE {
        return Err(ToolFileReadError::TooLarge);
    }
    Ok(seen)
}

/// The metadata that would differ if the file had been written to or replaced.
fn state(metadata: &Metadata) -> (u64, Option<SystemTime>, u64, u64) {
    #[cfg(unix)]
    let (device, number) = {
        use std::os::unix::fs::MetadataExt;
        (metadata.dev(), metadata.ino())
    };
    #[cfg(not(unix))]
    let (device, number) = (0, 0);
    (metadata.len(), metadata.modified().ok(), device, number)
}

fn system(error: &std::io::Error) -> ToolFileReadError {
    ToolFileReadError::System(error.to_string())
}
