//! Limits how many runs work at the same time. Other runs wait in a queue; when it is full, the
//! client must retry later.
//!
//! Requests per minute are limited in `limiter.rs`, and money in `budget_reservations.rs`. When a
//! run takes and returns its permit is decided in `drive.rs`.

use std::{
    collections::HashMap,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::{ApiError, ServerLimits, auth::UserName};

/// After how many seconds a refused client may retry.
const AGAIN: u64 = 5;

/// Limits how many runs work at the same time, in total and per user.
pub(crate) struct RunAdmission {
    all: Arc<Semaphore>,
    per_user: usize,
    waiting_per_user: usize,
    users: Mutex<HashMap<UserName, Arc<UserQueue>>>,
}

/// The queue of one user.
struct UserQueue {
    turns: Arc<Semaphore>,
    waiting: AtomicUsize,
}

/// A place in the queue, given back on drop.
pub(crate) struct QueueTicket {
    all: Arc<Semaphore>,
    line: Arc<UserQueue>,
}

/// The permit to work, given back on drop.
pub(crate) struct RunPermit {
    all: Arc<Semaphore>,
    line: Arc<UserQueue>,
    _of_user: OwnedSemaphorePermit,
    _of_all: OwnedSemaphorePermit,
}

/// A run that has given its permit back for a while.
pub(crate) struct PausedPermit {
    all: Arc<Semaphore>,
    line: Arc<UserQueue>,
}

impl RunAdmission {
    pub(crate) fn new(limits: &ServerLimits) -> Self {
        Self {
            all: Arc::new(Semaphore::new(limits.runs)),
            per_user: limits.runs_per_user,
            waiting_per_user: limits.waiting_per_user,
            users: Mutex::default(),
        }
    }

    /// Takes a place in the user's queue.
    pub(crate) fn queue(&self, user: &UserName) -> Result<QueueTicket, ApiError> {
        let line = self.line(user);
        // A run that gets its permit at once also counts as waiting for a moment; do not refuse it.
        let most = self.waiting_per_user.saturating_add(line.turns.available_permits());
        if line.waiting.fetch_add(1, Ordering::AcqRel) >= most {
            line.waiting.fetch_sub(1, Ordering::AcqRel);
            return Err(ApiError::busy("busy", "too many of your runs are waiting; try again later", AGAIN));
        }
        Ok(QueueTicket { all: Arc::clone(&self.all), line })
    }

    /// Takes a place regardless of the queue's length, for a run that was admitted
    /// before the server restarted.
    pub(crate) fn queue_again(&self, user: &UserName) -> QueueTicket {
        let line = self.line(user);
        line.waiting.fetch_add(1, Ordering::AcqRel);
        QueueTicket { all: Arc::clone(&self.all), line }
    }

    fn line(&self, user: &UserName) -> Arc<UserQueue> {
        let mut users = self.users.lock().unwrap_or_else(PoisonError::into_inner);
        let made = || {
            let turns = Arc::new(Semaphore::new(self.per_user));
            Arc::new(UserQueue { turns, waiting: AtomicUsize::new(0) })
        };
        Arc::clone(users.entry(user.clone()).or_insert_with(made))
    }
}

impl QueueTicket {
    /// Waits for a permit; `None` once no more are given out.
    pub(crate) async fn turn(self) -> Option<RunPermit> {
        let of_user = Arc::clone(&self.line.turns).acquire_owned().await.ok()?;
        let of_all = Arc::clone(&self.all).acquire_owned().await.ok()?;
        let (all, line) = (Arc::clone(&self.all), Arc::clone(&self.line));
        Some(RunPermit { all, line, _of_user: of_user, _of_all: of_all })
    }
}

impl RunPermit {
    /// Gives the permit back; the run can queue again later.
    pub(crate) fn rest(self) -> PausedPermit {
        PausedPermit { all: self.all, line: self.line }
    }
}

impl PausedPermit {
    /// Takes a place in the queue again, regardless of its length: the run was admitted before.
    pub(crate) fn over(&self) -> QueueTicket {
        self.line.waiting.fetch_add(1, Ordering::AcqRel);
        QueueTicket { all: Arc::clone(&self.all), line: Arc::clone(&self.line) }
    }
}

impl Drop for QueueTicket {
    fn drop(&mut self) {
        self.line.waiting.fetch_sub(1, Ordering::AcqRel);
    }
}

#[cfg(test)]
mod tests;
