//! Loads files in their order even if they are read at the same time. If two files want one name,
//! the result must not depend on which was read faster.

use tokio::sync::oneshot;

/// The position of a file in the queue of files that are loaded together.
#[derive(Debug, Default)]
pub(super) struct LoadTurn {
    /// Comes to its end when the file before this one began to load, or will not.
    before: Option<oneshot::Receiver<()>>,
    /// Dropped with the turn, which lets the next file start.
    after: Option<oneshot::Sender<()>>,
}

impl LoadTurn {
    /// A turn without a predecessor: the file is loaded alone, or it is the first in the queue.
    pub(super) fn free() -> Self {
        Self::default()
    }

    /// The turn after this one. There is one such turn.
    pub(super) fn next(&mut self) -> Self {
        let (after, before) = oneshot::channel();
        self.after = Some(after);
        Self { before: Some(before), after: None }
    }

    /// Waits for the file before this one.
    pub(super) async fn come(&mut self) {
        if let Some(before) = self.before.take() {
            // Nothing is ever sent: that the other is dropped is the sign.
            let _ = before.await;
        }
    }
}
