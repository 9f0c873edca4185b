//! Compiled code on disk, so that each guest is compiled once.
//!
//! Loading compiled code is running it, so a file is trusted only if it carries a seal made with a
//! key that only its owner can read. A file that does not fit is removed and compiled again:
//! another version, another machine, a torn write, a file of another program. The cache never fails
//! a load. It compiles nothing (`compile/`) and loads nothing (`artifact.rs`); the name of a piece
//! of code is made in `sandbox.rs` and must contain everything that the code depends on.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{Read, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use rustix::fs::OFlags;
use sha2::{Digest, Sha256};

/// A folder of compiled code.
#[derive(Debug)]
pub(crate) struct CodeCache {
    folder: PathBuf,
    key: [u8; 32],
}

/// Code that came from our own compiler: just now, under our own seal, or inside the program. The
/// only thing that is ever loaded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TrustedCode(Vec<u8>);

/// The name of one piece of code: everything that it depends on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct CodeId(pub(crate) [u8; 32]);

/// The first bytes of a file.
const MAGIC: [u8; 8] = *b"holmcw01";
/// The seal after it.
const SEAL: usize = 32;
/// The most bytes of code that the cache keeps, enough for some hundred large guests. The least
/// recently used code goes first.
const MAX_BYTES: u64 = 2 << 30;

impl TrustedCode {
    /// Trusts code that our own compiler has just returned.
    pub(crate) fn from_compiler(code: Vec<u8>) -> Self {
        Self(code)
    }

    /// Trusts code that was compiled when this program was built, on the word of
    /// its builder: see [`crate::PrecompiledCode::new`].
    pub(crate) fn from_program(code: Vec<u8>) -> Self {
        Self(code)
    }

    pub(crate) fn as_bytes(&self) -> &[u8] {
        &self.0
    }
}

impl CodeCache {
    /// Opens a folder, which is made for its owner alone.
    pub(crate) fn open(folder: &Path) -> std::io::Result<Self> {
        DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
        let key = key(&folder.join("key"))?;
        Ok(Self { folder: folder.to_owned(), key })
    }

    /// The code of this name. What does not bear our seal is removed.
    pub(crate) fn get(&self, id: &CodeId) -> Option<TrustedCode> {
        let path = self.path(id);
        let bytes = match read_private(&path) {
            Ok(bytes) => bytes,
            Err(error) => {
                if error.kind() != std::io::ErrorKind::NotFound {
                    self.forget(id);
                }
                return None;
            }
        };
        let code = self.unseal(id, &bytes);
        if code.is_none() {
            self.forget(id);
        } else if let Ok(file) = File::open(&path) {
            // Used now, so it goes last; whether this works changes nothing else.
            let _ = file.set_modified(SystemTime::now());
        }
        code
    }

    /// Stores code under this name. A concurrent reader sees all of it or nothing.
    pub(crate) fn put(&self, id: &CodeId, code: &TrustedCode) -> std::io::Result<()> {
        let mut random = [0; 8];
        getrandom::fill(&mut random)?;
        let temporary = self.folder.join(format!("{}.part", hex(&random)));
        let written = write_private(&temporary, &[&MAGIC, &self.seal(id, &code.0), &code.0])
            .and_then(|()| fs::rename(&temporary, self.path(id)));
        if written.is_err() {
            let _ = fs::remove_file(&temporary);
        }
        self.prune(MAX_BYTES);
        written
    }

    /// Removes the code under this name.
    pub(crate) fn forget(&self, id: &CodeId) {
        let _ = fs::remove_file(self.path(id));
    }

    fn path(&self, id: &CodeId) -> PathBuf {
        self.folder.join(format!("{}.cwasm", hex(&id.0)))
    }

    fn unseal(&self, id: &CodeId, bytes: &[u8]) -> Option<TrustedCode> {
        let (seal, code) = bytes.strip_prefix(&MAGIC)?.split_at_checked(SEAL)?;
        let expected = self.seal(id, code);
        // Without an early exit, so that the time reveals nothing about the seal.
        let difference = seal.iter().zip(expected).fold(0, |sum, (a, b)| sum | (a ^ b));
        (difference == 0).then(|| TrustedCode(code.to_vec()))
    }

    /// The seal of code under a name: HMAC-SHA-256, so that only who knows the key can make one.
    fn seal(&self, id: &CodeId, code: &[u8]) -> [u8; SEAL] {
        let pad = |byte: u8| {
            let mut block = [byte; 64];
            for (to, key) in block.iter_mut().zip(self.key) {
                *to ^= key;
            }
            block
        };
        let inner = Sha256::new()
            .chain_update(pad(0x36))
            .chain_update(MAGIC)
            .chain_update(id.0)
            .chain_update(code)
            .finalize();
        Sha256::new().chain_update(pad(0x5c)).chain_update(inner).finalize().into()
    }

    /// Removes the least recently used code until the rest fits.
    fn prune(&self, max: u64) {
        let Ok(entries) = fs::read_dir(&self.folder) else { return };
        let mut files: Vec<(SystemTime, u64, PathBuf)> = entries
            .filter_map(Result::ok)
            .filter(|entry| entry.path().extension().is_some_and(|end| end == "cwasm"))
            .filter_map(|entry| {
                let meta = entry.metadata().ok()?;
                Some((meta.modified().ok()?, meta.len(), entry.path()))
            })
            .collect();
        files.sort();
        let mut total: u64 = files.iter().map(|(_, size, _)| size).sum();
        for (_, size, path) in files {
            if total <= max {
                return;
            }
            let _ = fs::remove_file(path);
            total = total.saturating_sub(size);
        }
    }
}

/// The key of a folder, made when it is first needed.
fn key(path: &Path) -> std::io::Result<[u8; 32]> {
    for _ in 0..2 {
        match read_private(path) {
            Ok(bytes) => {
                if let Ok(key) = bytes.try_into() {
                    return Ok(key);
                }
                // Torn, or not ours. Without the key nothing in the folder is trusted, and all of
                // it is compiled again.
                fs::remove_file(path)?;
            }
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
            Err(_) => fs::remove_file(path)?,
        }
        let mut key = [0; 32];
        getrandom::fill(&mut key)?;
        match write_private(path, &[&key]) {
            Ok(()) => return Ok(key),
            // Another process was faster; its key is as good.
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
    Err(std::io::Error::other("could not agree on a key"))
}

/// The largest file that is read here: far more than the code of the largest guest.
const LARGEST: u64 = 1 << 30;

/// Reads a file that belongs to us and that no other user can read or write. A link does not
/// count as a file.
fn read_private(path: &Path) -> std::io::Result<Vec<u8>> {
    // A pipe in its place would be waited for.
    let flags = (OFlags::NOFOLLOW | OFlags::NONBLOCK).bits().cast_signed();
    let mut file = OpenOptions::new().read(true).custom_flags(flags).open(path)?;
    let meta = file.metadata()?;
    let owner = rustix::process::geteuid().as_raw();
    if !meta.is_file() || meta.uid() != owner || meta.mode() & 0o077 != 0 {
        return Err(std::io::Error::from(std::io::ErrorKind::PermissionDenied));
    }
    if meta.len() > LARGEST {
        return Err(std::io::Error::from(std::io::ErrorKind::FileTooLarge));
    }
    let mut bytes = Vec::new();
    Read::by_ref(&mut file).take(LARGEST).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Writes a new file that only we can read.
fn write_private(path: &Path, parts: &[&[u8]]) -> std::io::Result<()> {
    let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)?;
    parts.iter().try_for_each(|part| file.write_all(part))
}

fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write as _;
    bytes.iter().fold(String::with_capacity(bytes.len() * 2), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

#[cfg(test)]
mod tests;
