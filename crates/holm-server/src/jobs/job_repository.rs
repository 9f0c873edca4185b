//! The repository of jobs, runs and pending notifications, on top of the store (`holm-store`). It
//! decides nothing (`plan.rs`) and starts nothing (`job_scheduler.rs`). Every record has a version,
//! and a change of an old version is refused, because several servers may share the store. Jobs,
//! runs and messages are bounded.

use std::collections::BTreeSet;

use holm_kernel::Timestamp;
use holm_store::{JobRunState, Store, StoreError, StoredJob, StoredJobRun, StoredNote};

use super::{
    JobError, JobId, JobRunKey, JobState, Phase, Run, ScheduledJob, Spec, WebhookDelivery, When,
    job::JobDocument,
};
use crate::{ApiError, ServerError, SessionId};

/// Jobs per user: all of them are read whenever one is due.
pub(super) const MOST_JOBS: usize = 200;
/// Runs that are kept per job, in addition to those of the last hour.
const MOST_KEPT: u32 = 500;
/// Younger runs are never deleted, so that a repeated message is recognised for much longer
/// than it is accepted.
const YOUNG_MS: u64 = 3_600_000;

/// The tray of messages that no recipient has accepted yet.
const LETTERS: &str = "letters";
/// The limit for pending messages: a recipient that never answers must not fill the store.
const MOST_LETTERS: usize = 1_000;
/// How often a change is retried when other processes keep changing the same record.
const TRIES: u32 = 8;

#[derive(Debug, Clone)]
pub struct JobRepository(Store);

/// A job with its state and its version in the store.
#[derive(Debug, Clone)]
pub struct VersionedJob {
    pub job: ScheduledJob,
    /// How far it has come.
    pub standing: JobState,
    version: u64,
}

impl VersionedJob {
    /// Replaces the specification of the job.
    ///
    /// # Errors
    /// [`JobError`] if the new specification is invalid.
    pub fn respecify(&mut self, spec: Spec, now: Timestamp) -> Result<(), JobError> {
        let ScheduledJob { id, key, old, made, .. } = self.job.clone();
        self.job = ScheduledJob { old, made, ..ScheduledJob::to_come(id, spec, key, now)? };
        // Occurrences of the old schedule do not count for the new one.
        self.standing.settled = now;
        Ok(())
    }
}

/// A message with its version in the store.
#[derive(Debug, Clone)]
pub struct VersionedDelivery {
    pub letter: WebhookDelivery,
    slip: StoredNote,
}

/// A run with its version in the store.
#[derive(Debug, Clone)]
pub struct VersionedRun {
    pub run: Run,
    at: Timestamp,
    version: u64,
}

/// All jobs of a user.
#[derive(Debug, Clone, Default)]
pub struct JobListing {
    pub jobs: Vec<VersionedJob>,
    /// The jobs that cannot be parsed.
    pub broken: Vec<UnreadableJob>,
}

/// A job that cannot be parsed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnreadableJob {
    pub id: String,
    pub reason: String,
}

impl JobRepository {
    /// The repository of a store.
    pub fn new(store: Store) -> Self {
        Self(store)
    }

    /// All jobs, by name.
    ///
    /// # Errors
    /// [`JobRepositoryError::Store`]; a job that cannot be parsed is part of the list.
    pub async fn list(&self) -> Result<JobListing, JobRepositoryError> {
        let mut listed = JobListing::default();
        for kept in self.0.jobs().await? {
            match held(&kept) {
                Ok(held) => listed.jobs.push(held),
                Err(error) => listed.broken.push(UnreadableJob { id: kept.id, reason: error.to_string() }),
            }
        }
        Ok(listed)
    }

    /// Reads the job of a name.
    ///
    /// # Errors
    /// [`JobRepositoryError::Missing`], or the reason why it cannot be read.
    pub async fn job(&self, id: &JobId) -> Result<VersionedJob, JobRepositoryError> {
        let kept = self.0.job(id.as_str()).await?.ok_or(JobRepositoryError::Missing)?;
        held(&kept)
    }

    /// Stores a new job.
    ///
    /// # Errors
    /// [`JobRepositoryError::Exists`] if the name is taken; [`JobRepositoryError::TooMany`] if the user
    /// has too many jobs.
    pub async fn add(&self, job: &ScheduledJob) -> Result<(), JobRepositoryError> {
        if self.0.jobs().await?.len() >= MOST_JOBS {
            return Err(JobRepositoryError::TooMany);
        }
        let (spec, standing) = (written(&job.written())?, written(&JobState::new(job.made))?);
        let added = self.0.add_job(job.id.as_str(), &spec, &standing).await?;
        if added { Ok(()) } else { Err(JobRepositoryError::Exists) }
    }

    /// Stores a changed job.
    ///
    /// # Errors
    /// [`JobRepositoryError::Changed`] if another process has changed it since it was read.
    pub async fn change(&self, held: &VersionedJob) -> Result<(), JobRepositoryError> {
        let kept = StoredJob {
            id: held.job.id.to_string(),
            version: held.version,
            spec: written(&held.job.written())?,
            standing: written(&held.standing)?,
        };
        if self.0.change_job(&kept).await? { Ok(()) } else { Err(JobRepositoryError::Changed) }
    }

    /// Reads, changes and stores a job. Retries if another process changed it first.
    ///
    /// # Errors
    /// [`JobRepositoryError::Changed`] if other processes keep changing it, or the error
    /// of the change itself.
    pub async fn alter<T>(
        &self,
        id: &JobId,
        mut change: impl FnMut(&mut VersionedJob) -> Result<T, JobRepositoryError>,
    ) -> Result<T, JobRepositoryError> {
        for _ in 0..TRIES {
            let mut held = self.job(id).await?;
            let value = change(&mut held)?;
            match self.change(&held).await {
                Err(JobRepositoryError::Changed) => {}
                done => return done.map(|()| value),
            }
        }
        Err(JobRepositoryError::Changed)
    }

    /// Stores a message for delivery. Returns `false` if too many messages wait already.
    ///
    /// # Errors
    /// [`JobRepositoryError`] if the store fails.
    pub async fn post(&self, name: &str, letter: &WebhookDelivery) -> Result<bool, JobRepositoryError> {
        if self.0.slips(LETTERS).await?.len() >= MOST_LETTERS {
            return Ok(false);
        }
        // Stored under its own name, so the same notification is sent once, even if several
        // processes post it.
        self.0.put_slip(LETTERS, name, letter.at, &written(letter)?).await?;
        Ok(true)
    }

    /// The messages that no recipient has accepted, oldest first. A message that cannot
    /// be parsed is deleted.
    ///
    /// # Errors
    /// [`JobRepositoryError`] if the store fails.
    pub async fn letters(&self) -> Result<Vec<VersionedDelivery>, JobRepositoryError> {
        let mut letters = Vec::new();
        for slip in self.0.slips(LETTERS).await? {
            match read(&slip.body) {
                Ok(delivery) => letters.push(VersionedDelivery { letter: delivery, slip }),
                Err(_) => {
                    self.0.take_slip(LETTERS, &slip.name).await?;
                }
            }
        }
        Ok(letters)
    }

    /// Stores a changed message. Returns `false` if another process has changed it first.
    ///
    /// # Errors
    /// [`JobRepositoryError`] if the store fails.
    pub async fn put_back(&self, held: &mut VersionedDelivery) -> Result<bool, JobRepositoryError> {
        held.slip.body = written(&held.letter)?;
        let kept = self.0.change_slip(LETTERS, &held.slip).await?;
        held.slip.version += u64::from(kept);
        Ok(kept)
    }

    /// Deletes a message from the store.
    ///
    /// # Errors
    /// [`JobRepositoryError`] if the store fails.
    pub async fn throw_away(&self, held: &VersionedDelivery) -> Result<(), JobRepositoryError> {
        self.0.take_slip(LETTERS, &held.slip.name).await?;
        Ok(())
    }

    /// Deletes a job and its runs.
    ///
    /// # Errors
    /// [`JobRepositoryError::Missing`] if there is no such job.
    pub async fn remove(&self, id: &JobId) -> Result<(), JobRepositoryError> {
        if self.0.remove_job(id.as_str()).await? { Ok(()) } else { Err(JobRepositoryError::Missing) }
    }

    /// Stores a new waiting run. Returns `false` if the job already has a run with the same key.
    ///
    /// # Errors
    /// [`JobRepositoryError`] if the store fails.
    pub async fn queue(&self, job: &JobId, run: &Run, now: Timestamp) -> Result<bool, JobRepositoryError> {
        let body = written(run)?;
        Ok(self.0.add_job_run(job.as_str(), run.slot.as_str(), now, &body, JobRunState::Open).await?)
    }

    /// Stores a changed run.
    ///
    /// # Errors
    /// [`JobRepositoryError::Changed`] if another process has changed it since it was read.
    pub async fn note(&self, job: &JobId, held: &VersionedRun) -> Result<(), JobRepositoryError> {
        let state = match held.run.phase {
            Phase::Ended { .. } => JobRunState::Ended,
            Phase::Waiting { .. } | Phase::Working { .. } => JobRunState::Open,
        };
        let kept = StoredJobRun {
            slot: held.run.slot.to_string(),
            at: held.at,
            state,
            version: held.version,
            body: written(&held.run)?,
        };
        if self.0.change_job_run(job.as_str(), &kept).await? {
            Ok(())
        } else {
            Err(JobRepositoryError::Changed)
        }
    }

    /// The unfinished runs of a job, oldest first.
    ///
    /// # Errors
    /// [`JobRepositoryError`] if the store fails.
    pub async fn open(&self, job: &JobId) -> Result<Vec<VersionedRun>, JobRepositoryError> {
        self.0.open_job_runs(job.as_str()).await?.iter().map(held_run).collect()
    }

    /// Whether a job has nothing left to do: it was for
    /// one time, which has passed, and its run has ended.
    ///
    /// # Errors
    /// [`JobRepositoryError`] if the store fails.
    pub async fn is_done(&self, held: &VersionedJob) -> Result<bool, JobRepositoryError> {
        let over = matches!(held.job.spec.when, When::Once { at } if at <= held.standing.settled);
        Ok(over && self.open(&held.job.id).await?.is_empty())
    }

    /// The sessions of running attempts of all jobs, in any process.
    ///
    /// # Errors
    /// [`JobRepositoryError`] if the store fails.
    pub(crate) async fn under_way(&self) -> Result<BTreeSet<SessionId>, JobRepositoryError> {
        let mut sessions = BTreeSet::new();
        for job in self.list().await?.jobs {
            let open = self.open(&job.job.id).await?;
            let working = open.iter().filter(|held| matches!(held.run.phase, Phase::Working { .. }));
            sessions.extend(working.filter_map(|held| held.run.session()));
        }
        Ok(sessions)
    }

    /// The latest runs of a job, newest first.
    ///
    /// # Errors
    /// [`JobRepositoryError`] if the store fails.
    pub async fn runs(&self, job: &JobId, limit: u32) -> Result<Vec<Run>, JobRepositoryError> {
        let kept = self.0.job_runs(job.as_str(), limit).await?;
        kept.iter().map(|kept| held_run(kept).map(|held| held.run)).collect()
    }

    /// Reads one run of a job.
    ///
    /// # Errors
    /// [`JobRepositoryError::Missing`] if there is no such run.
    pub async fn run(&self, job: &JobId, slot: &JobRunKey) -> Result<VersionedRun, JobRepositoryError> {
        let kept = self.0.job_run(job.as_str(), slot.as_str()).await?.ok_or(JobRepositoryError::Missing)?;
        held_run(&kept)
    }

    /// Deletes old runs of a job.
    ///
    /// # Errors
    /// [`JobRepositoryError`] if the store fails.
    pub async fn prune(&self, job: &JobId, now: Timestamp) -> Result<(), JobRepositoryError> {
        let before = Timestamp::new(now.value().saturating_sub(YOUNG_MS));
        Ok(self.0.prune_job_runs(job.as_str(), MOST_KEPT, before).await?)
    }
}

/// Why a job cannot be stored or found.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum JobRepositoryError {
    #[error("there is no such job or run")]
    Missing,
    /// The name is taken.
    #[error("a job with that name already exists; choose another name, or remove it")]
    Exists,
    /// The user has too many jobs.
    #[error("too many jobs; remove one first")]
    TooMany,
    /// Too many runs of the job wait.
    #[error("too many runs of the job are waiting; try again when some have ended")]
    Full,
    /// Another process changed the record first.
    #[error("it was changed in the meantime; read it again")]
    Changed,
    /// The specification is invalid.
    #[error(transparent)]
    Job(#[from] JobError),
    /// The stored record cannot be parsed.
    #[error("the stored job cannot be read ({0}); remove the job and create it again")]
    Unreadable(String),
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A name is invalid, or there is no randomness.
    #[error(transparent)]
    Server(#[from] ServerError),
}

impl From<JobRepositoryError> for ApiError {
    fn from(error: JobRepositoryError) -> Self {
        match error {
            JobRepositoryError::Missing => Self::missing("job"),
            JobRepositoryError::Exists => Self::conflict("exists", error.to_string()),
            JobRepositoryError::TooMany => Self::conflict("too_many", error.to_string()),
            JobRepositoryError::Full => Self::busy("full", error.to_string(), 60),
            JobRepositoryError::Changed => Self::conflict("changed", error.to_string()),
            JobRepositoryError::Job(error) => Self::bad("bad_job", error.to_string()),
            JobRepositoryError::Unreadable(_) => {
                Self::failed("the job cannot be read; the server's log says why")
            }
            JobRepositoryError::Store(error) => error.into(),
            JobRepositoryError::Server(error) => error.into(),
        }
    }
}

fn held(kept: &StoredJob) -> Result<VersionedJob, JobRepositoryError> {
    let JobDocument { spec, key, old, made } = read(&kept.spec)?;
    let job = ScheduledJob { old, ..ScheduledJob::new(kept.id.parse()?, spec, key, made)? };
    Ok(VersionedJob { job, standing: read(&kept.standing)?, version: kept.version })
}

fn held_run(kept: &StoredJobRun) -> Result<VersionedRun, JobRepositoryError> {
    let run: Run = read(&kept.body)?;
    // The key under which it is stored is authoritative.
    Ok(VersionedRun {
        run: Run { slot: JobRunKey::kept(&kept.slot), ..run },
        at: kept.at,
        version: kept.version,
    })
}

fn written(value: &impl serde::Serialize) -> Result<Vec<u8>, JobRepositoryError> {
    serde_json::to_vec(value).map_err(|error| JobRepositoryError::Unreadable(error.to_string()))
}

fn read<T: serde::de::DeserializeOwned>(bytes: &[u8]) -> Result<T, JobRepositoryError> {
    serde_json::from_slice(bytes).map_err(|error| JobRepositoryError::Unreadable(error.to_string()))
}
