//! `holm job add`: stores a new job. It only turns flags into a job; whether the job is valid is
//! decided in `holm-server/src/jobs/`, which also runs it. The flags that both commands have are
//! defined here and used by `commands/job/change.rs` too.

use holm::{
    kernel::{NanoUsd, Timestamp},
    runtime::Clock as _,
};
use holm_server::jobs::{
    Approval, Door, HookKey, JobRepository, JobRepositoryError, Misfire, Overlap, ScheduledJob, Spec,
    WallClock, When,
};

use crate::{money, screen::TerminalOutput};

/// Arguments of `holm job add`.
#[derive(Debug, clap::Args)]
pub(crate) struct JobAddArgs {
    /// Name of the new job
    pub(super) job: String,
    /// Prompt to run
    prompt: String,
    /// Cron schedule: minute, hour, day, month and day of the week, optionally preceded by second
    #[arg(long, value_name = "PATTERN", conflicts_with = "at")]
    cron: Option<String>,
    /// Time zone of the schedule, such as Europe/Berlin
    #[arg(long, value_name = "ZONE", default_value = "UTC", requires = "cron")]
    zone: String,
    /// Run once at this time, such as 2026-01-31T02:30:00Z
    #[arg(long, value_name = "TIME", value_parser = time)]
    at: Option<Timestamp>,
    /// Description of the job
    #[arg(long, value_name = "TEXT", default_value = "")]
    about: String,
    /// Agent to use
    #[arg(long, value_name = "NAME")]
    agent: Option<String>,
    /// Model to use
    #[arg(long, value_name = "MODEL")]
    model: Option<String>,
    /// Timeout for each attempt, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 600)]
    timeout: u64,
    /// Maximum cost of each attempt, in US dollars
    #[arg(long, value_name = "USD", value_parser = money::parse)]
    budget: Option<NanoUsd>,
    /// What to do if the job is due while it is still running
    #[arg(long, value_enum, default_value_t)]
    overlap: OverlapArg,
    /// What to do about runs missed while no server was running
    #[arg(long, value_enum, default_value_t)]
    misfire: MisfireArg,
    /// Maximum number of missed runs to catch up on with --misfire all
    #[arg(long, value_name = "COUNT", default_value_t = 10)]
    catch_up: u32,
    /// How many times to retry a failed run
    #[arg(long, value_name = "COUNT", default_value_t = 0)]
    retries: u32,
    /// What to do if a call needs approval
    #[arg(long, value_enum, default_value_t)]
    approval: ApprovalArg,
    /// Maximum number of starts per hour
    #[arg(long, value_name = "COUNT", default_value_t = 12)]
    per_hour: u32,
    /// Disable the job after this many failed runs in a row
    #[arg(long, value_name = "COUNT", default_value_t = 10)]
    off_after: u32,
    /// HTTPS address to notify about failures and questions
    #[arg(long, value_name = "URL")]
    notify: Option<String>,
    /// Let signed webhook messages start the job
    #[arg(long)]
    hook: bool,
}

/// What to do if a job is due while it is still running.
#[derive(Debug, Clone, Copy, Default, clap::ValueEnum)]
pub(super) enum OverlapArg {
    /// Skip the new run
    #[default]
    Skip,
    /// Start the new run after the current one
    Queue,
    /// Stop the current run and start the new one
    Replace,
}

/// What to do about runs missed while no server was running.
#[derive(Debug, Clone, Copy, Default, clap::ValueEnum)]
pub(super) enum MisfireArg {
    /// Skip them
    Skip,
    /// Run once for all of them
    #[default]
    Once,
    /// Run each of them, up to --catch-up
    All,
}

/// What to do if a call needs approval.
#[derive(Debug, Clone, Copy, Default, clap::ValueEnum)]
pub(super) enum ApprovalArg {
    /// Deny it
    #[default]
    Deny,
    /// Wait until a user who watches the session answers
    Park,
    /// Like `park`, and also send a message to --notify
    Notify,
}

impl From<OverlapArg> for Overlap {
    fn from(said: OverlapArg) -> Self {
        match said {
            OverlapArg::Skip => Self::Skip,
            OverlapArg::Queue => Self::Queue,
            OverlapArg::Replace => Self::Replace,
        }
    }
}

impl MisfireArg {
    /// With how much is caught up with at the most.
    pub(super) fn with(self, most: u32) -> Misfire {
        match self {
            Self::Skip => Misfire::Skip,
            Self::Once => Misfire::Once,
            Self::All => Misfire::All { most },
        }
    }
}

impl From<ApprovalArg> for Approval {
    fn from(said: ApprovalArg) -> Self {
        match said {
            ApprovalArg::Deny => Self::Deny,
            ApprovalArg::Park => Self::Park,
            ApprovalArg::Notify => Self::Notify,
        }
    }
}

impl JobAddArgs {
    fn spec(self) -> (String, Spec) {
        let when = match (self.cron, self.at) {
            (Some(pattern), _) => When::Cron { pattern, zone: self.zone },
            (None, Some(at)) => When::Once { at },
            (None, None) => When::Asked,
        };
        let mut spec = Spec::new(when, self.prompt);
        (spec.about, spec.agent, spec.model) = (self.about, self.agent, self.model);
        (spec.timeout_s, spec.budget, spec.per_hour) = (self.timeout, self.budget, self.per_hour);
        (spec.retry.most, spec.off_after, spec.notify) = (self.retries, self.off_after, self.notify);
        (spec.overlap, spec.approval) = (self.overlap.into(), self.approval.into());
        spec.misfire = self.misfire.with(self.catch_up);
        spec.hook = if self.hook { Door::Open } else { Door::Closed };
        (self.job, spec)
    }
}

pub(super) async fn add(
    repository: &JobRepository,
    screen: &TerminalOutput,
    args: JobAddArgs,
) -> Result<(), JobRepositoryError> {
    let (id, spec) = args.spec();
    let job = ScheduledJob::to_come(id.parse()?, spec, HookKey::new()?, WallClock.now())?;
    repository.add(&job).await?;
    screen.note(&format!("holm: created the job {}; `holm serve` runs it", job.id));
    Ok(())
}

/// A time as people write it.
pub(super) fn time(text: &str) -> Result<Timestamp, String> {
    let instant: jiff::Timestamp = text.parse().map_err(|_| {
        format!(
            "`{text}` is not a valid time; write it like \
                                          2026-01-31T02:30:00Z"
        )
    })?;
    let millis = u64::try_from(instant.as_millisecond()).map_err(|_| "it is before 1970".to_owned())?;
    Ok(Timestamp::new(millis))
}
