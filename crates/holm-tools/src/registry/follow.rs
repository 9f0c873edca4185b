//! Tells active runs about changed tools.

use std::sync::Arc;
use std::time::Duration;

use holm_runtime::{Handle, NotHeard, Toolbox};
use tokio::task::AbortHandle;

use super::{Registry, Snapshot};

/// How long to wait before a busy run is notified again.
const AGAIN: Duration = Duration::from_millis(50);

/// A run that is told about changed tools. Dropping it stops the updates.
#[derive(Debug)]
pub struct Following {
    task: AbortHandle,
}

impl Drop for Following {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// Gives a run the tools that `pick` chooses from each new snapshot after `began`.
///
/// The run journals the change and finishes calls as they began. The task ends by itself when the
/// run's driver is gone. Must be called on an async runtime.
#[must_use = "dropping what is returned ends it"]
pub fn keep_current(
    registry: &Registry,
    began: &Snapshot,
    handle: Handle,
    pick: impl Fn(&Snapshot) -> Toolbox + Send + Sync + 'static,
) -> Following {
    let mut changes = registry.changes();
    if changes.borrow().number() != began.number() {
        changes.mark_changed();
    }
    let task = tokio::spawn(async move {
        while changes.changed().await.is_ok() {
            loop {
                let snapshot = Arc::clone(&changes.borrow_and_update());
                match handle.change_tools(pick(&snapshot)) {
                    Err(NotHeard::Gone) => return,
                    Err(NotHeard::Full) => tokio::time::sleep(AGAIN).await,
                    // Tools that do not go together stay out; the registry's own always do.
                    Ok(()) | Err(NotHeard::Tools(_) | NotHeard::NotAsked { .. } | NotHeard::NotYours) => {
                        break;
                    }
                }
            }
        }
    });
    Following { task: task.abort_handle() }
}
