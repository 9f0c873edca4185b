//! Removes secrets from every text before it is stored, and inserts them where they are needed.
//!
//! A model repeats what it was shown, a tool prints its environment, a provider echoes a key in its
//! error. All of that becomes facts, and facts are journaled for good. So every fact passes through
//! here first. Two kinds of secrets are found: those registered by name ([`SecretRedactor::know`]),
//! in all their encodings, and texts that have the shape of a key.
//!
//! This is a filter with known gaps, not a proof: a password that reads like a word passes, and so
//! does a key that a program has encrypted. A journal stays private for that reason.
//!
//! Where things are:
//!
//! - `secrets/facts.rs`: visits every text of a fact.
//! - `secrets/authority.rs`: grants and denials.
//! - `secrets/finder.rs`: finds secrets in a text.
//! - `secrets/trigram_index.rs`: the search.
//! - `secrets/forms.rs`: encodings of known secrets.
//! - `secrets/shapes.rs`, `secrets/shapes/table.rs`: the shapes of keys.
//! - `secrets/key_heuristics.rs`: whether a word is random.
//! - `secrets/reveal.rs`: inserts secrets for a tool that may have them.

mod authority;
mod facts;
mod finder;
mod forms;
mod key_heuristics;
mod reveal;
mod shapes;
mod trigram_index;

#[cfg(test)]
mod tests;

use std::{
    borrow::Cow,
    fmt,
    hash::{BuildHasher, RandomState},
    sync::{Arc, LazyLock, OnceLock},
};

use secrecy::SecretString;
use sha2::{Digest, Sha256};

use finder::{SecretFinder, SecretIdentity, SecretMatch};

/// A secret can hide another one. So a text is searched again after a replacement; each pass finds
/// less, and more passes than this never found anything.
const MOST_LOOKS: usize = 4;

/// Opens a reference to a secret; this character occurs in no key, URL or JSON syntax.
const OPEN: &str = "‹secret:";

const CLOSE: char = '›';

/// The search without named secrets. It is shared, because building it takes a while.
static SHAPES_ALONE: LazyLock<Arc<OnceLock<SecretFinder>>> = LazyLock::new(Arc::default);

/// Replaces secrets by references. Clones are cheap and share everything.
///
/// A named secret becomes `‹secret:name›`. A text that only looks like a key becomes
/// `‹secret:kind-1a2b3c4d›`, where the same key and the same salt give the same digits.
///
/// ```
/// use holm_runtime::SecretRedactor;
///
/// let secrets = SecretRedactor::new().know("deploy", "correct-horse-7".into());
/// assert_eq!(secrets.text("log in with correct-horse-7"), "log in with ‹secret:deploy›");
///
/// let shown = secrets.text("export GH=ghp_0123456789abcdefghijABCDEFGHIJ012345").into_owned();
/// assert!(shown.starts_with("export GH=‹secret:github-"), "{shown}");
/// assert_eq!(secrets.text(&shown), shown, "what was replaced stays replaced");
/// ```
#[derive(Clone)]
pub struct SecretRedactor {
    known: Arc<Vec<NamedSecret>>,
    sight: DetectionScope,
    naming: SecretNaming,
    salt: Arc<[u8; 32]>,
    /// Built on first use, because secrets are often added one by one.
    finder: Arc<OnceLock<SecretFinder>>,
}

#[derive(Clone)]
struct NamedSecret {
    name: String,
    value: SecretString,
}

/// What is searched for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum DetectionScope {
    Known,
    KnownAndShapes,
}

/// How a key without a registered name is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SecretNaming {
    Digest,
    Kind,
}

impl SecretRedactor {
    /// Knows no secret by name, and finds texts that have the shape of a key.
    pub fn new() -> Self {
        Self::with_sight(DetectionScope::KnownAndShapes)
    }

    /// Finds only known secrets: for text that is searched again later, such as a provider's reply.
    pub fn only_known() -> Self {
        Self::with_sight(DetectionScope::Known)
    }

    /// Also finds texts that have the shape of a key.
    #[must_use]
    pub fn with_shapes(mut self) -> Self {
        self.sight = DetectionScope::KnownAndShapes;
        self.finder = Arc::default();
        self
    }

    fn with_sight(sight: DetectionScope) -> Self {
        Self {
            known: Arc::default(),
            sight,
            naming: SecretNaming::Digest,
            salt: Arc::new(own_salt()),
            finder: match sight {
                DetectionScope::Known => Arc::default(),
                DetectionScope::KnownAndShapes => Arc::clone(&SHAPES_ALONE),
            },
        }
    }

    /// Adds a secret under a name. A secret shorter than 8 bytes is kept for
    /// [`reveal`](Self::reveal) but not searched for: it would match ordinary words.
    #[must_use]
    pub fn know(mut self, name: impl Into<String>, value: SecretString) -> Self {
        let name = reference_name(&name.into());
        Arc::make_mut(&mut self.known).push(NamedSecret { name, value });
        self.finder = Arc::default();
        self
    }

    /// Sets the salt of the digests that distinguish unnamed keys. With one salt per
    /// store, the same key has the same reference in all its journals. Without it,
    /// references differ between processes.
    #[must_use]
    pub fn salted(mut self, salt: [u8; 32]) -> Self {
        self.salt = Arc::new(salt);
        self
    }

    /// Shows an unnamed key by its kind only, for recordings that are compared across processes.
    #[must_use]
    pub fn nameless(mut self) -> Self {
        self.naming = SecretNaming::Kind;
        self
    }

    /// Whether a text contains a secret.
    pub fn finds(&self, text: &str) -> bool {
        !self.found(text.as_bytes(), self.sight).is_empty()
    }

    /// The text without secrets; borrowed if there were none.
    pub fn text<'a>(&self, text: &'a str) -> Cow<'a, str> {
        self.replaced(text, self.sight)
    }

    /// The bytes without secrets. Bytes that are not valid text are kept, and secrets among
    /// them are still found.
    pub fn bytes<'a>(&self, bytes: &'a [u8]) -> Cow<'a, [u8]> {
        let mut bytes = Cow::Borrowed(bytes);
        for _ in 0..MOST_LOOKS {
            let found = self.found(&bytes, self.sight);
            if found.is_empty() {
                break;
            }
            let (mut out, mut from) = (Vec::with_capacity(bytes.len()), 0);
            for found in &found {
                out.extend_from_slice(bytes.get(from..found.range.start).unwrap_or_default());
                out.extend_from_slice(self.reference(&bytes, found).as_bytes());
                from = found.range.end;
            }
            out.extend_from_slice(bytes.get(from..).unwrap_or_default());
            bytes = Cow::Owned(out);
        }
        bytes
    }

    /// Removes secrets from a text in place.
    pub fn clean(&self, text: &mut String) {
        self.clean_by(text, self.sight);
    }

    fn clean_by(&self, text: &mut String, sight: DetectionScope) {
        if let Cow::Owned(clean) = self.replaced(text, sight) {
            *text = clean;
        }
    }

    fn replaced<'a>(&self, text: &'a str, sight: DetectionScope) -> Cow<'a, str> {
        let mut text = Cow::Borrowed(text);
        for _ in 0..MOST_LOOKS {
            let found = self.found(text.as_bytes(), sight);
            if found.is_empty() {
                break;
            }
            let (mut out, mut from) = (String::with_capacity(text.len()), 0);
            for found in &found {
                out.push_str(text.get(from..found.range.start).unwrap_or_default());
                out.push_str(&self.reference(text.as_bytes(), found));
                from = found.range.end;
            }
            out.push_str(text.get(from..).unwrap_or_default());
            text = Cow::Owned(out);
        }
        text
    }

    fn found(&self, text: &[u8], sight: DetectionScope) -> Vec<SecretMatch> {
        self.finder.get_or_init(|| SecretFinder::new(&self.known, self.sight)).find(text, sight)
    }

    fn reference(&self, text: &[u8], found: &SecretMatch) -> String {
        match found.what {
            SecretIdentity::Known(index) => {
                let name = self.known.get(index).map_or("unnamed", |known| &known.name);
                format!("{OPEN}{name}{CLOSE}")
            }
            SecretIdentity::Kind(kind) => match self.naming {
                SecretNaming::Kind => format!("{OPEN}{kind}{CLOSE}"),
                SecretNaming::Digest => {
                    let value = text.get(found.range.clone()).unwrap_or_default();
                    let digest = Sha256::new().chain_update(*self.salt).chain_update(value).finalize();
                    let [a, b, c, d, ..] = digest.0;
                    format!("{OPEN}{kind}-{a:02x}{b:02x}{c:02x}{d:02x}{CLOSE}")
                }
            },
        }
    }
}

impl Default for SecretRedactor {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for SecretRedactor {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("SecretRedactor")
            .field("known", &self.known.len())
            .field("sight", &self.sight)
            .finish()
    }
}

/// A salt that is unique to this process. It comes from the system's randomness, through the hasher
/// that every process seeds with it.
fn own_salt() -> [u8; 32] {
    let mut salt = [0; 32];
    for (index, chunk) in salt.chunks_exact_mut(8).enumerate() {
        chunk.copy_from_slice(&RandomState::new().hash_one(index).to_le_bytes());
    }
    salt
}

/// The name in a form that a reference can contain: it must not end the reference early.
fn reference_name(name: &str) -> String {
    let plain =
        |c: char| if c.is_control() || c.is_whitespace() || "‹›\"\\".contains(c) { '-' } else { c };
    name.chars().map(plain).collect()
}
