//! The store: one handle for journals, large results and sessions, independent of the database.
//!
//! This file opens a store and decides whether its key fits. It holds no SQL (`sqlite/`,
//! `postgres/`). A store is encrypted from its first run on or never, so that no readable line is
//! ever left in an encrypted one.
//!
//! Where things are:
//!
//! - `store/journal.rs`: journals, for the runtime.
//! - `store/lease.rs`: who may drive a run.
//! - `store/blobs.rs`: large results.
//! - `store/ledger.rs`: the ledger of models.
//! - `store/index.rs`: brings derived data up to date.
//! - `store/copy.rs`: a copy of the whole store.
//! - Methods about sessions, jobs and notes are in `sessions/`, `jobs/` and `notes/`.

mod blobs;
mod copy;
mod index;
mod journal;
mod lease;
mod ledger;

use std::{
    collections::BTreeMap,
    fmt,
    path::PathBuf,
    sync::{Arc, Mutex, PoisonError},
};

use crate::{
    MasterKey, StoreError,
    backend::{RunRow, StoreBackend, StoreStats},
    vault::{KeyVault, SessionCipher},
};

pub(crate) use index::{IndexDepth, TITLE};
pub(crate) use journal::{bodies, now};
pub(crate) use lease::DriveLease;
use lease::DrivenRuns;

/// Stores the journals of many runs, their large results, and the data derived from them. Clones
/// are the same store.
///
/// It implements [`JournalStore`](holm_runtime::JournalStore) and
/// [`BlobStore`](holm_runtime::BlobStore), so an agent writes through it; and it answers what
/// people ask about sessions: [`list`](Self::list), [`search`](Self::search),
/// [`usage`](Self::usage), [`export`](Self::export) and [`import`](Self::import),
/// [`erase`](Self::erase) and [`retain`](Self::retain).
///
/// ```
/// use holm_kernel::{Config, ModelSpec, Started, Timestamp, journal};
/// use holm_runtime::{Durability, JournalStore as _};
/// use holm_store::Store;
///
/// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
/// # let folder = tempfile::tempdir().unwrap();
/// # let path = folder.path().join("holm.db");
/// let store = Store::open(&path).await?;
/// let started = Started::new("first", 7, Config::new(ModelSpec::named("example/model")));
/// let (_, _, line) = journal::begin(started, Timestamp::new(1_000)).expect("it can be written");
///
/// let mut journal = store.create("first").await?;
/// journal.append(&line, Durability::Synced).await?;
/// drop(journal);
/// assert_eq!(store.open("first").await?.text, line.as_bytes());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # }).unwrap();
/// ```
#[derive(Clone)]
pub struct Store {
    pub(crate) inner: Arc<StoreInner>,
}

pub(crate) struct StoreInner {
    pub(crate) backend: Box<dyn StoreBackend>,
    pub(crate) vault: Option<KeyVault>,
    pub(crate) held: DrivenRuns,
    /// Large results that were read whole and match their digest, with the file's stamp.
    verified: Mutex<BTreeMap<String, (u64, u64)>>,
    /// Files that sessions were exported to, so that a search for secrets finds them too.
    pub(crate) exports: Mutex<Vec<PathBuf>>,
}

impl Store {
    /// Opens the SQLite database at `path`, or makes it.
    ///
    /// # Errors
    /// [`StoreError`]: the place cannot be written, holds something else, or a later version's store.
    #[cfg(feature = "sqlite")]
    pub async fn open(path: impl AsRef<std::path::Path>) -> Result<Self, StoreError> {
        StoreOptions::new().open(path).await
    }

    /// Opens a copy in memory of the store at `path`, to read it if its disk is full or its folder
    /// is read-only. Nothing is written there, and changes to the copy are lost. A missing database
    /// gives an empty store.
    ///
    /// # Errors
    /// [`StoreError`]: the database cannot be read, holds something else, or a later version's
    /// store; [`StoreError::Full`] if it is too large for memory (1 GiB).
    #[cfg(feature = "sqlite")]
    pub async fn memory_copy(path: impl AsRef<std::path::Path>) -> Result<Self, StoreError> {
        let backend = crate::sqlite::SqliteBackend::memory_copy(path.as_ref().to_owned()).await?;
        Self::over(Box::new(backend), None).await
    }

    /// Looks whether the SQLite database at `path` holds together. It is read whole, and neither
    /// made nor brought up to date.
    ///
    /// # Errors
    /// [`StoreError`]: it cannot be read, is no store, or a later version's, or is damaged.
    #[cfg(feature = "sqlite")]
    pub async fn check(path: impl AsRef<std::path::Path>) -> Result<(), StoreError> {
        crate::sqlite::check(path.as_ref().to_owned()).await
    }

    /// Opens the store in a PostgreSQL database, or makes it there. The connection lives on the
    /// runtime that calls this.
    ///
    /// `url` is what `psql` takes, for example `host=/run/postgresql user=holm dbname=holm`. A
    /// connection to another machine is encrypted. Its certificate must match the host's name and
    /// be trusted by the system or by the file at `sslrootcert`. Only `sslmode=disable` sends a
    /// password there in the clear. A lost connection is opened again, but a caller that drove a
    /// run through it has to open the run again.
    ///
    /// # Errors
    /// [`StoreError`], as [`open`](Self::open).
    #[cfg(feature = "postgres")]
    pub async fn postgres(url: &str) -> Result<Self, StoreError> {
        StoreOptions::new().postgres(url).await
    }

    /// Every file that the store has written: the database with its log, locks and large results,
    /// and what this handle exported. A database server's files are its own and not listed.
    #[must_use]
    pub fn files(&self) -> Vec<PathBuf> {
        let mut files = self.inner.backend.files();
        files.extend(self.inner.exports.lock().unwrap_or_else(PoisonError::into_inner).iter().cloned());
        files
    }

    /// The time of the database. It is the same for all processes that share it, even if
    /// their own clocks differ.
    ///
    /// # Errors
    /// Any [`StoreError`] of the database.
    pub async fn clock(&self) -> Result<holm_kernel::Timestamp, StoreError> {
        self.inner.backend.clock().await.map(holm_kernel::Timestamp::new)
    }

    /// The counters since this store was opened, or those of its pool if it shares one.
    #[must_use]
    pub fn commits(&self) -> StoreStats {
        self.inner.backend.commits()
    }

    async fn over(backend: Box<dyn StoreBackend>, key: Option<MasterKey>) -> Result<Self, StoreError> {
        let vault = key.as_ref().map(KeyVault::new);
        check_key(&*backend, vault.as_ref()).await?;
        let (held, verified, exports) = (DrivenRuns::default(), Mutex::default(), Mutex::default());
        Ok(Self { inner: Arc::new(StoreInner { backend, vault, held, verified, exports }) })
    }
}

impl fmt::Debug for Store {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Store").field("encrypted", &self.inner.vault.is_some()).finish_non_exhaustive()
    }
}

impl StoreInner {
    /// The key that seals a run; `None` in a store without encryption.
    pub(crate) fn key(&self, run: &RunRow) -> Result<Option<SessionCipher>, StoreError> {
        let Some(vault) = &self.vault else { return Ok(None) };
        let Some(wrapped) = &run.key else {
            return Err(StoreError::Damaged { run: run.id.clone(), reason: "its key is missing".into() });
        };
        vault.key(&run.id, wrapped).map(Some)
    }
}

/// Options for opening a store.
///
/// ```no_run
/// # async fn open() -> Result<(), holm_store::StoreError> {
/// use holm_store::{MasterKey, StoreOptions};
///
/// let store = StoreOptions::new().key(MasterKey::new([7; 32])).max_bytes(1 << 30).open("holm.db").await?;
/// # Ok(()) }
/// ```
#[derive(Debug, Default)]
pub struct StoreOptions {
    key: Option<MasterKey>,
    max_bytes: Option<u64>,
    #[cfg(feature = "postgres")]
    schema: Option<String>,
}

impl StoreOptions {
    /// No encryption, no limit.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Encrypts what sessions say. A store is made with a key or without one and stays so.
    #[must_use]
    pub fn key(mut self, key: MasterKey) -> Self {
        self.key = Some(key);
        self
    }

    /// Limits the size of the SQLite database, without large results. Beyond it appends fail with
    /// [`StoreError::Full`], and the stored data stays intact.
    #[must_use]
    pub const fn max_bytes(mut self, bytes: u64) -> Self {
        self.max_bytes = Some(bytes);
        self
    }

    /// Chooses the schema of a PostgreSQL database for the store, and creates it if it is missing.
    /// Stores in different schemas of one database know nothing of each other.
    #[cfg(feature = "postgres")]
    #[must_use]
    pub fn schema(mut self, name: impl Into<String>) -> Self {
        self.schema = Some(name.into());
        self
    }

    /// Opens a store with these options, otherwise like [`Store::open`].
    ///
    /// # Errors
    /// As there; [`StoreError::KeyNeeded`], [`StoreError::WrongKey`]
    /// and [`StoreError::NotEncrypted`] too.
    #[cfg(feature = "sqlite")]
    pub async fn open(self, path: impl AsRef<std::path::Path>) -> Result<Store, StoreError> {
        let path = path.as_ref().to_owned();
        let backend = crate::sqlite::SqliteBackend::open(path, self.max_bytes).await?;
        Store::over(Box::new(backend), self.key).await
    }

    /// Opens a store with these options, otherwise like [`Store::postgres`].
    ///
    /// # Errors
    /// As there, and as [`open`](Self::open).
    #[cfg(feature = "postgres")]
    pub async fn postgres(self, url: &str) -> Result<Store, StoreError> {
        self.postgres_on(&crate::PostgresPool::open(url).await?).await
    }

    /// Opens the store on the connections of a pool, which the stores of other schemas share.
    ///
    /// # Errors
    /// The same errors as [`postgres`](Self::postgres).
    #[cfg(feature = "postgres")]
    pub async fn postgres_on(self, pool: &crate::PostgresPool) -> Result<Store, StoreError> {
        let backend = crate::postgres::PostgresBackend::open(pool, self.schema.as_deref()).await?;
        Store::over(Box::new(backend), self.key).await
    }
}

/// A store is encrypted from its first run on, or never; two stores that are opened
/// at once must agree.
async fn check_key(backend: &dyn StoreBackend, vault: Option<&KeyVault>) -> Result<(), StoreError> {
    let kept = backend.meta("key").await?;
    match (vault, kept) {
        (None, None) => Ok(()),
        (None, Some(_)) => Err(StoreError::KeyNeeded),
        (Some(vault), Some(check)) => {
            if vault.knows(&check) {
                Ok(())
            } else {
                Err(StoreError::WrongKey)
            }
        }
        (Some(vault), None) => {
            if backend.any_run().await? {
                return Err(StoreError::NotEncrypted);
            }
            let kept = backend.meta_or("key", &vault.check()?).await?;
            if vault.knows(&kept) { Ok(()) } else { Err(StoreError::WrongKey) }
        }
    }
}
