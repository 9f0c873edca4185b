//! Signs and verifies webhook messages. The format is that of Standard Webhooks, which other
//! programs already support: `webhook-id`, `webhook-timestamp` and
//! `webhook-signature: v1,<HMAC-SHA256 over id.timestamp.body>`.
//!
//! Messages of GitHub are accepted too: `x-hub-signature-256: sha256=<HMAC-SHA256 over the body>`.
//! That signature covers no time and no id, so the signature itself is the id: the same body starts
//! one run, even if it is sent again.
//!
//! It does not know jobs (`job.rs` tries the current and the previous key) or HTTP limits
//! (`routes/hooks.rs`). All signatures are checked in constant time, and the sender is never told
//! which check failed.

use std::fmt;

use base64::{Engine as _, engine::general_purpose::STANDARD};
use hmac::{Hmac, KeyInit as _, Mac as _};
use holm_kernel::Timestamp;
use http::HeaderMap;
use secrecy::{ExposeSecret as _, SecretBox};
use serde::{Deserialize, Serialize};
use sha2::Sha256;

use crate::ServerError;

/// Bytes of a key: the size of an HMAC-SHA256 digest.
const BYTES: usize = 32;
/// The prefix of every webhook key.
const MARK: &str = "whsec_";
/// The version of the signature.
const VERSION: &str = "v1";
/// How far the time of a message may be from ours, in seconds. Message ids
/// are remembered for longer.
pub(crate) const TOLERANCE_S: u64 = 300;
/// The longest id of a message.
const MOST_ID: usize = 256;
/// The header with GitHub's signature, and the prefix of its value.
const GITHUB: (&str, &str) = ("x-hub-signature-256", "sha256=");
/// Signatures that are checked: a sender that changes its key sends two.
const MOST_SIGNATURES: usize = 8;

/// The key that signs and verifies the messages of a job.
///
/// ```
/// use holm_server::jobs::HookKey;
///
/// let key = HookKey::new()?;
/// assert!(key.reveal().starts_with("whsec_"));
/// assert_eq!(format!("{key:?}"), "HookKey(‹secret›)");
/// # Ok::<(), holm_server::ServerError>(())
/// ```
#[derive(Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct HookKey(SecretBox<[u8; BYTES]>);

impl HookKey {
    /// Creates a random key.
    ///
    /// # Errors
    /// [`ServerError::Random`] if the system has no randomness.
    pub fn new() -> Result<Self, ServerError> {
        let mut bytes = [0_u8; BYTES];
        getrandom::fill(&mut bytes).map_err(|error| ServerError::Random(error.to_string()))?;
        Ok(Self(SecretBox::new(Box::new(bytes))))
    }

    /// Parses a key; `None` if the text is not one.
    pub fn read(text: &str) -> Option<Self> {
        let bytes = STANDARD.decode(text.trim().strip_prefix(MARK)?).ok()?;
        bytes.try_into().ok().map(|bytes| Self(SecretBox::new(Box::new(bytes))))
    }

    /// The secret key as text, for programs that sign or verify messages.
    pub fn reveal(&self) -> String {
        format!("{MARK}{}", STANDARD.encode(self.0.expose_secret()))
    }

    pub fn sign(&self, id: &str, at_s: u64, body: &[u8]) -> String {
        let made = self.mac(id, at_s, body).map(|mac| STANDARD.encode(mac.finalize().into_bytes()));
        // A key of this length is always valid; an empty signature would be rejected.
        format!("{VERSION},{}", made.unwrap_or_default())
    }

    /// Verifies that a message was signed with this key, and recently.
    ///
    /// # Errors
    /// [`WebhookSignatureError`] with the reason, which the sender is not told.
    pub fn check(
        &self,
        signed: &WebhookHeaders,
        body: &[u8],
        now: Timestamp,
    ) -> Result<(), WebhookSignatureError> {
        let known = match &signed.scheme {
            SignatureScheme::Standard { at_s, signatures } => {
                if (now.value() / 1_000).abs_diff(*at_s) > TOLERANCE_S {
                    return Err(WebhookSignatureError::Stale);
                }
                // Checks every signature, each in constant time.
                signatures.iter().fold(false, |known, signature| {
                    let mac = self.mac(&signed.id, *at_s, body);
                    known | mac.is_some_and(|mac| mac.verify_slice(signature).is_ok())
                })
            }
            SignatureScheme::GitHub { signature } => {
                let mac = Hmac::<Sha256>::new_from_slice(self.reveal().as_bytes()).ok();
                mac.is_some_and(|mac| mac.chain_update(body).verify_slice(signature).is_ok())
            }
        };
        if known { Ok(()) } else { Err(WebhookSignatureError::Unknown) }
    }

    fn mac(&self, id: &str, at_s: u64, body: &[u8]) -> Option<Hmac<Sha256>> {
        let mac = Hmac::<Sha256>::new_from_slice(self.0.expose_secret()).ok()?;
        Some(mac.chain_update(format!("{id}.{at_s}.")).chain_update(body))
    }
}

impl Clone for HookKey {
    fn clone(&self) -> Self {
        Self(SecretBox::new(Box::new(*self.0.expose_secret())))
    }
}

impl fmt::Debug for HookKey {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("HookKey(‹secret›)")
    }
}

impl From<HookKey> for String {
    fn from(key: HookKey) -> Self {
        key.reveal()
    }
}

impl TryFrom<String> for HookKey {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        Self::read(&text).ok_or("not a valid webhook key")
    }
}

/// The id, time and signatures of a message, from its headers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WebhookHeaders {
    /// The id of the message, the same for every delivery of it.
    pub id: String,
    scheme: SignatureScheme,
}

/// How a message is signed.
#[derive(Debug, Clone, PartialEq, Eq)]
enum SignatureScheme {
    /// As Standard Webhooks.
    Standard {
        /// When it was sent, in seconds since 1970.
        at_s: u64,
        signatures: Vec<Vec<u8>>,
    },
    /// As GitHub does it. The key is the text that a person enters there.
    GitHub { signature: Vec<u8> },
}

impl WebhookHeaders {
    /// Reads the headers of a message.
    ///
    /// # Errors
    /// [`WebhookSignatureError::Unsigned`] if a header is missing or invalid.
    pub fn of(headers: &HeaderMap) -> Result<Self, WebhookSignatureError> {
        let read = |name: &str| {
            let mut values = headers.get_all(name).iter();
            // A repeated header could have one value checked and the other one used.
            let (first, second) = (values.next(), values.next());
            first.filter(|_| second.is_none()).and_then(|value| value.to_str().ok())
        };
        if headers.contains_key(GITHUB.0) {
            let value = read(GITHUB.0).and_then(|value| value.strip_prefix(GITHUB.1));
            let signature = value.and_then(from_hex).ok_or(WebhookSignatureError::Unsigned)?;
            let id = format!("github-{}", value.unwrap_or_default().to_ascii_lowercase());
            return Ok(Self { id, scheme: SignatureScheme::GitHub { signature } });
        }
        let id = read("webhook-id").filter(|id| !id.is_empty() && id.len() <= MOST_ID && !id.contains('.'));
        let at_s = read("webhook-timestamp").and_then(|at| at.parse().ok());
        let signatures = read("webhook-signature").map(signatures).filter(|found| !found.is_empty());
        let all_headers = id.zip(at_s).zip(signatures);
        let ((id, at_s), signatures) = all_headers.ok_or(WebhookSignatureError::Unsigned)?;
        Ok(Self { id: id.to_owned(), scheme: SignatureScheme::Standard { at_s, signatures } })
    }
}

/// The bytes of a digest in hexadecimal; `None` if the text is not one.
fn from_hex(text: &str) -> Option<Vec<u8>> {
    let digits: Option<Vec<u8>> =
        text.chars().map(|digit| digit.to_digit(16).and_then(|digit| u8::try_from(digit).ok())).collect();
    let digits = digits.filter(|digits| digits.len() == 2 * BYTES)?;
    Some(digits.chunks_exact(2).map(|pair| pair.iter().fold(0, |byte, digit| (byte << 4) | digit)).collect())
}

fn signatures(text: &str) -> Vec<Vec<u8>> {
    let known = text.split(' ').filter_map(|entry| entry.split_once(','));
    let known = known.filter(|(version, _)| *version == VERSION).take(MOST_SIGNATURES);
    known.filter_map(|(_, made)| STANDARD.decode(made).ok()).collect()
}

/// Why a message is rejected. The sender is not told the reason.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum WebhookSignatureError {
    /// It is not signed.
    #[error("the message is not signed")]
    Unsigned,
    /// It was sent too long ago, or its time lies in the future.
    #[error("the message's timestamp differs from the server's clock by more than {TOLERANCE_S} s")]
    Stale,
    /// The message was signed with another key, or its content changed.
    #[error("the message was not signed with this key")]
    Unknown,
}
