//! Contains a child whose task panics: the parent gets a failed result with the bill, computed from
//! the child's journal.
//!
//! Without the bill a panic would make work free. The journals are closed by
//! `child/close_orphans.rs`; panics of tools are handled in `tool/panics.rs`. The wait for
//! descendants is bounded, so that a parent never hangs on a dead child.

use std::{
    future::poll_fn,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::Arc,
    task::Poll,
    time::Duration,
};

use holm_kernel::{ChildResult, ToolOutput};

use super::{
    child_execution::{bill, child_id},
    close_orphans::{DescendantStatus, lay_to_rest},
};
use crate::{BoxFuture, ChildLaunch, ChildSpawner, DriveError, JournalStorageError, JournalStore};

/// The message for its parent.
const PANICKED: &str = "the child run panicked";

/// How long descendants may take to release their journals; they are dropped
/// together with the child.
const LETTING_GO: Duration = Duration::from_secs(3);

/// How often the journals are checked.
const LOOK: Duration = Duration::from_millis(10);

/// Runs a child. If it panics, its journal and those of its descendants are closed, and their
/// usage is the bill.
pub(crate) async fn contain(spawner: Arc<dyn ChildSpawner>, child: ChildLaunch) -> ChildResult {
    let (journals, id) = (Arc::clone(&child.journals), child_id(&child.request));
    let work = async move { spawner.spawn(child).await };
    match caught(Box::pin(work)).await {
        Some(result) => result,
        None => ChildResult { output: ToolOutput::failed(PANICKED), ..taken(&*journals, &id).await },
    }
}

/// The result of a future, or `None` if it panics. The future and everything it held are
/// dropped when this returns.
async fn caught(mut work: BoxFuture<'_, ChildResult>) -> Option<ChildResult> {
    poll_fn(|context| match catch_unwind(AssertUnwindSafe(|| work.as_mut().poll(context))) {
        Ok(Poll::Pending) => Poll::Pending,
        Ok(Poll::Ready(result)) => Poll::Ready(Some(result)),
        Err(_) => Poll::Ready(None),
    })
    .await
}

/// The bill of a child whose driver is gone.
async fn taken(journals: &dyn JournalStore, id: &str) -> ChildResult {
    let mut known = ChildResult::default();
    let all = async {
        loop {
            match lay_to_rest(journals, id).await {
                Ok(Some(rested)) => {
                    known = bill(&rested.run);
                    if rested.left == DescendantStatus::Nobody {
                        return;
                    }
                }
                Err(DriveError::Journal(JournalStorageError::Busy { .. })) => {}
                Ok(None) | Err(_) => return,
            }
            tokio::time::sleep(LOOK).await;
        }
    };
    // A descendant that holds its journal longer is closed when the parent is resumed.
    let _ = tokio::time::timeout(LETTING_GO, all).await;
    known
}
