//! Opens connections to the server. Each has limits on every wait, so that a server that vanished
//! blocks no caller forever.
//!
//! It keeps no connection and does not open a lost one again: `postgres/pool.rs`,
//! `postgres/committer.rs` and `postgres/lease.rs` do. The address is parsed in
//! `postgres/address.rs`. After a failure, attempts fail at once for a moment, or all waiting
//! callers would try in turn. Settings made here hold for every schema, so none may belong to one
//! of them.

use std::{
    sync::{Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use tokio::task::JoinHandle;
use tokio_postgres::{CancelToken, Client, Config};

use super::{
    address::{DatabaseAddress, KeepaliveSetting},
    failed,
    tls::PostgresTls,
};
use crate::StoreError;

/// How long opening a connection may take, including the handshakes.
const PATIENCE: Duration = Duration::from_secs(20);
/// After how long a silent connection is asked for a sign of life, so that one to a machine
/// that vanished is found.
const SILENCE: Duration = Duration::from_secs(30);
/// The interval and the number of keepalive probes before a connection counts as lost: the system's
/// defaults are much longer.
const ASKED_AGAIN: Duration = Duration::from_secs(10);
const ASKED: u32 = 3;
/// How long sent data may stay unacknowledged. A caller that waits for it holds up
/// every caller after it.
const UNHEARD: Duration = Duration::from_secs(60);
/// How long to wait before a new attempt after a connection failed. Otherwise every waiting caller
/// would try in turn, and the last would wait for hours.
const PAUSE: Duration = Duration::from_secs(1);

/// The longest that the server works on one statement. The largest journal is read in less, and a
/// search without an index must not hold a connection forever.
const STATEMENT_TIMEOUT: Duration = Duration::from_mins(2);
/// The longest that a transaction may be idle: its locks block others.
const TRANSACTION_TIMEOUT: Duration = Duration::from_mins(1);
/// How long the request to stop a query may take.
const CANCEL_TIME: Duration = Duration::from_secs(5);

/// Whether a commit waits for the server's disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CommitDurability {
    Synced,
    Written,
}

/// Opens connections to the server.
pub(super) struct PostgresConnector {
    config: Config,
    tls: PostgresTls,
    patience: Duration,
    pause: Duration,
    /// When a connection could not be made last, and why.
    failure: Mutex<Option<(Instant, StoreError)>>,
}

impl PostgresConnector {
    pub(super) fn new(url: &str) -> Result<Self, StoreError> {
        let DatabaseAddress { mut config, tls, idle } = DatabaseAddress::read(url)?;
        // A value in the address takes precedence.
        if idle == KeepaliveSetting::Unsaid {
            config.keepalives_idle(SILENCE);
        }
        if config.get_keepalives_interval().is_none() {
            config.keepalives_interval(ASKED_AGAIN);
        }
        if config.get_keepalives_retries().is_none() {
            config.keepalives_retries(ASKED);
        }
        if config.get_tcp_user_timeout().is_none() {
            config.tcp_user_timeout(UNHEARD);
        }
        let tls = PostgresTls::new(tls)?;
        Ok(Self { config, tls, patience: PATIENCE, pause: PAUSE, failure: Mutex::default() })
    }

    /// Opens a connection. Fails at once if an attempt a moment ago failed.
    pub(super) async fn connect(&self, commit: CommitDurability) -> Result<Client, StoreError> {
        self.connect_watched(commit).await.map(|(client, _)| client)
    }

    /// As [`connect`](Self::connect), with a task that ends when the connection does.
    pub(super) async fn connect_watched(
        &self,
        commit: CommitDurability,
    ) -> Result<(Client, JoinHandle<()>), StoreError> {
        if let Some(error) = self.just_failed() {
            return Err(error);
        }
        let made = tokio::time::timeout(self.patience, self.make(commit)).await;
        let made = made.unwrap_or_else(|_| {
            let reason = "the database does not answer; is it running, and is the address right?".into();
            Err(StoreError::System { reason })
        });
        *self.failure() = made.as_ref().err().map(|error| (Instant::now(), error.clone()));
        made
    }

    async fn make(&self, commit: CommitDurability) -> Result<(Client, JoinHandle<()>), StoreError> {
        let (client, connection) = self.config.connect(self.tls.clone()).await.map_err(failed)?;
        // Ends with the client, or when the server is gone; each query reports the error then.
        let ended = tokio::spawn(async move {
            let _ = connection.await;
        });
        let commit = match commit {
            CommitDurability::Synced => "on",
            CommitDurability::Written => "off",
        };
        let (statement, idle) = (STATEMENT_TIMEOUT.as_millis(), TRANSACTION_TIMEOUT.as_millis());
        let settings = format!(
            "SET synchronous_commit = {commit}; SET client_min_messages = warning;
             SET statement_timeout = {statement}; SET idle_in_transaction_session_timeout = {idle}"
        );
        client.batch_execute(&settings).await.map_err(failed)?;
        Ok((client, ended))
    }

    /// Asks the server to stop the query that a connection runs now.
    pub(super) async fn cancel(&self, query: CancelToken) {
        // If the request does not arrive, the statement's time limit ends the query.
        let _ = tokio::time::timeout(CANCEL_TIME, query.cancel_query(self.tls.clone())).await;
    }

    /// Why a connection could not be made a moment ago.
    fn just_failed(&self) -> Option<StoreError> {
        let failure = self.failure();
        failure.as_ref().filter(|(at, _)| at.elapsed() < self.pause).map(|(_, error)| error.clone())
    }

    /// Replaced as a whole, so a poisoned lock is safe to use.
    fn failure(&self) -> MutexGuard<'_, Option<(Instant, StoreError)>> {
        self.failure.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests;
