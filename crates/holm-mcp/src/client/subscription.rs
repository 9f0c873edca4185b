//! Subscribes to list changes in the stateless era, where a server sends them only to subscribers.
//!
//! In the older era, notices arrive without a subscription in `notification_handler.rs`. It only
//! counts changes; lists are read elsewhere.

use std::time::Duration;

use rmcp::model::{ServerNotification, SubscriptionFilter};
use rmcp::service::Peer;
use rmcp::{RoleClient, ServiceError};
use tokio::task::AbortHandle;
use tokio::time::sleep;

use super::notification_handler::NotificationHandler;

/// The delay before a subscription that ended is opened again. It doubles each time.
const PAUSE: Duration = Duration::from_secs(1);
/// The longest delay before it is opened again.
const LONGEST_PAUSE: Duration = Duration::from_secs(60);

/// A subscription to changes of the tool list. Dropping it ends the subscription.
pub(crate) struct ListSubscription(AbortHandle);

impl ListSubscription {
    /// Subscribes if the server speaks the stateless era and supports change notices.
    pub(crate) fn open(peer: &Peer<RoleClient>, ear: NotificationHandler) -> Option<Self> {
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

/// Counts changes for as long as the connection is open. Streams cannot be resumed, so all changes
/// during a gap count as one.
async fn follow(peer: Peer<RoleClient>, ear: NotificationHandler) {
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
            // The server claims to support change notices and does not.
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
