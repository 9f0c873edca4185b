//! Manages all open sessions. A caller gets the open session of a name, or the manager opens it.
//!
//! One session is driven in `drive.rs`; agents are assembled behind `session_provider.rs`. Whether
//! a token may use a session is checked by the routes (`state.rs`). Running attempts of jobs belong
//! to `jobs/job_scheduler.rs`: they are never resumed here, because their job decides whether users
//! are asked. Opening continues even if the client leaves.

use std::{
    collections::{BTreeSet, HashMap, HashSet},
    sync::{Arc, Mutex, PoisonError, Weak},
    time::{Duration, Instant},
};

use holm_kernel::{Budget, NanoUsd, Prompt};
use holm_runtime::{CancellationToken, Toolbox};
use holm_store::SessionQuery;
use tokio::{
    sync::{Mutex as AsyncMutex, OwnedMutexGuard, oneshot},
    task::JoinSet,
};

use super::{
    FeedCursor, FeedMemory, LiveSession, QuestionAttendance, QuestionBroker, RUNNING, RunAdmission,
    SessionFeed, SessionState, budget_reservations::BudgetReservations, drive::DriveContext,
    event_meter::EventMeter, live_session::RunResult, stored_prompts,
};
use crate::{
    ApiError, CurrentLoad, ServerLimits, ServerMetrics, SessionId, SessionProvider, SessionProviderError,
    SessionRequest, SessionStart, SessionStarter,
    auth::{TokenRegistry, UserName},
    jobs::{JobRepository, JobRepositoryError},
    metrics::RunMeter,
};

/// The prefix of the tag that names the agent of a session.
const AGENT: &str = "holm:agent:";
/// The prefix of session names that are runs of jobs.
const JOB: &str = "job.";
/// Sessions that are opened in parallel when a server starts, so that a long one does
/// not delay the others.
const OPENINGS: usize = 8;
/// How often a stopping server checks whether its runs have finished.
const LOOK: Duration = Duration::from_millis(50);
/// The minimum time to close parked sessions, even with a short grace period. A session that is
/// still held cannot be opened by the next server.
const LEAVING: Duration = Duration::from_secs(10);
/// How long a session without budget is left alone before the server checks its budget again.
const PUT_OFF: Duration = Duration::from_mins(1);

type UserSessionKey = (UserName, SessionId);
type SessionSlot = Arc<AsyncMutex<Option<Arc<LiveSession>>>>;

pub struct SessionManager {
    workshop: Arc<dyn SessionProvider>,
    limits: ServerLimits,
    admission: RunAdmission,
    purses: Arc<BudgetReservations>,
    slots: Mutex<HashMap<UserSessionKey, SessionSlot>>,
    feeds: Mutex<HashMap<UserSessionKey, Weak<SessionFeed>>>,
    /// The memory that all feeds share.
    memory: Arc<FeedMemory>,
    metrics: Arc<ServerMetrics>,
    /// Sessions without budget, and until when they are not taken over again.
    put_off: Mutex<HashMap<UserSessionKey, Instant>>,
    /// Cancelled when no new work is accepted any more.
    closing: CancellationToken,
    /// Cancelled when unfinished work is parked.
    park: CancellationToken,
}

/// How to open a session.
#[derive(Debug)]
pub struct SessionOptions {
    pub start: SessionStart,
    pub starter: SessionStarter,
    /// The agent; `None` is the default one.
    pub agent: Option<String>,
    /// The model; `None` is the agent's own.
    pub model: Option<String>,
    /// The budget of the session; `None` means that only the user's budget applies.
    pub budget: Option<NanoUsd>,
    /// Tools that the client carries out.
    pub tools: Toolbox,
    /// The sampling temperature of a new session, in thousandths; `None` is the agent's own.
    pub temperature_milli: Option<u32>,
    /// Whether a user may answer its questions.
    pub attendance: QuestionAttendance,
    /// What happens to its work when the server ends.
    pub lasting: WorkLifetime,
}

/// What happens to a session's work when the server ends.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum WorkLifetime {
    /// It is resumed at the next start.
    #[default]
    Session,
    /// It belongs to one request, whose client is gone by then.
    Request,
}

impl SessionOptions {
    /// A session of the default agent, started by a program.
    pub fn new(start: SessionStart) -> Self {
        Self {
            start,
            starter: SessionStarter::Program,
            agent: None,
            model: None,
            budget: None,
            tools: Toolbox::new(),
            temperature_milli: None,
            attendance: QuestionAttendance::Attended,
            lasting: WorkLifetime::Session,
        }
    }
}

impl SessionManager {
    /// Creates a manager without open sessions.
    pub fn new(
        workshop: Arc<dyn SessionProvider>,
        keyring: Arc<TokenRegistry>,
        limits: ServerLimits,
        takeover: Option<Duration>,
        metrics: Arc<ServerMetrics>,
    ) -> Arc<Self> {
        let purses = if takeover.is_some() {
            BudgetReservations::shared(keyring)
        } else {
            BudgetReservations::new(keyring)
        };
        let (admission, memory) = (RunAdmission::new(&limits), FeedMemory::new(limits.memory));
        Arc::new(Self {
            workshop,
            limits,
            admission,
            purses: Arc::new(purses),
            slots: Mutex::default(),
            feeds: Mutex::default(),
            memory,
            metrics,
            put_off: Mutex::default(),
            closing: CancellationToken::new(),
            park: CancellationToken::new(),
        })
    }

    /// How many sessions are open.
    pub fn len(&self) -> usize {
        self.slots.lock().unwrap_or_else(PoisonError::into_inner).len()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// What the sessions do at the moment. A session that is being opened counts as open only.
    pub fn load(&self) -> CurrentLoad {
        let slots = self.slots.lock().unwrap_or_else(PoisonError::into_inner);
        let mut load = CurrentLoad { open: slots.len(), ..CurrentLoad::default() };
        for held in slots.values().filter_map(|slot| slot.try_lock().ok()) {
            let Some(live_session) = &*held else { continue };
            match *live_session.state().borrow() {
                SessionState::Working => load.working += 1,
                SessionState::Waiting => load.waiting += 1,
                SessionState::Idle(_) | SessionState::Closed => {}
            }
        }
        load
    }

    /// Whether the server accepts no new work, because it stops.
    pub(crate) fn is_stopping(&self) -> bool {
        self.closing.is_cancelled()
    }

    /// Opens a session that is not open yet.
    pub(crate) async fn open(
        self: &Arc<Self>,
        user: &UserName,
        opening: SessionOptions,
    ) -> Result<Arc<LiveSession>, ApiError> {
        let (hall, user) = (Arc::clone(self), user.clone());
        to_its_end(async move { hall.open_now(&user, opening).await }).await
    }

    async fn open_now(
        self: &Arc<Self>,
        user: &UserName,
        opening: SessionOptions,
    ) -> Result<Arc<LiveSession>, ApiError> {
        let named = match &opening.start {
            SessionStart::New(id) => id.clone(),
            SessionStart::Resume(id) => return self.enter_now(user, &id.clone(), opening).await,
            SessionStart::Fork { new, .. } => new.clone(),
        };
        let id = match named {
            Some(id) => id,
            None => new_id()?,
        };
        let start = match opening.start {
            SessionStart::Fork { from, at, .. } => SessionStart::Fork { from, at, new: Some(id.clone()) },
            SessionStart::New(_) | SessionStart::Resume(_) => SessionStart::New(Some(id.clone())),
        };
        let (slot, mut held) = self.hold(user, &id).await?;
        if held.as_ref().is_some_and(|live_session| *live_session.state().borrow() != SessionState::Closed) {
            return Err(ApiError::conflict("exists", "a session with that name already exists"));
        }
        let opened = self.make(user, &id, SessionOptions { start, ..opening }, &slot).await;
        self.keep(user, &id, &mut held, opened)
    }

    /// The session of a name: the open one, or the resumed one.
    pub(crate) async fn enter(
        self: &Arc<Self>,
        user: &UserName,
        id: &SessionId,
    ) -> Result<Arc<LiveSession>, ApiError> {
        let (hall, user, id) = (Arc::clone(self), user.clone(), id.clone());
        let opening = SessionOptions::new(SessionStart::Resume(id.clone()));
        to_its_end(async move { hall.enter_now(&user, &id, opening).await }).await
    }

    /// The session of a name, if it is open.
    pub(crate) async fn find(&self, user: &UserName, id: &SessionId) -> Option<Arc<LiveSession>> {
        let slot = {
            let slots = self.slots.lock().unwrap_or_else(PoisonError::into_inner);
            slots.get(&(user.clone(), id.clone())).cloned()?
        };
        let held = slot.lock().await;
        held.as_ref().filter(|live_session| *live_session.state().borrow() != SessionState::Closed).cloned()
    }

    /// As [`find`](Self::find), without waiting for a session that is being opened: a
    /// list must be quick.
    pub(crate) fn peek(&self, user: &UserName, id: &SessionId) -> Option<Arc<LiveSession>> {
        let slot = {
            let slots = self.slots.lock().unwrap_or_else(PoisonError::into_inner);
            slots.get(&(user.clone(), id.clone())).cloned()?
        };
        let held = slot.try_lock().ok()?;
        held.as_ref().filter(|live_session| *live_session.state().borrow() != SessionState::Closed).cloned()
    }

    /// The feed of a session, whether it is open or not.
    pub(crate) fn feed(&self, user: &UserName, id: &SessionId) -> Arc<SessionFeed> {
        let mut feeds = self.feeds.lock().unwrap_or_else(PoisonError::into_inner);
        let key = (user.clone(), id.clone());
        if let Some(feed) = feeds.get(&key).and_then(Weak::upgrade) {
            return feed;
        }
        // Removes entries of dropped feeds now and then, so that they use no memory.
        if feeds.len() >= 64 && feeds.len().is_power_of_two() {
            feeds.retain(|_, feed| feed.strong_count() > 0);
        }
        let feed = Arc::new(SessionFeed::within(&self.memory));
        feeds.insert(key, Arc::downgrade(&feed));
        feed
    }

    /// Sends a prompt to a session. When this returns, the prompt is stored and will be done, now
    /// or after the next start.
    pub(crate) async fn prompt(
        &self,
        live_session: &LiveSession,
        prompt: Option<Prompt>,
    ) -> Result<oneshot::Receiver<RunResult>, ApiError> {
        self.prompt_from(live_session, prompt).await.map(|(_, done)| done)
    }

    /// As [`prompt`](Self::prompt), and returns the position in the feed after which everything
    /// belongs to this prompt.
    pub(crate) async fn prompt_from(
        &self,
        live_session: &LiveSession,
        prompt: Option<Prompt>,
    ) -> Result<(FeedCursor, oneshot::Receiver<RunResult>), ApiError> {
        if self.closing.is_cancelled() {
            return Err(stopping());
        }
        self.check_budget(&live_session.user).await?;
        live_session.settled().await;
        let asked = live_session.ask(prompt, self.admission.queue(&live_session.user)?)?.kept().await?;
        self.metrics.runs.add(1);
        Ok(asked)
    }

    /// Runs work for a user that is not a session, such as trying a tool. It takes a permit like
    /// every run, so the same limits hold. It is refused if the user's budget is used up.
    pub(crate) async fn aside<T>(
        &self,
        user: &UserName,
        work: impl Future<Output = Result<T, SessionProviderError>>,
    ) -> Result<T, ApiError> {
        if self.closing.is_cancelled() {
            return Err(stopping());
        }
        self.check_budget(user).await?;
        let ticket = self.admission.queue(user)?;
        let turn = tokio::select! {
            turn = ticket.turn() => turn,
            () = self.park.cancelled() => None,
        };
        let Some(_turn) = turn else { return Err(stopping()) };
        Ok(work.await?)
    }

    /// Refuses work that costs money if the user's budget is used up.
    pub(crate) async fn check_budget(&self, user: &UserName) -> Result<(), ApiError> {
        let home = self.workshop.home(user).await?;
        self.purses.check(user, &home.store).await
    }

    /// The budget of a user changed: divides it again among the running sessions.
    pub(crate) async fn budget_changed(&self, user: &UserName) -> Result<(), ApiError> {
        let home = self.workshop.home(user).await?;
        self.purses.divide(user, &home.store).await
    }

    /// Resumes all sessions of these users that were running when a server ended, except
    /// `theirs`. Returns how many.
    ///
    /// `theirs` are runs of jobs. If the session manager opened them first, their questions would
    /// go to users, regardless of the job's approval setting.
    pub(crate) async fn resume_parked(
        self: &Arc<Self>,
        users: &[UserName],
        theirs: &HashSet<(UserName, SessionId)>,
    ) -> usize {
        let mut resumed = 0;
        for (user, ids) in self.parked(users).await {
            let mut openings = JoinSet::new();
            for id in ids.into_iter().filter(|id| !theirs.contains(&(user.clone(), id.clone()))) {
                if openings.len() >= OPENINGS {
                    resumed += usize::from(matches!(openings.join_next().await, Some(Ok(true))));
                }
                let (hall, user) = (Arc::clone(self), user.clone());
                openings.spawn(async move { hall.resume_one(&user, &id).await });
            }
            while let Some(opened) = openings.join_next().await {
                resumed += usize::from(matches!(opened, Ok(true)));
            }
        }
        resumed
    }

    /// Resumes one session that was running when a server ended; returns whether it did.
    async fn resume_one(self: &Arc<Self>, user: &UserName, id: &SessionId) -> bool {
        let Ok(live_session) = self.enter(user, id).await else { return false };
        // It was admitted before the server ended, so the length of the queue does not matter now.
        let asked = live_session.ask(None, self.admission.queue_again(user));
        self.metrics.runs.add(u64::from(asked.is_ok()));
        asked.is_ok()
    }

    /// The unfinished sessions of these users that may be resumed, in order. One query if all
    /// users share a database.
    async fn parked(&self, users: &[UserName]) -> Vec<(UserName, Vec<SessionId>)> {
        let Ok(all) = self.workshop.parked().await else { return Vec::new() };
        let mut found: Vec<(UserName, Vec<SessionId>)> = Vec::new();
        let Some(all) = all else {
            for user in users {
                if let Ok(home) = self.workshop.home(user).await {
                    found.push((user.clone(), parked(&home.store).await));
                }
            }
            return found;
        };
        let known: HashSet<&UserName> = users.iter().collect();
        let mut places = HashMap::new();
        for (user, id) in all.into_iter().filter(|(user, _)| known.contains(user)) {
            let index = *places.entry(user.clone()).or_insert(found.len());
            if index == found.len() {
                found.push((user, Vec::new()));
            }
            if let Some((_, ids)) = found.get_mut(index) {
                ids.push(id);
            }
        }
        found
    }

    /// Resumes sessions that no server drives any more, of servers that share this
    /// store. Returns how many.
    pub(crate) async fn adopt(self: &Arc<Self>, users: &[UserName]) -> usize {
        for user in self.purses.users_at_work() {
            if let Ok(home) = self.workshop.home(&user).await {
                self.purses.publish(&user, &home.store).await;
            }
        }
        let mut adopted = 0;
        for (user, mut ids) in self.parked(users).await {
            ids.retain(|id| !self.is_put_off(&user, id));
            if !ids.is_empty() {
                adopted += self.adopt_of(&user, ids).await;
            }
        }
        adopted
    }

    /// Resumes sessions of one user; returns how many.
    async fn adopt_of(self: &Arc<Self>, user: &UserName, ids: Vec<SessionId>) -> usize {
        let Ok(home) = self.workshop.home(user).await else { return 0 };
        // Without budget, each session would be opened, refused and closed again at every check.
        if self.purses.check(user, &home.store).await.is_err() {
            return 0;
        }
        let Ok(theirs) = keepers(&home.store, &ids).await else { return 0 };
        let mut adopted = 0;
        for id in ids {
            if theirs.contains(&id)
                || self.find(user, &id).await.is_some()
                || !is_parked(&home.store, &id).await
            {
                continue;
            }
            adopted += usize::from(self.take_over(user, &id).await);
        }
        adopted
    }

    /// Resumes one of them; returns whether it did.
    async fn take_over(self: &Arc<Self>, user: &UserName, id: &SessionId) -> bool {
        let Ok(live_session) = self.enter(user, id).await else { return false };
        let Ok(asked) = live_session.ask(None, self.admission.queue_again(user)) else { return false };
        self.metrics.runs.add(1);
        let (hall, key) = (Arc::downgrade(self), (user.clone(), id.clone()));
        tokio::spawn(async move {
            let Ok((_, done)) = asked.kept().await else { return };
            let Ok(Err(refusal)) = done.await else { return };
            // Other runs may have reserved the rest of the budget for a while.
            if refusal.status == http::StatusCode::PAYMENT_REQUIRED
                && let Some(hall) = hall.upgrade()
            {
                let until = Instant::now() + PUT_OFF;
                hall.put_off.lock().unwrap_or_else(PoisonError::into_inner).insert(key, until);
            }
        });
        true
    }

    /// Whether a session had no budget a moment ago.
    fn is_put_off(&self, user: &UserName, id: &SessionId) -> bool {
        let mut put_off = self.put_off.lock().unwrap_or_else(PoisonError::into_inner);
        let now = Instant::now();
        put_off.retain(|_, until| *until > now);
        put_off.contains_key(&(user.clone(), id.clone()))
    }

    /// The memory in bytes that all feeds and watchers use.
    pub fn memory(&self) -> usize {
        self.memory.used()
    }

    /// Accepts no more work, lets runs finish during the grace period, then parks the rest.
    pub async fn close(&self) {
        self.closing.cancel();
        let patience = tokio::time::timeout(self.limits.grace, async {
            while self.working().await > 0 {
                tokio::time::sleep(LOOK).await;
            }
        });
        // The next step is the same, whether they finished or not.
        let _ = patience.await;
        self.park.cancel();
        let gone = tokio::time::timeout(self.limits.grace.max(LEAVING), async {
            while !self.is_empty() {
                tokio::time::sleep(LOOK).await;
            }
        });
        let _ = gone.await;
    }

    /// Returns when the server stops.
    pub(crate) async fn stopping(&self) {
        self.park.cancelled().await;
    }

    /// Closes an idle session, so that this server no longer drives it.
    pub(crate) async fn let_go(&self, user: &UserName, id: &SessionId) -> Result<(), ApiError> {
        let Some(live_session) = self.find(user, id).await else { return Ok(()) };
        if !matches!(*live_session.state().borrow(), SessionState::Idle(_)) {
            return Err(ApiError::conflict("working", "the session is running; cancel it first"));
        }
        self.let_go_when_idle(&live_session).await;
        Ok(())
    }

    /// Closes a session as soon as it is idle.
    pub(crate) async fn let_go_when_idle(&self, live_session: &LiveSession) {
        live_session.leave();
        // The sender lives as long as the session, which is held here.
        let _ = live_session.state().wait_for(|state| *state == SessionState::Closed).await;
    }

    /// The number of sessions that work or wait for a permit.
    async fn working(&self) -> usize {
        let slots: Vec<SessionSlot> =
            self.slots.lock().unwrap_or_else(PoisonError::into_inner).values().cloned().collect();
        let mut working = 0;
        for slot in slots {
            let held = slot.lock().await;
            let at_work = |live_session: &Arc<LiveSession>| {
                matches!(*live_session.state().borrow(), SessionState::Waiting | SessionState::Working)
            };
            working += usize::from(held.as_ref().is_some_and(at_work));
        }
        working
    }

    async fn enter_now(
        self: &Arc<Self>,
        user: &UserName,
        id: &SessionId,
        opening: SessionOptions,
    ) -> Result<Arc<LiveSession>, ApiError> {
        let (slot, mut held) = self.hold(user, id).await?;
        if let Some(live_session) =
            held.as_ref().filter(|live_session| *live_session.state().borrow() != SessionState::Closed)
        {
            return Ok(Arc::clone(live_session));
        }
        let opened = self.make(user, id, opening, &slot).await;
        self.keep(user, id, &mut held, opened)
    }

    /// Puts a session into its slot; if it could not be opened, the slot is freed.
    fn keep(
        &self,
        user: &UserName,
        id: &SessionId,
        held: &mut Option<Arc<LiveSession>>,
        opened: Result<Arc<LiveSession>, ApiError>,
    ) -> Result<Arc<LiveSession>, ApiError> {
        match opened {
            Ok(live_session) => {
                *held = Some(Arc::clone(&live_session));
                Ok(live_session)
            }
            Err(refusal) => {
                if held
                    .as_ref()
                    .is_none_or(|live_session| *live_session.state().borrow() == SessionState::Closed)
                {
                    let key = (user.clone(), id.clone());
                    self.slots.lock().unwrap_or_else(PoisonError::into_inner).remove(&key);
                }
                Err(refusal)
            }
        }
    }

    async fn make(
        self: &Arc<Self>,
        user: &UserName,
        id: &SessionId,
        opening: SessionOptions,
        slot: &SessionSlot,
    ) -> Result<Arc<LiveSession>, ApiError> {
        let home = self.workshop.home(user).await?;
        let (start, mut agent, mut own_budget) = (opening.start, opening.agent, None);
        match &start {
            SessionStart::Resume(id) => {
                agent = agent_of(&home.store, id).await?.or(agent);
                own_budget = stored_prompts::bound(&home.store, id).await?.map(|usd| Budget { usd });
            }
            SessionStart::Fork { from, .. } => agent = agent_of(&home.store, from).await?.or(agent),
            SessionStart::New(_) => {}
        }
        let feed = self.feed(user, id);
        feed.begin_anew();
        let desk = Arc::new(QuestionBroker::new(Arc::clone(&feed), opening.attendance));
        let watch = Arc::new(EventMeter {
            user: user.clone(),
            id: id.clone(),
            feed: Arc::clone(&feed),
            metrics: Arc::clone(&self.metrics),
            purses: Arc::clone(&self.purses),
            told: Mutex::default(),
            runs: RunMeter::default(),
        });
        let opened = self
            .workshop
            .open(SessionRequest {
                user: user.clone(),
                start,
                starter: opening.starter,
                agent: agent.clone(),
                model: opening.model,
                budget: opening.budget,
                own_budget,
                tools: opening.tools,
                temperature_milli: opening.temperature_milli,
                desk: Arc::clone(&desk),
                events: Arc::clone(&watch) as _,
                deltas: Arc::clone(&feed) as _,
            })
            .await?;
        if let Some(agent) = agent {
            home.store.tag(id.as_str(), &format!("{AGENT}{agent}")).await?;
        }
        let driving = DriveContext {
            store: home.store,
            purses: Arc::clone(&self.purses),
            idle: self.limits.idle,
            park: self.park.clone(),
            told: watch.last_budget(),
        };
        let (hall, key, slot) = (Arc::downgrade(self), (user.clone(), id.clone()), Arc::downgrade(slot));
        feed.take_up();
        let let_go = Arc::clone(&feed);
        let gone = move || {
            let_go.let_go();
            if let Some(hall) = hall.upgrade() {
                hall.forget(&key, &slot);
            }
        };
        Ok(LiveSession::new((user.clone(), id.clone()), opened, (feed, desk), opening.lasting, driving, gone))
    }

    /// Frees the slot of a closed session, unless it was taken again.
    fn forget(&self, key: &UserSessionKey, slot: &Weak<AsyncMutex<Option<Arc<LiveSession>>>>) {
        let mut slots = self.slots.lock().unwrap_or_else(PoisonError::into_inner);
        let same = slots.get(key).is_some_and(|held| Weak::ptr_eq(&Arc::downgrade(held), slot));
        let closed = |held: &SessionSlot| {
            let held = held.try_lock();
            held.is_ok_and(|live_session| {
                live_session
                    .as_ref()
                    .is_none_or(|live_session| *live_session.state().borrow() == SessionState::Closed)
            })
        };
        if same && slots.get(key).is_some_and(closed) {
            slots.remove(key);
        }
    }

    /// Locks the slot of a session. The previous holder may have freed the slot meanwhile. A
    /// session that is put into it could not be found then, so another slot is taken.
    async fn hold(
        &self,
        user: &UserName,
        id: &SessionId,
    ) -> Result<(SessionSlot, OwnedMutexGuard<Option<Arc<LiveSession>>>), ApiError> {
        loop {
            let slot = self.slot(user, id)?;
            let held = Arc::clone(&slot).lock_owned().await;
            if self.has(user, id, &slot) {
                return Ok((slot, held));
            }
        }
    }

    /// Whether a slot is still the one that is registered for a session.
    fn has(&self, user: &UserName, id: &SessionId, slot: &SessionSlot) -> bool {
        let slots = self.slots.lock().unwrap_or_else(PoisonError::into_inner);
        slots.get(&(user.clone(), id.clone())).is_some_and(|own| Arc::ptr_eq(own, slot))
    }

    fn slot(&self, user: &UserName, id: &SessionId) -> Result<SessionSlot, ApiError> {
        let mut slots = self.slots.lock().unwrap_or_else(PoisonError::into_inner);
        let key = (user.clone(), id.clone());
        if let Some(slot) = slots.get(&key) {
            return Ok(Arc::clone(slot));
        }
        if self.closing.is_cancelled() {
            return Err(stopping());
        }
        if slots.len() >= self.limits.sessions {
            return Err(ApiError::busy("full", "too many sessions are open; try again later", 30));
        }
        Ok(Arc::clone(slots.entry(key).or_default()))
    }
}

impl std::fmt::Debug for SessionManager {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("SessionManager").field("open", &self.len()).finish_non_exhaustive()
    }
}

/// Error message for a user whose budget is used up.
pub(crate) fn over_budget() -> ApiError {
    let message = "your budget is used up; an administrator can raise it";
    ApiError::new(http::StatusCode::PAYMENT_REQUIRED, "over_budget", message)
}

/// Error message while the server stops.
fn stopping() -> ApiError {
    ApiError::busy("stopping", "the server is shutting down; try again when it is back", 5)
}

/// All sessions that are marked as running, or have an accepted prompt. Lists them completely
/// before one is resumed, because resuming changes their order.
async fn parked(store: &holm_store::Store) -> Vec<SessionId> {
    let mut wanted =
        SessionQuery { tag: Some(RUNNING.into()), limit: Some(1_000), ..SessionQuery::default() };
    let mut found = Vec::new();
    while let Ok(page) = store.list(&wanted).await {
        found.extend(page.sessions.iter().filter_map(|session| session.run.parse::<SessionId>().ok()));
        let Some(next) = page.next else { break };
        wanted.after = Some(next);
    }
    let known: BTreeSet<SessionId> = found.iter().cloned().collect();
    found.extend(stored_prompts::waiting(store).await.into_iter().filter(|id| !known.contains(id)));
    found
}

/// Whether a session is a run of a job.
pub(super) fn is_job(id: &SessionId) -> bool {
    id.as_str().starts_with(JOB)
}

/// Which of these sessions are running attempts of jobs, according to the store. They belong to the
/// job scheduler, which knows whether users are asked about them.
///
/// A session whose job has finished, and that a user has prompted since, is treated like any other.
async fn keepers(
    store: &holm_store::Store,
    ids: &[SessionId],
) -> Result<BTreeSet<SessionId>, JobRepositoryError> {
    if ids.iter().any(is_job) {
        JobRepository::new(store.clone()).under_way().await
    } else {
        Ok(BTreeSet::new())
    }
}

/// Whether a session is still unfinished and not driven, according to the store. It may have ended
/// since it was listed; opening it would be useless then.
async fn is_parked(store: &holm_store::Store, id: &SessionId) -> bool {
    let Ok(session) = store.session(id.as_str()).await else { return false };
    let is_tagged = session.tags.iter().any(|tag| tag == RUNNING);
    session.holder.is_none() && (is_tagged || stored_prompts::is_waiting(store, id).await)
}

/// The agent of a session, from its tag.
async fn agent_of(store: &holm_store::Store, id: &SessionId) -> Result<Option<String>, ApiError> {
    let session = store.session(id.as_str()).await?;
    Ok(session.tags.iter().find_map(|tag| tag.strip_prefix(AGENT).map(str::to_owned)))
}

/// Opens a session even if the client stops waiting. A half-opened session would
/// hold its slot forever.
async fn to_its_end(
    opening: impl Future<Output = Result<Arc<LiveSession>, ApiError>> + Send + 'static,
) -> Result<Arc<LiveSession>, ApiError> {
    let opened = tokio::spawn(opening).await;
    opened.unwrap_or_else(|_| Err(ApiError::failed("the session could not be opened")))
}

/// A new random name, long enough to be unique.
fn new_id() -> Result<SessionId, ApiError> {
    let mut bytes = [0_u8; 12];
    getrandom::fill(&mut bytes).map_err(|_| ApiError::failed("the system gave no random bytes"))?;
    let hex = bytes.iter().fold(String::from("s-"), |hex, byte| format!("{hex}{byte:02x}"));
    hex.parse()
}
