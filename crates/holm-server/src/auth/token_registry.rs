//! Stores all tokens, users and budgets in one private file. It checks no request
//! (`request_guard.rs`) and divides no budget (`live/budget_reservations.rs`). A change is on disk
//! before it takes effect, the name of the file included: otherwise a revoked token could come back
//! after a power failure.

use std::{
    collections::BTreeSet,
    fs, io,
    path::{Path, PathBuf},
    sync::{PoisonError, RwLock},
};

use holm_kernel::NanoUsd;
use serde::{Deserialize, Serialize};
use tokio::sync::watch;

use super::{AccessToken, Role, TokenDigest, TokenId, UserAccount, UserName};
use crate::{ServerError, SessionId};

/// The file of token digests.
const KEPT: &str = "tokens.json";
/// The file with the first token, for the user who started the server.
const FIRST: &str = "token";

/// The tokens of all users. A change is written to disk before it takes effect.
pub struct TokenRegistry {
    folder: PathBuf,
    kept: RwLock<TokenFile>,
    /// Counts changes, so that long-lived connections notice that their token was revoked.
    changes: watch::Sender<u64>,
}

/// The content of the file.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
struct TokenFile {
    /// The number of the next token. It is never reused, so that a log entry is unambiguous.
    #[serde(default)]
    next: u64,
    #[serde(default)]
    users: Vec<UserAccount>,
    #[serde(default)]
    tokens: Vec<TokenRecord>,
}

/// The record of a token.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TokenRecord {
    pub id: TokenId,
    pub user: UserName,
    /// What the token allows.
    pub role: Role,
    #[serde(default)]
    pub scope: TokenScope,
    digest: TokenDigest,
}

/// The sessions that a token may be used with.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TokenScope {
    /// All sessions of its user.
    #[default]
    All,
    /// Only these; it cannot create sessions.
    Only(BTreeSet<SessionId>),
}

impl TokenScope {
    /// Whether a session is in scope.
    pub fn admits(&self, session: &SessionId) -> bool {
        match self {
            Self::All => true,
            Self::Only(sessions) => sessions.contains(session),
        }
    }
}

/// A user whose token was verified.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuthenticatedUser {
    pub user: UserName,
    /// What the token allows.
    pub role: Role,
    pub scope: TokenScope,
    pub token: TokenId,
}

impl TokenRegistry {
    /// Opens the tokens of a folder. If the file is missing, this creates it and writes a token for
    /// the owner to the file `token`.
    ///
    /// # Errors
    /// [`ServerError`] if a file cannot be read or written.
    pub fn open(folder: &Path) -> Result<Self, ServerError> {
        private_folder(folder)?;
        let path = folder.join(KEPT);
        let (kept, first) = match fs::read(&path) {
            Ok(bytes) => {
                let unreadable = |error: serde_json::Error| ServerError::File {
                    place: path.display().to_string(),
                    reason: error.to_string(),
                };
                (serde_json::from_slice(&bytes).map_err(unreadable)?, None)
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                (TokenFile::default(), Some(AccessToken::new()?))
            }
            Err(error) => return Err(ServerError::file(&path, &error)),
        };
        let keyring = Self { folder: folder.into(), kept: RwLock::new(kept), changes: watch::Sender::new(0) };
        if let Some(token) = first {
            write_private(&keyring.first(), token.reveal().as_bytes())?;
            keyring.add(&token, UserName::owner(), Role::Admin, TokenScope::All)?;
        }
        Ok(keyring)
    }

    /// The path of the file with the first token.
    pub fn first(&self) -> PathBuf {
        self.folder.join(FIRST)
    }

    /// The user of a token. All known tokens are compared, so the time reveals nothing
    /// about a near match.
    pub fn find(&self, token: &AccessToken) -> Option<AuthenticatedUser> {
        let digest = token.digest();
        let kept = self.kept.read().unwrap_or_else(PoisonError::into_inner);
        kept.tokens
            .iter()
            .fold(None, |found, card| if card.digest == digest { Some(card.who()) } else { found })
    }

    /// Whether a token is still valid.
    pub fn is_valid(&self, token: TokenId) -> bool {
        let kept = self.kept.read().unwrap_or_else(PoisonError::into_inner);
        kept.tokens.iter().any(|card| card.id == token)
    }

    /// Creates a token. It is shown only once.
    ///
    /// # Errors
    /// [`ServerError`] if it cannot be stored.
    pub fn issue(
        &self,
        user: UserName,
        role: Role,
        scope: TokenScope,
    ) -> Result<(TokenRecord, AccessToken), ServerError> {
        let token = AccessToken::new()?;
        let card = self.add(&token, user, role, scope)?;
        Ok((card, token))
    }

    /// Revokes a token and ends its open connections. Returns whether it existed.
    ///
    /// # Errors
    /// [`ServerError`] if the change cannot be stored.
    pub fn revoke(&self, token: TokenId) -> Result<bool, ServerError> {
        self.change(|kept| {
            let before = kept.tokens.len();
            kept.tokens.retain(|card| card.id != token);
            kept.tokens.len() < before
        })
    }

    /// All tokens, without their secrets.
    pub fn cards(&self) -> Vec<TokenRecord> {
        self.kept.read().unwrap_or_else(PoisonError::into_inner).tokens.clone()
    }

    /// All users who have or had a token.
    pub fn users(&self) -> Vec<UserAccount> {
        self.kept.read().unwrap_or_else(PoisonError::into_inner).users.clone()
    }

    /// All users who have a token. The server does no work for users without one.
    pub fn holders(&self) -> Vec<UserName> {
        let kept = self.kept.read().unwrap_or_else(PoisonError::into_inner);
        let holders: BTreeSet<_> = kept.tokens.iter().map(|card| card.user.clone()).collect();
        holders.into_iter().collect()
    }

    /// The budget for the existing sessions of a user: what deleted sessions
    /// have cost is subtracted.
    pub fn budget(&self, user: &UserName) -> Option<NanoUsd> {
        let kept = self.kept.read().unwrap_or_else(PoisonError::into_inner);
        let known = kept.users.iter().find(|known| known.name == *user)?;
        known.budget.map(|budget| budget.minus(known.forgotten))
    }

    /// Adds the cost of a deleted session to the user's spending.
    ///
    /// # Errors
    /// [`ServerError`] if the change cannot be stored.
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

    /// Reverts [`forget`](Self::forget), because the session still exists and
    /// its cost counts there.
    ///
    /// # Errors
    /// [`ServerError`] if the change cannot be stored.
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

    /// Sets the budget for all sessions of a user. Returns whether the user exists.
    ///
    /// # Errors
    /// [`ServerError`] if the change cannot be stored.
    pub fn set_budget(&self, user: &UserName, budget: Option<NanoUsd>) -> Result<bool, ServerError> {
        self.change(|kept| {
            let known = kept.users.iter_mut().find(|known| known.name == *user);
            known.map(|known| known.budget = budget).is_some()
        })
    }

    /// Notifies whenever a token was created or revoked.
    pub fn changes(&self) -> watch::Receiver<u64> {
        self.changes.subscribe()
    }

    fn add(
        &self,
        token: &AccessToken,
        user: UserName,
        role: Role,
        scope: TokenScope,
    ) -> Result<TokenRecord, ServerError> {
        self.change(|kept| {
            let id = TokenId::new(kept.next);
            kept.next += 1;
            if kept.users.iter().all(|known| known.name != user) {
                kept.users.push(UserAccount {
                    name: user.clone(),
                    budget: None,
                    forgotten: NanoUsd::default(),
                });
            }
            let card = TokenRecord { id, user, role, scope, digest: token.digest() };
            kept.tokens.push(card.clone());
            card
        })
    }

    /// Changes a copy and stores it; only then the change takes effect.
    fn change<T>(&self, change: impl FnOnce(&mut TokenFile) -> T) -> Result<T, ServerError> {
        let mut kept = self.kept.write().unwrap_or_else(PoisonError::into_inner);
        let mut changed = kept.clone();
        let outcome = change(&mut changed);
        let path = self.folder.join(KEPT);
        let text = serde_json::to_vec_pretty(&changed).map_err(|error| ServerError::File {
            place: path.display().to_string(),
            reason: error.to_string(),
        })?;
        write_private(&path, &text)?;
        *kept = changed;
        drop(kept);
        self.changes.send_modify(|count| *count += 1);
        Ok(outcome)
    }
}

impl TokenRecord {
    fn who(&self) -> AuthenticatedUser {
        AuthenticatedUser {
            user: self.user.clone(),
            role: self.role,
            scope: self.scope.clone(),
            token: self.id,
        }
    }
}

/// Creates a folder that only its owner can enter.
pub(crate) fn private_folder(folder: &Path) -> Result<(), ServerError> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::DirBuilderExt as _;
        builder.mode(0o700);
    }
    let made = builder.create(folder);
    // An existing folder may have been open to other users.
    #[cfg(unix)]
    let made = made.and_then(|()| {
        use std::os::unix::fs::PermissionsExt as _;
        fs::set_permissions(folder, fs::Permissions::from_mode(0o700))
    });
    made.map_err(|error| ServerError::file(folder, &error))
}

/// Atomically replaces a file that only its owner can read.
pub(crate) fn write_private(path: &Path, bytes: &[u8]) -> Result<(), ServerError> {
    let temporary = path.with_extension("new");
    let written = private_file(&temporary).and_then(|mut file| {
        io::Write::write_all(&mut file, bytes)?;
        file.sync_all()?;
        fs::rename(&temporary, path)?;
        // Syncs the new name too; otherwise a revoked token could reappear after a power failure.
        path.parent().map_or(Ok(()), |folder| fs::File::open(folder)?.sync_all())
    });
    written.map_err(|error| ServerError::file(path, &error))
}

fn private_file(path: &Path) -> io::Result<fs::File> {
    // A file that a crash left might be readable by other users.
    match fs::remove_file(path) {
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
    options.open(path)
}
