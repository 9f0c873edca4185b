//! Limits how much of arriving replies may wait to be shown. While an external editor has the
//! terminal, nothing is drawn, but the model goes on writing. Pieces beyond the limit are dropped,
//! and appear when the whole message arrives.
//!
//! It only counts bytes: `chat_user.rs` makes the reservations and drops pieces, and the chat shows
//! them through `tab/events.rs`.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

/// Bytes that may wait: more than any screen shows, less than anybody misses.
const MOST: usize = 4 << 20;

/// The byte budget for pieces that wait. Clones share it.
#[derive(Debug, Clone, Default)]
pub(super) struct DeltaByteBudget(Arc<AtomicUsize>);

/// The share of the budget that a piece holds until it is dropped.
#[derive(Debug, Default)]
pub(super) struct DeltaByteReservation {
    room: DeltaByteBudget,
    bytes: usize,
}

impl DeltaByteBudget {
    /// Reserves bytes for a piece. Returns `None` if the limit is reached.
    pub(super) fn take(&self, bytes: usize) -> Option<DeltaByteReservation> {
        let taken = self.0.fetch_add(bytes, Ordering::Relaxed);
        // Given back by itself where it was too much.
        let weight = DeltaByteReservation { room: self.clone(), bytes };
        (taken < MOST).then_some(weight)
    }
}

impl Drop for DeltaByteReservation {
    fn drop(&mut self) {
        self.room.0.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn room_that_was_taken_is_given_back() {
        let room = DeltaByteBudget::default();
        let all = room.take(MOST).unwrap();
        assert!(room.take(1).is_none());
        assert!(room.take(1).is_none(), "what was refused takes nothing");
        drop(all);
        assert!(room.take(1).is_some());
        assert_eq!(room.0.load(Ordering::Relaxed), 0);
    }
}
