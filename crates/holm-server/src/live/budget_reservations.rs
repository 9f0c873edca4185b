//! Reserves parts of a user's budget for running sessions, so that two of them together cannot
//! spend more than the budget.
//!
//! A single run gets all that is left. Each further run takes an equal share. A run whose share
//! runs low gets a part of what the others have left.
//!
//! A run checks its budget after each model call, so it may exceed its share by the cost of one reply.
//!
//! Budgets are stored in `auth/token_registry.rs`, and reservations of other servers read in
//! `peer_budgets.rs`. What is spent is counted after what is left, so that an amount spent
//! meanwhile is counted twice rather than not at all.

use std::{
    collections::{BTreeMap, HashMap},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use holm_kernel::NanoUsd;
use holm_store::Store;
use tokio::sync::Mutex as AsyncMutex;

use super::{over_budget, peer_budgets::PeerBudgets, stored_prompts};
use crate::{
    ApiError, SessionId,
    auth::{TokenRegistry, UserName},
};

/// Stands for an unlimited budget.
const ENDLESS: NanoUsd = NanoUsd::new(u64::MAX);

/// Tells a run its new limit; returns whether the run accepted it.
pub(super) type BudgetCallback = Box<dyn Fn(NanoUsd) -> bool + Send>;

/// The budget reservations of all users.
pub(crate) struct BudgetReservations {
    keyring: Arc<TokenRegistry>,
    /// The other servers, if the store is shared.
    company: Option<PeerBudgets>,
    users: Mutex<HashMap<UserName, Arc<UserBudget>>>,
}

/// The budget of one user.
#[derive(Default)]
pub(super) struct UserBudget {
    /// Held while the spent amount is read, so that two runs that start together see each other.
    counting: AsyncMutex<()>,
    shares: Mutex<RunBudgetShares>,
}

/// The reservations of the running sessions.
#[derive(Default)]
struct RunBudgetShares {
    open: BTreeMap<SessionId, RunBudgetShare>,
    /// The amount that is not reserved for any run.
    spare: NanoUsd,
}

struct RunBudgetShare {
    /// The session's own budget.
    own: Option<NanoUsd>,
    /// What it has cost so far.
    spent: NanoUsd,
    /// The limit that was reported to it.
    ceiling: NanoUsd,
    /// How much of the limit was left when it was reported.
    given: NanoUsd,
    pinning: SharePinning,
    tell: BudgetCallback,
}

/// Whether a share can be reduced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SharePinning {
    Loose,
    /// A part of it was passed on to sub-agents, which would be stopped.
    Fast,
}

/// A run that is about to start.
pub(super) struct ReservationRequest {
    pub(super) session: SessionId,
    /// The session's own budget.
    pub(super) own: Option<NanoUsd>,
    /// What it has cost so far.
    pub(super) spent: NanoUsd,
    pub(super) tell: BudgetCallback,
}

/// A reservation, released on drop.
pub(super) struct BudgetReservation {
    purse: Arc<UserBudget>,
    session: SessionId,
    /// The limit of the session; `None` means that only its own budget applies.
    pub(super) ceiling: Option<NanoUsd>,
}

impl BudgetReservations {
    /// For a server that has its store to itself.
    pub(super) fn new(keyring: Arc<TokenRegistry>) -> Self {
        Self { keyring, company: None, users: Mutex::default() }
    }

    /// For a server that shares its store.
    pub(super) fn shared(keyring: Arc<TokenRegistry>) -> Self {
        Self { company: Some(PeerBudgets::new()), ..Self::new(keyring) }
    }

    /// Refuses if the user has spent the budget. Reservations of running sessions do not count.
    pub(super) async fn check(&self, user: &UserName, store: &Store) -> Result<(), ApiError> {
        let Some(budget) = self.keyring.budget(user) else { return Ok(()) };
        if spent(store).await? >= budget { Err(over_budget()) } else { Ok(()) }
    }

    /// Reserves budget for a run that starts.
    pub(super) async fn take(
        &self,
        user: &UserName,
        store: &Store,
        begins: ReservationRequest,
    ) -> Result<BudgetReservation, ApiError> {
        let purse = self.of(user);
        let _counting = purse.counting.lock().await;
        let Some(budget) = self.keyring.budget(user) else { return Ok(purse.endless(begins)) };
        let Some(company) = &self.company else {
            // In this order, an amount that is spent in between is counted twice rather than not at
            // all.
            let before = purse.lock().left();
            let spent = spent(store).await?;
            return purse.share(budget.minus(spent), &before, begins);
        };
        company.count(store).await?;
        let taken = async {
            let before = purse.lock().left();
            // The same order, for an amount that another server spends meanwhile.
            let elsewhere = company.elsewhere(store).await?;
            let spent = spent(store).await?;
            let hold = purse.share(budget.minus(spent).minus(elsewhere), &before, begins);
            // An amount that another server has reserved is not spent yet.
            let hold =
                hold.map_err(|refusal| if elsewhere > NanoUsd::ZERO { set_aside() } else { refusal })?;
            let aside = purse.lock().aside();
            company.publish(store, aside).await.map(|()| hold)
        };
        let taken = taken.await;
        // If it cannot be released, it expires soon.
        let _ = company.counted(store).await;
        taken
    }

    /// Publishes this server's reservations to the other servers of the store. Called repeatedly,
    /// so that they see that this server is alive.
    pub(super) async fn publish(&self, user: &UserName, store: &Store) {
        if let Some(company) = &self.company {
            let aside = self.of(user).lock().aside();
            // If it fails now, the next call publishes it.
            let _ = company.publish(store, aside).await;
        }
    }

    /// The users with running sessions on this server.
    pub(super) fn users_at_work(&self) -> Vec<UserName> {
        let users = self.users.lock().unwrap_or_else(PoisonError::into_inner);
        let some = users.iter().filter(|(_, purse)| !purse.lock().open.is_empty());
        some.map(|(user, _)| user.clone()).collect()
    }

    /// Divides the remaining budget again, because it changed.
    pub(crate) async fn divide(&self, user: &UserName, store: &Store) -> Result<(), ApiError> {
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
            stored_prompts::note_bound(store, &session, own).await?;
        }
        Ok(())
    }

    /// Records what a session has cost in total: replies, failed calls and sub-agents.
    pub(super) fn spent(&self, user: &UserName, session: &SessionId, total: NanoUsd) {
        let known = self.users.lock().unwrap_or_else(PoisonError::into_inner).get(user).cloned();
        if let Some(purse) = known {
            purse.lock().spent(session, total);
        }
    }

    /// Records that a session has passed on a part of its share.
    pub(super) fn delegated(&self, user: &UserName, session: &SessionId) {
        let known = self.users.lock().unwrap_or_else(PoisonError::into_inner).get(user).cloned();
        if let Some(purse) = known
            && let Some(share) = purse.lock().open.get_mut(session)
        {
            share.pinning = SharePinning::Fast;
        }
    }

    fn of(&self, user: &UserName) -> Arc<UserBudget> {
        let mut users = self.users.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(users.entry(user.clone()).or_default())
    }
}

impl UserBudget {
    fn endless(self: &Arc<Self>, begins: ReservationRequest) -> BudgetReservation {
        let ReservationRequest { session, own, spent, tell } = begins;
        let share = RunBudgetShare {
            own,
            spent,
            ceiling: ENDLESS,
            given: ENDLESS,
            pinning: SharePinning::Loose,
            tell,
        };
        self.lock().open.insert(session.clone(), share);
        BudgetReservation { purse: Arc::clone(self), session, ceiling: None }
    }

    /// Reserves a share of the amount that was left when it was counted.
    fn share(
        self: &Arc<Self>,
        counted: NanoUsd,
        before: &BTreeMap<SessionId, NanoUsd>,
        begins: ReservationRequest,
    ) -> Result<BudgetReservation, ApiError> {
        let ReservationRequest { session, own, spent, tell } = begins;
        let mut shares = self.lock();
        let pool = shares.pool(counted, before);
        let new = RunBudgetShare {
            own,
            spent,
            ceiling: spent,
            given: NanoUsd::ZERO,
            pinning: SharePinning::Loose,
            tell,
        };
        let is_alone = shares.open.is_empty();
        shares.open.insert(session.clone(), new);
        let ceiling = shares.divide(pool, &session);
        // If its own budget is used up, the run reports that itself.
        let spends_nothing = own.is_some_and(|own| own <= spent);
        if ceiling <= spent && !spends_nothing {
            shares.open.remove(&session);
            return Err(if is_alone { over_budget() } else { set_aside() });
        }
        drop(shares);
        Ok(BudgetReservation { purse: Arc::clone(self), session, ceiling: Some(ceiling) })
    }

    /// No change here can be left incomplete, so a poisoned lock is safe to use.
    fn lock(&self) -> MutexGuard<'_, RunBudgetShares> {
        self.shares.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl RunBudgetShares {
    /// The remaining amount of each share.
    fn left(&self) -> BTreeMap<SessionId, NanoUsd> {
        self.open.iter().map(|(id, share)| (id.clone(), share.left())).collect()
    }

    /// The sum that is reserved for running sessions.
    fn aside(&self) -> NanoUsd {
        let bound = self.open.values().filter(|share| share.ceiling < ENDLESS);
        let spare = if self.open.is_empty() { NanoUsd::ZERO } else { self.spare };
        bound.fold(spare, |sum, share| sum.plus(share.left()))
    }

    /// How much of a counted sum can be divided among the flexible shares. `before` is what was
    /// left of each share before the count: amounts that were spent since may be missing in it.
    fn pool(&self, counted: NanoUsd, before: &BTreeMap<SessionId, NanoUsd>) -> NanoUsd {
        let gone = before.iter().fold(NanoUsd::ZERO, |gone, (id, before)| {
            gone.plus(before.minus(self.open.get(id).map_or(NanoUsd::ZERO, RunBudgetShare::left)))
        });
        let fast = self.open.values().filter(|share| share.pinning == SharePinning::Fast);
        let fast = fast.fold(NanoUsd::ZERO, |sum, share| sum.plus(share.left()));
        counted.minus(gone).minus(fast)
    }

    fn spent(&mut self, session: &SessionId, total: NanoUsd) {
        let Some(share) = self.open.get_mut(session) else { return };
        share.spent = share.spent.max(total);
        let is_low = share.ceiling < ENDLESS
            && share.pinning == SharePinning::Loose
            && share.left().value() < share.given.value() / 2
            && share.own.is_none_or(|own| own > share.ceiling);
        if !is_low {
            return;
        }
        let (left, excess, previous_ceiling) = (share.left(), share.excess(), share.ceiling);
        let loose = self.open.values().filter(|share| share.pinning == SharePinning::Loose);
        let pool = loose.fold(self.spare, |sum, share| sum.plus(share.left())).minus(excess);
        if even(pool, self.open.len()) <= left {
            return;
        }
        let ceiling = self.divide(pool, session);
        if let Some(share) = self.open.get_mut(session).filter(|_| ceiling > previous_ceiling)
            && !(share.tell)(ceiling)
        {
            // The run did not accept the higher limit, so it keeps the old one.
            share.ceiling = previous_ceiling;
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
        // An amount that could not be taken from another share cannot be given.
        let own = own.min(left);
        self.spare = left.minus(own);
        self.open.get_mut(asks).map_or(NanoUsd::ZERO, |share| {
            (share.ceiling, share.given) = (share.spent.plus(own), own);
            share.ceiling
        })
    }

    /// Reduces all shares until they fit, even those with sub-agents. Returns the sessions that had
    /// only their own budget before.
    fn shrink(
        &mut self,
        counted: NanoUsd,
        before: &BTreeMap<SessionId, NanoUsd>,
    ) -> Vec<(SessionId, Option<NanoUsd>)> {
        self.open.values_mut().for_each(|share| share.pinning = SharePinning::Loose);
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

    /// An equal part for each flexible share. What a session cannot use because of its own budget
    /// goes to the others.
    fn parts(&self, pool: NanoUsd) -> BTreeMap<SessionId, NanoUsd> {
        let loose = self.open.iter().filter(|(_, share)| share.pinning == SharePinning::Loose);
        let mut loose: Vec<_> = loose.map(|(id, share)| (share.own_capacity(), id)).collect();
        loose.sort();
        let (mut left, mut parts) = (pool, BTreeMap::new());
        let mut waiting = loose.len();
        for (capacity, id) in loose {
            let part = even(left, waiting).min(capacity);
            left = left.minus(part);
            waiting -= 1;
            parts.insert(id.clone(), part);
        }
        parts
    }
}

impl RunBudgetShare {
    /// The amount that the session may still spend.
    fn left(&self) -> NanoUsd {
        self.ceiling.minus(self.spent)
    }

    /// What it has spent beyond its limit, with the last reply.
    fn excess(&self) -> NanoUsd {
        self.spent.minus(self.ceiling)
    }

    /// The amount that its own budget still allows.
    fn own_capacity(&self) -> NanoUsd {
        self.own.map_or(ENDLESS, |own| own.minus(self.spent))
    }
}

impl BudgetReservation {
    /// Records the total cost of the session at the end of its work.
    pub(super) fn settle(&self, spent: NanoUsd) {
        if let Some(share) = self.purse.lock().open.get_mut(&self.session) {
            share.spent = share.spent.max(spent);
        }
    }
}

impl Drop for BudgetReservation {
    fn drop(&mut self) {
        let mut shares = self.purse.lock();
        if let Some(share) = shares.open.remove(&self.session)
            && share.ceiling < ENDLESS
        {
            shares.spare = shares.spare.plus(share.left()).minus(share.excess());
        }
    }
}

/// The cost of all sessions of a store.
pub(super) async fn spent(store: &Store) -> Result<NanoUsd, ApiError> {
    Ok(store.spent().await?)
}

fn even(sum: NanoUsd, among: usize) -> NanoUsd {
    NanoUsd::new(sum.value() / u64::try_from(among.max(1)).unwrap_or(u64::MAX))
}

/// Error message for a user whose other runs have reserved all that is left.
fn set_aside() -> ApiError {
    let message = "your budget is reserved for your running sessions; try again when one has ended";
    ApiError {
        retry_after: Some(10),
        ..ApiError::new(http::StatusCode::PAYMENT_REQUIRED, "set_aside", message)
    }
}

#[cfg(test)]
mod tests;
