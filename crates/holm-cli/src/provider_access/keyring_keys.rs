//! Provider keys in a keyring. They are read one by one, when they are needed: a keyring may ask
//! the user to unlock it, and a user of one provider should not be asked for all keys. The keyrings
//! themselves are in `keyring.rs`; which key wins is decided in `provider_access.rs`.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Mutex, MutexGuard, PoisonError},
};

use holm::models::SecretString;

use crate::keyring::SystemKeyrings;

/// The keys of a keyring, by provider.
#[derive(Debug)]
pub(super) struct KeyringKeys {
    rings: SystemKeyrings,
    /// The providers whose keys were stored there.
    names: BTreeSet<String>,
    /// The results of lookups: the key, or why it is missing.
    asked: Mutex<KeyLookups>,
}

type KeyLookups = BTreeMap<String, Result<SecretString, String>>;

impl KeyringKeys {
    /// A keyring with the keys of these providers.
    pub(super) fn new<'a>(rings: SystemKeyrings, names: impl Iterator<Item = &'a str>) -> Self {
        Self { rings, names: names.map(str::to_owned).collect(), asked: Mutex::default() }
    }

    /// The key of a provider, if it was stored and is still there. The keyring is read only once.
    pub(super) fn key(&self, provider: &str) -> Option<SecretString> {
        if !self.names.contains(provider) {
            return None;
        }
        let mut asked = self.asked();
        let found = asked.entry(provider.to_owned()).or_insert_with(|| self.ask(provider));
        found.as_ref().ok().cloned()
    }

    /// Why a stored key cannot be read, and what to do.
    pub(super) fn lost(&self, provider: &str) -> Option<String> {
        self.asked().get(provider).and_then(|found| found.as_ref().err().cloned())
    }

    /// The keys that were asked for, with the names of their providers.
    pub(super) fn known(&self) -> Vec<(String, SecretString)> {
        let asked = self.asked();
        let known =
            asked.iter().filter_map(|(name, found)| Some((name.clone(), found.as_ref().ok()?.clone())));
        known.collect()
    }

    fn ask(&self, provider: &str) -> Result<SecretString, String> {
        let why = match self.rings.get(provider) {
            Ok(Some(key)) => return Ok(key),
            Ok(None) => "the keyring lost it, as it does when the machine restarts".to_owned(),
            Err(error) => error.to_string(),
        };
        Err(format!("{why}; store it again with `holm keys add {provider}`"))
    }

    /// Every change is one step, so a panic elsewhere leaves nothing half done.
    fn asked(&self) -> MutexGuard<'_, KeyLookups> {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
