//! Reports the progress of a call to the client that made it.

use std::sync::Arc;

use holm_runtime::ProgressUpdate;
use rmcp::RoleServer;
use rmcp::model::ProgressNotificationParam;
use rmcp::service::RequestContext;

use super::call::ProgressCallback;

/// Returns a callback that sends progress to the client, if the client asked for progress.
pub(super) fn teller(context: &RequestContext<RoleServer>) -> ProgressCallback {
    let Some(token) = context.meta.get_progress_token() else { return Arc::new(|_| {}) };
    let (sender, mut updates) = tokio::sync::mpsc::channel::<ProgressUpdate>(64);
    let peer = context.peer.clone();
    tokio::spawn(async move {
        let mut step = 0.0;
        while let Some(update) = updates.recv().await {
            step += 1.0;
            let mut params = ProgressNotificationParam::new(token.clone(), update.done.map_or(step, float));
            if let Some(total) = update.total {
                params = params.with_total(float(total));
            }
            if !update.text.is_empty() {
                params = params.with_message(update.text);
            }
            if peer.notify_progress(params).await.is_err() {
                return;
            }
        }
    });
    // A client that reads too slowly misses some updates.
    Arc::new(move |update| drop(sender.try_send(update)))
}

#[expect(clippy::cast_precision_loss, reason = "a measure of progress is for a bar on a screen")]
fn float(number: u64) -> f64 {
    number as f64
}
