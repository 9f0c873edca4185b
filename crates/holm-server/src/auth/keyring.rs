//! Stores all tokens in one private file.

use std::{
    collections::BTreeSet,
    fs, io,
    path::{Path, PathBuf},
    sync::{PoisonError, RwLock},
};

use holm_kernel::NanoUsd;
use serde::{Deserialize, Serialize};
use tokio::sync::watch;

use super::{Digest, Role, Token, TokenId, User, UserName};
use crate::{ServerError, SessionId};

/// The file of digests.
const KEPT: &str = "tokens.json";
/// The file with the first token, for the user who started the server.
const FIRST: &str = "token";

/// Knows who holds which token. Changes are on disk before they count.
pub struct Keyring {
    folder: PathBuf,
    kept: RwLock<Kept>,
    /// Counts changes, so that long-lived connections notice that their token was revoked.
    changes: watch::Sender<u64>,
}

/// What the file holds.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
struct Kept {
    /// The number of the next token; never used twice, or a log would speak of two.
    #[serde(default)]
    next: u64,
    #[serde(default)]
    users: Vec<User>,
    #[serde(default)]
    tokens: Vec<Card>,
}

/// What is known of a token.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Card {
    pub id: TokenId,
    pub user: UserName,
    /// What it lets its holder do.
    pub role: Role,
    #[serde(default)]
    pub scope: Scope,
    digest: Digest,
}

/// With which sessions a token may be used.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Scope {
    /// All of its user's.
    #[default]
    All,
    /// These alone; it starts none.
    Only(BTreeSet<SessionId>),
}

impl Scope {
    /// Whether it holds a session.
    pub fn admits(&self, session: &SessionId) -> bool {
        match self {
            Self::All => true,
            Self::Only(sessions) => sessions.contains(session),
        }
    }
}

/// A user whose token was verified.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Who {
    pub user: UserName,
    /// What they may do.
    pub role: Role,
    pub scope: Scope,
    pub token: TokenId,
}

impl Keyring {
    /// Opens the tokens of a folder. If the file is missing, this creates it and writes a token for
    /// the owner to the file `token`.
    ///
    /// # Errors
    /// [`ServerError`] if a file cannot be read or written.
    pub fn open(folder: &Path) -> Result<Self, ServerError> {
        private_folder(folder)?;
        let place = folder.join(KEPT);
        let (kept, first) = match fs::read(&place) {
            Ok(bytes) => {
                let unreadable = |error: serde_json::Error| ServerError::File {
                    place: place.display().to_string(),
                    reason: error.to_string(),
                };
                (serde_json::from_slice(&bytes).map_err(unreadable)?, None)
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => (Kept::default(), Some(Token::new()?)),
            Err(error) => return Err(ServerError::file(&place, &error)),
        };
        let keyring = Self { folder: folder.into(), kept: RwLock::new(kept), changes: watch::Sender::new(0) };
        if let Some(token) = first {
            write_private(&keyring.first(), token.reveal().as_bytes())?;
            keyring.add(&token, UserName::owner(), Role::Admin, Scope::All)?;
        }
        Ok(keyring)
    }

    /// Where the owner finds the first token.
    pub fn first(&self) -> PathBuf {
        self.folder.join(FIRST)
    }

    /// Whose token this is. Every known token is compared, so the time does not tell which was nearly right.
    pub fn find(&self, token: &Token) -> Option<Who> {
        let digest = token.digest();
        let kept = self.kept.read().unwrap_or_else(PoisonError::into_inner);
        kept.tokens
            .iter()
            .fold(None, |found, card| if card.digest == digest { Some(card.who()) } else { found })
    }

    /// Whether a token that was known still is.
    pub fn is_valid(&self, token: TokenId) -> bool {
        let kept = self.kept.read().unwrap_or_else(PoisonError::into_inner);
        kept.tokens.iter().any(|card| card.id == token)
    }

    /// Makes a token. It is never shown again.
    ///
    /// # Errors
    /// [`ServerError`] if it cannot be kept.
    pub fn issue(&self, user: UserName, role: Role, scope: Scope) -> Result<(Card, Token), ServerError> {
        let token = Token::new()?;
        let card = self.add(&token, user, role, scope)?;
        Ok((card, token))
    }

    /// Takes a token back; open connections that it began end too. Whether there was one.
    ///
    /// # Errors
    /// [`ServerError`] if that cannot be kept.
    pub fn revoke(&self, token: TokenId) -> Result<bool, ServerError> {
        self.change(|kept| {
            let before = kept.tokens.len();
            kept.tokens.retain(|card| card.id != token);
            kept.tokens.len() < before
        })
    }

    /// All tokens, without what would let anybody use them.
    pub fn cards(&self) -> Vec<Card> {
        self.kept.read().unwrap_or_else(PoisonError::into_inner).tokens.clone()
    }

    /// All users who have or had a token.
    pub fn users(&self) -> Vec<User> {
        self.kept.read().unwrap_or_else(PoisonError::into_inner).users.clone()
    }

    /// All users who have a token. The server does no work for users without one.
    pub fn holders(&self) -> Vec<UserName> {
        let kept = self.kept.read().unwrap_or_else(PoisonError::into_inner);
        let holders: BTreeSet<_> = kept.tokens.iter().map(|card| card.user.clone()).collect();
        holders.into_iter().collect()
    }

    /// What those of a user's sessions together may cost that are still there: what was spent by others is spent.
    pub fn budget(&self, user: &UserName) -> Option<NanoUsd> {
        let kept = self.kept.read().unwrap_or_else(PoisonError::into_inner);
        let known = kept.users.iter().find(|known| known.name == *user)?;
        known.budget.map(|budget| budget.minus(known.forgotten))
    }

    /// Remembers what a session cost that is no longer there to say so.
    ///
    /// # Errors
    /// [`ServerError`] if that cannot be kept.
    pub fn forget(&self, user: &UserName, cost: NanoUsd) -> Result<(), ServerError> {
        if cost == NanoUsd::default() {
            return Ok(());
        }
        self.change(|kept| {
            if let Some(known) = kept.users.iter_mut().find(|known| known.name == *user) {
                known.forgotten = known.forgotten.plus(cost);
            }
        })
    }

    /// Takes back what was [forgotten](Self::forget) too early: the session is still there to say what it cost.
    ///
    /// # Errors
    /// [`ServerError`] if that cannot be kept.
    pub fn remember(&self, user: &UserName, cost: NanoUsd) -> Result<(), ServerError> {
        if cost == NanoUsd::default() {
            return Ok(());
        }
        self.change(|kept| {
            if let Some(known) = kept.users.iter_mut().find(|known| known.name == *user) {
                known.forgotten = known.forgotten.minus(cost);
            }
        })
    }

    /// Bounds what a user's sessions together may cost. Whether there is such a user.
    ///
    /// # Errors
    /// [`ServerError`] if that cannot be kept.
    pub fn set_budget(&self, user: &UserName, budget: Option<NanoUsd>) -> Result<bool, ServerError> {
        self.change(|kept| {
            let known = kept.users.iter_mut().find(|known| known.name == *user);
            known.map(|known| known.budget = budget).is_some()
        })
    }

    /// Rings whenever a token was given or taken.
    pub fn changes(&self) -> watch::Receiver<u64> {
        self.changes.subscribe()
    }

    fn add(&self, token: &Token, user: UserName, role: Role, scope: Scope) -> Result<Card, ServerError> {
        self.change(|kept| {
            let id = TokenId::new(kept.next);
            kept.next += 1;
            if kept.users.iter().all(|known| known.name != user) {
                kept.users.push(User { name: user.clone(), budget: None, forgotten: NanoUsd::default() });
            }
            let card = Card { id, user, role, scope, digest: token.digest() };
            kept.tokens.push(card.clone());
            card
        })
    }

    /// Changes a copy, keeps it, and only then lets it count.
    fn change<T>(&self, change: impl FnOnce(&mut Kept) -> T) -> Result<T, ServerError> {
        let mut kept = self.kept.write().unwrap_or_else(PoisonError::into_inner);
        let mut changed = kept.clone();
        let outcome = change(&mut changed);
        let place = self.folder.join(KEPT);
        let text = serde_json::to_vec_pretty(&changed).map_err(|error| ServerError::File {
            place: place.display().to_string(),
            reason: error.to_string(),
        })?;
        write_private(&place, &text)?;
        *kept = changed;
        drop(kept);
        self.changes.send_modify(|count| *count += 1);
        Ok(outcome)
    }
}

impl Card {
    fn who(&self) -> Who {
        Who { user: self.user.clone(), role: self.role, scope: self.scope.clone(), token: self.id }
    }
}

/// Makes a folder that only its owner can enter.
pub(crate) fn private_folder(folder: &Path) -> Result<(), ServerError> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::DirBuilderExt as _;
        builder.mode(0o700);
    }
    let made = builder.create(folder);
    // One that was there may have been open to others.
    #[cfg(unix)]
    let made = made.and_then(|()| {
        use std::os::unix::fs::PermissionsExt as _;
        fs::set_permissions(folder, fs::Permissions::from_mode(0o700))
    });
    made.map_err(|error| ServerError::file(folder, &error))
}

/// Replaces a file that only its owner can read, whole or not at all.
pub(crate) fn write_private(place: &Path, bytes: &[u8]) -> Result<(), ServerError> {
    let beside = place.with_extension("new");
    let written = private_file(&beside).and_then(|mut file| {
        io::Write::write_all(&mut file, bytes)?;
        file.sync_all()?;
        fs::rename(&beside, place)?;
        // The new name too, or a token that was taken back could be there again after the power went.
        place.parent().map_or(Ok(()), |folder| fs::File::open(folder)?.sync_all())
    });
    written.map_err(|error| ServerError::file(place, &error))
}

fn private_file(place: &Path) -> io::Result<fs::File> {
    // What a crash left behind might be readable by others.
    match fs::remove_file(place) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        Ok(()) | Err(_) => {}
    }
    let mut options = fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt as _;
        options.mode(0o600);
    }
    options.open(place)
}
