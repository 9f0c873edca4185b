//! Runs one child process from start to end, with the hosts that it was granted. What it may see
//! and write is decided before, in `setup.rs` and `denied_paths.rs`; the process is started by
//! `holm-jail`. The proxy is `proxy.rs`, and the report for the model `report.rs`.
//! `program/tool.rs` uses it too. If the machine cannot give a confined child a network of its own,
//! a child with granted hosts does not start, because nothing would limit which hosts it reaches.

use std::convert::Infallible;

use holm_grants::{AccessRequest, CallNeed, DenialSet, FetchPattern, Grant, GrantPolicy, GrantSet};
use holm_jail::{
    CaptureOptions, Jail, JailEngine, JailError, JailJob, JailLauncher, JailNetwork, JailOutcome, JailTask,
    StartStage,
};
use holm_net::Connector;
use holm_runtime::{CancellationToken, ProgressReporter};
use tokio::time::{MissedTickBehavior, interval};

use super::live_output::{BEAT, LiveOutput};
use super::proxy::{self, ProxyDenials, ProxyDenied};
use crate::authority;

/// How often a start is retried if a hidden file is moved at that moment. Each retry
/// scans the files again.
pub(crate) const MAX_STARTS: u32 = 20;

/// Whether a child was not started because a hidden file was moved, so that a new scan helps.
pub(crate) fn asks_for_another_look(error: &JailError) -> bool {
    matches!(error, JailError::Start { stage: StartStage::Changed, .. })
}

/// The settings with which a child is run, beside its jail.
pub(crate) struct ChildRunSettings<'a> {
    pub(crate) launcher: &'a JailLauncher,
    pub(crate) engine: &'a JailEngine,
    /// The connector to hosts; without it there is no network.
    pub(crate) connector: Option<&'a Connector>,
    pub(crate) denials: &'a DenialSet,
    /// The hosts that the call was granted.
    pub(crate) hosts: GrantedHosts,
    pub(crate) curiosity: UngrantedHostPolicy,
    /// The receiver of its output while it runs.
    pub(crate) progress: &'a ProgressReporter,
}

/// Whether to record which hosts a child asks for that has no host granted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum UngrantedHostPolicy {
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
pub(crate) struct GrantedHosts {
    open: GrantSet,
    /// Grants that open nothing here.
    shut: Vec<ProxyDenied>,
}

impl GrantedHosts {
    /// The hosts for a call with these needs.
    pub(crate) fn of(needs: &[CallNeed]) -> Self {
        let mut reach = Self::default();
        for need in needs {
            match authority::grant(need) {
                Some(Grant::Fetch(pattern)) if !pattern.names_path() => {
                    reach.open.extend([Grant::Fetch(pattern)]);
                }
                Some(Grant::Fetch(pattern)) => reach.shut.push(ProxyDenied::Path(pattern.to_string())),
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
fn unspelled(need: &CallNeed) -> Option<ProxyDenied> {
    let CallNeed::Request(AccessRequest::Fetch(url)) = need else { return None };
    FetchPattern::origin(url).ok()?;
    Some(ProxyDenied::Path(url.to_string()))
}

impl ChildRunSettings<'_> {
    /// Runs the task until it ends or is stopped, and says which hosts it was refused.
    pub(crate) async fn run(
        &self,
        jail: &Jail,
        task: &JailTask,
        capture: CaptureOptions,
        stop: &CancellationToken,
    ) -> Result<(JailOutcome, Vec<ProxyDenied>), JailError> {
        let mut child = self.start(jail, task).await?;
        let refused = ProxyDenials::default();
        let serving = self.serve(child.take_listener(), refused.clone());
        let killer = child.killer();
        let live = LiveOutput::default();
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
        let shut = if *self.engine == JailEngine::Unconfined { Vec::new() } else { self.hosts.shut.clone() };
        Ok((outcome, [shut, refused.list()].concat()))
    }

    /// Starts the child in a network of its own, whose only way out is our proxy.
    ///
    /// If the machine does not support such networks, the child starts without one, but only if
    /// no host is granted.
    async fn start(&self, jail: &Jail, task: &JailTask) -> Result<JailJob, JailError> {
        let spawn = async |jail: &Jail| self.launcher.spawn(self.engine, jail, task).await;
        let wanted = !self.hosts.open.is_empty() || self.curiosity == UngrantedHostPolicy::Hears;
        if self.connector.is_none() || *self.engine == JailEngine::Unconfined || !wanted {
            return spawn(jail).await;
        }
        let variables = proxy::variables(&self.hosts.open);
        let proxied = variables.fold(jail.clone(), |jail, (name, value)| jail.env(name, value));
        match spawn(&proxied.network(JailNetwork::Proxied)).await {
            Err(JailError::Start { stage: StartStage::Network, .. }) if self.hosts.open.is_empty() => {
                spawn(jail).await
            }
            settled => settled,
        }
    }

    /// Serves the child's one way out, for as long as this is held.
    async fn serve(&self, listener: Option<std::net::TcpListener>, refused: ProxyDenials) -> Infallible {
        let listener = listener.and_then(|listener| {
            listener.set_nonblocking(true).ok()?;
            tokio::net::TcpListener::from_std(listener).ok()
        });
        if let (Some(listener), Some(connector)) = (listener, self.connector.cloned()) {
            let policy = GrantPolicy { grants: self.hosts.open.clone(), denials: self.denials.clone() };
            proxy::serve(listener, connector, policy, refused).await;
        }
        std::future::pending().await
    }
}
