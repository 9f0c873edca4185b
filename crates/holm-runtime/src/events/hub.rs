//! A sink that watchers can subscribe to and leave while a run works.
//!
//! Each watcher has its own bounded channel (`events/channel.rs`), so one that stops reading
//! affects neither the run nor the others. There is no history: a watcher that joins late reads the
//! journal for what came before.

use std::sync::{
    Arc, PoisonError, RwLock,
    atomic::{AtomicUsize, Ordering},
};

use holm_kernel::Numbered;

use super::{EventChannel, EventSink, EventSubscription, channel::OfferOutcome};

/// A sink that allows subscriptions at any time. Without subscribers, an event
/// costs one atomic read.
///
/// ```
/// use holm_runtime::{EventSink, EventHub};
///
/// let hub = EventHub::new();
/// let events = hub.subscribe(256);
/// assert_eq!(hub.watchers(), 1);
/// drop(events);
/// ```
#[derive(Debug, Default)]
pub struct EventHub {
    channels: RwLock<Vec<EventChannel>>,
    /// The number of channels, so that a run without watchers takes no lock.
    count: AtomicUsize,
}

impl EventHub {
    pub fn new() -> Self {
        Self::default()
    }

    /// The events from now on, with room for this many unread ones.
    pub fn subscribe(&self, room: usize) -> EventSubscription {
        let (channel, subscription) = EventChannel::new(room);
        let mut channels = self.channels.write().unwrap_or_else(PoisonError::into_inner);
        channels.push(channel);
        self.count.store(channels.len(), Ordering::Release);
        subscription
    }

    /// The number of watchers; one that has left is counted until the next event.
    pub fn watchers(&self) -> usize {
        self.count.load(Ordering::Acquire)
    }

    /// Ends every subscription after its last event was read.
    pub fn close(&self) {
        let mut channels = self.channels.write().unwrap_or_else(PoisonError::into_inner);
        channels.clear();
        self.count.store(0, Ordering::Release);
    }

    /// Sends an event to all subscribers. Returns whether a subscriber has left.
    fn tell(&self, event: &Arc<Numbered>) -> bool {
        let channels = self.channels.read().unwrap_or_else(PoisonError::into_inner);
        let offers = channels.iter().map(|channel| channel.offer(Arc::clone(event)));
        offers.filter(|offered| *offered == OfferOutcome::Gone).count() > 0
    }

    fn forget_the_gone(&self) {
        let mut channels = self.channels.write().unwrap_or_else(PoisonError::into_inner);
        channels.retain(|channel| !channel.is_closed());
        self.count.store(channels.len(), Ordering::Release);
    }
}

impl EventSink for EventHub {
    fn event(&self, event: &Numbered) {
        if self.watchers() > 0 && self.tell(&Arc::new(event.clone())) {
            self.forget_the_gone();
        }
    }
}
