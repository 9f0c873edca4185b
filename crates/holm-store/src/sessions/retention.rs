//! How long sessions are kept, and how they are erased for good.
//!
//! Records are chained, so a single record cannot be cut out of a journal, but a whole journal can
//! be erased. A tombstone stays: the run's id, the number of its records and the last link of its
//! chain. It identifies a copy of the erased run. It also keeps the id from being used again,
//! because the keys of calls are derived from it.
//!
//! Rows are overwritten with zeros as they are deleted, the write-ahead log is emptied, and the
//! search index is merged so that none of the text is left in it. A database cannot control what a
//! disk keeps in freed blocks, or what backups hold. If that matters, encrypt the store and delete
//! the key.
//!
//! Rows and files are removed in `sqlite/backend.rs` and `postgres/backend.rs`. The order here must
//! stay: take the lease, index all runs, then erase. Otherwise a run could be driven while it goes,
//! or lose large results to which another run refers.

use holm_kernel::{Timestamp, journal};
use serde::{Deserialize, Serialize};

use super::list::{SessionOrder, SessionQuery, StoredSession};
use crate::{
    Store, StoreError,
    backend::RunTombstone,
    store::{DriveLease, IndexDepth, now},
};

/// Which sessions may stay. A session that is being driven is never erased.
///
/// ```
/// use holm_kernel::Timestamp;
/// use holm_store::RetentionPolicy;
///
/// let thirty_days = RetentionPolicy {
///     older_than: Some(Timestamp::new(30 * 86_400_000)),
///     ..RetentionPolicy::default()
/// };
/// assert!(thirty_days.keep_tag.is_none());
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RetentionPolicy {
    /// Sessions that were last used before this time go.
    pub older_than: Option<Timestamp>,
    /// Of those that are left, this many of the latest stay and the rest go.
    pub keep_latest: Option<u64>,
    /// Sessions with this tag always stay.
    pub keep_tag: Option<String>,
}

/// What remains of an erased session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ErasedSession {
    pub run: String,
    /// The number of records that it had.
    pub records: u64,
    /// The last link of its chain, in hex; empty if it cannot be read.
    pub chain: String,
}

impl Store {
    /// Erases a session for good: its lines, snapshot, title, tags, usage, index and large results.
    ///
    /// # Errors
    /// [`StoreError::Busy`] while it is being driven.
    pub async fn erase(&self, run: &str) -> Result<ErasedSession, StoreError> {
        let erased = self.erase_one(run).await?;
        self.inner.backend.scour().await?;
        Ok(erased)
    }

    /// Erases the sessions that a policy does not keep, oldest first. Sessions that are
    /// being driven are skipped.
    ///
    /// # Errors
    /// [`StoreError`]; sessions that were erased before the error stay erased.
    pub async fn retain(&self, policy: &RetentionPolicy) -> Result<Vec<ErasedSession>, StoreError> {
        let mut erased = Vec::new();
        for session in self.unkept(policy).await? {
            match self.erase_one(&session.run).await {
                Ok(erased_session) => erased.push(erased_session),
                Err(StoreError::Busy { .. } | StoreError::Missing { .. }) => {}
                Err(error) => return Err(error),
            }
        }
        self.inner.backend.scour().await?;
        Ok(erased)
    }

    /// The sessions that [`retain`](Self::retain) would erase, oldest first.
    ///
    /// # Errors
    /// Any [`StoreError`] of the database.
    pub async fn unkept(&self, policy: &RetentionPolicy) -> Result<Vec<StoredSession>, StoreError> {
        let mut unkept = Vec::new();
        let mut kept = 0;
        let mut wanted =
            SessionQuery { order: SessionOrder::NewestFirst, limit: Some(1_000), ..SessionQuery::default() };
        loop {
            let page = self.list(&wanted).await?;
            for session in page.sessions {
                if policy.keep_tag.as_ref().is_some_and(|tag| session.tags.contains(tag)) {
                    continue;
                }
                let old = policy.older_than.is_some_and(|time| session.updated < time);
                if old || policy.keep_latest.is_some_and(|most| kept >= most) {
                    unkept.push(session);
                } else {
                    kept += 1;
                }
            }
            wanted.after = page.next;
            if wanted.after.is_none() {
                unkept.reverse();
                return Ok(unkept);
            }
        }
    }

    async fn erase_one(&self, run: &str) -> Result<ErasedSession, StoreError> {
        let row = self.find(run).await?;
        // Held to the end, so that no process starts to drive a run that is being erased.
        let _lease = DriveLease::take(&self.inner, &row).await?;
        // Indexes all runs first, to know which other runs refer to its large results.
        self.catch_up(IndexDepth::Everything).await?;
        let records = self.session(run).await?.records;
        let chain = match records.checked_sub(1) {
            // A record that cannot be read can still be erased.
            Some(last) => {
                self.inner.lines(&row, last..records).await.ok().and_then(|lines| link(lines.first()?))
            }
            None => None,
        };
        let stone = RunTombstone { at: now(), records, chain: chain.unwrap_or_default() };
        self.inner.backend.erase(&row, &stone).await?;
        Ok(ErasedSession { run: run.into(), records, chain: stone.chain })
    }
}

/// The chain value that a line claims.
fn link(line: &[u8]) -> Option<String> {
    #[derive(Deserialize)]
    struct ChainLink {
        chain: journal::Sha256Hash,
    }
    serde_json::from_slice::<ChainLink>(line).ok().map(|link| link.chain.to_string())
}
