//! Runs an attempt of a job as an unattended session.

use std::{future::Future, pin::pin, sync::Weak};

use holm_kernel::{Ending, Event, NanoUsd, Numbered, Prompt};
use holm_runtime::{BoxFuture, CancellationToken};
use tokio::sync::mpsc;

use super::{Approval, Asking, JobId, Outcome, Spec};
use crate::{
    Attendance, Opening, Refusal, Server, SessionId, Start,
    auth::UserName,
    live::{self, Room, State},
    state::Inner,
};

/// An attempt to run.
#[derive(Debug)]
pub struct Errand {
    pub user: UserName,
    pub job: JobId,
    /// What is to be done.
    pub spec: Spec,
    pub session: SessionId,
    /// Whether it is new, or was running when the last server ended.
    pub begin: Begin,
    /// Cancelled when the attempt has to stop.
    pub stop: CancellationToken,
    /// Receives a message whenever the run starts or stops waiting for a user's answer.
    pub asks: mpsc::UnboundedSender<Asking>,
}

/// How an attempt starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Begin {
    Anew,
    Rejoin,
}

/// The result of an attempt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Finished {
    Ended {
        outcome: Outcome,
        spent: NanoUsd,
    },
    /// The server stops; the attempt is resumed at the next start.
    Parked,
    /// Another process runs it.
    Elsewhere,
}

impl Finished {
    /// Ended without any cost.
    pub const fn ended(outcome: Outcome) -> Self {
        Self::Ended { outcome, spent: NanoUsd::ZERO }
    }

    fn refused(refusal: &Refusal) -> Self {
        let reason = refusal.message.clone();
        Self::ended(match refusal.status.as_u16() {
            // The request is invalid now and later.
            400..=404 => Outcome::Refused { reason },
            _ => Outcome::Failed { reason },
        })
    }
}

pub trait Starter: Send + Sync {
    /// Runs one attempt to its end.
    fn run(&self, errand: Errand) -> BoxFuture<'static, Finished>;
}

/// Runs attempts as sessions of the server.
pub(crate) struct HallStarter(Weak<Inner>);

impl HallStarter {
    /// The server owns the jobs, so this holds only a weak reference to the server.
    pub(crate) fn new(server: Weak<Inner>) -> Self {
        Self(server)
    }
}

impl Starter for HallStarter {
    fn run(&self, errand: Errand) -> BoxFuture<'static, Finished> {
        let server = self.0.upgrade().map(|inner| Server { inner });
        Box::pin(async move {
            let Some(server) = server else { return Finished::Parked };
            let run = match errand.begin {
                Begin::Anew => anew(&server, &errand).await,
                Begin::Rejoin => rejoin(&server, &errand).await,
            };
            run.unwrap_or_else(|refusal| turned_away(&refusal))
        })
    }
}

async fn anew(server: &Server, errand: &Errand) -> Result<Finished, Refusal> {
    let hall = server.hall();
    let mut opening = opening(errand, Start::New(Some(errand.session.clone())));
    opening.budget = errand.spec.budget;
    let room = hall.open(&errand.user, opening).await?;
    let asked = hall.prompt(&room, Some(Prompt::text(errand.spec.prompt.as_str()))).await;
    let done = match asked {
        Ok(done) => done,
        Err(refusal) => {
            room.leave();
            return Err(refusal);
        }
    };
    let ended = async {
        match done.await {
            Ok(Ok(Some(report))) => Finished::Ended { outcome: outcome(&report.ending), spent: report.spent },
            Ok(Ok(None)) => Finished::ended(Outcome::Lost),
            Ok(Err(refusal)) => Finished::refused(&refusal),
            // The driving task has dropped it, because the server stops.
            Err(_) => Finished::Parked,
        }
    };
    Ok(attend(&room, errand, ended).await)
}

/// Resumes an attempt that was running when the server ended, or joins the task
/// that already runs it.
async fn rejoin(server: &Server, errand: &Errand) -> Result<Finished, Refusal> {
    let hall = server.hall();
    let opened = hall.open(&errand.user, opening(errand, Start::Resume(errand.session.clone()))).await;
    let room = match opened {
        Ok(room) => room,
        // The last server ended after it stored the attempt and before it started: nothing of it
        // has run. If another server starts it at this moment, the attempt belongs to that server.
        Err(refusal) if refusal.code == "not_found" => return anew(server, errand).await,
        Err(refusal) => return Err(refusal),
    };
    // The last server may have ended after it created the session and before it sent the prompt.
    let prompt = is_untouched(server, errand).await.then(|| Prompt::text(errand.spec.prompt.as_str()));
    let done = match hall.prompt(&room, prompt).await {
        Ok(done) => Some(done),
        // Another task has resumed it already.
        Err(refusal) if refusal.code == "working" => None,
        Err(refusal) => return Err(refusal),
    };
    let mut state = room.state();
    let ended = async {
        let is_idle = match done {
            Some(done) => match done.await {
                Ok(Ok(Some(report))) => {
                    return Finished::Ended { outcome: outcome(&report.ending), spent: report.spent };
                }
                Ok(Ok(None)) => true,
                Ok(Err(refusal)) => return Finished::refused(&refusal),
                Err(_) => return Finished::Parked,
            },
            None => {
                let rest = state.wait_for(|state| matches!(state, State::Idle(_) | State::Closed));
                rest.await.is_ok_and(|state| *state != State::Closed)
            }
        };
        // If it had ended before, its journal has the ending. The journal is checked first, because
        // a session that was closed at once may never have been seen as idle.
        match last_ending(server, errand).await {
            Some(finished) => finished,
            None if is_idle => Finished::ended(Outcome::Lost),
            None => Finished::Parked,
        }
    };
    Ok(attend(&room, errand, ended).await)
}

/// The result of an attempt that could not start. If a session of its name exists, another server
/// has started this very attempt. Counting that as a failure would retry it while it runs.
fn turned_away(refusal: &Refusal) -> Finished {
    match refusal.code {
        "stopping" => Finished::Parked,
        "driven_elsewhere" | "exists" => Finished::Elsewhere,
        _ => Finished::refused(refusal),
    }
}

fn opening(errand: &Errand, start: Start) -> Opening {
    let attendance = match errand.spec.approval {
        Approval::Deny => Attendance::Unattended,
        Approval::Park | Approval::Notify => Attendance::Attended,
    };
    let (agent, model) = (errand.spec.agent.clone(), errand.spec.model.clone());
    Opening { agent, model, attendance, ..Opening::new(start) }
}

/// Waits for the end, reports open questions, and cancels the session on request.
async fn attend(room: &Room, errand: &Errand, ended: impl Future<Output = Finished>) -> Finished {
    let mut ended = pin!(ended);
    let mut bell = room.feed.bell();
    // The stored state may be out of date after a restart, so a resumed attempt always reports it
    // once.
    let mut asking = Some(Asking::Over).filter(|_| errand.begin == Begin::Anew);
    let mut stopping = Stopping::No;
    let finished = loop {
        let now = if room.desk.open().is_empty() { Asking::Over } else { Asking::Begun };
        if asking != Some(now) {
            asking = Some(now);
            // If the receiver is gone, its owner learns the state from the result.
            let _ = errand.asks.send(now);
        }
        tokio::select! {
            finished = &mut ended => break finished,
            // The session holds the feed, so its sender exists.
            _ = bell.changed() => {}
            () = errand.stop.cancelled(), if stopping == Stopping::No => {
                stopping = Stopping::Yes;
                // An idle session need not be cancelled.
                let _ = room.cancel("the job's time limit has passed");
            }
        }
    };
    room.leave();
    finished
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stopping {
    No,
    Yes,
}

/// Whether a session was never prompted, according to its journal.
async fn is_untouched(server: &Server, errand: &Errand) -> bool {
    let Ok(home) = server.inner.workshop.home(&errand.user).await else { return false };
    let begins = |told: &Numbered| matches!(told.event, Event::GroupStarted { .. });
    live::past(&home.store, &errand.session).await.is_ok_and(|events| !events.iter().any(begins))
}

async fn last_ending(server: &Server, errand: &Errand) -> Option<Finished> {
    let home = server.inner.workshop.home(&errand.user).await.ok()?;
    ending_of(&live::past(&home.store, &errand.session).await.ok()?)
}

/// How the last work of a session ended; `None` if it has not, or there was none.
fn ending_of(events: &[Numbered]) -> Option<Finished> {
    let last = events.iter().rev().find_map(|told| match &told.event {
        Event::GroupEnded { ending, spent, .. } => {
            Some(Some(Finished::Ended { outcome: outcome(ending), spent: *spent }))
        }
        Event::GroupStarted { .. } => Some(None),
        _ => None,
    });
    last.flatten()
}

/// The outcome of an attempt, as the list of runs shows it.
fn outcome(ending: &Ending) -> Outcome {
    match ending {
        Ending::Answered { text } => Outcome::answered(text),
        Ending::Refused { reason } => Outcome::Refused { reason: format!("the model declined: {reason}") },
        Ending::Rejected { what, reason } => {
            Outcome::Refused { reason: format!("{what} did not pass its check: {reason}") }
        }
        Ending::OverBudget { .. } => Outcome::Refused { reason: "its budget is used up".into() },
        Ending::Looping { tool, times } => {
            Outcome::Failed { reason: format!("it called `{tool}` {times} times without progress") }
        }
        Ending::OverLimit { limit, used, allowed } => {
            Outcome::Failed { reason: format!("a limit was reached ({limit:?}: {used} of {allowed})") }
        }
        Ending::Cancelled { reason } => Outcome::Failed { reason: format!("it was cancelled: {reason}") },
        Ending::Failed { message, .. } => Outcome::Failed { reason: message.clone() },
    }
}

#[cfg(test)]
mod tests;
