//! Passes changed tools on to active runs. It waits for new snapshots of the registry (`list.rs`)
//! and gives each run its tools; when they count is decided by the kernel
//! (`holm-kernel/src/run/changes.rs`). Changed files are noticed in `watch.rs`.

use std::sync::Arc;
use std::time::Duration;

use holm_runtime::{HandleError, RunHandle, Toolbox};
use tokio::task::AbortHandle;

use super::{RegistrySnapshot, ToolRegistry};

/// How long to wait before a busy run is notified again.
const AGAIN: Duration = Duration::from_millis(50);

/// A run that is told about changed tools. Dropping it stops the updates.
#[derive(Debug)]
pub struct RegistryFollower {
    task: AbortHandle,
}

impl Drop for RegistryFollower {
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
    registry: &ToolRegistry,
    began: &RegistrySnapshot,
    handle: RunHandle,
    pick: impl Fn(&RegistrySnapshot) -> Toolbox + Send + Sync + 'static,
) -> RegistryFollower {
    let mut changes = registry.changes();
    if changes.borrow().number() != began.number() {
        changes.mark_changed();
    }
    let task = tokio::spawn(async move {
        while changes.changed().await.is_ok() {
            loop {
                let snapshot = Arc::clone(&changes.borrow_and_update());
                match handle.change_tools(pick(&snapshot)) {
                    Err(HandleError::Gone) => return,
                    Err(HandleError::Full) => tokio::time::sleep(AGAIN).await,
                    // Tools that do not go together stay out; the registry's own always do.
                    Ok(())
                    | Err(HandleError::Tools(_) | HandleError::NotAsked { .. } | HandleError::NotYours) => {
                        break;
                    }
                }
            }
        }
    });
    RegistryFollower { task: task.abort_handle() }
}
