//! The job schedulers of all users. Each starts when it is first needed.
//!
//! One user's jobs are handled in `job_scheduler.rs`. Jobs of a user without a token do not run. A
//! scheduler looks at its jobs before sessions are resumed, because the job decides whether users
//! are asked.

use std::{collections::HashMap, pin::pin, sync::Arc};

use holm_net::{Connector, HttpClient, SystemResolver, TlsConfig};
use holm_runtime::{BoxFuture, CancellationToken, Clock};
use tokio::sync::Mutex;

use super::{
    JobNotification, JobRepository, JobScheduler, NotificationSender, SchedulerServices,
    SessionAttemptRunner, WallClock, WebhookDeliveryError, WebhookSender,
};
use crate::{
    ApiError, HolmServer,
    auth::{TokenRegistry, UserName},
};

/// The place of a user's scheduler; empty until its first use.
type SchedulerSlot = Arc<Mutex<Option<Arc<JobScheduler>>>>;

/// The job schedulers of all users.
pub(crate) struct JobSchedulers {
    schedulers: Mutex<HashMap<UserName, SchedulerSlot>>,
    clock: Arc<dyn Clock>,
    messenger: Arc<dyn NotificationSender>,
    stop: CancellationToken,
}

impl JobSchedulers {
    pub(crate) fn new() -> Self {
        let clock: Arc<dyn Clock> = Arc::new(WallClock);
        let messenger = messenger(Arc::clone(&clock));
        Self { schedulers: Mutex::default(), clock, messenger, stop: CancellationToken::new() }
    }

    /// The clock by which jobs are due.
    pub(crate) fn clock(&self) -> &dyn Clock {
        &*self.clock
    }

    /// The scheduler of a user's jobs.
    pub(crate) async fn of(
        &self,
        server: &HolmServer,
        user: &UserName,
    ) -> Result<Arc<JobScheduler>, ApiError> {
        let slot = Arc::clone(self.schedulers.lock().await.entry(user.clone()).or_default());
        // Held while the jobs of this user are read. A slow store delays only its own user.
        let mut slot = slot.lock().await;
        if let Some(scheduler) = &*slot {
            return Ok(Arc::clone(scheduler));
        }
        let home = server.inner.workshop.home(user).await?;
        let with = SchedulerServices {
            clock: Arc::clone(&self.clock),
            starter: Arc::new(SessionAttemptRunner::new(Arc::downgrade(&server.inner))),
            messenger: Arc::clone(&self.messenger),
        };
        let scheduler = JobScheduler::new(user.clone(), JobRepository::new(home.store), with);
        // Done before any other code resumes these sessions, because the job decides whether users
        // are asked.
        scheduler.look().await?;
        let keyring = Arc::clone(&server.inner.keyring);
        tokio::spawn(keep(Arc::clone(&scheduler), user.clone(), keyring, self.stop.clone()));
        *slot = Some(Arc::clone(&scheduler));
        Ok(scheduler)
    }

    pub(crate) fn stop(&self) {
        self.stop.cancel();
    }
}

/// Runs the jobs of a user as long as the user has a token, and pauses while they have none. When a
/// token exists again, each job decides about the times that it missed.
async fn keep(
    scheduler: Arc<JobScheduler>,
    user: UserName,
    keyring: Arc<TokenRegistry>,
    stop: CancellationToken,
) {
    let mut changes = keyring.changes();
    let holds = || keyring.holders().contains(&user);
    while !stop.is_cancelled() {
        if !holds() {
            // The token registry is held here, so its sender exists.
            tokio::select! {
                _ = changes.changed() => {}
                () = stop.cancelled() => {}
            }
            continue;
        }
        let pause = stop.child_token();
        let mut keeping = pin!(Arc::clone(&scheduler).keep(pause.clone()));
        let released = async {
            while holds() {
                let _ = changes.changed().await;
            }
        };
        tokio::select! {
            () = &mut keeping => {}
            () = released => {
                pause.cancel();
                // The current check is finished first.
                keeping.await;
            }
        }
    }
}

fn messenger(clock: Arc<dyn Clock>) -> Arc<dyn NotificationSender> {
    let tls = match TlsConfig::platform() {
        Ok(tls) => tls,
        Err(error) => return Arc::new(UnavailableSender(WebhookDeliveryError::Net(error))),
    };
    let client = HttpClient::new(Connector::new(Arc::new(SystemResolver)), tls);
    match WebhookSender::new(client, clock) {
        Ok(webhooks) => Arc::new(webhooks),
        Err(_) => Arc::new(UnavailableSender(WebhookDeliveryError::Address)),
    }
}

/// A sender that fails with a fixed reason.
struct UnavailableSender(WebhookDeliveryError);

impl NotificationSender for UnavailableSender {
    fn tell(&self, _: JobNotification) -> BoxFuture<'static, Result<(), WebhookDeliveryError>> {
        let error = self.0.clone();
        Box::pin(async move { Err(error) })
    }
}
