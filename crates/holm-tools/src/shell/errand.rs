//! Runs one child process from start to end, with the hosts that it was granted.

use std::convert::Infallible;

use holm_grants::{Denials, FetchPattern, Grant, GrantSet, Need, Policy, Request};
use holm_jail::{Capture, Engine, Jail, JailError, Job, Launcher, Network, Outcome, Stage, Task};
use holm_net::Connector;
use holm_runtime::{CancellationToken, Progress};
use tokio::time::{MissedTickBehavior, interval};

use super::live::{BEAT, Live};
use super::proxy::{self, Refusal, Refused};
use crate::authority;

/// How often a start is retried if a hidden file is moved at that moment. Each retry
/// scans the files again.
pub(crate) const MAX_STARTS: u32 = 20;

/// Whether a child was not started because a hidden file was moved, so that a new scan helps.
pub(crate) fn asks_for_another_look(error: &JailError) -> bool {
    matches!(error, JailError::Start { stage: Stage::Changed, .. })
}

/// The settings with which a child is run, beside its jail.
pub(crate) struct Errand<'a> {
    pub(crate) launcher: &'a Launcher,
    pub(crate) engine: &'a Engine,
    /// The connector to hosts; without it there is no network.
    pub(crate) connector: Option<&'a Connector>,
    pub(crate) denials: &'a Denials,
    /// The hosts that the call was granted.
    pub(crate) hosts: Reach,
    pub(crate) curiosity: Curiosity,
    /// The receiver of its output while it runs.
    pub(crate) progress: &'a Progress,
}

/// Whether to record which hosts a child asks for that has no host granted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Curiosity {
    /// Its requests are recorded and refused.
    Hears,
    /// It can open no socket.
    Deaf,
}

/// The hosts that a call was granted, and nothing beyond them.
///
/// For encrypted connections the proxy sees only the host and the port. So a grant for some paths
/// of a host opens nothing, because it would open all of them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Reach {
    open: GrantSet,
    /// Grants that open nothing here.
    shut: Vec<Refusal>,
}

impl Reach {
    /// The hosts for a call with these needs.
    pub(crate) fn of(needs: &[Need]) -> Self {
        let mut reach = Self::default();
        for need in needs {
            match authority::grant(need) {
                Some(Grant::Fetch(pattern)) if !pattern.names_path() => {
                    reach.open.extend([Grant::Fetch(pattern)]);
                }
                Some(Grant::Fetch(pattern)) => reach.shut.push(Refusal::Path(pattern.to_string())),
                Some(_) => {}
                None => reach.shut.extend(unspelled(need)),
            }
        }
        reach
    }

    /// With the whole hosts among these grants too.
    pub(crate) fn and(mut self, grants: &GrantSet) -> Self {
        let is_host = |grant: &&Grant| matches!(grant, Grant::Fetch(pattern) if !pattern.names_path());
        self.open.extend(grants.iter().filter(is_host).cloned());
        self
    }
}

/// The refusal for a URL with a path that no grant can express, at a host that a grant could open.
fn unspelled(need: &Need) -> Option<Refusal> {
    let Need::Request(Request::Fetch(url)) = need else { return None };
    FetchPattern::origin(url).ok()?;
    Some(Refusal::Path(url.to_string()))
}

impl Errand<'_> {
    /// Runs the task until it ends or is stopped, and says which hosts it was refused.
    pub(crate) async fn run(
        &self,
        jail: &Jail,
        task: &Task,
        capture: Capture,
        stop: &CancellationToken,
    ) -> Result<(Outcome, Vec<Refusal>), JailError> {
        let mut child = self.start(jail, task).await?;
        let refused = Refused::default();
        let serving = self.serve(child.take_listener(), refused.clone());
        let killer = child.killer();
        let live = Live::default();
        let finish = child.finish(live.listen(capture));
        tokio::pin!(finish, serving);
        let mut beat = interval(BEAT);
        beat.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let outcome = loop {
            tokio::select! {
                outcome = &mut finish => break outcome,
                never = &mut serving => match never {},
                () = stop.cancelled() => {
                    killer.kill();
                    break finish.as_mut().await;
                }
                _ = beat.tick() => {
                    if let Some(said) = live.news() {
                        self.progress.say(said);
                    }
                }
            }
        };
        // Without a jail, no host is blocked.
        let shut = if *self.engine == Engine::Unconfined { Vec::new() } else { self.hosts.shut.clone() };
        Ok((outcome, [shut, refused.list()].concat()))
    }

    /// Starts the child in a network of its own, whose only way out is our proxy.
    ///
    /// If the machine does not support such networks, the child starts without one, but only if
    /// no host is granted.
    async fn start(&self, jail: &Jail, task: &Task) -> Result<Job, JailError> {
        let spawn = async |jail: &Jail| self.launcher.spawn(self.engine, jail, task).await;
        let wanted = !self.hosts.open.is_empty() || self.curiosity == Curiosity::Hears;
        if self.connector.is_none() || *self.engine == Engine::Unconfined || !wanted {
            return spawn(jail).await;
        }
        let variables = proxy::variables(&self.hosts.open);
        let proxied = variables.fold(jail.clone(), |jail, (name, value)| jail.env(name, value));
        match spawn(&proxied.network(Network::Proxied)).await {
            Err(JailError::Start { stage: Stage::Network, .. }) if self.hosts.open.is_empty() => {
                spawn(jail).await
            }
            settled => settled,
        }
    }

    /// Serves the child's one way out, for as long as this is held.
    async fn serve(&self, listener: Option<std::net::TcpListener>, refused: Refused) -> Infallible {
        let listener = listener.and_then(|listener| {
            listener.set_nonblocking(true).ok()?;
            tokio::net::TcpListener::from_std(listener).ok()
        });
        if let (Some(listener), Some(connector)) = (listener, self.connector.cloned()) {
            let policy = Policy { grants: self.hosts.open.clone(), denials: self.denials.clone() };
            proxy::serve(listener, connector, policy, refused).await;
        }
        std::future::pending().await
    }
}
