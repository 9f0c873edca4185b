//! Access tokens. They are created here, shown once, and stored as digests. Where they are stored
//! is in `token_registry.rs`; how a request brings one is in `request_guard.rs`. A token never
//! appears in a log, an error or `Debug`, and digests are compared in constant time.

use std::fmt;

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use secrecy::{ExposeSecret as _, SecretString};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use crate::ServerError;

/// Random bytes of a token: as many as its digest has.
const BYTES: usize = 32;

/// The prefix of Holm tokens, by which scanners find leaked ones.
const MARK: &str = "holm_";

/// The longest text that can be a token. A longer one is rejected without hashing it.
const LONGEST: usize = 128;

/// A token in clear text. It is shown to its holder once, and never logged or stored. The owner's
/// first token is the exception.
#[derive(Clone)]
pub struct AccessToken(SecretString);

impl AccessToken {
    /// Creates a random token.
    ///
    /// # Errors
    /// [`ServerError::Random`] if the system has no randomness.
    pub fn new() -> Result<Self, ServerError> {
        let mut bytes = [0_u8; BYTES];
        getrandom::fill(&mut bytes).map_err(|error| ServerError::Random(error.to_string()))?;
        Ok(Self(SecretString::from(format!("{MARK}{}", URL_SAFE_NO_PAD.encode(bytes)))))
    }

    /// Parses a token that a client sends; `None` if the text cannot be one.
    pub fn read(text: &str) -> Option<Self> {
        let text = text.trim();
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
        let fits = text.len() > MARK.len() && text.len() <= LONGEST;
        (fits && text.starts_with(MARK) && text.bytes().all(plain)).then(|| Self(SecretString::from(text)))
    }

    /// The digest, which is stored.
    pub fn digest(&self) -> TokenDigest {
        TokenDigest(Sha256::digest(self.0.expose_secret()).into())
    }

    /// The token text, for its holder.
    pub fn reveal(&self) -> &str {
        self.0.expose_secret()
    }
}

impl fmt::Debug for AccessToken {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("Token(‹secret›)")
    }
}

/// The SHA-256 of a token. A token has 256 random bits, so it cannot be recovered from this.
#[derive(Clone, Copy, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct TokenDigest([u8; BYTES]);

impl PartialEq for TokenDigest {
    /// Takes the same time regardless of where the digests differ.
    fn eq(&self, other: &Self) -> bool {
        let differ = self.0.iter().zip(other.0.iter()).fold(0, |differ, (one, other)| differ | (one ^ other));
        std::hint::black_box(differ) == 0
    }
}

impl Eq for TokenDigest {}

impl fmt::Debug for TokenDigest {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("Digest(…)")
    }
}

impl From<TokenDigest> for String {
    fn from(digest: TokenDigest) -> Self {
        URL_SAFE_NO_PAD.encode(digest.0)
    }
}

impl TryFrom<String> for TokenDigest {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        let bytes = URL_SAFE_NO_PAD.decode(text).map_err(|_| "a digest is base64 text")?;
        bytes.try_into().map(Self).map_err(|_| "a digest has 32 bytes")
    }
}

/// The number of a token, for lists and logs. It reveals nothing about the token.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct TokenId(u64);

impl TokenId {
    pub const fn new(number: u64) -> Self {
        Self(number)
    }

    pub const fn value(self) -> u64 {
        self.0
    }
}

impl fmt::Display for TokenId {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}", self.0)
    }
}
