//! What is said about a job: when it is written down, and when it is changed.

use holm::{
    kernel::{NanoUsd, Timestamp},
    runtime::Clock as _,
};
use holm_server::jobs::{
    Approval, Door, HookKey, Job, Misfire, Overlap, Shelf, ShelfError, Spec, WallClock, When,
};

use crate::{
    exit::{Exit, Trouble},
    money,
    screen::Screen,
};

/// The clocks that count where nobody says which.
const USUAL_ZONE: &str = "UTC";

/// The most that is caught up with where nobody says how much.
const USUAL_CATCH_UP: u32 = 10;

/// What `holm job add` takes.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// A name for the job
    job: String,
    /// What is to be done
    prompt: String,
    #[command(flatten)]
    says: Says,
}

/// What `holm job change` takes. What is not said stays as it is.
#[derive(Debug, clap::Args)]
pub(crate) struct Changes {
    /// The job
    pub(super) job: String,
    /// What is to be done
    #[arg(long, value_name = "TEXT")]
    prompt: Option<String>,
    /// Run when somebody asks, and no longer by itself
    #[arg(long, conflicts_with_all = ["cron", "at", "zone"])]
    asked: bool,
    /// Let it cost what it costs
    #[arg(long, conflicts_with = "budget")]
    no_budget: bool,
    /// Let no messages start it
    #[arg(long, conflicts_with = "hook")]
    no_hook: bool,
    /// Sign its messages with a new key; the old one counts for nothing
    #[arg(long)]
    pub(super) new_key: bool,
    #[command(flatten)]
    says: Says,
}

/// What can be said about a job, when it is made and later.
#[derive(Debug, clap::Args)]
struct Says {
    /// When, again and again: minute, hour, day, month and day of the week, or second and these five
    #[arg(long, value_name = "PATTERN", conflicts_with = "at")]
    cron: Option<String>,
    /// The place whose clocks count for --cron, such as Europe/Berlin [default: UTC]
    #[arg(long, value_name = "ZONE")]
    zone: Option<String>,
    /// When, once: a time such as 2026-01-31T02:30:00Z
    #[arg(long, value_name = "TIME", value_parser = time)]
    at: Option<Timestamp>,
    /// What it is for, for people
    #[arg(long, value_name = "TEXT")]
    about: Option<String>,
    /// Which agent; an empty name is the usual one
    #[arg(long, value_name = "NAME")]
    agent: Option<String>,
    /// Which model; an empty name is the agent's own
    #[arg(long, value_name = "MODEL")]
    model: Option<String>,
    /// How many seconds a try may take [default: 600]
    #[arg(long, value_name = "SECONDS")]
    timeout: Option<u64>,
    /// The most a try may cost, in US dollars
    #[arg(long, value_name = "USD", value_parser = money::parse)]
    budget: Option<NanoUsd>,
    /// What happens when it is due while it works [default: skip]
    #[arg(long, value_enum)]
    overlap: Option<OverlapArg>,
    /// What happens with times that passed while no server ran [default: once]
    #[arg(long, value_enum)]
    misfire: Option<MisfireArg>,
    /// The most that is caught up with by --misfire all [default: 10]
    #[arg(long, value_name = "COUNT", requires = "misfire")]
    catch_up: Option<u32>,
    /// How often a failed run is tried again [default: 0]
    #[arg(long, value_name = "COUNT")]
    retries: Option<u32>,
    /// What happens when a call needs somebody's yes [default: deny]
    #[arg(long, value_enum)]
    approval: Option<ApprovalArg>,
    /// The most starts in an hour [default: 12]
    #[arg(long, value_name = "COUNT")]
    per_hour: Option<u32>,
    /// After so many failed runs in a row it is switched off [default: 10]
    #[arg(long, value_name = "COUNT")]
    off_after: Option<u32>,
    /// An https address that is told of failures and questions; an empty one is nobody
    #[arg(long, value_name = "URL")]
    notify: Option<String>,
    /// Let signed messages start it
    #[arg(long)]
    hook: bool,
}

/// What happens when a job is due while it works.
#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum OverlapArg {
    /// The new time is let go
    Skip,
    /// The new time waits for its turn
    Queue,
    /// What works is stopped for it
    Replace,
}

/// What happens with times that passed while no server ran.
#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum MisfireArg {
    /// They are let go
    Skip,
    /// One run stands for all of them
    Once,
    /// Each has its run, up to --catch-up
    All,
}

/// What happens when a call needs somebody's yes.
#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum ApprovalArg {
    /// It is denied
    Deny,
    /// The run waits for somebody who watches
    Park,
    /// It waits, and --notify is told
    Notify,
}

impl Says {
    /// Refuses clocks where no times are said.
    fn check(&self, when: &When) -> Result<(), Trouble> {
        let by_pattern = matches!(when, When::Cron { .. }) && self.at.is_none();
        if self.zone.is_none() || self.cron.is_some() || by_pattern {
            return Ok(());
        }
        let message = "--zone says whose clocks count for a pattern of times, and there is none";
        Err(Trouble::new(Exit::Usage, message).hint("say when with --cron"))
    }

    /// Says it of a job.
    fn tell(&self, spec: &mut Spec) {
        let before = std::mem::replace(&mut spec.when, When::Asked);
        spec.when = match (&self.cron, self.at, before) {
            (Some(pattern), _, before) => {
                let kept = match before {
                    When::Cron { zone, .. } => zone,
                    When::Once { .. } | When::Asked => USUAL_ZONE.to_owned(),
                };
                When::Cron { pattern: pattern.clone(), zone: self.zone.clone().unwrap_or(kept) }
            }
            (None, Some(at), _) => When::Once { at },
            (None, None, When::Cron { pattern, zone }) => {
                When::Cron { pattern, zone: self.zone.clone().unwrap_or(zone) }
            }
            (None, None, kept @ (When::Once { .. } | When::Asked)) => kept,
        };
        let named = |said: Option<&String>, kept: &mut Option<String>| {
            if let Some(name) = said {
                *kept = Some(name.clone()).filter(|name| !name.is_empty());
            }
        };
        named(self.agent.as_ref(), &mut spec.agent);
        named(self.model.as_ref(), &mut spec.model);
        named(self.notify.as_ref(), &mut spec.notify);
        spec.about = self.about.clone().unwrap_or_else(|| std::mem::take(&mut spec.about));
        spec.timeout_s = self.timeout.unwrap_or(spec.timeout_s);
        spec.budget = self.budget.or(spec.budget);
        spec.per_hour = self.per_hour.unwrap_or(spec.per_hour);
        spec.retry.most = self.retries.unwrap_or(spec.retry.most);
        spec.off_after = self.off_after.unwrap_or(spec.off_after);
        spec.overlap = self.overlap.map_or(spec.overlap, Into::into);
        spec.approval = self.approval.map_or(spec.approval, Into::into);
        spec.misfire = match self.misfire {
            Some(MisfireArg::Skip) => Misfire::Skip,
            Some(MisfireArg::Once) => Misfire::Once,
            Some(MisfireArg::All) => Misfire::All { most: self.catch_up.unwrap_or(USUAL_CATCH_UP) },
            None => spec.misfire,
        };
        if self.hook {
            spec.hook = Door::Open;
        }
    }
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
    /// What was said, as a job's own form.
    pub(super) fn spec(self) -> Result<(String, Spec), Trouble> {
        let mut spec = Spec::new(When::Asked, self.prompt);
        self.says.check(&spec.when)?;
        self.says.tell(&mut spec);
        Ok((self.job, spec))
    }
}

impl Changes {
    /// Refuses what makes no sense for a job as it is.
    pub(super) fn check(&self, spec: &Spec) -> Result<(), Trouble> {
        self.says.check(&spec.when)
    }

    /// A job's own form with what was said.
    pub(super) fn told(&self, spec: &Spec) -> Spec {
        let mut spec = spec.clone();
        if let Some(prompt) = &self.prompt {
            spec.prompt.clone_from(prompt);
        }
        if self.asked {
            spec.when = When::Asked;
        }
        if self.no_budget {
            spec.budget = None;
        }
        if self.no_hook {
            spec.hook = Door::Closed;
        }
        self.says.tell(&mut spec);
        spec
    }
}

pub(super) async fn add(shelf: &Shelf, screen: &Screen, id: &str, spec: Spec) -> Result<(), ShelfError> {
    let job = Job::to_come(id.parse()?, spec, HookKey::new()?, WallClock.now())?;
    shelf.add(&job).await?;
    screen.note(&format!("holm: the job {} is written down; `holm serve` runs it", job.id));
    Ok(())
}

/// A time as people write it.
fn time(text: &str) -> Result<Timestamp, String> {
    let instant: jiff::Timestamp =
        text.parse().map_err(|_| format!("`{text}` is no time; write it like 2026-01-31T02:30:00Z"))?;
    let millis = u64::try_from(instant.as_millisecond()).map_err(|_| "it lies before 1970".to_owned())?;
    Ok(Timestamp::new(millis))
}

#[cfg(test)]
mod tests;
