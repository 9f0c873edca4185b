//! Remembers which code a person has confirmed, so that replaced code does not inherit the grants
//! of the old code. Trust in files of a project is another thing (`trust/`); pins are for the
//! user's own tools and for tools of MCP servers.
//!
//! A person grants something to a tool that they know. If its file is replaced, the name stays the
//! same and the code does not. The new code becomes a tool, but it does not get what it asks for
//! until a person confirms it. If a pin cannot be read or written, the code counts as replaced.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use thiserror::Error;

/// Whether the code at a path is the confirmed one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum PinStatus {
    /// It was confirmed, or it is the first that was ever seen at its place.
    #[default]
    Confirmed,
    /// Other code was confirmed at this place.
    Replaced,
}

/// Remembers which code was confirmed at which path.
pub trait PinStore: Send + Sync {
    /// The status of this code. The first code at a path is remembered.
    fn standing(&self, path: &Path, sha256: &[u8; 32]) -> PinStatus;

    /// Confirms this code, on a person's word.
    ///
    /// # Errors
    ///
    /// Where it cannot be remembered.
    fn confirm(&self, path: &Path, sha256: &[u8; 32]) -> Result<(), PinStoreError>;

    /// Whether any code is remembered at this place.
    fn knows(&self, _path: &Path) -> bool {
        true
    }
}

/// Why a confirmation cannot be stored.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("cannot write {path}: {reason}")]
pub struct PinStoreError {
    /// The file of the pins.
    pub path: PathBuf,
    /// What the system said.
    pub reason: String,
}

/// Remembers nothing: all code counts as confirmed. For folders whose gate
/// already checks the content.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoPinStore;

impl PinStore for NoPinStore {
    fn standing(&self, _path: &Path, _sha256: &[u8; 32]) -> PinStatus {
        PinStatus::Confirmed
    }

    fn confirm(&self, _path: &Path, _sha256: &[u8; 32]) -> Result<(), PinStoreError> {
        Ok(())
    }
}

/// Pins in a file: one line with the hash and the path for each pin. The file is read anew each
/// time, so that another process can confirm code.
#[derive(Debug)]
pub struct PinFileStore {
    path: PathBuf,
    writing: Mutex<()>,
}

/// Whether an existing pin is kept or replaced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ExistingPinPolicy {
    Stays,
    Goes,
}

impl PinFileStore {
    /// The pins in this file, which need not be there yet.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into(), writing: Mutex::default() }
    }

    /// Forgets the confirmations at a path, and at all paths with this beginning. The next code
    /// there counts as the first.
    ///
    /// # Errors
    ///
    /// Where that cannot be remembered.
    pub fn forget(&self, path: &Path, beginning: &str) -> Result<(), PinStoreError> {
        let failed = |error: io::Error| PinStoreError { path: self.path.clone(), reason: error.to_string() };
        let exact = place(path);
        let gone = |place: &str| place == exact || (!beginning.is_empty() && place.starts_with(beginning));
        let _alone = self.writing.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let _lock = self.lock().map_err(failed)?;
        let mut pins = self.read().map_err(failed)?;
        pins.retain(|place, _| !gone(place));
        self.save(&pins).map_err(failed)
    }

    fn read(&self) -> io::Result<BTreeMap<String, String>> {
        let text = match fs::read_to_string(&self.path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(BTreeMap::new()),
            Err(error) => return Err(error),
        };
        let pin = |line: &str| line.split_once(' ').map(|(hash, path)| (path.to_owned(), hash.to_owned()));
        Ok(text.lines().filter_map(pin).collect())
    }

    /// Writes a pin, and returns the one that is stored for the path afterwards.
    fn write(&self, place: String, hash: String, known: ExistingPinPolicy) -> io::Result<String> {
        let _alone = self.writing.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let _lock = self.lock()?;
        let mut pins = self.read()?;
        if let (ExistingPinPolicy::Stays, Some(pinned)) = (known, pins.get(&place)) {
            return Ok(pinned.clone());
        }
        pins.insert(place, hash.clone());
        self.save(&pins)?;
        Ok(hash)
    }

    /// Other processes read, extend and replace the file too; what one of them adds meanwhile
    /// must not be lost.
    fn lock(&self) -> io::Result<fs::File> {
        if let Some(folder) = self.path.parent() {
            fs::create_dir_all(folder)?;
        }
        let lock = fs::File::options().create(true).append(true).open(self.path.with_extension("lock"))?;
        lock.lock()?;
        Ok(lock)
    }

    /// Atomic: a new file replaces the old one.
    fn save(&self, pins: &BTreeMap<String, String>) -> io::Result<()> {
        let new = self.path.with_extension(format!("{}.new", std::process::id()));
        let mut file = fs::File::create(&new)?;
        for (path, hash) in pins {
            writeln!(file, "{hash} {path}")?;
        }
        file.sync_all()?;
        fs::rename(&new, &self.path)
    }
}

impl PinStore for PinFileStore {
    fn standing(&self, path: &Path, sha256: &[u8; 32]) -> PinStatus {
        let (place, hash) = (place(path), hex(sha256));
        match self.read() {
            Ok(pins) => match pins.get(&place) {
                Some(pinned) if *pinned == hash => PinStatus::Confirmed,
                Some(_) => PinStatus::Replaced,
                // Where it cannot be written down, the next code would look like the first again.
                None => match self.write(place, hash.clone(), ExistingPinPolicy::Stays) {
                    Ok(pinned) if pinned == hash => PinStatus::Confirmed,
                    Ok(_) | Err(_) => PinStatus::Replaced,
                },
            },
            Err(_) => PinStatus::Replaced,
        }
    }

    fn confirm(&self, path: &Path, sha256: &[u8; 32]) -> Result<(), PinStoreError> {
        let failed = |error: io::Error| PinStoreError { path: self.path.clone(), reason: error.to_string() };
        self.write(place(path), hex(sha256), ExistingPinPolicy::Goes).map(|_| ()).map_err(failed)
    }

    fn knows(&self, path: &Path) -> bool {
        self.read().map_or(true, |pins| pins.contains_key(&place(path)))
    }
}

/// The real path on one line, with line ends made visible.
fn place(path: &Path) -> String {
    let folder = path.parent().and_then(|folder| folder.canonicalize().ok());
    let whole = match (folder, path.file_name()) {
        (Some(folder), Some(name)) => folder.join(name),
        _ => path.to_owned(),
    };
    whole.to_string_lossy().replace('\n', "\\n")
}

pub(super) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
