//! The store's methods for jobs: they check names, and seal and open texts.
//!
//! They never interpret what they keep; `holm-server/src/jobs/job_repository.rs` does. Who was
//! first is decided by the database (`sqlite/jobs.rs`, `postgres/jobs.rs`) through slots and
//! versions, because other processes change jobs too. The names of the sealed places must not
//! change, or stored jobs could not be opened any more.

use holm_kernel::Timestamp;

use super::{
    JobRunState, StoredJob, StoredJobRun,
    rows::{JobRow, JobRunRow, JobRunSelection},
};
use crate::{Store, StoreError, label::check_run, store::StoreInner, vault::SessionCipher};

/// Tells the sealed parts of a job apart.
const SPEC: &str = "job";
const STANDING: &str = "job standing";

impl Store {
    /// All jobs, by name.
    ///
    /// # Errors
    /// Any [`StoreError`] of the database.
    pub async fn jobs(&self) -> Result<Vec<StoredJob>, StoreError> {
        let rows = self.inner.backend.jobs().await?;
        rows.iter().map(|row| self.inner.opened_job(row)).collect()
    }

    /// Returns one job, or `None` if no job has that name.
    ///
    /// # Errors
    /// Any [`StoreError`] of the database.
    pub async fn job(&self, id: &str) -> Result<Option<StoredJob>, StoreError> {
        let row = self.inner.backend.job(id).await?;
        row.map(|row| self.inner.opened_job(&row)).transpose()
    }

    /// Keeps a new job. Whether it was kept: not if there is one of that name.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
    /// # let folder = tempfile::tempdir().unwrap();
    /// let store = holm_store::Store::open(folder.path().join("holm.db")).await?;
    /// assert!(store.add_job("nightly", b"what to do", b"how far it is").await?);
    /// assert!(!store.add_job("nightly", b"something else", b"").await?);
    /// # Ok::<(), holm_store::StoreError>(())
    /// # }).unwrap();
    /// ```
    ///
    /// # Errors
    /// [`StoreError::BadName`] if the id cannot be a name, and errors of the database.
    pub async fn add_job(&self, id: &str, spec: &[u8], standing: &[u8]) -> Result<bool, StoreError> {
        check_run(id)?;
        let (sealing, key) = match &self.inner.vault {
            None => (None, None),
            Some(vault) => {
                let (sealing, wrapped) = vault.new_key(&key_name(id))?;
                (Some(sealing), Some(wrapped))
            }
        };
        let row = JobRow {
            id: id.to_owned(),
            key,
            version: 0,
            spec: sealed(sealing.as_ref(), SPEC, spec)?,
            standing: sealed(sealing.as_ref(), STANDING, standing)?,
        };
        self.inner.backend.add_job(&row).await
    }

    /// Stores a changed job. Returns whether it was stored: not if another process has changed
    /// the job since `job.version`.
    ///
    /// # Errors
    /// Any [`StoreError`] of the database.
    pub async fn change_job(&self, job: &StoredJob) -> Result<bool, StoreError> {
        let Some(row) = self.inner.backend.job(&job.id).await? else { return Ok(false) };
        let key = self.inner.job_key(&row)?;
        let row = JobRow {
            version: job.version,
            spec: sealed(key.as_ref(), SPEC, &job.spec)?,
            standing: sealed(key.as_ref(), STANDING, &job.standing)?,
            ..row
        };
        self.inner.backend.change_job(&row).await
    }

    /// Deletes a job and its runs; the sessions stay. Returns whether the job existed.
    ///
    /// # Errors
    /// Any [`StoreError`] of the database.
    pub async fn remove_job(&self, id: &str) -> Result<bool, StoreError> {
        self.inner.backend.remove_job(id).await
    }

    /// Keeps a new run of a job. Whether it was kept: not if the slot is taken, so that of all who
    /// try to fill it one does.
    ///
    /// # Errors
    /// [`StoreError::BadName`] if the slot cannot be a name, and errors of the database.
    pub async fn add_job_run(
        &self,
        job: &str,
        slot: &str,
        at: Timestamp,
        body: &[u8],
        state: JobRunState,
    ) -> Result<bool, StoreError> {
        check_run(slot)?;
        let Some(row) = self.inner.backend.job(job).await? else { return Ok(false) };
        let key = self.inner.job_key(&row)?;
        let run = JobRunRow {
            slot: slot.to_owned(),
            at: at.value(),
            open: state == JobRunState::Open,
            version: 0,
            body: sealed(key.as_ref(), &run_place(slot), body)?,
        };
        self.inner.backend.add_job_run(job, &run).await
    }

    /// Stores a changed run, as [`change_job`](Self::change_job) does for a job.
    ///
    /// # Errors
    /// Any [`StoreError`] of the database.
    pub async fn change_job_run(&self, job: &str, run: &StoredJobRun) -> Result<bool, StoreError> {
        let Some(row) = self.inner.backend.job(job).await? else { return Ok(false) };
        let key = self.inner.job_key(&row)?;
        let run = JobRunRow {
            slot: run.slot.clone(),
            at: run.at.value(),
            open: run.state == JobRunState::Open,
            version: run.version,
            body: sealed(key.as_ref(), &run_place(&run.slot), &run.body)?,
        };
        self.inner.backend.change_job_run(job, &run).await
    }

    /// The open runs of a job, the oldest first.
    ///
    /// # Errors
    /// Any [`StoreError`] of the database.
    pub async fn open_job_runs(&self, job: &str) -> Result<Vec<StoredJobRun>, StoreError> {
        self.runs(job, JobRunSelection::Open).await
    }

    /// The latest runs of a job, the latest first.
    ///
    /// # Errors
    /// Any [`StoreError`] of the database.
    pub async fn job_runs(&self, job: &str, limit: u32) -> Result<Vec<StoredJobRun>, StoreError> {
        self.runs(job, JobRunSelection::Latest(limit.into())).await
    }

    /// One run of a job.
    ///
    /// # Errors
    /// Any [`StoreError`] of the database.
    pub async fn job_run(&self, job: &str, slot: &str) -> Result<Option<StoredJobRun>, StoreError> {
        let Some(row) = self.inner.backend.job(job).await? else { return Ok(None) };
        let key = self.inner.job_key(&row)?;
        let run = self.inner.backend.job_run(job, slot).await?;
        run.map(|run| opened_run(job, key.as_ref(), run)).transpose()
    }

    /// Forgets runs that have ended and were made before a time, all but the latest `keep`.
    ///
    /// # Errors
    /// Any [`StoreError`] of the database.
    pub async fn prune_job_runs(&self, job: &str, keep: u32, before: Timestamp) -> Result<(), StoreError> {
        self.inner.backend.prune_job_runs(job, keep.into(), before.value()).await
    }

    async fn runs(&self, job: &str, which: JobRunSelection) -> Result<Vec<StoredJobRun>, StoreError> {
        let Some(row) = self.inner.backend.job(job).await? else { return Ok(Vec::new()) };
        let key = self.inner.job_key(&row)?;
        let runs = self.inner.backend.job_runs(job, which).await?;
        runs.into_iter().map(|run| opened_run(job, key.as_ref(), run)).collect()
    }
}

impl StoreInner {
    fn job_key(&self, row: &JobRow) -> Result<Option<SessionCipher>, StoreError> {
        let Some(vault) = &self.vault else { return Ok(None) };
        let Some(wrapped) = &row.key else { return Err(damaged(&row.id, "its key is missing")) };
        vault.key(&key_name(&row.id), wrapped).map(Some)
    }

    fn opened_job(&self, row: &JobRow) -> Result<StoredJob, StoreError> {
        let key = self.job_key(row)?;
        Ok(StoredJob {
            id: row.id.clone(),
            version: row.version,
            spec: opened(&row.id, key.as_ref(), SPEC, &row.spec)?,
            standing: opened(&row.id, key.as_ref(), STANDING, &row.standing)?,
        })
    }
}

/// A run may have the name of a job, and their keys must differ: no run has a colon in its name.
fn key_name(id: &str) -> String {
    format!("job:{id}")
}

/// The place that a run's text is sealed for. A slot is a plain name, so all places differ.
fn run_place(slot: &str) -> String {
    format!("job run {slot}")
}

fn opened_run(job: &str, key: Option<&SessionCipher>, row: JobRunRow) -> Result<StoredJobRun, StoreError> {
    let body = opened(job, key, &run_place(&row.slot), &row.body)?;
    let state = if row.open { JobRunState::Open } else { JobRunState::Ended };
    Ok(StoredJobRun { slot: row.slot, at: Timestamp::new(row.at), state, version: row.version, body })
}

fn sealed(key: Option<&SessionCipher>, kind: &str, plain: &[u8]) -> Result<Vec<u8>, StoreError> {
    key.map_or_else(|| Ok(plain.to_vec()), |key| key.seal(kind, 0, plain))
}

fn opened(job: &str, key: Option<&SessionCipher>, kind: &str, kept: &[u8]) -> Result<Vec<u8>, StoreError> {
    let Some(key) = key else { return Ok(kept.to_vec()) };
    key.open(kind, 0, kept).ok_or_else(|| damaged(job, "it cannot be decrypted"))
}

fn damaged(job: &str, reason: &str) -> StoreError {
    StoreError::Damaged { run: format!("the job {job}"), reason: reason.into() }
}
