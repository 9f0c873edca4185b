//! The task that drives an open session: it receives prompts, stores them, waits for a permit, and
//! runs them.
//!
//! Other tasks talk to it through `live_session.rs`. Permits are in `admission.rs`, budget shares
//! in `budget_reservations.rs`, and stored prompts in `stored_prompts.rs`. A prompt is stored
//! before its sender learns that it was accepted. A run without a permit is still polled, so that
//! deadlines hold, but gets no answer.

use std::{any::Any, panic::AssertUnwindSafe, pin::pin, sync::Arc, time::Duration};

use futures::FutureExt as _;
use holm_kernel::{Budget, NanoUsd, Prompt};
use holm_runtime::{
    BoxFuture, CancellationToken, DriveError, JournalStorageError, ResumeChanges, RunReport, Session,
};
use holm_store::Store;
use tokio::sync::{mpsc, watch};

use super::{
    LiveSession, RUNNING, SessionState, WorkLifetime,
    admission::{PausedPermit, RunPermit},
    budget_reservations::{BudgetReservation, BudgetReservations, ReservationRequest},
    live_session::{MissedInput, QueuedPrompt, RunIntent, RunResult},
    session_manager::is_job,
    stored_prompts,
};
use crate::{ApiError, OpenedSession, SessionId};

/// What the driving task needs.
pub(super) struct DriveContext {
    pub(super) store: Store,
    pub(super) purses: Arc<BudgetReservations>,
    pub(super) idle: Duration,
    /// Cancelled when the server stops: running work is parked.
    pub(super) park: CancellationToken,
    /// The budget that the session had when it was opened.
    pub(super) told: Option<Budget>,
}

/// The session's own budget, and which budget applies.
struct SessionBudget {
    own: Option<NanoUsd>,
    binding: BudgetBinding,
}

/// Which budget was reported to the run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum BudgetBinding {
    Own,
    /// The user's; the session's own is noted in the store.
    Users,
}

/// The prompt to run, and the answer for the caller.
struct PromptAcceptance {
    prompt: Option<Prompt>,
    answer: Result<(), ApiError>,
}

/// What to do after a prompt was handled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum DriveDecision {
    Next,
    Leave,
}

/// Drives a session until it is closed.
pub(super) async fn drive(
    live_session: &LiveSession,
    opened: OpenedSession,
    mut asked: mpsc::Receiver<QueuedPrompt>,
    driving: DriveContext,
) {
    let OpenedSession { mut session, keep } = opened;
    let mut bound = SessionBudget { own: session.run().budget().usd, binding: BudgetBinding::Own };
    // If the store cannot be read now, the next write reports it.
    if let Ok(Some(own)) = stored_prompts::bound(&driving.store, &live_session.id).await {
        let own = driving.told.map_or(own, |budget| budget.usd);
        bound = SessionBudget { own, binding: BudgetBinding::Users };
    }
    let mut lease_loss = session.lease_loss();
    loop {
        let next = tokio::select! {
            next = tokio::time::timeout(driving.idle, asked.recv()) => next.ok().flatten(),
            // Another server may have it now, and the journal in this process is out of date.
            () = &mut lease_loss => {
                asked.close();
                break;
            }
            () = driving.park.cancelled() => None,
            () = live_session.leave.cancelled() => None,
        };
        // Closes the queue; a prompt that arrived at this moment is still served.
        let Some(ask) = next.or_else(|| last(&mut asked)) else { break };
        let served =
            serve(live_session, &mut session, &mut bound, (ask, &mut asked), (&driving, &mut lease_loss))
                .await;
        if served == DriveDecision::Leave {
            break;
        }
    }
    put_away(session, keep).await;
}

/// Values that must live as long as the session are dropped first.
async fn put_away(session: Session, keep: Box<dyn Any + Send>) {
    drop(keep);
    session.close().await;
}

async fn serve(
    live_session: &LiveSession,
    session: &mut Session,
    bound: &mut SessionBudget,
    (ask, asked): (QueuedPrompt, &mut mpsc::Receiver<QueuedPrompt>),
    (driving, lease_loss): (&DriveContext, &mut BoxFuture<'static, ()>),
) -> DriveDecision {
    let QueuedPrompt { prompt, ticket, give_up, kept, done } = ask;
    let idle = || {
        live_session.close_input_gate();
        drop(live_session.state.send_replace(SessionState::Idle(None)));
    };
    let PromptAcceptance { prompt, answer } =
        match accept(live_session, session, prompt, &driving.store).await {
            Ok(accepted) => accepted,
            Err(refusal) => {
                idle();
                let _ = kept.send(Err(refusal));
                return DriveDecision::Next;
            }
        };
    // The caller may be gone; an accepted prompt runs anyway.
    let _ = kept.send(answer);
    let turn = tokio::select! {
        turn = ticket.turn() => turn,
        () = give_up.cancelled() => None,
        () = driving.park.cancelled() => None,
        // A resumed run works already; without its lease it must stop. The prompt is stored for the
        // next holder.
        () = lease_loss => {
            asked.close();
            None
        }
    };
    live_session.open_input_gate();
    if give_up.is_cancelled() {
        // If it cannot be deleted now, it starts after the next restart and can be cancelled there.
        let _ = stored_prompts::done(&driving.store, &live_session.id).await;
        idle();
        let _ = done.send(Err(ApiError::conflict("cancelled", "the run was cancelled before its turn")));
        return DriveDecision::Next;
    }
    // From now on a cancellation finds no waiting prompt and goes to the run itself. Without a
    // permit the server is stopping: the accepted prompt is stored and runs at the next start.
    let Some(turn) = turn else {
        live_session.close_input_gate();
        return DriveDecision::Leave;
    };
    live_session.state.send_replace(SessionState::Working);
    let working = work(live_session, session, bound, prompt, driving);
    let worked = take_turns(live_session, turn, working, &driving.park).await;
    // No matter how the run ended, it does not read further input.
    live_session.close_input_gate();
    let Some(worked) = worked else { return DriveDecision::Leave };
    let worked = match worked {
        Ok(worked) => worked,
        Err(RunPanicError) => broken(live_session, &driving.store).await,
    };
    let ending = worked.as_ref().ok().and_then(Option::as_ref).map(|report| Box::new(report.ending.clone()));
    let after = if worked.is_err() { DriveDecision::Leave } else { DriveDecision::Next };
    if after == DriveDecision::Leave {
        // Closed before the session looks idle: a session that is being closed accepts no prompt.
        asked.close();
    }
    live_session.state.send_replace(SessionState::Idle(ending));
    // The caller may be gone; the journal has the result.
    let _ = done.send(worked);
    after
}

/// Whether a run has a permit, between its start and its end.
enum RunTurnState {
    Works(RunPermit),
    /// No permit, because it waits for a user.
    Rests(PausedPermit),
    /// No permit yet, and it was answered: it receives the answer once it has one.
    Queues(PausedPermit, BoxFuture<'static, Option<RunPermit>>),
    /// No permit, and it needs none because it was cancelled. Later input makes it need one again.
    Stops(PausedPermit),
}

impl RunTurnState {
    /// The next state, given whether the run waits for a user, and whether an answer is
    /// held back from it.
    fn after(self, is_asking: bool, is_shut: bool) -> Self {
        match self {
            Self::Works(turn) if is_asking => Self::Rests(turn.rest()),
            Self::Rests(rest) if !is_asking || is_shut => {
                let turn = Box::pin(rest.over().turn());
                Self::Queues(rest, turn)
            }
            Self::Works(_) | Self::Rests(_) | Self::Queues(..) | Self::Stops(_) => self,
        }
    }

    /// The user's intent that would change the state.
    const fn awaits(&self) -> Option<RunIntent> {
        match self {
            Self::Works(_) | Self::Rests(_) => None,
            Self::Queues(..) => Some(RunIntent::Stop),
            Self::Stops(_) => Some(RunIntent::GoOn),
        }
    }

    /// The next state after that intent.
    fn wished(self) -> Self {
        match self {
            Self::Queues(rest, _) => Self::Stops(rest),
            Self::Stops(rest) => Self::Rests(rest),
            Self::Works(_) | Self::Rests(_) => self,
        }
    }

    /// Waits for the permit; forever if none is requested.
    async fn turn(&mut self) -> Option<RunPermit> {
        match self {
            Self::Queues(_, turn) => turn.await,
            Self::Works(_) | Self::Rests(_) | Self::Stops(_) => std::future::pending().await,
        }
    }
}

/// A panic in the server, not an error of the run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct RunPanicError;

/// Drives a run. While it waits for a user it gives its permit back, so that other runs can work.
/// It receives the last answer once it has a permit again.
///
/// The run is polled all the time, so that tool deadlines hold and a lost lease is noticed. Returns
/// `None` if the server stops.
pub(super) async fn take_turns(
    live_session: &LiveSession,
    turn: RunPermit,
    work: impl Future<Output = RunResult>,
    park: &CancellationToken,
) -> Option<Result<RunResult, RunPanicError>> {
    let mut work = pin!(AssertUnwindSafe(work).catch_unwind());
    let (mut questions, mut intent) = (live_session.desk.count(), live_session.intent.subscribe());
    let gate = live_session.desk.take_turns();
    let mut shift = RunTurnState::Works(turn);
    loop {
        let is_asking = *questions.borrow_and_update() > 0;
        if matches!(shift, RunTurnState::Works(_) | RunTurnState::Stops(_)) {
            gate.open();
        }
        shift = shift.after(is_asking, gate.is_shut());
        let wanted = shift.awaits();
        // The order matters: an answer, or input after a cancellation, continues only with a
        // permit.
        tokio::select! {
            biased;
            () = park.cancelled() => return None,
            _ = questions.changed() => {}
            () = until(&mut intent, wanted), if wanted.is_some() => {
                shift = shift.wished();
                if matches!(shift, RunTurnState::Rests(_)) {
                    gate.shut();
                }
            }
            turn = shift.turn() => shift = RunTurnState::Works(turn?),
            worked = &mut work => return Some(worked.map_err(|_| RunPanicError)),
        }
    }
}

/// Waits until the user's intent is this one. The session is held here, so the sender exists.
async fn until(intent: &mut watch::Receiver<RunIntent>, wanted: Option<RunIntent>) {
    let _ = intent.wait_for(|intent| Some(*intent) == wanted).await;
}

/// Ends a run that panicked. It is not restarted automatically, because it would panic again.
async fn broken(live_session: &LiveSession, store: &Store) -> RunResult {
    let refusal = ApiError::failed("internal error of the server");
    live_session.feed.note(&refusal.message);
    if live_session.lasting == WorkLifetime::Session {
        store.untag(live_session.id.as_str(), RUNNING).await?;
        stored_prompts::done(store, &live_session.id).await?;
    }
    Err(refusal)
}

/// Stores a new prompt so that it is not lost; without a new one, looks up the stored one. A prompt
/// that was accepted earlier, but never started because the server ended, goes first.
async fn accept(
    live_session: &LiveSession,
    session: &mut Session,
    prompt: Option<Prompt>,
    store: &Store,
) -> Result<PromptAcceptance, ApiError> {
    let prompt = match (prompt, live_session.lasting) {
        (Some(prompt), WorkLifetime::Request) => Some(prompt),
        (Some(prompt), WorkLifetime::Session) => {
            if let Some(earlier) = stored_prompts::unheard(store, &live_session.id).await? {
                let message = "an earlier prompt is waiting to start; steer it, follow up, or cancel it";
                let answer = Err(ApiError::conflict("working", message));
                return Ok(PromptAcceptance { prompt: Some(earlier), answer });
            }
            // Redacted as in the journal: secrets are stored nowhere.
            let prompt = session.without_secrets(prompt);
            stored_prompts::keep(store, &live_session.id, &prompt, session.run().receipt().seq).await?;
            Some(prompt)
        }
        (None, _) => stored_prompts::unheard(store, &live_session.id).await?,
    };
    Ok(PromptAcceptance { prompt, answer: Ok(()) })
}

async fn work(
    live_session: &LiveSession,
    session: &mut Session,
    bound: &mut SessionBudget,
    prompt: Option<Prompt>,
    driving: &DriveContext,
) -> RunResult {
    let store = &driving.store;
    let hold = match afford(live_session, session, bound, driving).await {
        Ok(hold) => hold,
        Err(refusal) => {
            if is_final(&refusal) {
                // Otherwise it would start unasked when the user has budget again.
                stored_prompts::done(store, &live_session.id).await?;
            }
            live_session.feed.note(&refusal.message);
            return Err(refusal);
        }
    };
    // A prompt of one connection is only for that connection: at the next start, no client would
    // read the answer or carry out its tool calls.
    let goes_on = live_session.lasting == WorkLifetime::Session;
    if goes_on {
        store.tag(live_session.id.as_str(), RUNNING).await?;
    }
    let outcome = to_its_end(live_session, session, prompt).await;
    hold.settle(session.run().spent());
    drop(hold);
    driving.purses.publish(&live_session.user, store).await;
    if goes_on && !is_left(&live_session.id, &outcome) {
        store.untag(live_session.id.as_str(), RUNNING).await?;
        stored_prompts::done(store, &live_session.id).await?;
    }
    outcome.map_err(|error| {
        let refusal = unwritten(error);
        live_session.feed.note(&refusal.message);
        refusal
    })
}

/// Runs the prompt, and then the input that arrived too late for it. Both count as one piece of
/// work: it has one budget share, resumes at the next start, and is shown to watchers as working.
///
/// Returns the report of its last part.
async fn to_its_end(
    live_session: &LiveSession,
    session: &mut Session,
    prompt: Option<Prompt>,
) -> Result<Option<RunReport>, DriveError> {
    let mut report = match prompt {
        Some(prompt) => Some(session.prompt(prompt).await?),
        None => session.go_on().await?,
    };
    while live_session.missed() == MissedInput::Something {
        // A cancelled run may have no permit now. Yielding lets the driver notice that and close
        // the gate first.
        tokio::task::yield_now().await;
        live_session.desk.passed().await;
        report = session.catch_up().await?.or(report);
    }
    Ok(report)
}

/// Whether a run stays marked as unfinished, to be resumed from its journal. That is so if the
/// journal could not be written here, perhaps because another server holds it now.
///
/// Runs of jobs are excluded: their scheduler decides about them.
fn is_left<T>(id: &SessionId, outcome: &Result<T, DriveError>) -> bool {
    matches!(outcome, Err(DriveError::Journal(_) | DriveError::Lost)) && !is_job(id)
}

/// Reserves budget for the session and reports the limit to the run.
async fn afford(
    live_session: &LiveSession,
    session: &mut Session,
    bound: &mut SessionBudget,
    driving: &DriveContext,
) -> Result<BudgetReservation, ApiError> {
    let store = &driving.store;
    let begins = ReservationRequest {
        session: live_session.id.clone(),
        own: bound.own,
        spent: session.run().spent(),
        tell: live_session.budget(),
    };
    let hold = driving.purses.take(&live_session.user, store, begins).await?;
    let (wanted, binding) = match hold.ceiling {
        Some(ceiling) => (Some(ceiling), BudgetBinding::Users),
        None => (bound.own, BudgetBinding::Own),
    };
    if binding == BudgetBinding::Users && bound.binding == BudgetBinding::Own {
        stored_prompts::note_bound(store, &live_session.id, bound.own).await?;
    }
    if session.run().budget().usd != wanted {
        let budget = Some(Budget { usd: wanted });
        session.change(ResumeChanges { budget, ..ResumeChanges::default() }).await.map_err(unwritten)?;
    }
    if binding == BudgetBinding::Own && bound.binding == BudgetBinding::Users {
        stored_prompts::forget_bound(store, &live_session.id).await?;
    }
    bound.binding = binding;
    Ok(hold)
}

/// Whether an accepted prompt is refused for good. It is if there is no money for it. If the lease
/// is lost, or the store or another server fails, the prompt stays for the session's next holder.
fn is_final(refusal: &ApiError) -> bool {
    refusal.status == http::StatusCode::PAYMENT_REQUIRED
}

/// The reason of a failed journal write is for the operator, not for the client. The client does
/// learn that another server continues the run.
#[expect(clippy::needless_pass_by_value, reason = "it is what `map_err` gives")]
fn unwritten(error: DriveError) -> ApiError {
    if error == DriveError::Journal(JournalStorageError::LeaseLost) {
        return ApiError::lease_lost();
    }
    ApiError::failed("the run was stopped because its journal could not be written")
}

/// Closes the queue and returns the prompt that arrived just before.
fn last(asked: &mut mpsc::Receiver<QueuedPrompt>) -> Option<QueuedPrompt> {
    asked.close();
    asked.try_recv().ok()
}

#[cfg(test)]
mod tests;
