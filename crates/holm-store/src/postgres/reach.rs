//! How the server is reached, again and again.

use std::{
    sync::{Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use tokio_postgres::{Client, Config};

use super::{
    address::{Address, Idle},
    failed,
    tls::Tls,
};
use crate::StoreError;

/// How long a connection may take to be made, with everything that is agreed upon first.
const PATIENCE: Duration = Duration::from_secs(20);
/// After how long a silent connection is asked for a sign of life, so that one to a machine that vanished is found.
const SILENCE: Duration = Duration::from_secs(30);
/// How often it is asked again, and how many times, before it counts as lost: the system would take its time.
const ASKED_AGAIN: Duration = Duration::from_secs(10);
const ASKED: u32 = 3;
/// How long something that was said may stay without a sign that it arrived. Whoever waits for it holds up all that ask next.
const UNHEARD: Duration = Duration::from_secs(60);
/// How long nobody tries again after a connection could not be made. Each of those who wait would otherwise try in turn, and the
/// last of them would wait for hours.
const PAUSE: Duration = Duration::from_secs(1);

/// How the server is reached.
pub(super) struct Reach {
    config: Config,
    tls: Tls,
    schema: Option<String>,
    patience: Duration,
    pause: Duration,
    /// When a connection could not be made last, and why.
    failure: Mutex<Option<(Instant, StoreError)>>,
}

impl Reach {
    pub(super) fn new(url: &str, schema: Option<&str>) -> Result<Self, StoreError> {
        let Address { mut config, tls, idle } = Address::read(url)?;
        // What the address says is meant.
        if idle == Idle::Unsaid {
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
        let (tls, schema) = (Tls::new(tls)?, schema.map(str::to_owned));
        Ok(Self { config, tls, schema, patience: PATIENCE, pause: PAUSE, failure: Mutex::default() })
    }

    /// Makes a connection. Says at once that there is none where that was found a moment ago.
    pub(super) async fn connect(&self, synchronous_commit: &str) -> Result<Client, StoreError> {
        if let Some(error) = self.just_failed() {
            return Err(error);
        }
        let made = tokio::time::timeout(self.patience, self.make(synchronous_commit)).await;
        let made = made.unwrap_or_else(|_| {
            let reason = "the database does not answer; is it running, and is the address right?".into();
            Err(StoreError::System { reason })
        });
        *self.failure() = made.as_ref().err().map(|error| (Instant::now(), error.clone()));
        made
    }

    async fn make(&self, synchronous_commit: &str) -> Result<Client, StoreError> {
        let (client, connection) = self.config.connect(self.tls.clone()).await.map_err(failed)?;
        // Ends with the client, or when the server is gone; every question says so then.
        tokio::spawn(connection);
        let mut set =
            format!("SET synchronous_commit = {synchronous_commit}; SET client_min_messages = warning");
        if let Some(schema) = &self.schema {
            // The name was looked at: nothing in it ends the quotation.
            set += &format!("; SET search_path = \"{schema}\", public");
        }
        client.batch_execute(&set).await.map_err(failed)?;
        Ok(client)
    }

    /// Why a connection could not be made a moment ago.
    fn just_failed(&self) -> Option<StoreError> {
        let failure = self.failure();
        failure.as_ref().filter(|(at, _)| at.elapsed() < self.pause).map(|(_, error)| error.clone())
    }

    /// Replaced as a whole, so a panic elsewhere does no harm.
    fn failure(&self) -> MutexGuard<'_, Option<(Instant, StoreError)>> {
        self.failure.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests;
