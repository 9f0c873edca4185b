//! Budgets shared by servers that use one store. Each server publishes what it has reserved for its
//! running sessions, and they count one after the other.
//!
//! All times come from the database, because the clocks of the servers may differ.
//!
//! Reservations of this server are divided in `budget_reservations.rs`. A lock or a reservation of
//! a server that died ends by itself, so no server waits forever.

use std::{
    hash::{BuildHasher as _, Hasher as _, RandomState},
    time::Duration,
};

use holm_kernel::{NanoUsd, Timestamp};
use holm_store::Store;
use serde::{Deserialize, Serialize};

use crate::ApiError;

/// The tray where servers publish their reservations, each under its name.
const TRAY: &str = "purses";
/// The record that locks counting for one server.
const LOCK: &str = "lock";
/// How long a count may take: a server that takes longer has crashed.
const COUNT_MS: u64 = 10_000;
/// How long a published reservation counts. A live server renews it; a dead one does not.
const FRESH_MS: u64 = 60_000;
/// How long a server waits before it checks again whether another one still counts.
const PAUSE: Duration = Duration::from_millis(20);
/// How often the lock is tried: in total longer than a count may take.
const TRIES: u32 = 1_000;

/// This server's view of the budgets that it shares with other servers.
pub(super) struct PeerBudgets {
    name: String,
}

/// The amount that a server has reserved.
#[derive(Debug, Serialize, Deserialize)]
struct PeerReservation {
    left: NanoUsd,
    until: Timestamp,
}

#[derive(Debug, Serialize, Deserialize)]
struct BudgetCountLock {
    by: String,
    until: Timestamp,
}

impl PeerBudgets {
    pub(super) fn new() -> Self {
        Self { name: format!("server-{:016x}", RandomState::new().build_hasher().finish()) }
    }

    /// Locks counting for this server until [`counted`](Self::counted).
    pub(super) async fn count(&self, store: &Store) -> Result<(), ApiError> {
        for _ in 0..TRIES {
            let now = store.clock().await?;
            let mine = written(&BudgetCountLock { by: self.name.clone(), until: now.plus(COUNT_MS) })?;
            if store.put_slip(TRAY, LOCK, now, &mine).await? {
                return Ok(());
            }
            if let Some(mut slip) = store.slip(TRAY, LOCK).await? {
                let held: Option<BudgetCountLock> = serde_json::from_slice(&slip.body).ok();
                slip.body = mine;
                let is_over = held.is_none_or(|held| held.until <= now);
                if is_over && store.change_slip(TRAY, &slip).await? {
                    return Ok(());
                }
            }
            tokio::time::sleep(PAUSE).await;
        }
        Err(ApiError::busy("busy", "another server is updating your budget; try again", 5))
    }

    /// Releases the lock for the other servers.
    pub(super) async fn counted(&self, store: &Store) -> Result<(), ApiError> {
        let Some(mut slip) = store.slip(TRAY, LOCK).await? else { return Ok(()) };
        let held: Option<BudgetCountLock> = serde_json::from_slice(&slip.body).ok();
        if held.is_some_and(|held| held.by == self.name) {
            // The lock is changed, not deleted. A server that took too long might otherwise delete
            // the lock that another server has taken since. If the change fails, the lock belongs
            // to another server.
            slip.body = written(&BudgetCountLock { by: self.name.clone(), until: Timestamp::new(0) })?;
            store.change_slip(TRAY, &slip).await?;
        }
        Ok(())
    }

    /// The sum that the other servers have reserved.
    pub(super) async fn elsewhere(&self, store: &Store) -> Result<NanoUsd, ApiError> {
        let now = store.clock().await?;
        let slips = store.slips(TRAY).await?;
        let others = slips.iter().filter(|slip| slip.name != self.name && slip.name != LOCK);
        let parts = others.filter_map(|slip| serde_json::from_slice::<PeerReservation>(&slip.body).ok());
        let fresh = parts.filter(|part| part.until > now);
        Ok(fresh.fold(NanoUsd::ZERO, |sum, part| sum.plus(part.left)))
    }

    /// Publishes what this server has reserved.
    pub(super) async fn publish(&self, store: &Store, left: NanoUsd) -> Result<(), ApiError> {
        if left == NanoUsd::ZERO {
            store.take_slip(TRAY, &self.name).await?;
            return Ok(());
        }
        let now = store.clock().await?;
        let body = written(&PeerReservation { left, until: now.plus(FRESH_MS) })?;
        match store.slip(TRAY, &self.name).await? {
            Some(slip) => store.change_slip(TRAY, &holm_store::StoredNote { body, ..slip }).await?,
            None => store.put_slip(TRAY, &self.name, now, &body).await?,
        };
        Ok(())
    }
}

fn written(value: &impl Serialize) -> Result<Vec<u8>, ApiError> {
    serde_json::to_vec(value).map_err(|_| ApiError::failed("the budget reservation cannot be written"))
}

#[cfg(test)]
mod tests;
