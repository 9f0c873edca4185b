//! Stores provider keys in a file that only its owner can read, and the names of those keys that
//! the system's keyring holds.
//!
//! The keyring itself is in `keyring.rs`; keys of the environment are read in
//! `holm-models/src/keys.rs`. A file that other users can read is refused. A change replaces the
//! whole file, and no message contains any part of a key.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt, fs,
    io::Write as _,
    path::{Path, PathBuf},
};

use secrecy::{ExposeSecret as _, SecretString};
use serde::{Deserialize, Serialize};

use crate::{ConfigError, ConfigProblem, read::MOST_FILE_BYTES};

/// The version of the file format.
const VERSION: u64 = 1;

/// The longest key: ten times as long as those of any provider.
const MOST_KEY_BYTES: usize = 16 << 10;

/// The mode bits that let other users read a file.
#[cfg(unix)]
const OTHERS: u32 = 0o077;

/// Keys by the names of their providers. They are never shown: not in messages, and not by `Debug`.
///
/// ```
/// use holm_config::KeyFile;
///
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("keys.json");
/// let mut keys = KeyFile::load(&path)?;
/// keys.set("openai", &"sk-secret".into())?;
/// assert_eq!(KeyFile::load(&path)?.names().collect::<Vec<_>>(), ["openai"]);
/// assert!(!format!("{keys:?}").contains("sk-secret"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct KeyFile {
    path: PathBuf,
    kept: KeyFileContents,
}

/// The content of the file: each name once, with or without its key.
#[derive(Clone, Default)]
struct KeyFileContents {
    keys: BTreeMap<String, SecretString>,
    keyring: BTreeSet<String>,
}

/// The file as it is stored.
#[derive(Serialize, Deserialize)]
struct KeyFileRecord {
    version: u64,
    keys: BTreeMap<String, String>,
    /// Names of keys in the system's keyring, which cannot list its entries.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    keyring: BTreeSet<String>,
}

impl KeyFile {
    /// Reads the file, which need not exist yet.
    ///
    /// # Errors
    /// If other users can read it, or it is damaged. The message contains nothing of its text.
    pub fn load(path: &Path) -> Result<Self, ConfigError> {
        let wrong = |problem| ConfigError::whole(path, problem);
        let none = Self { path: path.to_owned(), kept: KeyFileContents::default() };
        let data = match fs::symlink_metadata(path) {
            Ok(data) => data,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(none),
            Err(error) => return Err(wrong(ConfigProblem::Unreadable(error.to_string()))),
        };
        #[cfg(unix)]
        if std::os::unix::fs::MetadataExt::mode(&data) & OTHERS != 0 {
            return Err(wrong(ConfigProblem::Shared));
        }
        if !data.is_file() || data.len() > MOST_FILE_BYTES {
            return Err(wrong(ConfigProblem::Unreadable("it is not a valid key file".into())));
        }
        let text = fs::read(path).map_err(|error| wrong(ConfigProblem::Unreadable(error.to_string())))?;
        // The parser's message may quote the text.
        let record: KeyFileRecord = serde_json::from_slice(&text).map_err(|error| {
            ConfigError::at(
                path,
                error.line().max(1),
                ConfigProblem::Syntax("it is not a valid key file".into()),
            )
        })?;
        if record.version != VERSION {
            let message =
                format!("its version is {}; this version of Holm supports {VERSION}", record.version);
            return Err(wrong(ConfigProblem::WrongValue(message)));
        }
        let keys = record.keys.into_iter().map(|(name, key)| (name, key.into())).collect();
        Ok(Self { kept: KeyFileContents { keys, keyring: record.keyring }, ..none })
    }

    /// The names of the keys in the file, sorted.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.kept.keys.keys().map(String::as_str)
    }

    /// The names of the keys in the system's keyring, sorted.
    pub fn in_keyring(&self) -> impl Iterator<Item = &str> {
        self.kept.keyring.iter().map(String::as_str)
    }

    /// The keys with their names.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &SecretString)> {
        self.kept.keys.iter().map(|(name, key)| (name.as_str(), key))
    }

    /// Stores a key, replaces one of the same name, and writes the file.
    ///
    /// # Errors
    /// If the key is not valid or the file cannot be written; then nothing has changed.
    pub fn set(&mut self, name: &str, key: &SecretString) -> Result<(), ConfigError> {
        let text = checked(key).map_err(|problem| ConfigError::whole(&self.path, problem))?;
        let mut kept = self.kept.clone();
        kept.keyring.remove(name);
        kept.keys.insert(name.to_owned(), text.to_owned().into());
        self.save(kept)
    }

    /// Notes that a key is in the system's keyring, and deletes it from the file.
    ///
    /// # Errors
    /// If the file cannot be written; then nothing has changed.
    pub fn set_in_keyring(&mut self, name: &str) -> Result<(), ConfigError> {
        let mut kept = self.kept.clone();
        kept.keys.remove(name);
        kept.keyring.insert(name.to_owned());
        self.save(kept)
    }

    /// Deletes a key, and returns whether it existed.
    ///
    /// # Errors
    /// If the file cannot be written; then nothing has changed.
    pub fn remove(&mut self, name: &str) -> Result<bool, ConfigError> {
        let mut kept = self.kept.clone();
        let (in_file, in_keyring) = (kept.keys.remove(name).is_some(), kept.keyring.remove(name));
        if in_file || in_keyring {
            self.save(kept)?;
        }
        Ok(in_file || in_keyring)
    }

    /// Atomically replaces the file by a new one, which only its owner can read from
    /// the first byte on.
    fn save(&mut self, kept: KeyFileContents) -> Result<(), ConfigError> {
        let failed = |error: std::io::Error| {
            ConfigError::whole(&self.path, ConfigProblem::Unwritable(error.to_string()))
        };
        let plain = kept.keys.iter().map(|(name, key)| (name.clone(), key.expose_secret().to_owned()));
        let record = KeyFileRecord { version: VERSION, keys: plain.collect(), keyring: kept.keyring.clone() };
        let text = serde_json::to_vec_pretty(&record).map_err(|error| failed(error.into()))?;
        let fresh = self.path.with_extension("new");
        // A crash may have left a temporary file.
        let _ = fs::remove_file(&fresh);
        let mut options = fs::OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let mut file = options.open(&fresh).map_err(failed)?;
        file.write_all(&text).and_then(|()| file.sync_all()).map_err(failed)?;
        fs::rename(&fresh, &self.path).map_err(failed)?;
        self.kept = kept;
        Ok(())
    }
}

/// A key without surrounding white space, if it is valid.
pub(crate) fn checked(key: &SecretString) -> Result<&str, ConfigProblem> {
    let text = key.expose_secret().trim();
    let is_key = !text.is_empty() && text.len() <= MOST_KEY_BYTES && !text.chars().any(char::is_control);
    let wrong = || ConfigProblem::WrongValue("a key is one line of text and must not be empty".to_owned());
    is_key.then_some(text).ok_or_else(wrong)
}

impl fmt::Debug for KeyFile {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("KeyFile")
            .field("path", &self.path)
            .field("names", &self.kept.keys.keys())
            .field("in_keyring", &self.kept.keyring)
            .finish()
    }
}

#[cfg(test)]
mod tests;
