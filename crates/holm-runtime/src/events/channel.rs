//! Sends events to another task through a bounded channel. A slow reader is told how
//! many events were dropped.

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
pub struct Channel {
    sender: mpsc::Sender<Parcel>,
    counts: Arc<Counts>,
}

/// An event, and how many were dropped just before it.
#[derive(Debug)]
struct Parcel {
    missed: u64,
    event: Arc<Numbered>,
}

#[derive(Debug, Default)]
struct Counts {
    /// Dropped since the last event that was queued.
    pending: AtomicU64,
    /// Dropped since the channel was made.
    missed: AtomicU64,
}

/// What happened to an event that was offered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Offered {
    Taken,
    NoRoom,
    /// The reader is gone.
    Gone,
}

impl Channel {
    /// A channel with room for this many unread events; at least one.
    ///
    /// ```
    /// use holm_runtime::{Channel, EventSink, Notice};
    /// # use holm_kernel::{Event, EventId, Numbered, Timestamp};
    /// # let event = Numbered { id: EventId::default(), at: Timestamp::new(0), event: Event::GrantsChanged };
    ///
    /// let (channel, mut events) = Channel::new(1);
    /// channel.event(&event);
    /// channel.event(&event); // no room
    /// assert_eq!(channel.missed(), 1);
    /// drop(channel);
    /// assert!(matches!(events.try_next(), Some(Notice::Event(_))));
    /// assert_eq!(events.try_next(), Some(Notice::Missed(1)));
    /// assert_eq!(events.try_next(), None);
    /// ```
    pub fn new(room: usize) -> (Self, Subscription) {
        let (sender, receiver) = mpsc::channel(room.max(1));
        let counts = Arc::new(Counts::default());
        let subscription = Subscription { receiver, counts: Arc::clone(&counts), waiting: VecDeque::new() };
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
    pub(super) fn offer(&self, event: Arc<Numbered>) -> Offered {
        let missed = self.counts.pending.swap(0, Ordering::Relaxed);
        let Err(error) = self.sender.try_send(Parcel { missed, event }) else { return Offered::Taken };
        self.counts.pending.fetch_add(missed.saturating_add(1), Ordering::Relaxed);
        self.counts.missed.fetch_add(1, Ordering::Relaxed);
        match error {
            TrySendError::Full(_) => Offered::NoRoom,
            TrySendError::Closed(_) => Offered::Gone,
        }
    }
}

impl EventSink for Channel {
    fn event(&self, event: &Numbered) {
        self.offer(Arc::new(event.clone()));
    }
}

/// The reading end of a [`Channel`]. It ends when every sender is gone.
#[derive(Debug)]
pub struct Subscription {
    receiver: mpsc::Receiver<Parcel>,
    counts: Arc<Counts>,
    /// After a [`Notice::Missed`], the event that follows it.
    waiting: VecDeque<Arc<Numbered>>,
}

/// What a reader receives.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Notice {
    Event(Arc<Numbered>),
    /// This many events were dropped here, because there was no room for them.
    Missed(u64),
}

impl Subscription {
    /// The next event, or the number of missed ones before it; `None` when no more can come.
    pub async fn next(&mut self) -> Option<Notice> {
        if let Some(event) = self.waiting.pop_front() {
            return Some(Notice::Event(event));
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
                Notice::Event(event) => return Some(event),
                Notice::Missed(_) => {}
            }
        }
    }

    /// The next notice, without waiting.
    pub fn try_next(&mut self) -> Option<Notice> {
        if let Some(event) = self.waiting.pop_front() {
            return Some(Notice::Event(event));
        }
        match self.receiver.try_recv() {
            Ok(parcel) => Some(self.unpack(parcel)),
            Err(mpsc::error::TryRecvError::Empty) => None,
            Err(mpsc::error::TryRecvError::Disconnected) => self.rest(),
        }
    }

    /// As [`next`](Self::next), for threads outside a runtime.
    pub fn next_blocking(&mut self) -> Option<Notice> {
        if let Some(event) = self.waiting.pop_front() {
            return Some(Notice::Event(event));
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

    fn unpack(&mut self, parcel: Parcel) -> Notice {
        if parcel.missed == 0 {
            return Notice::Event(parcel.event);
        }
        self.waiting.push_back(parcel.event);
        Notice::Missed(parcel.missed)
    }

    /// The events that were dropped after the last queued one.
    fn rest(&self) -> Option<Notice> {
        let missed = self.counts.pending.swap(0, Ordering::Relaxed);
        (missed > 0).then_some(Notice::Missed(missed))
    }
}
