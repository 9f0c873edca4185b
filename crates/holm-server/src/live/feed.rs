//! The feed of one session: recent events and the reply that is arriving, kept in memory. A watcher
//! that looks away for a moment misses nothing.
//!
//! Watchers read the feed at their own pace, and it never waits for one of them.
//!
//! Frames are defined in `frame.rs`, positions in `cursor.rs`, and older events are read from the
//! journal in `session_watcher.rs`. Everything is bounded, per feed and together
//! (`feed_memory.rs`).

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use holm_kernel::{CallId, Event, EventId, Numbered, Seq};
use holm_runtime::{DeltaSink, EventSink, ReplyDelta};
use tokio::sync::watch;

use super::{
    FeedCursor, FeedEvent, FeedFrame, FeedMemory, Posed, QuestionId, feed_memory::MemoryReservation,
};

/// The number of events in memory: some turns of a busy run. The journal has the rest.
const MOST_EVENTS: usize = 512;
/// Their size in bytes: tool results can be large, and the journal has them.
const MOST_BYTES: usize = 4 * 1024 * 1024;
/// The size limit of each feed, for events, notes and the arriving reply, if all feeds
/// together use too much.
const FEW_BYTES: usize = 64 * 1024;
/// The number of notes, questions and progress frames; a watcher that lags further is notified.
const MOST_TALK: usize = 256;
/// Their size in bytes.
const MOST_TALK_BYTES: usize = 1024 * 1024;
/// The size limit of an arriving reply: more than any model writes at once.
const MOST_REPLY: usize = 4 * 1024 * 1024;
/// Frames per step, so that one watcher does not hold the lock for long.
const MOST_FRAMES: usize = 64;
/// Bytes of a reply in one frame.
const MOST_PIECE: usize = 16 * 1024;

/// The events and the arriving reply of one session.
///
/// The kernel numbers events, so a watcher that reconnects with its last number gets exactly what
/// follows. Pieces of a reply are counted in bytes.
pub struct SessionFeed {
    ring: Mutex<FeedBuffer>,
    changes: watch::Sender<u64>,
}

struct FeedBuffer {
    events: VecDeque<Arc<FeedEvent>>,
    /// The size of the events in bytes; `talk_bytes` is that of `talk`.
    event_bytes: usize,
    talk_bytes: usize,
    /// The share of this feed in the memory of all feeds.
    taken: MemoryReservation,
    /// How often the feed was reset.
    begun: u64,
    driven: DriverLocation,
    floor: FeedFloor,
    reply: Option<ReplyBuffer>,
    work: FeedWorkState,
    talk: VecDeque<FeedFrame>,
    /// The number of the first entry of `talk`.
    talked: u64,
}

/// Which process drives the session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum DriverLocation {
    Here,
    /// Another process, or no process at all.
    Elsewhere,
}

/// From which point on the feed has all events.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FeedFloor {
    /// No event has arrived yet.
    Unknown,
    Beginning,
    /// A watcher that has seen this event finds every later one here.
    After(EventId),
}

/// Whether the session works, according to its events.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum FeedWorkState {
    #[default]
    Done,
    UnderWay,
}

/// The reply that is arriving.
struct ReplyBuffer {
    call: CallId,
    pieces: VecDeque<FeedReplyPiece>,
    /// The offset of the first piece, counted over all bytes of this call.
    base: u64,
    /// The offset after the last piece.
    end: u64,
}

struct FeedReplyPiece {
    kind: FeedReplyKind,
    /// The offset within the text of its kind.
    offset: u64,
    text: String,
}

/// The kind of text that a piece belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FeedReplyKind {
    Text,
    Thinking,
    ToolCall(u64),
    ToolArguments(u64),
}

impl FeedReplyKind {
    const fn name(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Thinking => "thinking",
            Self::ToolCall(_) => "tool_call",
            Self::ToolArguments(_) => "tool_arguments",
        }
    }

    const fn index(self) -> Option<u64> {
        match self {
            Self::Text | Self::Thinking => None,
            Self::ToolCall(index) | Self::ToolArguments(index) => Some(index),
        }
    }
}

/// The next step for a watcher.
#[derive(Debug)]
pub enum FeedStep {
    /// These frames, each with the position after it.
    Frames(Vec<(FeedFrame, FeedCursor)>),
    Wait,
    /// The feed no longer has the next event; the journal has it.
    Behind,
}

/// The position of a watcher.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct FeedPosition {
    pub(crate) cursor: FeedCursor,
    talk: u64,
}

impl SessionFeed {
    /// Creates an empty feed that shares its memory with no other.
    pub fn new() -> Self {
        Self::within(&FeedMemory::new(usize::MAX))
    }

    /// Creates an empty feed that shares the given memory limit.
    pub(crate) fn within(memory: &Arc<FeedMemory>) -> Self {
        Self { ring: Mutex::new(FeedBuffer::new(memory)), changes: watch::Sender::new(0) }
    }

    /// The memory limit that all feeds share.
    pub(super) fn memory(&self) -> Arc<FeedMemory> {
        Arc::clone(self.lock().taken.memory())
    }

    /// Drops all events, because another process may have driven the session meanwhile. New events
    /// are added as they happen; earlier ones are in the journal.
    pub(crate) fn begin_anew(&self) {
        let mut ring = self.lock();
        (ring.events, ring.event_bytes, ring.reply, ring.floor) =
            (VecDeque::new(), 0, None, FeedFloor::Unknown);
        ring.begun += 1;
        ring.account();
    }

    /// From now on this process drives the session and adds its events here.
    pub(crate) fn take_up(&self) {
        self.lock().driven = DriverLocation::Here;
    }

    /// The session is no longer driven here.
    pub(crate) fn let_go(&self) {
        self.lock().driven = DriverLocation::Elsewhere;
    }

    /// Whether this process drives the session and adds its events here.
    pub(super) fn is_driven(&self) -> bool {
        self.lock().driven == DriverLocation::Here
    }

    /// How often the feed was reset.
    pub(super) fn begun(&self) -> u64 {
        self.lock().begun
    }

    /// Notifies a watcher whenever there is something new.
    pub fn bell(&self) -> watch::Receiver<u64> {
        self.changes.subscribe()
    }

    pub fn watchers(&self) -> usize {
        self.changes.receiver_count()
    }

    /// Shows a note to the current watchers. It is not kept for later ones.
    pub fn note(&self, text: &str) {
        self.talk(FeedFrame::Note(text.into()));
    }

    pub(crate) fn asked(&self, posed: Arc<Posed>) {
        self.talk(FeedFrame::Asked(posed));
    }

    pub(crate) fn settled(&self, id: QuestionId) {
        self.talk(FeedFrame::Settled(id));
    }

    /// Records a gap: a watcher that has not seen `last` finds the missing events in the journal.
    /// Without `last`, the next event marks where the feed is complete again.
    pub(crate) fn break_off(&self, last: Option<EventId>) {
        let mut ring = self.lock();
        ring.events.clear();
        ring.event_bytes = 0;
        ring.begun += 1;
        (ring.floor, ring.reply) = (last.map_or(FeedFloor::Unknown, FeedFloor::After), None);
        ring.account();
        drop(ring);
        self.ring_bell();
    }

    /// Whether the last event about work said that it has ended.
    pub(crate) fn is_at_rest(&self) -> bool {
        self.lock().work == FeedWorkState::Done
    }

    /// The position after everything in the feed.
    pub(crate) fn latest(&self) -> FeedCursor {
        let ring = self.lock();
        // The last event may have been too large to keep; watchers saw it anyway.
        let event = ring.events.back().map(|entry| entry.event.id).or(match ring.floor {
            FeedFloor::After(event) => Some(event),
            FeedFloor::Unknown | FeedFloor::Beginning => None,
        });
        let reply = ring.reply.as_ref().map(|reply| (reply.call, reply.end));
        FeedCursor { event, reply }
    }

    /// A position from which all later notes and questions are seen.
    pub(crate) fn position(&self, cursor: FeedCursor) -> FeedPosition {
        let ring = self.lock();
        FeedPosition { cursor, talk: ring.talked + ring.talk.len() as u64 }
    }

    /// The next step for a watcher.
    pub(crate) fn step(&self, position: &mut FeedPosition) -> FeedStep {
        let ring = self.lock();
        // Checked before the position moves, so a watcher that is sent to the journal keeps its
        // position.
        if !ring.covers(position.cursor.event) || !ring.remembers(position) {
            return FeedStep::Behind;
        }
        let mut frames = Vec::new();
        ring.events(position, &mut frames);
        if frames.len() < MOST_FRAMES {
            ring.pieces(position, &mut frames);
            ring.talk(position, &mut frames);
        }
        if frames.is_empty() { FeedStep::Wait } else { FeedStep::Frames(frames) }
    }

    fn talk(&self, frame: FeedFrame) {
        let mut ring = self.lock();
        ring.talk_bytes += frame.memory_bytes();
        ring.talk.push_back(frame);
        ring.shrink();
        drop(ring);
        self.ring_bell();
    }

    fn ring_bell(&self) {
        self.changes.send_modify(|count| *count = count.wrapping_add(1));
    }

    /// No change here can be left incomplete, so a poisoned lock is safe to use.
    fn lock(&self) -> MutexGuard<'_, FeedBuffer> {
        self.ring.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Default for SessionFeed {
    fn default() -> Self {
        Self::new()
    }
}

impl std::fmt::Debug for SessionFeed {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("SessionFeed").field("events", &self.lock().events.len()).finish_non_exhaustive()
    }
}

impl EventSink for SessionFeed {
    fn event(&self, event: &Numbered) {
        let entry = Arc::new(FeedEvent::new(event.clone()));
        if self.watchers() > 0 {
            // The watchers need the text anyway, and it is made only once.
            entry.text();
        }
        let mut ring = self.lock();
        ring.hear(&event.event);
        if ring.floor == FeedFloor::Unknown {
            let is_first = event.id == EventId { record: Seq::new(0), index: 0 };
            // Earlier events were not shown here.
            ring.floor = if is_first { FeedFloor::Beginning } else { FeedFloor::After(event.id) };
        }
        ring.event_bytes += entry.memory_bytes();
        ring.events.push_back(entry);
        ring.shrink();
        drop(ring);
        self.ring_bell();
    }
}

impl DeltaSink for SessionFeed {
    fn delta(&self, call: CallId, delta: ReplyDelta<'_>) {
        let (kind, offset, text) = match delta {
            ReplyDelta::Text { offset, text } => (FeedReplyKind::Text, offset, text),
            ReplyDelta::Thinking { offset, text } => (FeedReplyKind::Thinking, offset, text),
            ReplyDelta::ToolCallStarted { index, name, .. } => (FeedReplyKind::ToolCall(index), 0, name),
            ReplyDelta::ToolArguments { index, offset, text } => {
                (FeedReplyKind::ToolArguments(index), offset, text)
            }
            ReplyDelta::Progress { text, done, total } => {
                self.talk(FeedFrame::Progress { call: call.value(), text: text.into(), done, total });
                return;
            }
            // The events contain this too, with the final numbers.
            ReplyDelta::Accepted { .. } | ReplyDelta::Usage(_) => return,
        };
        let mut ring = self.lock();
        ring.arrive(call, kind, offset, text);
        ring.shrink();
        drop(ring);
        self.ring_bell();
    }
}

impl FeedBuffer {
    fn new(memory: &Arc<FeedMemory>) -> Self {
        Self {
            events: VecDeque::new(),
            event_bytes: 0,
            talk_bytes: 0,
            taken: MemoryReservation::of(memory),
            begun: 0,
            driven: DriverLocation::Elsewhere,
            floor: FeedFloor::Unknown,
            reply: None,
            work: FeedWorkState::default(),
            talk: VecDeque::new(),
            talked: 0,
        }
    }

    /// Whether the feed has everything after this event.
    fn covers(&self, event: Option<EventId>) -> bool {
        match (self.floor, event) {
            (FeedFloor::Unknown | FeedFloor::Beginning, _) => true,
            (FeedFloor::After(floor), Some(event)) => event >= floor,
            (FeedFloor::After(_), None) => false,
        }
    }

    /// Drops the oldest entries beyond the limits.
    fn shrink(&mut self) {
        self.account();
        let few = self.taken.memory().is_full();
        let (most, most_talk) = if few { (FEW_BYTES, FEW_BYTES) } else { (MOST_BYTES, MOST_TALK_BYTES) };
        while (self.events.len() > MOST_EVENTS || self.event_bytes > most)
            && let Some(gone) = self.events.pop_front()
        {
            self.event_bytes = self.event_bytes.saturating_sub(gone.memory_bytes());
            self.floor = FeedFloor::After(gone.event.id);
        }
        while (self.talk.len() > MOST_TALK || self.talk_bytes > most_talk)
            && let Some(gone) = self.talk.pop_front()
        {
            self.talk_bytes = self.talk_bytes.saturating_sub(gone.memory_bytes());
            self.talked += 1;
        }
        if let Some(reply) = &mut self.reply {
            reply.shrink(if few { FEW_BYTES } else { MOST_REPLY });
        }
        self.account();
    }

    /// Reports the memory use of this feed.
    fn account(&mut self) {
        let reply = self.reply.as_ref().map_or(0, |reply| reply.end - reply.base);
        let reply = usize::try_from(reply).unwrap_or(usize::MAX);
        self.taken.set(self.event_bytes.saturating_add(self.talk_bytes).saturating_add(reply));
    }

    fn events(&self, position: &mut FeedPosition, frames: &mut Vec<(FeedFrame, FeedCursor)>) {
        let seen = position.cursor.event;
        let first = self.events.partition_point(|entry| Some(entry.event.id) <= seen);
        for entry in self.events.range(first..).take(MOST_FRAMES) {
            position.cursor = position.cursor.past(&entry.event);
            frames.push((FeedFrame::Event(Arc::clone(entry)), position.cursor));
        }
    }

    /// The pieces of the reply that a watcher has not seen. All events come first; otherwise a
    /// piece would precede the call that it answers.
    fn pieces(&self, position: &mut FeedPosition, frames: &mut Vec<(FeedFrame, FeedCursor)>) {
        let Some(reply) = &self.reply else { return };
        let seen = match position.cursor.reply {
            Some((call, seen)) if call == reply.call => seen.max(reply.base),
            Some(_) | None => reply.base,
        };
        let mut begin = reply.base;
        for chunk in &reply.pieces {
            let end = begin + chunk.text.len() as u64;
            let skip = usize::try_from(seen.saturating_sub(begin)).unwrap_or(usize::MAX);
            if end > seen
                && let Some(text) = chunk.text.get(skip..)
            {
                position.cursor.reply = Some((reply.call, end));
                let offset = chunk.offset + skip as u64;
                let (kind, index) = (chunk.kind.name(), chunk.kind.index());
                let call = reply.call.value();
                let frame = FeedFrame::Delta { call, kind, index, offset, text: text.to_owned() };
                frames.push((frame, position.cursor));
            }
            if frames.len() >= MOST_FRAMES {
                return;
            }
            begin = end;
        }
    }

    /// Whether all later notes and questions are still here. A loss is reported once.
    fn remembers(&self, position: &mut FeedPosition) -> bool {
        let all = position.talk >= self.talked;
        position.talk = position.talk.max(self.talked);
        all
    }

    /// The notes and questions since the position.
    fn talk(&self, position: &mut FeedPosition, frames: &mut Vec<(FeedFrame, FeedCursor)>) {
        let skip = position.talk.saturating_sub(self.talked);
        let skip = usize::try_from(skip).unwrap_or(usize::MAX).min(self.talk.len());
        for frame in self.talk.range(skip..) {
            position.talk += 1;
            frames.push((frame.clone(), position.cursor));
        }
    }

    /// Tracks which reply is arriving.
    fn hear(&mut self, event: &Event) {
        match event {
            Event::GroupStarted { .. } => self.work = FeedWorkState::UnderWay,
            Event::ModelCalled { call, .. } => self.reply = Some(ReplyBuffer::new((*call).into())),
            Event::Withdrawn { call } => {
                if let Some(reply) = self.reply.as_mut().filter(|reply| reply.call == *call) {
                    reply.pieces.clear();
                    reply.base = reply.end;
                }
            }
            Event::GroupEnded { .. } => (self.reply, self.work) = (None, FeedWorkState::Done),
            event if ends_reply(event) => self.reply = None,
            _ => {}
        }
    }

    fn arrive(&mut self, call: CallId, kind: FeedReplyKind, offset: u64, text: &str) {
        let reply = match &mut self.reply {
            Some(reply) if reply.call == call => reply,
            // A late piece of a call that is over.
            Some(reply) if reply.call > call => return,
            other => other.insert(ReplyBuffer::new(call)),
        };
        reply.add(kind, offset, text);
    }
}

impl ReplyBuffer {
    fn new(call: CallId) -> Self {
        Self { call, pieces: VecDeque::new(), base: 0, end: 0 }
    }

    fn add(&mut self, kind: FeedReplyKind, offset: u64, text: &str) {
        self.end += text.len() as u64;
        let follows = |chunk: &&mut FeedReplyPiece| {
            chunk.kind == kind
                && !matches!(kind, FeedReplyKind::ToolCall(_))
                && chunk.offset + chunk.text.len() as u64 == offset
                && chunk.text.len() + text.len() <= MOST_PIECE
        };
        match self.pieces.back_mut().filter(follows) {
            Some(chunk) => chunk.text.push_str(text),
            None => self.pieces.push_back(FeedReplyPiece { kind, offset, text: text.to_owned() }),
        }
    }

    /// Keeps at most the last `most` bytes.
    fn shrink(&mut self, most: usize) {
        while self.end - self.base > most as u64
            && let Some(gone) = self.pieces.pop_front()
        {
            self.base += gone.text.len() as u64;
        }
    }
}

/// Whether an event says that the reply is complete, or will never be.
pub(super) fn ends_reply(event: &Event) -> bool {
    matches!(event, Event::ModelReplied { .. } | Event::ModelFailed { .. } | Event::GroupEnded { .. })
}
