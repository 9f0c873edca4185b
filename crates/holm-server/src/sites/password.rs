//! Passwords of sites. They are stored as a slow hash, so that a leaked file does not reveal them.
//!
//! How often a password may be tried is limited in `serve.rs`. Verifying is slow and takes memory
//! on purpose, so it must not run on an async worker.

use std::fmt;

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use scrypt::{Params, scrypt};
use serde::{Deserialize, Serialize};

use crate::ServerError;

/// Bytes of salt and hash.
const SALT: usize = 16;
const HASH: usize = 32;
/// 32 MiB and about a tenth of a second per attempt.
const LOG_N: u8 = 15;
const R: u32 = 8;
const P: u32 = 1;
pub(super) const SHORTEST: usize = 8;
/// The longest password, so that a client cannot make the server hash large texts.
pub(super) const LONGEST: usize = 256;

/// The stored hash of a password.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PasswordHash {
    log_n: u8,
    salt: String,
    hash: String,
}

impl PasswordHash {
    /// Hashes a password, slowly on purpose.
    ///
    /// # Errors
    /// [`ServerError::Name`] for a password that is too short or too
    /// long, [`ServerError::Random`] without randomness.
    pub fn new(password: &str) -> Result<Self, ServerError> {
        Self::with_cost(password, LOG_N)
    }

    /// As [`new`](Self::new) with a lower cost, for tests that store nothing.
    pub(super) fn with_cost(password: &str, log_n: u8) -> Result<Self, ServerError> {
        if !(SHORTEST..=LONGEST).contains(&password.len()) {
            let reason = "it has fewer than 8 or more than 256 bytes";
            return Err(ServerError::Name {
                what: "the password of a site",
                given: "‹secret›".into(),
                reason,
            });
        }
        let mut salt = [0_u8; SALT];
        getrandom::fill(&mut salt).map_err(|error| ServerError::Random(error.to_string()))?;
        let hash =
            hashed(password, &salt, log_n).ok_or_else(|| ServerError::Random("scrypt failed".into()))?;
        Ok(Self { log_n, salt: URL_SAFE_NO_PAD.encode(salt), hash: URL_SAFE_NO_PAD.encode(hash) })
    }

    /// The hash, to tell two passwords apart.
    pub(super) fn as_bytes(&self) -> &[u8] {
        self.hash.as_bytes()
    }

    /// Verifies a password. This takes as long as creating the hash, and the same time
    /// for every wrong password.
    pub fn fits(&self, password: &str) -> bool {
        if password.len() > LONGEST {
            return false;
        }
        let Ok(salt) = URL_SAFE_NO_PAD.decode(&self.salt) else { return false };
        let Ok(kept) = URL_SAFE_NO_PAD.decode(&self.hash) else { return false };
        // A manipulated file must not make the server use all its memory.
        let Some(made) =
            Some(self.log_n).filter(|cost| *cost <= LOG_N).and_then(|cost| hashed(password, &salt, cost))
        else {
            return false;
        };
        same(&made, &kept)
    }
}

impl fmt::Debug for PasswordHash {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("PasswordHash(…)")
    }
}

/// Compares bytes in constant time.
pub(super) fn same(a: &[u8], b: &[u8]) -> bool {
    let differ = a.iter().zip(b).fold(0, |differ, (a, b)| differ | (a ^ b));
    a.len() == b.len() && std::hint::black_box(differ) == 0
}

fn hashed(password: &str, salt: &[u8], log_n: u8) -> Option<[u8; HASH]> {
    let mut hash = [0_u8; HASH];
    let params = Params::new(log_n, R, P).ok()?;
    scrypt(password.as_bytes(), salt, &params, &mut hash).ok()?;
    Some(hash)
}
