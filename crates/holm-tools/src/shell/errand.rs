//! One child from its start to its end, with the hosts that it was granted.

use std::convert::Infallible;

use holm_grants::{Denials, Grant, GrantSet, Need, Policy};
use holm_jail::{Capture, Engine, Jail, JailError, Job, Launcher, Network, Outcome, Stage, Task};
use holm_net::Connector;
use holm_runtime::CancellationToken;

use super::proxy::{self, Refusal, Refused};

/// What a child is run with, beside its jail.
pub(crate) struct Errand<'a> {
    pub(crate) launcher: &'a Launcher,
    pub(crate) engine: &'a Engine,
    /// How hosts are reached; without it there is no network.
    pub(crate) connector: Option<&'a Connector>,
    pub(crate) denials: &'a Denials,
    /// The hosts that the call was granted.
    pub(crate) hosts: GrantSet,
    pub(crate) curiosity: Curiosity,
}

/// Whether it is wanted to know what hosts a child asks for that was granted none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Curiosity {
    /// Its requests are heard and refused.
    Hears,
    /// It can open no socket.
    Deaf,
}

/// The hosts that a call was granted, and nothing beyond them.
pub(crate) fn hosts(needs: &[Need]) -> GrantSet {
    let grants = needs.iter().filter_map(|need| match need {
        Need::Grant(grant) => Some(grant.clone()),
        Need::Request(request) => Grant::exactly(request).ok(),
    });
    grants.filter(|grant| matches!(grant, Grant::Fetch(_))).collect()
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
        let finish = child.finish(capture);
        tokio::pin!(finish, serving);
        let outcome = tokio::select! {
            outcome = &mut finish => outcome,
            never = &mut serving => match never {},
            () = stop.cancelled() => {
                killer.kill();
                finish.await
            }
        };
        Ok((outcome, refused.list()))
    }

    /// Starts the child, in a network of its own whose one way out is ours.
    ///
    /// Only where no host is granted can it go without, on a machine that gives nobody a network of their own.
    async fn start(&self, jail: &Jail, task: &Task) -> Result<Job, JailError> {
        let spawn = async |jail: &Jail| self.launcher.spawn(self.engine, jail, task).await;
        let wanted = !self.hosts.is_empty() || self.curiosity == Curiosity::Hears;
        if self.connector.is_none() || *self.engine == Engine::Unconfined || !wanted {
            return spawn(jail).await;
        }
        let proxied = proxy::variables().fold(jail.clone(), |jail, (name, value)| jail.env(name, value));
        match spawn(&proxied.network(Network::Proxied)).await {
            Err(JailError::Start { stage: Stage::Network, .. }) if self.hosts.is_empty() => spawn(jail).await,
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
            let policy = Policy { grants: self.hosts.clone(), denials: self.denials.clone() };
            proxy::serve(listener, connector, policy, refused).await;
        }
        std::future::pending().await
    }
}
