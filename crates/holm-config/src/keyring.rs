//! The keyring of the operating system. On Linux this is the kernel's keyring, which needs neither
//! a library, a daemon nor a desktop, and stores nothing on disk.
//!
//! It forgets all keys when the machine restarts, or some days after the last use if the user is
//! not logged in. Commands in a jail cannot read it.
//!
//! The keyring of a desktop is in `holm-cli/src/keyring/desktop.rs`, and the file with keys in
//! `keys.rs`. An error never contains what was read.

use std::{fmt, path::Path};

use secrecy::SecretString;

/// The keys of one data folder in the system's keyring.
#[derive(Clone, PartialEq, Eq)]
pub struct SystemKeyring {
    /// Distinguishes keys of this folder from those of other folders and programs.
    service: String,
}

/// Why the keyring cannot be used. No message contains any part of a key.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum KeyringError {
    /// A key is one line of text.
    #[error("a key is one line of text and must not be empty")]
    NoKey,
    /// Holm does not support the keyring of this system.
    #[error(
        "Holm found no keyring on this machine; without --keyring, the key goes into a file that only \
         you can read"
    )]
    NotHere,
    /// The system refuses access, as containers often do.
    #[error("the keyring failed ({0}); without --keyring, the key goes into a file that only you can read")]
    Refused(String),
}

impl SystemKeyring {
    /// The keyring of a data folder.
    #[must_use]
    pub fn of(data: &Path) -> Self {
        Self { service: format!("holm {}", data.display()) }
    }

    /// The key of a name, or `None` if the keyring does not hold it any more.
    ///
    /// # Errors
    /// [`KeyringError`] if the keyring cannot be queried.
    pub fn get(&self, name: &str) -> Result<Option<SecretString>, KeyringError> {
        system::get(&self.service, name)
    }

    /// Stores a key and replaces one of the same name.
    ///
    /// # Errors
    /// [`KeyringError`] if the key is not valid, or the keyring does not accept it.
    pub fn set(&self, name: &str, key: &SecretString) -> Result<(), KeyringError> {
        let text = crate::keys::checked(key).map_err(|_| KeyringError::NoKey)?;
        system::set(&self.service, name, text)
    }

    /// Deletes a key, and returns whether it existed.
    ///
    /// # Errors
    /// [`KeyringError`] if the keyring cannot be queried.
    pub fn remove(&self, name: &str) -> Result<bool, KeyringError> {
        system::remove(&self.service, name)
    }
}

impl fmt::Debug for SystemKeyring {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("SystemKeyring").field("service", &self.service).finish()
    }
}

#[cfg(target_os = "linux")]
mod system {
    use keyring_core::{Entry, Error, api::CredentialStoreApi as _};
    use linux_keyutils::{KeyRing, KeyRingIdentifier};
    use linux_keyutils_keyring_store::Store;
    use secrecy::SecretString;

    use super::KeyringError;

    /// A test entry that is stored for a moment, to see whether the keyring works.
    const PROBE: &str = "no key, only tried";

    fn entry(service: &str, name: &str) -> Result<Entry, KeyringError> {
        // Without a login session, as in a container, the kernel provides a keyring that can be
        // written but not read. So this process creates its own session keyring. The user's
        // persistent keyring, which outlives this process, is linked to it.
        let session = KeyRing::from_special_id(KeyRingIdentifier::Session, true);
        let both = session.and_then(|_| KeyRing::get_persistent(KeyRingIdentifier::Session));
        both.map_err(|error| KeyringError::Refused(error.to_string()))?;
        Store::new().and_then(|store| store.build(service, name, None)).map_err(|error| refused(&error))
    }

    pub(super) fn get(service: &str, name: &str) -> Result<Option<SecretString>, KeyringError> {
        match entry(service, name)?.get_password() {
            Ok(key) => Ok(Some(key.into())),
            Err(Error::NoEntry) => Ok(None),
            Err(error) => Err(refused(&error)),
        }
    }

    pub(super) fn set(service: &str, name: &str, key: &str) -> Result<(), KeyringError> {
        // A key is stored only if the keyring can also read and delete it.
        let probe = entry(service, PROBE)?;
        let tried = probe
            .set_password(PROBE)
            .and_then(|()| probe.get_password())
            .and_then(|_| probe.delete_credential());
        tried.map_err(|error| refused(&error))?;
        entry(service, name)?.set_password(key).map_err(|error| refused(&error))
    }

    pub(super) fn remove(service: &str, name: &str) -> Result<bool, KeyringError> {
        match entry(service, name)?.delete_credential() {
            Ok(()) => Ok(true),
            Err(Error::NoEntry) => Ok(false),
            Err(error) => Err(refused(&error)),
        }
    }

    /// Passes on only errors about the system itself: others may contain what was read.
    fn refused(error: &Error) -> KeyringError {
        KeyringError::Refused(match error {
            Error::PlatformFailure(cause) | Error::NoStorageAccess(cause) => cause.to_string(),
            _ => "it rejected the entry".to_owned(),
        })
    }
}

/// Systems without keyring support.
#[cfg(not(target_os = "linux"))]
mod system {
    use secrecy::SecretString;

    use super::KeyringError;

    pub(super) fn get(_: &str, _: &str) -> Result<Option<SecretString>, KeyringError> {
        Err(KeyringError::NotHere)
    }

    pub(super) fn set(_: &str, _: &str, _: &str) -> Result<(), KeyringError> {
        Err(KeyringError::NotHere)
    }

    pub(super) fn remove(_: &str, _: &str) -> Result<bool, KeyringError> {
        Err(KeyringError::NotHere)
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests;
