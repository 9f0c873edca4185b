//! Encryption at rest. A session can be read only with the store's key, and is erased by deleting
//! its own key.
//!
//! Each session has its own random data key, which is stored wrapped by the master key. It
//! seals lines, titles, snapshots and large results (XChaCha20-Poly1305, a fresh random nonce
//! each). Each is bound to its place, so no sealed line can replace another. These stay readable:
//! ids, tags, times, sizes, agent, model and tool names, and numbers of tokens.
//!
//! Jobs and notes have their own data keys in the same way. This module stores nothing: callers
//! choose the place that a text is sealed for (`store/journal.rs`, `store/blobs.rs`,
//! `store/index.rs`, `sessions/list.rs`, `derive/ledger.rs`, `jobs/store.rs`, `notes/store.rs`).
//! Layout and places must not change, or stored data could not be opened any more. Keys never
//! appear in debug output.

#[cfg(test)]
mod tests;

use std::fmt;

use chacha20poly1305::{
    Key, XChaCha20Poly1305, XNonce,
    aead::{Aead as _, KeyInit as _, Payload},
};
use secrecy::{ExposeSecret as _, SecretBox};
use sha2::{Digest as _, Sha256};

use crate::StoreError;

/// The layout of sealed bytes: this byte, a nonce, the ciphertext with its tag.
const LAYOUT: u8 = 1;

/// Bytes of a nonce.
const NONCE: usize = 24;

/// The text that a store seals once, to recognise its key.
pub(crate) const CHECK: &[u8] = b"holm store";

/// The key of a whole store. The caller keeps it; without it, an encrypted store is noise.
///
/// ```
/// use holm_store::MasterKey;
///
/// let key = MasterKey::new([7; 32]);
/// assert_eq!(format!("{key:?}"), "MasterKey(..)");
/// ```
pub struct MasterKey(SecretBox<[u8; 32]>);

impl MasterKey {
    /// Takes 32 bytes that the caller keeps somewhere safe.
    #[must_use]
    pub fn new(bytes: [u8; 32]) -> Self {
        Self(SecretBox::new(Box::new(bytes)))
    }

    /// Draws a new key. Keep [`bytes`](Self::bytes) before anything is written with it.
    ///
    /// # Errors
    /// If the system provides no randomness.
    pub fn generate() -> Result<Self, StoreError> {
        Ok(Self::new(random()?))
    }

    /// The key itself, to be kept.
    #[must_use]
    pub fn bytes(&self) -> &[u8; 32] {
        self.0.expose_secret()
    }
}

impl fmt::Debug for MasterKey {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("MasterKey(..)")
    }
}

/// Wraps the keys of sessions.
pub(crate) struct KeyVault {
    cipher: XChaCha20Poly1305,
    /// Hides the digests of large results. A plain digest would confirm a correct
    /// guess of the text.
    names: SecretBox<[u8; 32]>,
}

impl KeyVault {
    pub(crate) fn new(master: &MasterKey) -> Self {
        let names = Sha256::new().chain_update(b"holm names").chain_update(master.bytes()).finalize();
        Self {
            cipher: XChaCha20Poly1305::new(&Key::from(*master.bytes())),
            names: SecretBox::new(Box::new(names.into())),
        }
    }

    /// Seals the text that later shows whether the key is the same.
    pub(crate) fn check(&self) -> Result<Vec<u8>, StoreError> {
        seal(&self.cipher, b"check", CHECK)
    }

    pub(crate) fn knows(&self, check: &[u8]) -> bool {
        open(&self.cipher, b"check", check).is_some_and(|plain| plain == CHECK)
    }

    /// A new session's key, and how it is kept.
    pub(crate) fn new_key(&self, run: &str) -> Result<(SessionCipher, Vec<u8>), StoreError> {
        let bytes: SecretBox<[u8; 32]> = SecretBox::new(Box::new(random()?));
        let wrapped = seal(&self.cipher, &associated_data("key", run.as_bytes()), bytes.expose_secret())?;
        Ok((SessionCipher::new(bytes.expose_secret()), wrapped))
    }

    /// The key of a session that is kept.
    pub(crate) fn key(&self, run: &str, wrapped: &[u8]) -> Result<SessionCipher, StoreError> {
        let bytes = open(&self.cipher, &associated_data("key", run.as_bytes()), wrapped)
            .and_then(|plain| <[u8; 32]>::try_from(plain).ok())
            .ok_or_else(|| StoreError::Damaged {
                run: run.into(),
                reason: "its key cannot be unwrapped".into(),
            })?;
        Ok(SessionCipher::new(&bytes))
    }

    /// The name under which a large result is found.
    pub(crate) fn name(&self, digest: &str) -> String {
        let hidden = Sha256::new().chain_update(self.names.expose_secret()).chain_update(digest).finalize();
        hex(&hidden)
    }
}

/// Seals the data of one session.
pub(crate) struct SessionCipher(XChaCha20Poly1305);

impl SessionCipher {
    fn new(bytes: &[u8; 32]) -> Self {
        Self(XChaCha20Poly1305::new(&Key::from(*bytes)))
    }

    pub(crate) fn seal(&self, kind: &str, at: u64, plain: &[u8]) -> Result<Vec<u8>, StoreError> {
        seal(&self.0, &associated_data(kind, &at.to_be_bytes()), plain)
    }

    pub(crate) fn open(&self, kind: &str, at: u64, sealed: &[u8]) -> Option<Vec<u8>> {
        open(&self.0, &associated_data(kind, &at.to_be_bytes()), sealed)
    }
}

/// The context that data is sealed for, so that it cannot be moved. The kind has no zero byte,
/// so all contexts differ.
fn associated_data(kind: &str, at: &[u8]) -> Vec<u8> {
    [kind.as_bytes(), &[0], at].concat()
}

fn seal(cipher: &XChaCha20Poly1305, associated_data: &[u8], plain: &[u8]) -> Result<Vec<u8>, StoreError> {
    let nonce: [u8; NONCE] = random()?;
    let sealed = cipher
        .encrypt(&XNonce::from(nonce), Payload { msg: plain, aad: associated_data })
        .map_err(|_| StoreError::System { reason: "the text is too long to be encrypted".into() })?;
    let mut out = Vec::with_capacity(1 + NONCE + sealed.len());
    out.push(LAYOUT);
    out.extend_from_slice(&nonce);
    out.extend_from_slice(&sealed);
    Ok(out)
}

fn open(cipher: &XChaCha20Poly1305, associated_data: &[u8], sealed: &[u8]) -> Option<Vec<u8>> {
    let (layout, rest) = sealed.split_first()?;
    let (nonce, text) = rest.split_first_chunk::<NONCE>()?;
    if *layout != LAYOUT {
        return None;
    }
    cipher.decrypt(&XNonce::from(*nonce), Payload { msg: text, aad: associated_data }).ok()
}

fn random<const N: usize>() -> Result<[u8; N], StoreError> {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes).map_err(|error| StoreError::System {
        reason: format!("the system gave no random bytes: {error}"),
    })?;
    Ok(bytes)
}

/// Draws a random name that no other process has.
#[cfg(feature = "sqlite")]
pub(crate) fn token() -> Result<String, StoreError> {
    Ok(hex(&random::<16>()?))
}

pub(crate) fn hex(bytes: &[u8]) -> String {
    use fmt::Write as _;
    bytes.iter().fold(String::with_capacity(bytes.len() * 2), |mut out, byte| {
        // Writing into a string cannot fail.
        let _ = write!(out, "{byte:02x}");
        out
    })
}
