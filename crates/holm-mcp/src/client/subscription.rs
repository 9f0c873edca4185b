//! Listens for list changes in the stateless era, where a server sends them to subscribers alone.

use std::time::Duration;

use rmcp::model::{ServerNotification, SubscriptionFilter};
use rmcp::service::Peer;
use rmcp::{RoleClient, ServiceError};
use tokio::task::AbortHandle;
use tokio::time::sleep;

use super::ear::Ear;

/// How long after a subscription ended another one is opened; twice as long each time.
const PAUSE: Duration = Duration::from_secs(1);
/// How long at most.
const LONGEST_PAUSE: Duration = Duration::from_secs(60);

/// A subscription to the list of tools. Dropped, it ends.
pub(crate) struct ListSubscription(AbortHandle);

impl ListSubscription {
    /// Subscribes where the server speaks the stateless era and says that it tells of changes.
    pub(crate) fn open(peer: &Peer<RoleClient>, ear: Ear) -> Option<Self> {
        let info = peer.peer_info()?;
        let tells = info.capabilities.tools.as_ref().is_some_and(|tools| tools.list_changed == Some(true));
        if info.protocol_version.has_initialize() || !tells {
            return None;
        }
        Some(Self(tokio::spawn(follow(peer.clone(), ear)).abort_handle()))
    }
}

impl Drop for ListSubscription {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// Counts the changes for as long as the line is up. Streams cannot be resumed: changes made while there was none
/// counts as one change.
async fn follow(peer: Peer<RoleClient>, ear: Ear) {
    let filter = SubscriptionFilter::builder().tools_list_changed().build();
    let mut failures = 0_u32;
    let mut had_one = false;
    loop {
        match peer.listen(filter.clone()).await {
            Ok(subscription) if subscription.acknowledged().tools_list_changed != Some(true) => return,
            Ok(mut subscription) => {
                if had_one {
                    ear.list_changed();
                }
                had_one = true;
                while let Ok(Some(notification)) = subscription.next().await {
                    failures = 0;
                    if matches!(notification, ServerNotification::ToolListChangedNotification(_)) {
                        ear.list_changed();
                    }
                }
            }
            // It says that it tells of changes, and does not know how.
            Err(ServiceError::McpError(_) | ServiceError::UnexpectedResponse) => return,
            Err(_) => {}
        }
        if peer.is_transport_closed() {
            return;
        }
        sleep(PAUSE.saturating_mul(1 << failures.min(6)).min(LONGEST_PAUSE)).await;
        failures = failures.saturating_add(1);
    }
}
