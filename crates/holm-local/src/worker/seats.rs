//! Who sits where in the cache: which tokens each sequence holds, what of a new prompt is already there, and who must go
//! when there is no room. Pure bookkeeping; the engine tells llama.cpp.

/// Shorter shared beginnings are not worth a copy.
const WORTH_COPYING: usize = 16;

/// All sequences of the cache.
#[derive(Debug)]
pub(super) struct Seats {
    seats: Vec<Seat>,
    capacity: usize,
    clock: u64,
}

/// One sequence of the KV cache.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Seat {
    /// The session that owns the sequence.
    session: Option<u64>,
    /// What the cache holds.
    pub(super) tokens: Vec<i32>,
    /// When it was last used.
    used: u64,
    busy: bool,
}

/// Where a prompt sits, and what of it is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Placed {
    pub(super) seat: usize,
    /// Tokens of the prompt that stay.
    pub(super) kept: usize,
    /// Whose beginning is copied, if not its own.
    pub(super) copied_from: Option<usize>,
}

/// Somebody who must leave the cache.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Leaving {
    /// Nobody waits for it.
    Idle(usize),
    /// It is at work and will have to begin again.
    Working(usize),
}

impl Seats {
    pub(super) fn new(count: usize, capacity: usize) -> Self {
        Self { seats: vec![Seat::default(); count], capacity, clock: 0 }
    }

    pub(super) fn get(&self, seat: usize) -> &[i32] {
        self.seats.get(seat).map_or(&[], |seat| seat.tokens.as_slice())
    }

    /// Gives a prompt a seat: its session's own, a free one, or that of whoever was idle longest. None while all work.
    pub(super) fn place(&mut self, session: u64, prompt: &[i32]) -> Option<Placed> {
        let own = self.seats.iter().position(|seat| seat.session == Some(session) && !seat.busy);
        let seat = own.or_else(|| {
            let idle = self.seats.iter().enumerate().filter(|(_, seat)| !seat.busy);
            idle.min_by_key(|(_, seat)| (seat.session.is_some(), seat.used)).map(|(at, _)| at)
        })?;
        let shared = |seat: &Seat| seat.shared(prompt);
        let mine = self.seats.get(seat).map_or(0, shared);
        let others = self.seats.iter().enumerate().filter(|(at, _)| *at != seat);
        let best = others.map(|(at, other)| (shared(other), at)).max();
        let copied = best.filter(|(length, _)| *length >= mine + WORTH_COPYING);
        let (kept, copied_from) = copied.map_or((mine, None), |(length, from)| (length, Some(from)));
        self.clock += 1;
        let used = self.clock;
        let tokens = prompt.get(..kept).unwrap_or_default().to_vec();
        *self.seats.get_mut(seat)? = Seat { session: Some(session), tokens, used, busy: true };
        Some(Placed { seat, kept, copied_from })
    }

    /// Notes that tokens were added to a sequence.
    pub(super) fn grow(&mut self, seat: usize, tokens: &[i32]) {
        if let Some(seat) = self.seats.get_mut(seat) {
            seat.tokens.extend_from_slice(tokens);
        }
    }

    /// Notes that a sequence goes on with another prompt; how many of its tokens stay.
    pub(super) fn turn(&mut self, seat: usize, prompt: &[i32]) -> usize {
        let Some(seat) = self.seats.get_mut(seat) else { return 0 };
        let kept = seat.shared(prompt);
        seat.tokens.truncate(kept);
        kept
    }

    /// Notes that a sequence is empty.
    pub(super) fn empty(&mut self, seat: usize) {
        if let Some(seat) = self.seats.get_mut(seat) {
            seat.tokens.clear();
        }
    }

    /// Notes that nobody waits for a sequence any more; what it holds may be of use later.
    pub(super) fn release(&mut self, seat: usize) {
        self.clock += 1;
        let used = self.clock;
        if let Some(seat) = self.seats.get_mut(seat) {
            (seat.busy, seat.used) = (false, used);
        }
    }

    /// The sequence of a session that is over, now empty and free; none where it still works.
    pub(super) fn forget(&mut self, session: u64) -> Option<usize> {
        let at = self.seats.iter().position(|seat| seat.session == Some(session) && !seat.busy)?;
        *self.seats.get_mut(at)? = Seat::default();
        Some(at)
    }

    /// Who must leave so that `more` tokens fit; none where they do. The idle go first, oldest first; of those at work the
    /// youngest, and never the last.
    pub(super) fn make_room(&self, more: usize) -> Option<Leaving> {
        let held: usize = self.seats.iter().map(|seat| seat.tokens.len()).sum();
        if held.saturating_add(more) <= self.capacity {
            return None;
        }
        let full = || self.seats.iter().enumerate().filter(|(_, seat)| !seat.tokens.is_empty());
        let idle = full().filter(|(_, seat)| !seat.busy).min_by_key(|(_, seat)| seat.used);
        if let Some((at, _)) = idle {
            return Some(Leaving::Idle(at));
        }
        let working = full().filter(|(_, seat)| seat.busy);
        let youngest = working.clone().max_by_key(|(_, seat)| seat.used);
        youngest.filter(|_| working.count() > 1).map(|(at, _)| Leaving::Working(at))
    }
}

impl Seat {
    /// How many tokens of a prompt are there. The last one is always computed anew, because its result is wanted.
    fn shared(&self, prompt: &[i32]) -> usize {
        let alike = self.tokens.iter().zip(prompt).take_while(|(one, other)| one == other).count();
        alike.min(prompt.len().saturating_sub(1))
    }
}

#[cfg(test)]
mod tests;
