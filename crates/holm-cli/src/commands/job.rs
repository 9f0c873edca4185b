//! `holm job`: manages scheduled jobs of `holm serve`, which run at a time, repeatedly, or when
//! another program triggers them. The command only stores them; a running server notices within
//! half a minute. Jobs are run by `holm-server/src/jobs/`, never here.
//!
//! Where things are:
//! - `job/add.rs`: stores a new job. `job/change.rs`: changes parts of one.
//! - `job/show.rs`: prints jobs and their runs.

mod add;
mod change;
mod show;

use std::path::Path;

use clap::Subcommand;
use holm::runtime::Clock as _;
use holm_server::jobs::{
    Cause, HookKey, JobId, JobRepository, JobRepositoryError, JobRunKey, JobState, OffReason, Run,
    VersionedJob, WallClock,
};

use crate::{
    exit::{CommandError, CommandExit},
    holm_paths::HolmPaths,
    screen::TerminalOutput,
};
use show::JobDisplay;

/// Subcommands of `holm job`.
#[derive(Debug, Subcommand)]
pub(crate) enum JobCommand {
    /// List jobs and when they are due
    List {
        /// Print one JSON object per line
        #[arg(long)]
        json: bool,
    },
    /// Create a job
    Add(Box<add::JobAddArgs>),
    /// Change a job; options you do not give stay as they are
    Change(Box<change::JobChangeArgs>),
    /// Create and print a new key for triggering a job
    Key {
        /// Job name
        job: String,
        /// How many seconds the old key stays valid
        #[arg(long, value_name = "SECONDS", default_value_t = 86_400, value_parser = clap::value_parser!(u64).range(..=2_592_000))]
        old_for: u64,
    },
    /// Show a job
    Show {
        /// Job name
        job: String,
        /// Print JSON
        #[arg(long)]
        json: bool,
        /// Print only the key that signs its messages
        #[arg(long, conflicts_with = "json")]
        key: bool,
    },
    /// Have the server run a job now, even if it is disabled
    Run {
        /// Job name
        job: String,
    },
    /// Enable a job; it does not catch up on runs missed while it was disabled
    Enable {
        /// Job name
        job: String,
    },
    /// Disable a job; a run in progress may finish
    Disable {
        /// Job name
        job: String,
    },
    /// Delete a job; the sessions of its runs stay
    Remove {
        /// Job name
        job: String,
    },
    /// List a job's runs and their results, latest first
    Log {
        /// Job name
        job: String,
        /// Maximum number of runs
        #[arg(long, default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..=500))]
        limit: u32,
        /// Print one JSON object per line
        #[arg(long)]
        json: bool,
    },
}

impl JobCommand {
    /// The name of the job; empty for `list`.
    fn job(&self) -> &str {
        match self {
            Self::List { .. } => "",
            Self::Add(args) => &args.job,
            Self::Change(args) => &args.job,
            Self::Key { job, .. }
            | Self::Show { job, .. }
            | Self::Run { job }
            | Self::Enable { job }
            | Self::Disable { job }
            | Self::Remove { job }
            | Self::Log { job, .. } => job,
        }
    }
}

pub(crate) async fn execute(command: JobCommand, data: Option<&Path>) -> anyhow::Result<CommandExit> {
    let screen = TerminalOutput::default();
    let store = match &command {
        JobCommand::List { .. } | JobCommand::Show { .. } | JobCommand::Log { .. } => {
            HolmPaths::look(data)?.store_to_read().await?
        }
        JobCommand::Add(_)
        | JobCommand::Change(_)
        | JobCommand::Key { .. }
        | JobCommand::Run { .. }
        | JobCommand::Enable { .. }
        | JobCommand::Disable { .. }
        | JobCommand::Remove { .. } => HolmPaths::find(data)?.store().await?,
    };
    let repository = JobRepository::new(store);
    let name = command.job().to_owned();
    let done = match command {
        JobCommand::List { json } => show::list(&repository, &screen, json).await,
        JobCommand::Add(args) => add::add(&repository, &screen, *args).await,
        JobCommand::Change(args) => change::change(&repository, &screen, &args).await,
        JobCommand::Key { job, old_for } => rekey(&repository, &screen, &named(&job)?, old_for).await,
        JobCommand::Show { job, json, key } => {
            let shown = match (json, key) {
                (true, _) => JobDisplay::Json,
                (false, true) => JobDisplay::Key,
                (false, false) => JobDisplay::Words,
            };
            show::show(&repository, &screen, &named(&job)?, shown).await
        }
        JobCommand::Run { job } => run(&repository, &screen, &named(&job)?).await,
        JobCommand::Enable { job } => {
            let switched = |standing: &JobState| standing.on(WallClock.now());
            switch(&repository, &screen, &named(&job)?, switched, "is enabled").await
        }
        JobCommand::Disable { job } => {
            let switched = |standing: &JobState| standing.off(WallClock.now(), OffReason::Person);
            switch(&repository, &screen, &named(&job)?, switched, "is disabled").await
        }
        JobCommand::Remove { job } => {
            let id = named(&job)?;
            repository.remove(&id).await.map(|()| screen.note(&format!("holm: removed the job {id}")))
        }
        JobCommand::Log { job, limit, json } => {
            show::log(&repository, &screen, &named(&job)?, limit, json).await
        }
    };
    done.map(|()| CommandExit::Done).map_err(|error| trouble(&error, &name).into())
}

async fn run(
    repository: &JobRepository,
    screen: &TerminalOutput,
    id: &JobId,
) -> Result<(), JobRepositoryError> {
    repository.job(id).await?;
    let (slot, now) = (JobRunKey::now()?, WallClock.now());
    repository.queue(id, &Run::new(slot.clone(), now, Cause::Person), now).await?;
    screen.answer(slot.as_str());
    screen.note(&format!("holm: a running server starts it within half a minute; see `holm job log {id}`"));
    Ok(())
}

async fn switch(
    repository: &JobRepository,
    screen: &TerminalOutput,
    id: &JobId,
    switched: impl Fn(&JobState) -> JobState,
    said: &str,
) -> Result<(), JobRepositoryError> {
    let switch = |held: &mut VersionedJob| {
        held.standing = switched(&held.standing);
        Ok(())
    };
    repository.alter(id, switch).await?;
    screen.note(&format!("holm: the job {id} {said}"));
    Ok(())
}

async fn rekey(
    repository: &JobRepository,
    screen: &TerminalOutput,
    id: &JobId,
    old_for_s: u64,
) -> Result<(), JobRepositoryError> {
    let (key, until) = (HookKey::new()?, WallClock.now().plus(old_for_s * 1_000));
    let rekey = |held: &mut VersionedJob| {
        held.job.rekey(key.clone(), until);
        Ok(())
    };
    repository.alter(id, rekey).await?;
    screen.answer(&key.reveal());
    screen.note(&format!("holm: the old key of {id} stays valid for {old_for_s} s"));
    Ok(())
}

fn named(job: &str) -> Result<JobId, CommandError> {
    job.parse()
        .map_err(|error: holm_server::ServerError| CommandError::new(CommandExit::Usage, error.to_string()))
}

fn trouble(error: &JobRepositoryError, name: &str) -> CommandError {
    let exit = match error {
        JobRepositoryError::Missing => CommandExit::Missing,
        JobRepositoryError::Exists | JobRepositoryError::Job(_) => CommandExit::Usage,
        JobRepositoryError::TooMany
        | JobRepositoryError::Full
        | JobRepositoryError::Changed
        | JobRepositoryError::Unreadable(_)
        | JobRepositoryError::Store(_)
        | JobRepositoryError::Server(_) => CommandExit::Failed,
    };
    if *error == JobRepositoryError::Missing {
        CommandError::new(exit, format!("there is no job `{name}`")).hint("`holm job list` shows the jobs")
    } else {
        CommandError::new(exit, error.to_string())
    }
}
