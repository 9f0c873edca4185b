//! Sends events to another task through a bounded channel. A slow reader learns how many events
//! were dropped.
//!
//! The sender never waits, because it runs in the driver's task. Subscribing and leaving during a
//! run is in `events/hub.rs`, a task for an observer in `events/queue.rs`.

use std::{
    collections::VecDeque,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use holm_kernel::Numbered;
use tokio::sync::mpsc::{self, error::TrySendError};

use super::EventSink;

/// The sending end: a sink that never waits. If there is no room, the event is dropped and counted.
#[derive(Debug, Clone)]
pub struct EventChannel {
    sender: mpsc::Sender<QueuedEvent>,
    counts: Arc<DropCounters>,
}

/// An event, and how many were dropped just before it.
#[derive(Debug)]
struct QueuedEvent {
    missed: u64,
    event: Arc<Numbered>,
}

#[derive(Debug, Default)]
struct DropCounters {
    /// Dropped since the last event that was queued.
    pending: AtomicU64,
    /// Dropped since the channel was made.
    missed: AtomicU64,
}

/// What happened to an event that was offered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum OfferOutcome {
    Taken,
    NoRoom,
    /// The reader is gone.
    Gone,
}

impl EventChannel {
    /// A channel with room for this many unread events; at least one.
    ///
    /// ```
    /// use holm_runtime::{EventChannel, EventSink, EventNotice};
    /// # use holm_kernel::{Event, EventId, Numbered, Timestamp};
    /// # let event = Numbered { id: EventId::default(), at: Timestamp::new(0), event: Event::GrantsChanged };
    ///
    /// let (channel, mut events) = EventChannel::new(1);
    /// channel.event(&event);
    /// channel.event(&event); // no room
    /// assert_eq!(channel.missed(), 1);
    /// drop(channel);
    /// assert!(matches!(events.try_next(), Some(EventNotice::Event(_))));
    /// assert_eq!(events.try_next(), Some(EventNotice::Missed(1)));
    /// assert_eq!(events.try_next(), None);
    /// ```
    pub fn new(room: usize) -> (Self, EventSubscription) {
        let (sender, receiver) = mpsc::channel(room.max(1));
        let counts = Arc::new(DropCounters::default());
        let subscription =
            EventSubscription { receiver, counts: Arc::clone(&counts), waiting: VecDeque::new() };
        (Self { sender, counts }, subscription)
    }

    /// How many events were dropped so far.
    pub fn missed(&self) -> u64 {
        self.counts.missed.load(Ordering::Relaxed)
    }

    /// Whether the reader is gone.
    pub fn is_closed(&self) -> bool {
        self.sender.is_closed()
    }

    /// Drops this sender. Returns how many events were dropped.
    pub(super) fn close(self) -> u64 {
        self.missed()
    }

    /// Queues an event, or counts it as dropped.
    pub(super) fn offer(&self, event: Arc<Numbered>) -> OfferOutcome {
        let missed = self.counts.pending.swap(0, Ordering::Relaxed);
        let Err(error) = self.sender.try_send(QueuedEvent { missed, event }) else {
            return OfferOutcome::Taken;
        };
        self.counts.pending.fetch_add(missed.saturating_add(1), Ordering::Relaxed);
        self.counts.missed.fetch_add(1, Ordering::Relaxed);
        match error {
            TrySendError::Full(_) => OfferOutcome::NoRoom,
            TrySendError::Closed(_) => OfferOutcome::Gone,
        }
    }
}

impl EventSink for EventChannel {
    fn event(&self, event: &Numbered) {
        self.offer(Arc::new(event.clone()));
    }
}

/// The reading end of a [`EventChannel`]. It ends when every sender is gone.
#[derive(Debug)]
pub struct EventSubscription {
    receiver: mpsc::Receiver<QueuedEvent>,
    counts: Arc<DropCounters>,
    /// After a [`EventNotice::Missed`], the event that follows it.
    waiting: VecDeque<Arc<Numbered>>,
}

/// What a reader receives.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EventNotice {
    Event(Arc<Numbered>),
    /// This many events were dropped here, because there was no room for them.
    Missed(u64),
}

impl EventSubscription {
    /// The next event, or the number of missed ones before it; `None` when no more can come.
    pub async fn next(&mut self) -> Option<EventNotice> {
        if let Some(event) = self.waiting.pop_front() {
            return Some(EventNotice::Event(event));
        }
        match self.receiver.recv().await {
            Some(parcel) => Some(self.unpack(parcel)),
            None => self.rest(),
        }
    }

    /// The next event; missed events are only counted.
    pub async fn event(&mut self) -> Option<Arc<Numbered>> {
        loop {
            match self.next().await? {
                EventNotice::Event(event) => return Some(event),
                EventNotice::Missed(_) => {}
            }
        }
    }

    /// The next notice, without waiting.
    pub fn try_next(&mut self) -> Option<EventNotice> {
        if let Some(event) = self.waiting.pop_front() {
            return Some(EventNotice::Event(event));
        }
        match self.receiver.try_recv() {
            Ok(parcel) => Some(self.unpack(parcel)),
            Err(mpsc::error::TryRecvError::Empty) => None,
            Err(mpsc::error::TryRecvError::Disconnected) => self.rest(),
        }
    }

    /// As [`next`](Self::next), for threads outside a runtime.
    pub fn next_blocking(&mut self) -> Option<EventNotice> {
        if let Some(event) = self.waiting.pop_front() {
            return Some(EventNotice::Event(event));
        }
        match self.receiver.blocking_recv() {
            Some(parcel) => Some(self.unpack(parcel)),
            None => self.rest(),
        }
    }

    /// How many events were dropped so far.
    pub fn missed(&self) -> u64 {
        self.counts.missed.load(Ordering::Relaxed)
    }

    fn unpack(&mut self, parcel: QueuedEvent) -> EventNotice {
        if parcel.missed == 0 {
            return EventNotice::Event(parcel.event);
        }
        self.waiting.push_back(parcel.event);
        EventNotice::Missed(parcel.missed)
    }

    /// The events that were dropped after the last queued one.
    fn rest(&self) -> Option<EventNotice> {
        let missed = self.counts.pending.swap(0, Ordering::Relaxed);
        (missed > 0).then_some(EventNotice::Missed(missed))
    }
}
