//! Reserves parts of a user's budget for running sessions, so that two of them together cannot
//! spend more than the budget.
//!
//! A single run gets all that is left. Each further run takes an equal share. A run whose share
//! runs low gets a part of what the others have left.
//!
//! A run checks its budget after each reply, so it may exceed its share by the cost of one reply.

use std::{
    collections::{BTreeMap, HashMap},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use holm_kernel::NanoUsd;
use holm_store::Store;
use tokio::sync::Mutex as AsyncMutex;

use super::{company::Company, kept, over_budget};
use crate::{
    Refusal, SessionId,
    auth::{Keyring, UserName},
};

/// What stands for no bound.
const ENDLESS: NanoUsd = NanoUsd::new(u64::MAX);

/// Tells a run what it may spend from now on; whether it was heard.
pub(super) type Tell = Box<dyn Fn(NanoUsd) -> bool + Send>;

/// The purses of all users.
pub(crate) struct Purses {
    keyring: Arc<Keyring>,
    /// The other servers, where the store is shared with some.
    company: Option<Company>,
    users: Mutex<HashMap<UserName, Arc<Purse>>>,
}

/// The purse of one user.
#[derive(Default)]
pub(super) struct Purse {
    /// Held while the spent amount is read, so that two runs that start together see each other.
    counting: AsyncMutex<()>,
    shares: Mutex<Shares>,
}

/// What is set aside for the runs that are at work.
#[derive(Default)]
struct Shares {
    open: BTreeMap<SessionId, Share>,
    /// The amount that is not reserved for any run.
    spare: NanoUsd,
}

struct Share {
    /// What the session may cost by itself.
    own: Option<NanoUsd>,
    /// What it has cost, as far as its replies say.
    spent: NanoUsd,
    /// What it was told that it may cost.
    ceiling: NanoUsd,
    /// What was left of that when it was told.
    given: NanoUsd,
    grip: Grip,
    tell: Tell,
}

/// Whether a share can be made smaller.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Grip {
    Loose,
    /// A part of it was passed on to helpers, which would be stopped.
    Fast,
}

/// A run that is to begin.
pub(super) struct Begins {
    pub(super) session: SessionId,
    /// What the session may cost by itself.
    pub(super) own: Option<NanoUsd>,
    /// What it has cost so far.
    pub(super) spent: NanoUsd,
    pub(super) tell: Tell,
}

/// A share, given back when it is dropped.
pub(super) struct Hold {
    purse: Arc<Purse>,
    session: SessionId,
    /// The most that the session may cost; none is no bound but its own.
    pub(super) ceiling: Option<NanoUsd>,
}

impl Purses {
    /// Of a server that has its store to itself.
    pub(super) fn new(keyring: Arc<Keyring>) -> Self {
        Self { keyring, company: None, users: Mutex::default() }
    }

    /// Of one that shares it with others.
    pub(super) fn shared(keyring: Arc<Keyring>) -> Self {
        Self { company: Some(Company::new()), ..Self::new(keyring) }
    }

    /// Refuses if the user has spent the budget. Reservations of running sessions do not count.
    pub(super) async fn check(&self, user: &UserName, store: &Store) -> Result<(), Refusal> {
        let Some(budget) = self.keyring.budget(user) else { return Ok(()) };
        if spent(store).await? >= budget { Err(over_budget()) } else { Ok(()) }
    }

    /// Sets something aside for a run that begins.
    pub(super) async fn take(&self, user: &UserName, store: &Store, begins: Begins) -> Result<Hold, Refusal> {
        let purse = self.of(user);
        let _counting = purse.counting.lock().await;
        let Some(budget) = self.keyring.budget(user) else { return Ok(purse.endless(begins)) };
        let Some(company) = &self.company else {
            // In this order: what is spent in between is then counted twice, and never not at all.
            let before = purse.lock().left();
            let spent = spent(store).await?;
            return purse.share(budget.minus(spent), &before, begins);
        };
        company.count(store).await?;
        let taken = async {
            let before = purse.lock().left();
            // In this order too, for what another server spends meanwhile.
            let elsewhere = company.elsewhere(store).await?;
            let spent = spent(store).await?;
            let hold = purse.share(budget.minus(spent).minus(elsewhere), &before, begins);
            // What is set aside at another server is not spent.
            let hold =
                hold.map_err(|refusal| if elsewhere > NanoUsd::ZERO { set_aside() } else { refusal })?;
            let aside = purse.lock().aside();
            company.say(store, aside).await.map(|()| hold)
        };
        let taken = taken.await;
        // Where it cannot be taken away, its time is over soon.
        let _ = company.counted(store).await;
        taken
    }

    /// Tells other servers of the same store what is set aside here; again and again, so that they know that it lives.
    pub(super) async fn say(&self, user: &UserName, store: &Store) {
        if let Some(company) = &self.company {
            let aside = self.of(user).lock().aside();
            // What cannot be said now is said the next time.
            let _ = company.say(store, aside).await;
        }
    }

    /// The users whose runs are at work here.
    pub(super) fn users_at_work(&self) -> Vec<UserName> {
        let users = self.users.lock().unwrap_or_else(PoisonError::into_inner);
        let some = users.iter().filter(|(_, purse)| !purse.lock().open.is_empty());
        some.map(|(user, _)| user.clone()).collect()
    }

    /// Divides what is left anew, because it has become another.
    pub(crate) async fn divide(&self, user: &UserName, store: &Store) -> Result<(), Refusal> {
        let purse = self.of(user);
        let _counting = purse.counting.lock().await;
        let Some(budget) = self.keyring.budget(user) else { return Ok(()) };
        let before = purse.lock().left();
        let elsewhere = match &self.company {
            Some(company) => company.elsewhere(store).await?,
            None => NanoUsd::ZERO,
        };
        let spent = spent(store).await?;
        let bound = purse.lock().shrink(budget.minus(spent).minus(elsewhere), &before);
        for (session, own) in bound {
            kept::note_bound(store, &session, own).await?;
        }
        Ok(())
    }

    /// A reply of a session has cost something.
    pub(super) fn spent(&self, user: &UserName, session: &SessionId, cost: NanoUsd) {
        let known = self.users.lock().unwrap_or_else(PoisonError::into_inner).get(user).cloned();
        if let Some(purse) = known {
            purse.lock().spent(session, cost);
        }
    }

    /// A session has passed on a part of its share.
    pub(super) fn delegated(&self, user: &UserName, session: &SessionId) {
        let known = self.users.lock().unwrap_or_else(PoisonError::into_inner).get(user).cloned();
        if let Some(purse) = known
            && let Some(share) = purse.lock().open.get_mut(session)
        {
            share.grip = Grip::Fast;
        }
    }

    fn of(&self, user: &UserName) -> Arc<Purse> {
        let mut users = self.users.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(users.entry(user.clone()).or_default())
    }
}

impl Purse {
    fn endless(self: &Arc<Self>, begins: Begins) -> Hold {
        let Begins { session, own, spent, tell } = begins;
        let share = Share { own, spent, ceiling: ENDLESS, given: ENDLESS, grip: Grip::Loose, tell };
        self.lock().open.insert(session.clone(), share);
        Hold { purse: Arc::clone(self), session, ceiling: None }
    }

    /// Sets aside a share of what was left when it was counted.
    fn share(
        self: &Arc<Self>,
        counted: NanoUsd,
        before: &BTreeMap<SessionId, NanoUsd>,
        begins: Begins,
    ) -> Result<Hold, Refusal> {
        let Begins { session, own, spent, tell } = begins;
        let mut shares = self.lock();
        let pool = shares.pool(counted, before);
        let new = Share { own, spent, ceiling: spent, given: NanoUsd::ZERO, grip: Grip::Loose, tell };
        let is_alone = shares.open.is_empty();
        shares.open.insert(session.clone(), new);
        let ceiling = shares.divide(pool, &session);
        // One that may spend nothing by its own bound is told so by the run itself.
        let spends_nothing = own.is_some_and(|own| own <= spent);
        if ceiling <= spent && !spends_nothing {
            shares.open.remove(&session);
            return Err(if is_alone { over_budget() } else { set_aside() });
        }
        drop(shares);
        Ok(Hold { purse: Arc::clone(self), session, ceiling: Some(ceiling) })
    }

    /// Nothing here can be left half done, so a panic elsewhere does no harm.
    fn lock(&self) -> MutexGuard<'_, Shares> {
        self.shares.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Shares {
    /// What is left of each share.
    fn left(&self) -> BTreeMap<SessionId, NanoUsd> {
        self.open.iter().map(|(id, share)| (id.clone(), share.left())).collect()
    }

    /// All that is set aside for runs at work.
    fn aside(&self) -> NanoUsd {
        let bound = self.open.values().filter(|share| share.ceiling < ENDLESS);
        let spare = if self.open.is_empty() { NanoUsd::ZERO } else { self.spare };
        bound.fold(spare, |sum, share| sum.plus(share.left()))
    }

    /// What of a sum that was counted can be divided among shares that are loose. `before` is what was left of each share
    /// before the count: what went since may not be in it.
    fn pool(&self, counted: NanoUsd, before: &BTreeMap<SessionId, NanoUsd>) -> NanoUsd {
        let gone = before.iter().fold(NanoUsd::ZERO, |gone, (id, before)| {
            gone.plus(before.minus(self.open.get(id).map_or(NanoUsd::ZERO, Share::left)))
        });
        let fast = self.open.values().filter(|share| share.grip == Grip::Fast);
        let fast = fast.fold(NanoUsd::ZERO, |sum, share| sum.plus(share.left()));
        counted.minus(gone).minus(fast)
    }

    fn spent(&mut self, session: &SessionId, cost: NanoUsd) {
        let Some(share) = self.open.get_mut(session) else { return };
        share.spent = share.spent.plus(cost);
        let is_low = share.ceiling < ENDLESS
            && share.grip == Grip::Loose
            && share.left().value() < share.given.value() / 2
            && share.own.is_none_or(|own| own > share.ceiling);
        if !is_low {
            return;
        }
        let (left, told) = (share.left(), share.ceiling);
        let loose = self.open.values().filter(|share| share.grip == Grip::Loose);
        let pool = loose.fold(self.spare, |sum, share| sum.plus(share.left()));
        if even(pool, self.open.len()) <= left {
            return;
        }
        let ceiling = self.divide(pool, session);
        if let Some(share) = self.open.get_mut(session).filter(|_| ceiling > told)
            && !(share.tell)(ceiling)
        {
            // It has not heard that it may spend more, so it does not.
            share.ceiling = told;
        }
    }

    /// Divides a sum among the flexible shares. A run with more than an equal part is told its
    /// smaller share, and the session `asks` gets its own part.
    ///
    /// Returns what that session may cost; the session itself is not told here.
    fn divide(&mut self, pool: NanoUsd, asks: &SessionId) -> NanoUsd {
        let parts = self.parts(pool);
        let (mut left, mut own) = (pool, NanoUsd::ZERO);
        for (id, share) in &mut self.open {
            let Some(part) = parts.get(id) else { continue };
            if id == asks {
                own = *part;
                continue;
            }
            if share.left() > *part && (share.tell)(share.spent.plus(*part)) {
                (share.ceiling, share.given) = (share.spent.plus(*part), *part);
            }
            left = left.minus(share.left());
        }
        // What could not be taken from another is not there to be given.
        let own = own.min(left);
        self.spare = left.minus(own);
        self.open.get_mut(asks).map_or(NanoUsd::ZERO, |share| {
            (share.ceiling, share.given) = (share.spent.plus(own), own);
            share.ceiling
        })
    }

    /// Makes all shares so small that they fit, helpers or not. Gives those that had no bound before but their own.
    fn shrink(
        &mut self,
        counted: NanoUsd,
        before: &BTreeMap<SessionId, NanoUsd>,
    ) -> Vec<(SessionId, Option<NanoUsd>)> {
        self.open.values_mut().for_each(|share| share.grip = Grip::Loose);
        let pool = self.pool(counted, before);
        let parts = self.parts(pool);
        let (mut left, mut bound) = (pool, Vec::new());
        for (id, share) in &mut self.open {
            let part = parts.get(id).copied().unwrap_or_default();
            if share.left() > part && (share.tell)(share.spent.plus(part)) {
                if share.ceiling == ENDLESS {
                    bound.push((id.clone(), share.own));
                }
                (share.ceiling, share.given) = (share.spent.plus(part), part);
            }
            left = left.minus(share.left());
        }
        self.spare = left;
        bound
    }

    /// An even part for each loose share, and what one cannot use by its own bound for the others.
    fn parts(&self, pool: NanoUsd) -> BTreeMap<SessionId, NanoUsd> {
        let loose = self.open.iter().filter(|(_, share)| share.grip == Grip::Loose);
        let mut loose: Vec<_> = loose.map(|(id, share)| (share.room(), id)).collect();
        loose.sort();
        let (mut left, mut parts) = (pool, BTreeMap::new());
        let mut waiting = loose.len();
        for (room, id) in loose {
            let part = even(left, waiting).min(room);
            left = left.minus(part);
            waiting -= 1;
            parts.insert(id.clone(), part);
        }
        parts
    }
}

impl Share {
    /// What it may still cost.
    fn left(&self) -> NanoUsd {
        self.ceiling.minus(self.spent)
    }

    /// What it may cost at the most by its own bound.
    fn room(&self) -> NanoUsd {
        self.own.map_or(ENDLESS, |own| own.minus(self.spent))
    }
}

impl Hold {
    /// Says what the session has cost in all.
    pub(super) fn settle(&self, spent: NanoUsd) {
        if let Some(share) = self.purse.lock().open.get_mut(&self.session) {
            share.spent = share.spent.max(spent);
        }
    }
}

impl Drop for Hold {
    fn drop(&mut self) {
        let mut shares = self.purse.lock();
        if let Some(share) = shares.open.remove(&self.session)
            && share.ceiling < ENDLESS
        {
            shares.spare = shares.spare.plus(share.left());
        }
    }
}

/// What all sessions of a store have cost.
pub(super) async fn spent(store: &Store) -> Result<NanoUsd, Refusal> {
    Ok(store.spent().await?)
}

fn even(sum: NanoUsd, among: usize) -> NanoUsd {
    NanoUsd::new(sum.value() / u64::try_from(among.max(1)).unwrap_or(u64::MAX))
}

/// Error message for a user whose other runs have reserved all that is left.
fn set_aside() -> Refusal {
    let message =
        "what you may spend is set aside for your runs that are at work; come again when one has ended";
    Refusal {
        retry_after: Some(10),
        ..Refusal::new(http::StatusCode::PAYMENT_REQUIRED, "set_aside", message)
    }
}

#[cfg(test)]
mod tests;
