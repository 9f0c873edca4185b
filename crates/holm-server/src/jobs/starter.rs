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

/// A try that is to be made.
#[derive(Debug)]
pub struct Errand {
    pub user: UserName,
    pub job: JobId,
    /// What is to be done.
    pub spec: Spec,
    pub session: SessionId,
    /// Whether it begins, or was under way when the last server ended.
    pub begin: Begin,
    /// Rings when it is to stop.
    pub stop: CancellationToken,
    /// Receives a message whenever the run starts or stops waiting for a user's answer.
    pub asks: mpsc::UnboundedSender<Asking>,
}

/// How a try begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Begin {
    Anew,
    Rejoin,
}

/// What came of a try.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Finished {
    Ended {
        outcome: Outcome,
        spent: NanoUsd,
    },
    /// The server stops; it goes on at the next start.
    Parked,
    /// Another process has it.
    Elsewhere,
}

impl Finished {
    /// Ended, without having cost anything.
    pub const fn ended(outcome: Outcome) -> Self {
        Self::Ended { outcome, spent: NanoUsd::ZERO }
    }

    fn refused(refusal: &Refusal) -> Self {
        let reason = refusal.message.clone();
        Self::ended(match refusal.status.as_u16() {
            // What was asked for cannot be, now or later.
            400..=404 => Outcome::Refused { reason },
            _ => Outcome::Failed { reason },
        })
    }
}

pub trait Starter: Send + Sync {
    /// Runs one; ready when it has ended.
    fn run(&self, errand: Errand) -> BoxFuture<'static, Finished>;
}

/// Lets tries run as sessions of the server.
pub(crate) struct HallStarter(Weak<Inner>);

impl HallStarter {
    /// The server owns the jobs, so this does not own the server.
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

/// Resumes an attempt that was running when the server ended, or joins the task that already runs
/// it.
async fn rejoin(server: &Server, errand: &Errand) -> Result<Finished, Refusal> {
    let hall = server.hall();
    let opened = hall.open(&errand.user, opening(errand, Start::Resume(errand.session.clone()))).await;
    let room = match opened {
        Ok(room) => room,
        // The last server ended between writing the try down and beginning it: nothing of it has run. Where another has
        // begun it in this very moment, it is that one's.
        Err(refusal) if refusal.code == "not_found" => return anew(server, errand).await,
        Err(refusal) => return Err(refusal),
    };
    // The last server may have ended between making the session and prompting it.
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
        // It had ended before: its journal knows how. That comes first, because one that came to rest and was put away at once
        // may never have been seen at rest.
        match last_ending(server, errand).await {
            Some(finished) => finished,
            None if is_idle => Finished::ended(Outcome::Lost),
            None => Finished::Parked,
        }
    };
    Ok(attend(&room, errand, ended).await)
}

/// What a try has come to that could not be begun. A session of its name is this very try, begun by another server that found
/// it written down: were it taken for a failure, it would be tried again while it runs.
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

/// Waits for the end, tells of questions, and stops the session when it is to stop.
async fn attend(room: &Room, errand: &Errand, ended: impl Future<Output = Finished>) -> Finished {
    let mut ended = pin!(ended);
    let mut bell = room.feed.bell();
    // What was noted before the last server ended may be true no longer, so the first look at a try that goes on is told.
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
            // The feed is held by the room, so its bell cannot be gone.
            _ = bell.changed() => {}
            () = errand.stop.cancelled(), if stopping == Stopping::No => {
                stopping = Stopping::Yes;
                // One that does nothing needs no stopping.
                let _ = room.cancel("the job's time is over");
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

/// Whether a session was never asked for anything, as far as its journal knows.
async fn is_untouched(server: &Server, errand: &Errand) -> bool {
    let Ok(home) = server.inner.workshop.home(&errand.user).await else { return false };
    let begins = |told: &Numbered| matches!(told.event, Event::GroupStarted { .. });
    live::past(&home.store, &errand.session).await.is_ok_and(|events| !events.iter().any(begins))
}

async fn last_ending(server: &Server, errand: &Errand) -> Option<Finished> {
    let home = server.inner.workshop.home(&errand.user).await.ok()?;
    ending_of(&live::past(&home.store, &errand.session).await.ok()?)
}

/// How what was begun last has ended; none where it has not, or nothing was begun.
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
            Outcome::Refused { reason: format!("{what} could not be believed: {reason}") }
        }
        Ending::OverBudget { .. } => Outcome::Refused { reason: "what it may spend is spent".into() },
        Ending::Looping { tool, times } => {
            Outcome::Failed { reason: format!("it called `{tool}` {times} times to no avail") }
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
