//! How much load.

use std::{env, time::Duration};

use serde_json::{Value, json};

/// Runs that a server lets work at the same time, of all and of one user: what its limits are if nobody sets them.
const MOST_RUNS: usize = 1_024;
const MOST_RUNS_PER_USER: usize = 64;

/// How much load, as the environment says.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Extent {
    /// Sessions that are watched.
    pub(crate) sessions: usize,
    /// Those of them that stream.
    pub(crate) streams: usize,
    /// Pieces a second of each.
    pub(crate) rate: u32,
    /// Seconds that a reply takes.
    pub(crate) seconds: u32,
    /// Whose they are.
    pub(crate) users: usize,
    /// How long all of it may take.
    pub(crate) patience: Duration,
}

impl Extent {
    pub(crate) fn from_environment() -> Result<Self, String> {
        let sessions = number("LOAD_SESSIONS", 10_000)?.max(1);
        let small = |number: usize| u32::try_from(number).unwrap_or(u32::MAX).max(1);
        let patience = u64::try_from(number("LOAD_PATIENCE", 2_700)?).unwrap_or(u64::MAX);
        let streams = number("LOAD_STREAMS", 1_000)?.clamp(1, sessions);
        let users = number("LOAD_USERS", 20)?.max(1);
        if streams > MOST_RUNS || streams.div_ceil(users) > MOST_RUNS_PER_USER {
            return Err(format!(
                "a server lets {MOST_RUNS} runs work at once, and {MOST_RUNS_PER_USER} of one user: choose LOAD_STREAMS and LOAD_USERS \
                 so that all can stream at the same time"
            ));
        }
        let (rate, seconds) = (small(number("LOAD_RATE", 20)?), small(number("LOAD_SECONDS", 20)?));
        Ok(Self { sessions, streams, rate, seconds, users, patience: Duration::from_secs(patience) })
    }

    /// Pieces of one reply.
    pub(crate) fn pieces(self) -> u32 {
        self.rate.saturating_mul(self.seconds)
    }

    /// Files that this process has open at once: the watchers, the provider's connections, those that ask, and some more.
    /// The server has as many: the other ends, its stores, and what each session at work holds.
    pub(crate) fn files(self) -> u64 {
        u64::try_from(self.sessions + 2 * self.streams + 2_000).unwrap_or(u64::MAX)
    }

    pub(crate) fn json(self) -> Value {
        let Self { sessions, streams, rate, seconds, users, patience: _ } = self;
        json!({ "sessions": sessions, "streams": streams, "rate": rate, "seconds": seconds, "users": users })
    }
}

fn number(name: &str, usual: usize) -> Result<usize, String> {
    match env::var(name) {
        Ok(text) => text.parse().map_err(|_| format!("{name} is no number: {text}")),
        Err(_) => Ok(usual),
    }
}
