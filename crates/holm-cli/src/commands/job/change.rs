//! `holm job change`: changes parts of a job; flags that are not given leave their part as it is.
//! Running work is not affected. New jobs are stored by `commands/job/add.rs`; enabling, disabling
//! and new keys are in `commands/job.rs`.

use holm::{
    kernel::{NanoUsd, Timestamp},
    runtime::Clock as _,
};
use holm_server::jobs::{
    Door, JobError, JobId, JobRepository, JobRepositoryError, Spec, VersionedJob, WallClock, When,
};

use super::add::{ApprovalArg, MisfireArg, OverlapArg, time};
use crate::{money, screen::TerminalOutput};

/// What is caught up with at the most, unless another number is said.
const USUAL_CATCH_UP: u32 = 10;

/// Arguments of `holm job change`.
#[derive(Debug, clap::Args)]
pub(crate) struct JobChangeArgs {
    /// Job name
    pub(super) job: String,
    /// Prompt to run
    #[arg(long, value_name = "TEXT")]
    prompt: Option<String>,
    /// Cron schedule: minute, hour, day, month and day of the week, optionally preceded by second
    #[arg(long, value_name = "PATTERN", conflicts_with_all = ["at", "asked"])]
    cron: Option<String>,
    /// Time zone of the schedule, such as Europe/Berlin
    #[arg(long, value_name = "ZONE", conflicts_with_all = ["at", "asked"])]
    zone: Option<String>,
    /// Run once at this time, such as 2026-01-31T02:30:00Z
    #[arg(long, value_name = "TIME", value_parser = time, conflicts_with = "asked")]
    at: Option<Timestamp>,
    /// Remove the schedule; the job then runs only on request
    #[arg(long)]
    asked: bool,
    /// Description of the job
    #[arg(long, value_name = "TEXT")]
    about: Option<String>,
    /// Agent to use; `-` means the default
    #[arg(long, value_name = "NAME")]
    agent: Option<String>,
    /// Model to use; `-` means the agent's own
    #[arg(long, value_name = "MODEL")]
    model: Option<String>,
    /// Timeout for each attempt, in seconds
    #[arg(long, value_name = "SECONDS")]
    timeout: Option<u64>,
    /// Maximum cost of each attempt, in US dollars
    #[arg(long, value_name = "USD", value_parser = money::parse, conflicts_with = "no_budget")]
    budget: Option<NanoUsd>,
    /// Remove the cost limit
    #[arg(long)]
    no_budget: bool,
    /// What to do if the job is due while it is still running
    #[arg(long, value_enum)]
    overlap: Option<OverlapArg>,
    /// What to do about runs missed while no server was running
    #[arg(long, value_enum)]
    misfire: Option<MisfireArg>,
    /// Maximum number of missed runs to catch up on with --misfire all
    #[arg(long, value_name = "COUNT", requires = "misfire")]
    catch_up: Option<u32>,
    /// How many times to retry a failed run
    #[arg(long, value_name = "COUNT")]
    retries: Option<u32>,
    /// What to do if a call needs approval
    #[arg(long, value_enum)]
    approval: Option<ApprovalArg>,
    /// Maximum number of starts per hour
    #[arg(long, value_name = "COUNT")]
    per_hour: Option<u32>,
    /// Disable the job after this many failed runs in a row
    #[arg(long, value_name = "COUNT")]
    off_after: Option<u32>,
    /// HTTPS address to notify about failures and questions; `-` means none
    #[arg(long, value_name = "URL")]
    notify: Option<String>,
    /// Let signed webhook messages start the job
    #[arg(long, conflicts_with = "no_hook")]
    hook: bool,
    /// Do not let messages start the job
    #[arg(long)]
    no_hook: bool,
}

impl JobChangeArgs {
    /// What becomes of what was said before.
    fn applied(&self, mut spec: Spec) -> Result<Spec, JobError> {
        spec.when = self.when(spec.when)?;
        for (field, said) in [(&mut spec.prompt, &self.prompt), (&mut spec.about, &self.about)] {
            if let Some(said) = said {
                field.clone_from(said);
            }
        }
        for (field, said) in
            [(&mut spec.agent, &self.agent), (&mut spec.model, &self.model), (&mut spec.notify, &self.notify)]
        {
            if let Some(said) = said {
                *field = Some(said.clone()).filter(|said| said != "-");
            }
        }
        spec.timeout_s = self.timeout.unwrap_or(spec.timeout_s);
        spec.budget = if self.no_budget { None } else { self.budget.or(spec.budget) };
        spec.overlap = self.overlap.map_or(spec.overlap, Into::into);
        let most = self.catch_up.unwrap_or(USUAL_CATCH_UP);
        spec.misfire = self.misfire.map_or(spec.misfire, |misfire| misfire.with(most));
        spec.retry.most = self.retries.unwrap_or(spec.retry.most);
        spec.approval = self.approval.map_or(spec.approval, Into::into);
        spec.per_hour = self.per_hour.unwrap_or(spec.per_hour);
        spec.off_after = self.off_after.unwrap_or(spec.off_after);
        spec.hook = match (self.hook, self.no_hook) {
            (true, _) => Door::Open,
            (false, true) => Door::Closed,
            (false, false) => spec.hook,
        };
        Ok(spec)
    }

    fn when(&self, now: When) -> Result<When, JobError> {
        if self.asked {
            return Ok(When::Asked);
        }
        if let Some(at) = self.at {
            return Ok(When::Once { at });
        }
        match (self.cron.clone(), self.zone.clone(), now) {
            (Some(pattern), said, When::Cron { zone, .. }) => {
                Ok(When::Cron { pattern, zone: said.unwrap_or(zone) })
            }
            (Some(pattern), said, When::Once { .. } | When::Asked) => {
                Ok(When::Cron { pattern, zone: said.unwrap_or_else(|| "UTC".into()) })
            }
            (None, said, When::Cron { pattern, zone }) => {
                Ok(When::Cron { pattern, zone: said.unwrap_or(zone) })
            }
            (None, None, now @ (When::Once { .. } | When::Asked)) => Ok(now),
            (None, Some(_), When::Once { .. } | When::Asked) => {
                let reason = "--zone needs a repeating schedule; set one with --cron".into();
                Err(JobError::Field { reason })
            }
        }
    }
}

pub(super) async fn change(
    repository: &JobRepository,
    screen: &TerminalOutput,
    args: &JobChangeArgs,
) -> Result<(), JobRepositoryError> {
    let (id, now): (JobId, _) = (args.job.parse()?, WallClock.now());
    let change = |held: &mut VersionedJob| Ok(held.respecify(args.applied(held.job.spec.clone())?, now)?);
    repository.alter(&id, change).await?;
    screen.note(&format!("holm: changed the job {id}; running work is not affected"));
    Ok(())
}
