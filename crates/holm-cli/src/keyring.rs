//! The keyrings for provider keys: the desktop's if there is one, else the kernel's. The kernel's
//! keyring needs no desktop and no daemon, but forgets everything on a reboot; the desktop's does
//! not.
//!
//! This file only chooses between the two. `keyring/desktop.rs` calls the desktop's,
//! `holm-config/src/keyring.rs` is the kernel's, `holm-config/src/keys.rs` is the file of keys, and
//! `provider_access.rs` decides which key a model gets. A key that the desktop stores is removed
//! from the kernel, so a key in the kernel is always the newer one.

mod desktop;

use std::path::Path;

use holm::models::SecretString;
use holm_config::{KeyringError, SystemKeyring};

use desktop::DesktopKeyring;

/// The keyrings of one data folder.
#[derive(Debug)]
pub(crate) struct SystemKeyrings {
    /// Distinguishes the keys of this data folder from those of others.
    folder: String,
    desktop: Option<DesktopKeyring>,
    kernel: SystemKeyring,
}

impl SystemKeyrings {
    /// Those of a data folder, in this environment.
    pub(crate) fn of(data: &Path, env: impl Fn(&str) -> Option<String>) -> Self {
        Self {
            folder: data.display().to_string(),
            desktop: DesktopKeyring::here(env),
            kernel: SystemKeyring::of(data),
        }
    }

    /// The keyrings of the current user.
    pub(crate) fn here(data: &Path) -> Self {
        Self::of(data, |name| std::env::var(name).ok())
    }

    /// Looks up a key by name. Returns `None` if it is missing or gone by now.
    pub(crate) fn get(&self, name: &str) -> Result<Option<SecretString>, KeyringError> {
        let Some(desktop) = &self.desktop else { return self.kernel.get(name) };
        // The kernel forgets a key that the desktop takes. So a key in the kernel is newer: from a
        // time without a desktop, or with one that refused it.
        match self.kernel.get(name) {
            Ok(Some(key)) => Ok(Some(key)),
            Ok(None) | Err(_) => desktop.get(&self.folder, name),
        }
    }

    /// Keeps a key, in place of one of the same name.
    pub(crate) fn set(&self, name: &str, key: &SecretString) -> Result<(), KeyringError> {
        let Some(desktop) = &self.desktop else { return self.kernel.set(name, key) };
        match desktop.set(&self.folder, name, key) {
            Ok(()) => {
                // A key from a time without a desktop would be outdated. An error means that the
                // kernel has no keyring, and so no key.
                let _ = self.kernel.remove(name);
                Ok(())
            }
            Err(KeyringError::NoKey) => Err(KeyringError::NoKey),
            // A desktop that does not open its keyring leaves the other, which is asked first.
            Err(error) => self.kernel.set(name, key).map_err(|_| error),
        }
    }

    /// Forgets a key, and says whether there was one.
    pub(crate) fn remove(&self, name: &str) -> Result<bool, KeyringError> {
        let Some(desktop) = &self.desktop else { return self.kernel.remove(name) };
        match (desktop.remove(&self.folder, name), self.kernel.remove(name)) {
            (Ok(true), _) | (_, Ok(true)) => Ok(true),
            (Ok(false), _) => Ok(false),
            (Err(error), _) => Err(error),
        }
    }
}

#[cfg(test)]
mod tests;
