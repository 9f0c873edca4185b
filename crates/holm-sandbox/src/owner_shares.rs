//! Counts how many places each party holds, so that no party holds them all.
//!
//! A party may take one more place as long as more are free than it holds. The first greedy party
//! gets half, the next half of the rest, and so on. It takes many of them to leave nothing, and a
//! modest party always finds a place.
//!
//! It only counts; `gate.rs` applies it to guests and `workers.rs` to threads.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

/// The party that a call counts for, such as a session or a user. No party can take all
/// places from the others.
///
/// ```
/// use holm_sandbox::CallOwner;
/// assert_eq!(CallOwner::named("session 1"), CallOwner::named("session 1"));
/// assert_ne!(CallOwner::named("session 1"), CallOwner::named("session 2"));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct CallOwner(u64);

impl CallOwner {
    /// The party of this name. Names that happen to meet only share their places.
    #[must_use]
    pub fn named(name: &str) -> Self {
        let mut hasher = DefaultHasher::new();
        name.hash(&mut hasher);
        Self(hasher.finish())
    }
}

/// The places, and who holds them.
#[derive(Debug)]
pub(crate) struct OwnerShares {
    free: u32,
    held: HashMap<CallOwner, u32>,
}

impl OwnerShares {
    pub(crate) fn new(places: u32) -> Self {
        Self { free: places, held: HashMap::new() }
    }

    /// Whether there is a place for this party. Calls without a party count as if each had a
    /// party of its own.
    pub(crate) fn has_room(&self, party: Option<CallOwner>) -> bool {
        let held = party.and_then(|party| self.held.get(&party)).copied().unwrap_or(0);
        self.free > held
    }

    /// Takes a place, if there is one.
    pub(crate) fn take(&mut self, party: Option<CallOwner>) -> bool {
        if !self.has_room(party) {
            return false;
        }
        self.free -= 1;
        if let Some(party) = party {
            *self.held.entry(party).or_default() += 1;
        }
        true
    }

    pub(crate) fn give(&mut self, party: Option<CallOwner>) {
        self.free = self.free.saturating_add(1);
        let Some(party) = party else { return };
        if let Some(held) = self.held.get_mut(&party) {
            *held = held.saturating_sub(1);
            if *held == 0 {
                self.held.remove(&party);
            }
        }
    }

    #[cfg(test)]
    pub(crate) fn free(&self) -> u32 {
        self.free
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How many places a party gets when it takes as many as it can.
    fn grab(shares: &mut OwnerShares, party: Option<CallOwner>) -> u32 {
        let mut taken = 0;
        while shares.take(party) {
            taken += 1;
        }
        taken
    }

    #[test]
    fn the_greedy_get_half_of_what_is_left_and_the_modest_find_a_place() {
        let mut shares = OwnerShares::new(64);
        let greedy: Vec<u32> =
            (0..6).map(|number| grab(&mut shares, Some(CallOwner::named(&number.to_string())))).collect();
        assert_eq!(greedy, [32, 16, 8, 4, 2, 1]);
        assert!(shares.take(Some(CallOwner::named("modest"))));
        assert!(!shares.take(Some(CallOwner::named("late"))) && !shares.take(None));
    }

    #[test]
    fn what_is_given_back_is_free_again() {
        let (mut shares, party) = (OwnerShares::new(4), Some(CallOwner::named("one")));
        assert_eq!(grab(&mut shares, party), 2);
        (0..2).for_each(|_| shares.give(party));
        assert!(shares.held.is_empty());
        assert_eq!((shares.free(), grab(&mut shares, party)), (4, 2));
    }

    #[test]
    fn calls_of_nobody_fill_every_place() {
        assert_eq!(grab(&mut OwnerShares::new(5), None), 5);
        assert_eq!(grab(&mut OwnerShares::new(1), Some(CallOwner::named("one"))), 1);
    }
}
