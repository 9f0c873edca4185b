//! Queues for slow observers: each has its own task and a bounded queue, so that none can slow a
//! run.
//!
//! The queue itself is `events/channel.rs`. An observer that panics gets no more events, and the
//! run continues. Hooks that may affect a run are not observers; they are asked in
//! `driver/hooks.rs`.

use std::{future::Future, time::Duration};

use holm_kernel::Numbered;
use tokio::task::JoinHandle;

use super::{EventChannel, EventNotice, EventSink};

/// Passes events to an observer, one after the other, in its own task.
///
/// A slow observer misses events and gets their number instead. An observer that panics gets
/// no more events; they are counted as missed. The run is not affected.
///
/// ```
/// use std::time::Duration;
/// use holm_runtime::{EventNotice, ObserverQueue};
///
/// # tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap().block_on(async {
/// let queue = ObserverQueue::spawn(1_024, |notice| async move {
///     match notice {
///         EventNotice::Event(event) => println!("{:?}", event.event),
///         EventNotice::Missed(count) => println!("{count} events were too many for me"),
///     }
/// });
/// assert_eq!(queue.finish(Duration::from_secs(1)).await, 0);
/// # });
/// ```
#[derive(Debug)]
pub struct ObserverQueue {
    channel: EventChannel,
    task: JoinHandle<()>,
}

impl ObserverQueue {
    /// Starts the observer's task, with room for this many waiting events. Must be
    /// called within a runtime.
    pub fn spawn<O, Out>(room: usize, mut observer: O) -> Self
    where
        O: FnMut(EventNotice) -> Out + Send + 'static,
        Out: Future<Output = ()> + Send + 'static,
    {
        let (channel, mut events) = EventChannel::new(room);
        let task = tokio::spawn(async move {
            while let Some(notice) = events.next().await {
                observer(notice).await;
            }
        });
        Self { channel, task }
    }

    /// How many events the observer missed so far.
    pub fn missed(&self) -> u64 {
        self.channel.missed()
    }

    /// Whether the observer has panicked and gets no more events.
    pub fn is_over(&self) -> bool {
        self.channel.is_closed()
    }

    /// Gives the observer up to this time for the waiting events, and ends it. Returns
    /// how many it missed.
    pub async fn finish(self, patience: Duration) -> u64 {
        let Self { channel, mut task } = self;
        let missed = channel.close();
        if tokio::time::timeout(patience, &mut task).await.is_err() {
            task.abort();
        }
        missed
    }
}

impl EventSink for ObserverQueue {
    fn event(&self, event: &Numbered) {
        self.channel.event(event);
    }
}
