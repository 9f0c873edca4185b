//! `holm job add`: stores a new job.

use holm::{
    kernel::{NanoUsd, Timestamp},
    runtime::Clock as _,
};
use holm_server::jobs::{
    Approval, Door, HookKey, Job, Misfire, Overlap, Shelf, ShelfError, Spec, WallClock, When,
};

use crate::{money, screen::Screen};

/// What `holm job add` takes.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// A name for the job
    job: String,
    /// What is to be done
    prompt: String,
    /// When, again and again: minute, hour, day, month and day of the week, or second and these five
    #[arg(long, value_name = "PATTERN", conflicts_with = "at")]
    cron: Option<String>,
    /// The place whose clocks count, such as Europe/Berlin
    #[arg(long, value_name = "ZONE", default_value = "UTC", requires = "cron")]
    zone: String,
    /// When, once: a time such as 2026-01-31T02:30:00Z
    #[arg(long, value_name = "TIME", value_parser = time)]
    at: Option<Timestamp>,
    /// What it is for, for people
    #[arg(long, value_name = "TEXT", default_value = "")]
    about: String,
    /// Which agent
    #[arg(long, value_name = "NAME")]
    agent: Option<String>,
    /// Which model
    #[arg(long, value_name = "MODEL")]
    model: Option<String>,
    /// How many seconds a try may take
    #[arg(long, value_name = "SECONDS", default_value_t = 600)]
    timeout: u64,
    /// The most a try may cost, in US dollars
    #[arg(long, value_name = "USD", value_parser = money::parse)]
    budget: Option<NanoUsd>,
    /// What happens when it is due while it works
    #[arg(long, value_enum, default_value_t)]
    overlap: OverlapArg,
    /// What happens with times that passed while no server ran
    #[arg(long, value_enum, default_value_t)]
    misfire: MisfireArg,
    /// The most that is caught up with by --misfire all
    #[arg(long, value_name = "COUNT", default_value_t = 10)]
    catch_up: u32,
    /// How often a failed run is tried again
    #[arg(long, value_name = "COUNT", default_value_t = 0)]
    retries: u32,
    /// What happens when a call needs somebody's yes
    #[arg(long, value_enum, default_value_t)]
    approval: ApprovalArg,
    /// The most starts in an hour
    #[arg(long, value_name = "COUNT", default_value_t = 12)]
    per_hour: u32,
    /// After so many failed runs in a row it is switched off
    #[arg(long, value_name = "COUNT", default_value_t = 10)]
    off_after: u32,
    /// An https address that is told of failures and questions
    #[arg(long, value_name = "URL")]
    notify: Option<String>,
    /// Let signed messages start it
    #[arg(long)]
    hook: bool,
}

/// What happens when a job is due while it works.
#[derive(Debug, Clone, Copy, Default, clap::ValueEnum)]
pub(super) enum OverlapArg {
    /// The new time is let go
    #[default]
    Skip,
    /// The new time waits for its turn
    Queue,
    /// What works is stopped for it
    Replace,
}

/// What happens with times that passed while no server ran.
#[derive(Debug, Clone, Copy, Default, clap::ValueEnum)]
pub(super) enum MisfireArg {
    /// They are let go
    Skip,
    /// One run stands for all of them
    #[default]
    Once,
    /// Each has its run, up to --catch-up
    All,
}

/// What happens when a call needs somebody's yes.
#[derive(Debug, Clone, Copy, Default, clap::ValueEnum)]
pub(super) enum ApprovalArg {
    /// It is denied
    #[default]
    Deny,
    /// The run waits for somebody who watches
    Park,
    /// It waits, and --notify is told
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

impl Args {
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

pub(super) async fn add(shelf: &Shelf, screen: &Screen, args: Args) -> Result<(), ShelfError> {
    let (id, spec) = args.spec();
    let job = Job::to_come(id.parse()?, spec, HookKey::new()?, WallClock.now())?;
    shelf.add(&job).await?;
    screen.note(&format!("holm: the job {} is written down; `holm serve` runs it", job.id));
    Ok(())
}

/// A time as people write it.
pub(super) fn time(text: &str) -> Result<Timestamp, String> {
    let instant: jiff::Timestamp =
        text.parse().map_err(|_| format!("`{text}` is no time; write it like 2026-01-31T02:30:00Z"))?;
    let millis = u64::try_from(instant.as_millisecond()).map_err(|_| "it lies before 1970".to_owned())?;
    Ok(Timestamp::new(millis))
}
